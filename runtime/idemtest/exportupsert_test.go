package idemtest

import "testing"

// TryUpsert runs the scenarios of an upsert on new databases, as tests of their
// own, and returns what each failed with; "" if it passed.
func TryUpsert[Row any](t *testing.T, s UpsertSuite[Row]) (counts, importers string) {
	t.Helper()
	first, second := s.trial(t, s.Databases[0]), s.trial(t, s.Databases[0])
	return try(first.counts), try(second.importers)
}
