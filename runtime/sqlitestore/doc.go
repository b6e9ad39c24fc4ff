// Package sqlitestore keeps runs in SQLite, 3.42 or later, through a driver of
// database/sql. It is tested with modernc.org/sqlite. Of any other it has to
// know SQLite's result codes, from an integer Code of the driver's errors, a
// method or a field; where there is none, it takes longer to give up.
//
//	db, err := sql.Open("sqlite", "file:jobs.db?_pragma=journal_mode(WAL)")
//	store := sqlitestore.New(db)
//
// The SQL is in statements.go, one statement a step; what the steps add up to
// is in runtime/internal/protocol, which the stores share. Every statement is
// a transaction by itself, or one that begins with the claim's insert, for a
// handler that takes one ([Store.ClaimTx]), so that nothing reads before it writes
// and gets SQLITE_BUSY however long it waits. Statements that find the file locked
// are tried again for half a minute, and a claim a second time; completions and
// releases while their context lets them.
//
// The package imports the standard library, runtime and its internal
// packages: the driver is the program's choice.
package sqlitestore
