package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTransactional(t *testing.T) {
	for _, tt := range []struct {
		dialects []Dialect
		param    string
		want     string
	}{
		{[]Dialect{Postgres}, "tx pgx.Tx", ""},
		{[]Dialect{SQLite}, "tx *sql.Tx", ""},
		{[]Dialect{SQLite}, "tx pgx.Tx", "Notify takes a transaction of type pgx.Tx, and runs are claimed in one of another type: the dialect is sqlite; take *sql.Tx"},
		{[]Dialect{Postgres, SQLite}, "tx pgx.Tx", "Notify works in the transaction of its claim, pgx.Tx, which is of one database, and the project has 2 dialects; name one dialect in idemgen.yaml, or take the pool and begin a transaction in the handler"},
	} {
		file, errs := loadFor(t, "notify.go", "package jobs\nimport (\"context\"; \"database/sql\"; \"github.com/jackc/pgx/v5\")\nvar (_ sql.Tx; _ pgx.Tx)\ntype Event struct{ ID string }\n//idem:key a:{event.ID}\nfunc Notify(ctx context.Context, event Event, "+tt.param+") error { return nil }", Config{Dialects: tt.dialects, Defaults: Standard})
		got := ""
		if len(errs) > 0 {
			got = errs[0].Msg + "; " + errs[0].Cure
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v, %s: (-want +got)\n%s", tt.dialects, tt.param, diff)
		}
		if h := file.Handlers[0]; !h.Transactional() || h.Params[2].Type == nil {
			t.Errorf("%s: transactional: %t", tt.param, h.Transactional())
		}
	}
}

// A caller's transaction is refused in whatever it comes.
func TestTransactionInDisguise(t *testing.T) {
	const types = `
type (
	Named pgx.Tx
	Struct struct{ pgx.Tx }
	Deep struct { Note string; *Struct }
	More interface { pgx.Tx; More() }
	Own struct{}
	Alias = pgx.Tx
	SQLNamed sql.Tx
	SQLStruct struct{ *sql.Tx }
	SQLValue struct{ sql.Tx }
	Ring struct { *Ring; ID string }
	Queries struct { tx *sql.Tx; db pgx.Tx }
	Execer interface { ExecContext(context.Context, string, ...any) (sql.Result, error) }
	Unit interface { Begin() (Unit, error); Commit() error; Rollback() error }
	Null sql.NullString
	Pointers *Pointers
)
func (*Own) Begin() (pgx.Tx, error) { return nil, nil }
func (*Own) Commit() error { return nil }
`
	refused := map[Dialect]string{Postgres: "take pgx.Tx of github.com/jackc/pgx/v5", SQLite: "take *sql.Tx"}
	for param, want := range map[string]bool{
		"*pgx.Tx": true, "**pgx.Tx": true, "Named": true, "*Named": true, "Struct": true, "*Struct": true, "Deep": true, "More": true,
		"Own": true, "*Own": true, "*Alias": true, "struct{ pgx.Tx }": true, "interface{ pgx.Tx }": true,
		"sql.Tx": true, "**sql.Tx": true, "SQLNamed": true, "*SQLNamed": true, "SQLStruct": true, "*SQLStruct": true, "*SQLValue": true, "struct{ *sql.Tx }": true,
		"*Ring": false, "*Queries": false, "Execer": false, "Unit": false, "Null": false, "Pointers": false, "*sql.DB": false, "*sql.Conn": false,
	} {
		for dialect, cure := range refused {
			file, errs := loadFor(t, "notify.go", "package jobs\nimport (\"context\"; \"database/sql\"; \"github.com/jackc/pgx/v5\")\n"+types+
				"type Event struct{ ID string }\n//idem:key a:{event.ID}\nfunc Notify(ctx context.Context, event Event, tx "+param+") error { return nil }", Config{Dialects: []Dialect{dialect}, Defaults: Standard})
			if !want {
				if len(errs) > 0 || file.Handlers[0].Transactional() {
					t.Errorf("%s, %s: got %v", dialect, param, errs)
				}
				continue
			}
			if len(errs) != 1 || errs[0].Cure != cure {
				t.Errorf("%s, %s: got %v, want the cure %s", dialect, param, errs, cure)
			}
		}
	}
}
