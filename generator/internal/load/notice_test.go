package load

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A fixture of no handler is told, but not one whose name differs from a handler's
// in upper and lower case alone: that is an error, and is to be renamed.
func TestOrphans(t *testing.T) {
	root := project(t, oneHandler+`
-- jobs/Notify_idem_fixture_test.go --
package jobs
-- jobs/nobody_idem_fixture_test.go --
package jobs
`)
	var got []string
	for _, e := range load(t, root).Notices() {
		got = append(got, e.Error())
	}
	want := []string{"jobs/nobody_idem_fixture_test.go:1:1: this fixture belongs to no handler any more; move what you need of it, and remove it"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}

// What the vendor directory lacks comes by the command of the module, or of the
// workspace that it belongs to.
func TestVendorCures(t *testing.T) {
	for work, want := range map[string]string{"off": "run go mod tidy and go mod vendor", "/go.work": "run go mod tidy and go work vendor"} {
		t.Setenv("GOWORK", work)
		if got := modError(t.TempDir(), "go: updates to go.mod needed, disabled by -mod=vendor"); got == nil || got.Cure != want {
			t.Errorf("GOWORK=%s: got %v, want %s", work, got, want)
		}
	}
}
