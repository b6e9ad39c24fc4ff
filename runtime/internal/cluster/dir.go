//go:build unix

package cluster

import (
	"os"
	"path/filepath"
	"syscall"
)

// socket is the name of a server's socket, after the port that settings say.
const socket = ".s.PGSQL.5432"

// maxDir is how long a socket's directory may be: the address of a unix
// socket holds 104 bytes on some systems, and the server adds its own name.
const maxDir = 100 - len("/"+socket+".lock")

// makeDir makes the cluster's directory and gives it to the owner.
func makeDir(parent string, owner *syscall.Credential) (string, error) {
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil || owner == nil {
		return dir, err
	}
	if err := os.Chown(dir, int(owner.Uid), int(owner.Gid)); err != nil {
		_ = os.Remove(dir)
		return "", err
	}
	return dir, nil
}

// parentDir is a directory for temporary files where the path of a socket is
// short enough and the owner is let in. If TMPDIR names one, it is that.
func parentDir(owner *syscall.Credential) string {
	// Absolute, because the server runs elsewhere.
	parent, err := filepath.Abs(os.TempDir())
	if dir := memory(); dir != "" && os.Getenv("TMPDIR") == "" {
		parent = dir
	}
	if err != nil || len(parent)+len("/"+prefix+"0123456789") > maxDir || (owner != nil && !openToAll(parent)) {
		return "/tmp"
	}
	return parent
}

// openToAll reports whether every user may pass through a directory, whose
// path is absolute, and remove in it what is theirs.
func openToAll(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || info.Mode()&0o003 != 0o003 {
		return false
	}
	for dir != "/" {
		dir = filepath.Dir(dir)
		if info, err := os.Stat(dir); err != nil || info.Mode()&0o001 == 0 {
			return false
		}
	}
	return true
}
