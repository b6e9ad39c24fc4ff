package idemtest_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/upsert"
	"github.com/idemgen/idemgen/runtime/upsert/sqliteupsert"
)

type contact struct{ Phone, Name string }

// contacts writes them as a generated upsert does.
var contacts = sqliteupsert.Table[contact]{
	Name:   "contacts",
	Order:  upsert.Order[contact]{Key: func(a, b *contact) int { return cmp.Compare(a.Phone, b.Phone) }},
	Update: "WITH given (phone, name) AS (VALUES {rows}) UPDATE contacts AS stored SET name = given.name FROM given WHERE stored.phone = given.phone AND stored.name IS NOT given.name",
	Insert: "INSERT INTO contacts AS stored (phone, name) VALUES {rows} ON CONFLICT (phone) DO UPDATE SET name = excluded.name WHERE stored.name IS NOT excluded.name",
	Values: func(row *contact) []any { return []any{row.Phone, row.Name} },
}

func contactSuite(t *testing.T) *idemtest.UpsertSuite[contact] {
	t.Helper()
	migration := filepath.Join(t.TempDir(), "index.up.sql")
	if err := os.WriteFile(migration, []byte("CREATE UNIQUE INDEX contacts_by_phone ON contacts (phone);\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &idemtest.UpsertSuite[contact]{
		Table: "contacts",
		Row:   func(n int) contact { return contact{fmt.Sprint(n), "name"} },
		Create: func(t testing.TB, db idemtest.DB) {
			db.Exec(t, "CREATE TABLE contacts (phone text NOT NULL, name text NOT NULL)")
		},
		Databases: []idemtest.UpsertDatabase[contact]{{
			Open: sqlitetest.Open(sqlitetest.Config{}), Index: "contacts_by_phone", Migrations: []string{migration},
			Upsert: func(ctx context.Context, db idemtest.DB, rows []contact) (upsert.Counts, error) {
				return contacts.Upsert(ctx, db.SQL(), rows)
			},
		}},
	}
}

// An upsert that keeps its promises passes, also on a table that has the index
// already.
func TestRaceUpsert(t *testing.T) {
	idemtest.RaceUpsert(t, *contactSuite(t))
	s := contactSuite(t)
	create := s.Create
	s.Create = func(t testing.TB, db idemtest.DB) {
		create(t, db)
		db.Exec(t, "CREATE UNIQUE INDEX contacts_by_phone ON contacts (phone)")
	}
	idemtest.RaceUpsert(t, *s)
}

// TestBrokenUpserts puts faults into an upsert, a fixture or a table, and checks
// that a scenario fails, and says why.
func TestBrokenUpserts(t *testing.T) {
	for fault, c := range map[string]struct {
		counts, importers string // what is said
		put               func(*idemtest.UpsertSuite[contact])
	}{
		"rows of one key": {"the fixture's rows have to differ in their keys", "the table has 1 rows", func(s *idemtest.UpsertSuite[contact]) {
			s.Row = func(int) contact { return contact{"1", "name"} }
		}},
		"a trigger that changes values": {"a trigger", "", func(s *idemtest.UpsertSuite[contact]) {
			create := s.Create
			s.Create = func(t testing.TB, db idemtest.DB) {
				create(t, db)
				db.Exec(t, "CREATE TRIGGER changes AFTER INSERT ON contacts BEGIN UPDATE contacts SET name = 'other' WHERE phone = NEW.phone; END")
			}
		}},
		"an insert without a look": {"the same file again", "the table has", func(s *idemtest.UpsertSuite[contact]) {
			s.Databases[0].Index, s.Databases[0].Migrations = "", nil
			s.Databases[0].Upsert = func(ctx context.Context, db idemtest.DB, rows []contact) (upsert.Counts, error) {
				for _, row := range rows {
					if _, err := db.SQL().ExecContext(ctx, "INSERT INTO contacts VALUES (?, ?)", row.Phone, row.Name); err != nil {
						return upsert.Counts{}, err
					}
				}
				return upsert.Counts{Inserted: len(rows)}, nil
			}
		}},
		"no index": {"run the migration", "run the migration", func(s *idemtest.UpsertSuite[contact]) { s.Databases[0].Migrations = nil }},
	} {
		t.Run(fault, func(t *testing.T) {
			s := contactSuite(t)
			c.put(s)
			counts, importers := idemtest.TryUpsert(t, *s)
			if !strings.Contains(counts, c.counts) || !strings.Contains(importers, c.importers) {
				t.Errorf("counts: %q, importers: %q", counts, importers)
			}
		})
	}
}
