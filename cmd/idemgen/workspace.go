package main

import (
	"os"
	"path/filepath"
)

// inWorkspace turns a path of the working directory into one of the checkout
// that GitHub runs a workflow in, which is what its annotations and scans are
// matched by. Elsewhere it stays as it is.
func inWorkspace(name string) string {
	workspace := os.Getenv("GITHUB_WORKSPACE")
	path, err := filepath.Abs(name)
	if workspace == "" || err != nil {
		return name
	}
	rel, err := filepath.Rel(workspace, path)
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return rel
}
