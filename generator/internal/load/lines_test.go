package load

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestLongLines has lines that are longer than what readers of lines take by
// default, before a handler, in it and as its directive.
func TestLongLines(t *testing.T) {
	for _, size := range []int{1 << 16, 1<<20 + 1} {
		long := strings.Repeat("x", size)
		root := project(t, oneHandler)
		writeFile(t, filepath.Join(root, "jobs", "long.go"), fmt.Sprintf(`package jobs

import "context"

const long = "%[1]s" // %[1]s

//idem:key %[1]s.long:{id}
//idem:name long
func Long(ctx context.Context, id string) error { return nil }
`, long))
		h := load(t, root).Spec.Files[0].Handlers[0]
		if want := "jobs/long.go:9:6"; h.Pos.String() != want || len(h.Key.Text) != size+len(".long:{id}") {
			t.Errorf("lines of %d bytes: handler at %s with a key of %d bytes, want it at %s", size, h.Pos, len(h.Key.Text), want)
		}
		before := "/*" + long + "*/ func Long(ctx context.Context, id string) error { return nil } "
		writeFile(t, filepath.Join(root, "jobs", "long.go"), "package jobs\n\nimport \"context\"\n\n"+before+"//idem:key long:{id}\n")
		_, err := Load(t.Context(), Options{Root: root, Config: defaultConfig()})
		want := fmt.Sprintf("jobs/long.go:5:%d: //idem:key stands after code on the same line; move it directly above a function or a method", len(before)+1)
		if err == nil || err.Error() != want {
			t.Errorf("a directive behind %d bytes: %v, want %s", size, err, want)
		}
	}
}
