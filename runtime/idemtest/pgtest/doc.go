// Package pgtest gives tests a Postgres of their own, with nothing to set up.
//
// It takes the server that IDEMGEN_TEST_DATABASE_URL names; its role needs
// CREATEDB. Otherwise it looks for server binaries on PATH and where Debian,
// Fedora, Homebrew and Postgres.app put them, and starts a throwaway cluster
// on a unix socket in a temporary directory: one per test binary, gone when
// the binary ends, also when it is killed. Without either, the test is
// skipped; under CI=true it fails.
//
// The migrations are applied once, to a template; each test has a database of
// its own, cloned from it, and with that any schema that it likes. Test
// binaries do not disturb each other, on one server either. Databases that a
// killed binary left on a server of yours go when the next one starts.
//
// The package imports the standard library, runtime, idemtest, pgstore and
// pgx.
package pgtest
