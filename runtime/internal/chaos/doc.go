// Package chaos is the chaos suite: its tests kill, stop, cut off and restart
// whatever a delivery depends on, and check that nothing comes of it that the
// protocol rules out. `make chaos` runs all of it, go test a share of two
// minutes; docs/reliability.md tells what is done and what was found.
//
// A scenario is a store, a mode and a nemesis. Workers are processes of their
// own: the test binary, run again. They talk to the test by their standard input
// and output, get deliveries from its broker, call its provider, and report
// each call of the store before and after, so that the test has one history
// for each key and can strike at any step. They reach Postgres by a proxy
// that knows its wire protocol.
//
// The package has nothing but tests.
package chaos
