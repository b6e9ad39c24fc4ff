// Package pgstore keeps runs in Postgres, through pgx.
//
//	pool, err := pgxpool.New(ctx, url)
//	store := pgstore.New(pool)
//
// The SQL is in statements.go, one statement a step; what the steps add up to
// is in runtime/internal/protocol, which the stores share. Nothing here needs
// a session: no advisory lock, no setting, no transaction held while a
// handler runs. A pool of one connection is enough, and pgbouncer in
// transaction mode will do.
//
// The package imports the standard library, runtime, its internal packages,
// and pgx.
package pgstore
