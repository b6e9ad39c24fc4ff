// Package poll waits, in the tests of pgtest, for what other processes do. It
// imports the standard library only.
package poll

import (
	"testing"
	"time"
)

// Until asks until the answer is yes, and fails the test when it stays no for
// far longer than it can take.
func Until(t testing.TB, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not in a minute: %s", what)
		}
	}
}
