//go:build race

package sqlitestore_test

// raceDetector: SQLite, which is Go here, is twenty times slower under it.
const raceDetector = true
