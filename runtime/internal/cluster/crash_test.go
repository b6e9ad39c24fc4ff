//go:build unix

package cluster

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// A server that was crashed and started again is the cluster's like the first,
// and ends with it.
func TestCrash(t *testing.T) {
	bin, err := Find()
	if err != nil {
		t.Skip(err)
	}
	c, err := Start(bin, 20, "synchronous_commit=on")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	server := serverPID(t, c.Dir)
	for range 2 {
		if err := c.Crash(); err != nil {
			t.Fatal(err)
		}
		if !missing(filepath.Join(c.Dir, "data", "postmaster.pid")) {
			t.Fatal("the server did not end")
		}
		if err := c.Resume(); err != nil {
			t.Fatal(err)
		}
		poll.Until(t, "server ready", func() bool {
			text, _ := os.ReadFile(filepath.Join(c.Dir, "data", "postmaster.pid"))
			return strings.Contains(string(text), "ready")
		})
		before := server
		if server = serverPID(t, c.Dir); server == before {
			t.Error("it is the same server")
		}
	}
	c.Stop()
	poll.Until(t, "server gone", func() bool { return !alive(server) })
	poll.Until(t, "directory removed", func() bool { return missing(c.Dir) })
}
