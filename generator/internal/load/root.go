package load

import (
	"fmt"
	"os"
	"path/filepath"
)

const (
	configName = "idemgen.yaml"
	moduleName = "go.mod"
)

// FindRoot returns the root of the project that a directory belongs to: the
// nearest directory at or above it with an idemgen.yaml, within its module;
// without one, the module's root.
func FindRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	config := ""
	for d := dir; ; d = filepath.Dir(d) {
		if config == "" && isFile(filepath.Join(d, configName)) {
			config = d
		}
		if isFile(filepath.Join(d, moduleName)) {
			if config != "" {
				return config, nil
			}
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("%s lies in no Go module: no go.mod here or above; run go mod init", dir)
		}
	}
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
