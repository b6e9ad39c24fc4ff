package generator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Where upper and lower case are one, the output of a source file whose name
// changed its case is written, and is not left over from before. Two links make one
// file of both names on other systems, too.
func TestNameChangesCase(t *testing.T) {
	root := t.TempDir()
	before := filepath.Join(root, "h_idem.go")
	if err := os.WriteFile(before, []byte(ours("h_idem.go")), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(before, filepath.Join(root, "H_idem.go")); err != nil && !os.IsExist(err) {
		t.Fatal(err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	changes, err := plan(dir, []File{{Path: "H_idem.go", Data: []byte(ours("H_idem.go"))}})
	var got []string
	for _, c := range changes {
		got = append(got, c.path)
	}
	if diff := cmp.Diff([]string{"H_idem.go"}, got); diff != "" || err != nil {
		t.Errorf("%v; want -, got +:\n%s", err, diff)
	}
}

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
