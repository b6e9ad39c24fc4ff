//go:build unix && !aix && !solaris

package cluster

import (
	"os"
	"syscall"
)

// lockDir locks a cluster's directory, or fails if somebody has it locked.
// Whoever inherits the open file holds the lock, too.
func lockDir(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = f.Close()
		return nil, &os.PathError{Op: "flock", Path: dir, Err: err}
	}
	return f, nil
}
