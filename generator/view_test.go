package generator

import (
	"os"
	"testing"
)

// A directory that goes while one is on the way to it is as good as empty.
func TestMoving(t *testing.T) {
	fsys := moving{os.DirFS(writeTree(t, map[string]string{"x.go": "1"}))}
	if entries, err := fsys.ReadDir("gone"); entries != nil || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	if entries, err := fsys.ReadDir("."); len(entries) != 1 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	if _, err := fsys.ReadDir("x.go"); err == nil {
		t.Error("a file is no directory")
	}
}
