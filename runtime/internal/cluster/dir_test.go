//go:build unix

package cluster

import (
	"path/filepath"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// A directory for temporary files that is named from the working directory,
// from which the watchdog does not run.
func TestRelativeTMPDIR(t *testing.T) {
	bin, err := Find()
	if err != nil {
		t.Skip(err)
	}
	parent := sharedDir(t)
	t.Chdir(filepath.Dir(parent))
	t.Setenv("TMPDIR", filepath.Base(parent))
	c, err := Start(bin, 20)
	if err != nil {
		t.Fatal(err)
	}
	defer poll.Until(t, "directory removed", func() bool { return missing(c.Dir) })
	defer c.Stop()
	if dir := filepath.Dir(c.Dir); dir != parent {
		t.Errorf("the cluster is in %s; want %s", dir, parent)
	}
}
