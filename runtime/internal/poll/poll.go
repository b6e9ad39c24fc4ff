// Package poll waits, in tests, for what other processes do. It imports the
// standard library only.
package poll

import (
	"testing"
	"time"
)

// Until asks until the answer is yes, and fails the test when it stays no for
// far longer than it can take.
func Until(t testing.TB, what string, yes func() bool) {
	t.Helper()
	Within(t, time.Minute, what, yes)
}

// Within is Until for what takes its time.
func Within(t testing.TB, limit time.Duration, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not in %v: %s", limit, what)
		}
	}
}
