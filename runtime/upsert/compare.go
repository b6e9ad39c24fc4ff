package upsert

import (
	"cmp"
	"time"
)

// Bool compares two truth values, false first.
func Bool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// Micro compares two times as Postgres keeps them, in microseconds.
func Micro(a, b time.Time) int { return cmp.Compare(a.UnixMicro(), b.UnixMicro()) }

// Null compares two values that may be NULL, NULL first. Both says how two that
// are there compare.
func Null(a, b bool, both func() int) int {
	if a && b {
		return both()
	}
	return Bool(a, b)
}
