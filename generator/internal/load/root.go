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
	config, workspace := "", false // the directory of idemgen.yaml; go.work above
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
		workspace = workspace || isFile(filepath.Join(d, "go.work"))
		if d == filepath.Dir(d) {
			return "", noModule(dir, workspace, config)
		}
	}
}

// ModuleDir returns the directory of the module that a directory lies in, or
// "".
func ModuleDir(dir string) string {
	for !isFile(filepath.Join(dir, moduleName)) {
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
	return dir
}

func noModule(dir string, workspace bool, config string) error {
	cure := "run go mod init"
	if workspace {
		cure = "a workspace has several: name the directory of one with -C"
	}
	if config != "" {
		cure += fmt.Sprintf("; %s is read beside a go.mod or below it", filepath.Join(config, configName))
	}
	return fmt.Errorf("%s lies in no Go module: no go.mod here or above; %s", dir, cure)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}
