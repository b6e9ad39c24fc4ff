package generator

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/idemgen/idemgen/generator/internal/load"
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
