package main

import (
	"archive/zip"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const modulePath = "github.com/idemgen/idemgen"

// publish puts the module under test into a proxy of its own, as a version
// that nobody else has, and returns the proxy's URL. What the go command
// takes from there is no checkout: it compiles it, and keeps it from changes.
func publish(t *testing.T, root string) (proxy string) {
	t.Helper()
	version := fmt.Sprintf("v0.1.0-test.%d", time.Now().UnixNano())
	dir := t.TempDir()
	versions := filepath.Join(dir, filepath.FromSlash(modulePath), "@v")
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(versions, "list"), version+"\n")
	writeFile(t, filepath.Join(versions, version+".info"), fmt.Sprintf(`{"Version":%q,"Time":"2026-01-02T03:04:05Z"}`, version))
	writeFile(t, filepath.Join(versions, version+".mod"), string(mod))
	zipModule(t, root, version, filepath.Join(versions, version+".zip"))
	t.Cleanup(func() { forget(t, version) })
	return "file://" + filepath.ToSlash(dir)
}

// zipModule writes the module's files, without those of other modules and of
// version control.
func zipModule(t *testing.T, root, version, name string) {
	t.Helper()
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	add := func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		w, err := archive.Create(modulePath + "@" + version + "/" + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		_, err = w.Write(data)
		return err
	}
	for _, err := range []error{filepath.WalkDir(root, add), archive.Close(), file.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// forget takes a version out of the module cache, which keeps every version
// for ever.
func forget(t *testing.T, version string) {
	t.Helper()
	cache := goSetting(t, "GOMODCACHE")
	source := filepath.Join(cache, filepath.FromSlash(modulePath)+"@"+version)
	_ = filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = os.Chmod(path, 0o755) //nolint:gosec // the cache is read-only, and this is to be removed
		}
		return err
	})
	downloads, _ := filepath.Glob(filepath.Join(cache, "cache", "download", filepath.FromSlash(modulePath), "@v", version+".*"))
	for _, path := range append(downloads, source) {
		if err := os.RemoveAll(path); err != nil {
			t.Error(err)
		}
	}
}
