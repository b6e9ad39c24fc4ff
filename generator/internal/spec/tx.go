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

// isTransaction reports whether a type is one of transactions, or a disguise of
// one: what a caller has in it can be rolled back after the run is done.
func isTransaction(t types.Type) bool {
	return slices.ContainsFunc(transactions, func(tx transaction) bool { return tx.is(t) || tx.within(t, &met[bool]{}) })
}

// within reports whether a type is a transaction behind pointers, under another
// name, embedded, or an implementation of its own. A field with a name does not
// count: what sqlc generates has one, mostly empty.
func (tx transaction) within(t types.Type, seen *met[bool]) bool {
	if isNamed(t, tx.path, tx.name) || tx.implemented(t) {
		return true
	}
	if seen.again(t, true) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return tx.within(u.Elem(), seen)
	case *types.Struct:
		for f := range u.Fields() {
			if f.Embedded() && tx.within(f.Type(), seen) {
				return true
			}
		}
		return tx.declares(u)
	}
	return false
}

// declares reports whether a struct is that of the transaction, whose package is
// that of the struct's fields.
func (tx transaction) declares(s *types.Struct) bool {
	if s.NumFields() == 0 || s.Field(0).Pkg() == nil || s.Field(0).Pkg().Path() != tx.path {
		return false
	}
	obj := s.Field(0).Pkg().Scope().Lookup(tx.name)
	return obj != nil && types.Identical(obj.Type().Underlying(), s)
}

// implemented reports whether a type has all methods of a transaction that is an
// interface. Its Begin returns the interface.
func (tx transaction) implemented(t types.Type) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, "Begin")
	begin, ok := obj.(*types.Func)
	if !ok || begin.Signature().Results().Len() == 0 {
		return false
	}
	result := begin.Signature().Results().At(0).Type()
	methods, ok := result.Underlying().(*types.Interface)
	return ok && isNamed(result, tx.path, tx.name) && (types.Implements(t, methods) || types.Implements(types.NewPointer(t), methods))
}

// Transactional reports whether the handler works in the transaction of its
// claim.
func (h *Handler) Transactional() bool { return slices.ContainsFunc(h.Params, isTx) }

func isTx(p Param) bool { return p.Kind == TxParam }

// transaction checks a parameter that takes the run's transaction: there is one,
// and it is of the database that the runs are in.
func (b *builder) transaction(v *types.Var) {
	taken := slices.ContainsFunc(transactions, func(tx transaction) bool { return tx.dialect == b.dialects[0] && tx.is(v.Type()) })
	pos, name := b.src.At(v.Pos()), b.typeName(v.Type())
	switch {
	case b.h.Transactional():
		b.errs.Add(pos, fmt.Sprintf("%s takes two transactions, and there is one, in which its run is claimed", b.display()), "take it once")
	case len(b.dialects) > 1:
		b.errs.Add(pos, fmt.Sprintf("%s works in the transaction of its claim, %s, which is of one database, and the project has %d dialects", b.display(), name, len(b.dialects)),
			"name one dialect in idemgen.yaml, or take the pool and begin a transaction in the handler")
	case !taken:
		b.errs.Add(pos, fmt.Sprintf("%s takes a transaction of type %s, and runs are claimed in one of another type: the dialect is %s", b.display(), name, b.dialects[0]),
			"take "+txNames[b.dialects[0]])
	}
}
