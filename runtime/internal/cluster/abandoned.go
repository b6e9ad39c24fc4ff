//go:build unix

package cluster

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// prefix begins the names of clusters' directories.
const prefix = "idemtest-"

// removeAbandoned removes, from a directory, a user's clusters of which
// nothing runs any more, watchdog nor server: those whose processes were all
// killed at once. What it cannot remove stays, which harms no test.
func removeAbandoned(parent string, uid int) {
	entries, _ := os.ReadDir(parent)
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), prefix) {
			removeIfAbandoned(filepath.Join(parent, entry.Name()), uid)
		}
	}
}

func removeIfAbandoned(dir string, uid int) {
	// A cluster is locked before it has data: one without, that another
	// process makes just now, may have no lock yet.
	if !isDirOf(dir, uid) || !isDirOf(filepath.Join(dir, "data"), uid) {
		return
	}
	lock, err := lockDir(dir)
	if err != nil {
		return
	}
	defer lock.Close()
	if !answers(dir) {
		_ = os.RemoveAll(dir)
	}
}

func isDirOf(path string, uid int) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == uid
}

// answers reports whether a server may run that did not inherit the lock, on
// a file system that had none then.
func answers(dir string) bool {
	conn, err := net.Dial("unix", filepath.Join(dir, socket))
	if err == nil {
		_ = conn.Close()
	}
	return !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.ECONNREFUSED)
}
