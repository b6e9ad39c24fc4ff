package generator

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A link in the place of an output is the developer's, wherever it leads.
func TestWriteKeepsLinks(t *testing.T) {
	tree := map[string]string{"real.sql": ours("real.sql")}
	root := writeTree(t, tree)
	if err := os.Symlink("real.sql", filepath.Join(root, "a.sql")); err != nil {
		t.Skip(err)
	}
	_, err := Write(root, []File{{Path: "a.sql", Data: []byte(ours("a.sql"))}, {Path: "real.sql", Data: []byte(ours("real.sql"))}})
	want := "a.sql:1:1: this is not a regular file and is in the way of generated output; move it to another name, or delete it"
	if err == nil || err.Error() != want {
		t.Errorf("error:\n%v\nwant:\n%s", err, want)
	}
}

// Symbolic links lead neither the writing nor the removing out of the root.
func TestWriteStaysInside(t *testing.T) {
	outside := writeTree(t, map[string]string{"old.sql": ours("old.sql")})
	tests := []struct{ name, link, output string }{
		{"directory", "audit", "audit/a.sql"},
		{"file", "a.sql", "a.sql"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			target := outside
			if tt.link == tt.output {
				target = filepath.Join(outside, "old.sql")
			}
			if err := os.Symlink(target, filepath.Join(root, tt.link)); err != nil {
				t.Skip(err)
			}
			if _, err := Write(root, []File{{Path: tt.output, Data: []byte(ours(tt.output) + "-- new\n")}}); err == nil {
				t.Error("no error")
			}
			if diff := cmp.Diff(map[string]string{"old.sql": ours("old.sql")}, readTree(t, outside)); diff != "" {
				t.Errorf("outside (-want +got):\n%s", diff)
			}
		})
	}
}

// Whatever link stands where a directory has to be, the answer is an error
// that says where, and nothing hangs.
func TestWriteBlockedByLinks(t *testing.T) {
	for _, target := range []string{"nowhere", "audit", "..", "../nowhere", "b.sql"} {
		t.Run(target, func(t *testing.T) {
			root := writeTree(t, map[string]string{"b.sql": "SELECT 1;\n"})
			if err := os.Symlink(target, filepath.Join(root, "audit")); err != nil {
				t.Skip(err)
			}
			_, err := Write(root, []File{{Path: "audit/sqlite/a.sql", Data: []byte("SELECT 2;\n")}})
			want := "audit:1:1: this link does not lead, by a relative path, to a directory of the project, and output is to lie below it; put a directory in its place, or name another one in idemgen.yaml"
			if err == nil || err.Error() != want {
				t.Errorf("error:\n%v\nwant:\n%s", err, want)
			}
		})
	}
}

// A link to a directory of the project is one.
func TestWriteThroughLinks(t *testing.T) {
	root := writeTree(t, map[string]string{"db/b.txt": "\n"})
	if err := os.Symlink("db", filepath.Join(root, "audit")); err != nil {
		t.Skip(err)
	}
	file := File{Path: "audit/a.sql", Data: []byte(ours("audit/a.sql"))}
	if _, err := Write(root, []File{file}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "db", "a.sql"))
	if err != nil || string(got) != string(file.Data) {
		t.Errorf("got %q, %v", got, err)
	}
}
