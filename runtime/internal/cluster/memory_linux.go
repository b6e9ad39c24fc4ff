package cluster

import "syscall"

// memory is a directory that is no disk, where the databases of tests are
// made several times faster; empty if it is not there or too small, as it is
// in containers by default.
func memory() string {
	const dir, enough = "/dev/shm", 1 << 30
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return ""
	}
	free := int64(fs.Bavail) * int64(fs.Bsize) //nolint:unconvert // Bsize is not an int64 everywhere
	if free < enough || !openToAll(dir) {
		return ""
	}
	return dir
}
