// Package sqlitetest gives tests a SQLite file of their own, through the pure
// Go driver modernc.org/sqlite. It imports the standard library, runtime,
// idemtest, sqlitestore and the driver.
package sqlitetest
