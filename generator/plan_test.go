package generator

import (
	"os"
	"path/filepath"
	"testing"
)

// A file that somebody emptied is a file: it is not taken for one that is to go.
func TestEmptyFileIsNotNone(t *testing.T) {
	root := t.TempDir()
	const fixture = "a_idem_fixture_test.go"
	if err := os.WriteFile(filepath.Join(root, fixture), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	data, err := readFile(dir, fixture)
	if data == nil || len(data) != 0 || err != nil {
		t.Errorf("got %v, %v; want no bytes, which are something", data, err)
	}
}
