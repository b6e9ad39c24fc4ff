// Package pgstore keeps runs in Postgres, through pgx.
//
//	pool, err := pgxpool.New(ctx, url)
//	store := pgstore.New(pool)
//
// The SQL is in statements.go, one statement a step; what the steps add up to
// is in runtime/internal/protocol, which the stores share. Nothing here needs
// a session: no advisory lock, no setting, no transaction held while a
// handler runs, unless it takes one ([Store.ClaimTx]), whose settings end with
// it. A pool of one connection is enough, and pgbouncer in transaction mode will do, if one of the two is told about the other: pgx
// prepares statements unless it is set not to, and they belong to a session.
// Either pgbouncer (1.21 or later) has max_prepared_statements above zero, or
// pgx prepares none:
//
//	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
//
// which default_query_exec_mode=exec in the URL does as well.
//
// The package imports the standard library, runtime, its internal packages,
// and pgx.
package pgstore
