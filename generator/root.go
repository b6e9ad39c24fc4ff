package generator

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/internal/load"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Root returns the root of the project that dir belongs to: the nearest
// directory, upwards, that has an idemgen.yaml, but not above the module's
// root; if there is none, the module's root.
func Root(dir string) (string, error) {
	// A directory that does not exist has a root above it all the same,
	// which is not the one that was meant.
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a directory", dir)
	}
	return load.FindRoot(dir)
}

// exists reports whether anything has a name of the project, be it a link to
// nothing.
func exists(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// folder returns a directory for a dialect's files: with several dialects,
// each has its own below.
func folder(cfg spec.Config, dir string, d spec.Dialect) string {
	if len(cfg.Dialects) == 1 {
		return dir
	}
	return path.Join(dir, string(d))
}
