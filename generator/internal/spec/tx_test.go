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
		{[]Dialect{Postgres}, "tx *pgx.Tx", ""}, // which is nothing, and passed on
	} {
		file, errs := loadFor(t, "notify.go", "package jobs\nimport (\"context\"; \"database/sql\"; \"github.com/jackc/pgx/v5\")\nvar (_ sql.Tx; _ pgx.Tx)\ntype Event struct{ ID string }\n//idem:key a:{event.ID}\nfunc Notify(ctx context.Context, event Event, "+tt.param+") error { return nil }", Config{Dialects: tt.dialects, Defaults: Standard})
		got := ""
		if len(errs) > 0 {
			got = errs[0].Msg + "; " + errs[0].Cure
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v, %s: (-want +got)\n%s", tt.dialects, tt.param, diff)
		}
		if h := file.Handlers[0]; h.Transactional() != (tt.param != "tx *pgx.Tx") || h.Params[2].Type == nil {
			t.Errorf("%s: transactional: %t", tt.param, h.Transactional())
		}
	}
}
