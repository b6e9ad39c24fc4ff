// Package pgtest gives tests a Postgres of their own, with nothing to set up.
//
// It takes the server that IDEMGEN_TEST_DATABASE_URL names; its role needs
// CREATEDB. Otherwise it looks for server binaries on PATH and where Debian,
// Fedora, Homebrew and Postgres.app put them, and starts a throwaway cluster
// on a unix socket in a temporary directory: one per test binary, gone when
// the binary ends, also when it is killed. Without either, the test is
// skipped, of which go test tells only with -v; where CI is set, to anything
// but 0 or false, it fails.
//
// The migrations are applied once, to a template; each test has a database of
// its own, cloned from it, and with that any schema that it likes. Test
// binaries do not disturb each other, on one server either. On a server of
// yours a binary leaves its templates, and one that was killed leaves the
// databases of its tests, too: they go when the next binary starts there.
//
// The package imports the standard library, runtime, idemtest, pgstore and
// pgx.
package pgtest
