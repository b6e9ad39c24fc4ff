//go:build !unix

package cluster

import "errors"

// Cluster is a running throwaway server. There is none on this system.
type Cluster struct{ URL, Dir string }

// Start fails: a cluster lives on unix sockets, under a shell.
func Start(string, int) (*Cluster, error) {
	return nil, errors.New("a throwaway Postgres needs a unix system; set IDEMGEN_TEST_DATABASE_URL")
}

// Stop does nothing.
func (*Cluster) Stop() {}
