//go:build unix && !linux

package cluster

// memory is a directory that is no disk. There is none that every system has.
func memory() string { return "" }
