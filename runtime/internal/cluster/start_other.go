//go:build !unix

package cluster

import (
	"errors"
	"os/exec"
)

// Cluster is a running throwaway server. There is none on this system.
type Cluster struct{ URL, Dir string }

// Start fails: a cluster lives on unix sockets, under a shell.
func Start(string, int, ...string) (*Cluster, error) {
	return nil, errors.New("a throwaway Postgres needs a unix system; set IDEMGEN_TEST_DATABASE_URL")
}

// Stop does nothing.
func (*Cluster) Stop() {}

// Crash does nothing.
func (*Cluster) Crash() error { return nil }

// Resume does nothing.
func (*Cluster) Resume() error { return nil }

// Command returns the command.
func (*Cluster) Command(program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}
