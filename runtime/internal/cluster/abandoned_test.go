//go:build unix && !aix && !solaris

package cluster

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

func TestRemoveAbandoned(t *testing.T) {
	tests := []struct {
		name string
		dir  string
		make func(t *testing.T, dir string)
		user int // beside this one
		goes bool
	}{
		{name: "nothing runs", dir: "idemtest-1", make: withData, goes: true},
		{name: "the server was killed", dir: "idemtest-1", make: withDeadSocket, goes: true},
		{name: "another's name", dir: "idemtests", make: withData},
		{name: "another user's", dir: "idemtest-1", make: withData, user: 1},
		{name: "being made", dir: "idemtest-1", make: func(*testing.T, string) {}},
		{name: "locked", dir: "idemtest-1", make: func(t *testing.T, dir string) {
			withData(t, dir)
			lock, err := lockDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = lock.Close() })
		}},
		{name: "a server answers", dir: "idemtest-1", make: func(t *testing.T, dir string) {
			withData(t, dir)
			l := listen(t, dir)
			t.Cleanup(func() { _ = l.Close() })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parent := sharedDir(t) // short, for a socket
			dir := filepath.Join(parent, tt.dir)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			tt.make(t, dir)
			removeAbandoned(parent, os.Geteuid()+tt.user)
			if missing(dir) != tt.goes {
				t.Errorf("removed: %t; want %t", missing(dir), tt.goes)
			}
		})
	}
}

func withData(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
}

func withDeadSocket(t *testing.T, dir string) {
	t.Helper()
	withData(t, dir)
	l := listen(t, dir)
	l.SetUnlinkOnClose(false)
	_ = l.Close()
	if missing(filepath.Join(dir, socket)) {
		t.Fatal("the socket went with its listener")
	}
}

func listen(t *testing.T, dir string) *net.UnixListener {
	t.Helper()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socket)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The next cluster removes one of which nothing runs any more, and no other:
// not one whose server has lost its watchdog, either.
func TestStartRemovesAbandoned(t *testing.T) {
	bin, err := Find()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("TMPDIR", sharedDir(t)) // where no other test binary removes it
	cmd, _, stdout := runAgain(t, "kill -9", "")
	dir := readLine(t, stdout)
	server := serverPID(t, dir)
	for _, pid := range append(children(t, cmd.Process.Pid), cmd.Process.Pid) {
		kill(t, pid, syscall.SIGKILL)
	}
	_ = cmd.Wait()
	if !locked(dir) {
		t.Error("the server does not hold the lock")
	}
	startAndStop(t, bin)
	if missing(dir) || !alive(server) {
		t.Fatal("the directory of a living server was removed")
	}
	kill(t, server, syscall.SIGQUIT)
	poll.Until(t, "no process holds the lock", func() bool { return !locked(dir) })
	startAndStop(t, bin)
	if !missing(dir) {
		t.Errorf("%s is still there", dir)
	}
}

func locked(dir string) bool {
	f, err := lockDir(dir)
	if err == nil {
		_ = f.Close()
	}
	return errors.Is(err, syscall.EWOULDBLOCK)
}

func startAndStop(t *testing.T, bin string) {
	t.Helper()
	c, err := Start(bin, 20)
	if err != nil {
		t.Fatal(err)
	}
	c.Stop()
	poll.Until(t, "directory removed", func() bool { return missing(c.Dir) })
}
