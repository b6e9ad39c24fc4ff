package spec

import (
	"fmt"
	"go/types"
	"slices"
)

// transaction is a type of transactions: that of a dialect, or one that no store
// begins.
type transaction struct {
	path, name string
	pointer    bool
	dialect    Dialect
}

var transactions = []transaction{
	{"github.com/jackc/pgx/v5", "Tx", false, Postgres},
	{"database/sql", "Tx", true, SQLite},
	{"github.com/jackc/pgx/v4", "Tx", false, ""},
	{"github.com/jackc/pgx/v5/pgxpool", "Tx", true, ""},
}

// txNames are the types that a handler takes, by dialect.
var txNames = map[Dialect]string{Postgres: "pgx.Tx of github.com/jackc/pgx/v5", SQLite: "*sql.Tx"}

func (tx transaction) is(t types.Type) bool {
	if p, ok := types.Unalias(t).(*types.Pointer); ok && tx.pointer {
		t = p.Elem()
	} else if tx.pointer {
		return false
	}
	return isNamed(t, tx.path, tx.name)
}

func isTransaction(t types.Type) bool {
	return slices.ContainsFunc(transactions, func(tx transaction) bool { return tx.is(t) })
}

// Transactional reports whether the handler works in the transaction of its
// claim.
func (h *Handler) Transactional() bool { return slices.ContainsFunc(h.Params, isTx) }

func isTx(p Param) bool { return p.Kind == TxParam }

// transaction checks a parameter that takes the run's transaction: there is one,
// and it is of the database that the runs are in.
func (b *builder) transaction(v *types.Var) {
	kind := transactions[slices.IndexFunc(transactions, func(tx transaction) bool { return tx.is(v.Type()) })]
	pos, name := b.src.At(v.Pos()), b.typeName(v.Type())
	switch {
	case b.h.Transactional():
		b.errs.Add(pos, fmt.Sprintf("%s takes two transactions, and there is one, in which its run is claimed", b.display()), "take it once")
	case len(b.dialects) > 1:
		b.errs.Add(pos, fmt.Sprintf("%s works in the transaction of its claim, %s, which is of one database, and the project has %d dialects", b.display(), name, len(b.dialects)),
			"name one dialect in idemgen.yaml, or take the pool and begin a transaction in the handler")
	case kind.dialect != b.dialects[0]:
		b.errs.Add(pos, fmt.Sprintf("%s takes a transaction of type %s, and runs are claimed in one of another type: the dialect is %s", b.display(), name, b.dialects[0]),
			"take "+txNames[b.dialects[0]])
	}
}
