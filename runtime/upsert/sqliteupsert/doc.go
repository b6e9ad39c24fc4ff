// Package sqliteupsert writes rows on SQLite, for what //idem:upsert generates.
// The driver of database/sql is the program's choice; the SQLite in it is 3.35
// or later.
package sqliteupsert
