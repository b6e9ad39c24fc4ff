package shop

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// Rows are inserted, updated, or left alone; of those that share a key the last
// is taken.
func TestCounts(t *testing.T) {
	each(t, recipientTable, "recipients", func(t *testing.T, db idemtest.DB) {
		ctx := t.Context()
		ann, bob := Recipient{ListID: 1, Phone: "a", Name: "Ann"}, Recipient{ListID: 1, Phone: "b", Name: "Bob"}
		want(t, "nothing", upsert.Counts{})(recipients(ctx, db))
		want(t, "two rows", upsert.Counts{Inserted: 2})(recipients(ctx, db, ann, bob))
		want(t, "again", upsert.Counts{Unchanged: 2})(recipients(ctx, db, ann, bob))
		bob.Name = "Bert"
		carl := Recipient{ListID: 2, Phone: "b", Name: "Carl"}
		want(t, "one of each", upsert.Counts{Inserted: 1, Updated: 1, Unchanged: 1})(recipients(ctx, db, carl, bob, ann))
		first, last := Recipient{ListID: 3, Phone: "d", Name: "first"}, Recipient{ListID: 3, Phone: "d", Name: "last"}
		want(t, "two of one key", upsert.Counts{Inserted: 1, Unchanged: 1, Folded: 2})(recipients(ctx, db, first, ann, last, ann))
		wantValue(t, db, "SELECT name FROM recipients WHERE list_id = 3", "last")
	})
}

// One row is as good as many.
func TestOne(t *testing.T) {
	each(t, recipientTable, "recipients", func(t *testing.T, db idemtest.DB) {
		row := Recipient{ListID: 1, Phone: "a", Name: "Ann"}
		for i, counts := range []upsert.Counts{{Inserted: 1}, {Unchanged: 1}, {Updated: 1}} {
			if i == 2 {
				row.Name = "Eve"
			}
			want(t, row.Name, counts)(recipients(t.Context(), db, row))
		}
	})
}

// A row that is older, or as old, changes nothing, in one call and in several.
func TestVersion(t *testing.T) {
	each(t, priceTable, "prices", func(t *testing.T, db idemtest.DB) {
		ctx := t.Context()
		at := func(rev int, cents int64) Price { return Price{Product: "p", Rev: rev, Cents: cents} }
		want(t, "new", upsert.Counts{Inserted: 1})(prices(ctx, db, at(5, 500)))
		want(t, "older", upsert.Counts{Unchanged: 1})(prices(ctx, db, at(4, 400)))
		want(t, "as old", upsert.Counts{Unchanged: 1})(prices(ctx, db, at(5, 555)))
		want(t, "newer", upsert.Counts{Updated: 1})(prices(ctx, db, at(6, 600)))
		want(t, "older ones and a newer one", upsert.Counts{Updated: 1, Folded: 3})(prices(ctx, db, at(7, 700), at(8, 800), at(8, 888), at(3, 300)))
		wantValue(t, db, "SELECT cents FROM prices", "800")
	})
}

// A version that is a time counts to the last digit that the database keeps.
func TestTimeVersion(t *testing.T) {
	each(t, readingTable, "readings", func(t *testing.T, db idemtest.DB) {
		ctx := t.Context()
		now := time.Date(2026, 3, 14, 9, 26, 53, 589_793_238, time.FixedZone("", 3600))
		want(t, "new", upsert.Counts{Inserted: 1})(readings(ctx, db, Reading{"s", now, 1}))
		want(t, "again, elsewhere", upsert.Counts{Unchanged: 1})(readings(ctx, db, Reading{"s", now.UTC(), 2}))
		want(t, "a microsecond later", upsert.Counts{Updated: 1})(readings(ctx, db, Reading{"s", now.Add(time.Microsecond).UTC(), 3}))
		want(t, "a year earlier", upsert.Counts{Unchanged: 1})(readings(ctx, db, Reading{"s", now.AddDate(-1, 0, 0), 4}))
		wantValue(t, db, "SELECT value FROM readings", "3")
	})
}

// A row whose version is NULL, which another program wrote, is older than any.
func TestNoVersion(t *testing.T) {
	each(t, func(t testing.TB, db idemtest.DB) {
		db.Exec(t, `CREATE TABLE prices (product text, region text, rev bigint, cents bigint)`)
	}, "prices", func(t *testing.T, db idemtest.DB) {
		db.Exec(t, `INSERT INTO prices VALUES ('p', NULL, NULL, 1)`)
		want(t, "a version", upsert.Counts{Updated: 1})(prices(t.Context(), db, Price{Product: "p", Rev: -1, Cents: 2}))
		wantValue(t, db, "SELECT cents FROM prices", "2")
	})
}

// NULL in a key is the same as NULL, and nothing else, or it is equal to nothing.
func TestNulls(t *testing.T) {
	each(t, priceTable, "prices", func(t *testing.T, db idemtest.DB) {
		ctx, empty := t.Context(), ""
		nowhere, everywhere := Price{Product: "p", Rev: 1}, Price{Product: "p", Region: &empty, Rev: 1}
		want(t, "two rows, and one again", upsert.Counts{Inserted: 2, Folded: 1})(prices(ctx, db, nowhere, everywhere, nowhere))
		nowhere.Rev = 2
		want(t, "one of them", upsert.Counts{Updated: 1})(prices(ctx, db, nowhere))
		wantValue(t, db, "SELECT rev FROM prices WHERE region IS NULL", "2")
		wantValue(t, db, "SELECT rev FROM prices WHERE region = ''", "1")
	})
	each(t, visitTable, "visits", func(t *testing.T, db idemtest.DB) {
		ctx := t.Context()
		known, unknown := Visit{Page: "p", Visitor: sql.NullString{String: "", Valid: true}}, Visit{Page: "p"}
		want(t, "rows that are equal to nothing", upsert.Counts{Inserted: 3, Folded: 1})(visits(ctx, db, known, unknown, known, unknown))
		want(t, "again", upsert.Counts{Inserted: 1, Unchanged: 1})(visits(ctx, db, known, unknown))
	})
}

// A table of nothing but the key has nothing to update. Times in a key agree
// where the database keeps them as one.
func TestKeyAlone(t *testing.T) {
	each(t, tagTable, "tags", func(t *testing.T, db idemtest.DB) {
		ctx := t.Context()
		day := time.Date(2026, 3, 14, 0, 0, 0, 100, time.UTC)
		near := Tag{"x", day.Add(200)}
		counts := upsert.Counts{Inserted: 2}
		if postgres(db) {
			counts = upsert.Counts{Inserted: 1, Folded: 1}
		}
		want(t, "less than a microsecond apart", counts)(tags(ctx, db, Tag{"x", day}, near))
		want(t, "again", upsert.Counts{Unchanged: 1})(tags(ctx, db, near))
	})
}

// A value that writes itself is written, and compared.
func TestValuer(t *testing.T) {
	each(t, billTable, "bills", func(t *testing.T, db idemtest.DB) {
		rows := []Bill{{"1", Amount{"1.25"}}, {"2", Amount{}}}
		write := func() (upsert.Counts, error) { return UpsertBillsSQLite(t.Context(), db.SQL(), rows) }
		if postgres(db) {
			write = func() (upsert.Counts, error) { return UpsertBillsPostgres(t.Context(), pgtest.Pool(db), rows) }
		}
		want(t, "new", upsert.Counts{Inserted: 2})(write())
		want(t, "again", upsert.Counts{Unchanged: 2})(write())
		rows[0].Total, rows[1].Total = Amount{}, Amount{"1.5"}
		want(t, "changed", upsert.Counts{Updated: 2})(write())
	})
}

// What the database refuses is written by nobody: neither the row nor its
// neighbours.
func TestAllOrNone(t *testing.T) {
	each(t, func(t testing.TB, db idemtest.DB) {
		db.Exec(t, `CREATE TABLE recipients (list_id bigint NOT NULL, phone text NOT NULL, name text NOT NULL CHECK (name <> 'bad'))`)
	}, "recipients", func(t *testing.T, db idemtest.DB) {
		rows := make([]Recipient, 1200) // several statements on SQLite
		for n := range rows {
			rows[n] = recipientRow(n)
		}
		rows[1100].Name = "bad"
		if counts, err := recipients(t.Context(), db, rows...); err == nil || counts != (upsert.Counts{}) {
			t.Errorf("got %+v, %v", counts, err)
		}
		if n := db.Count(t, "SELECT count(*) FROM recipients"); n != 0 {
			t.Errorf("%d rows are there", n)
		}
	})
}

// Without the unique index, and without the table, the error says what to do.
func TestNoIndex(t *testing.T) {
	for _, open := range openers {
		t.Run(open(nil).Name(), func(t *testing.T) {
			db := open(t)
			recipientTable(t, db)
			_, err := recipients(t.Context(), db, recipientRow(1))
			if err == nil || !strings.HasPrefix(err.Error(), "upsert into recipients: ") || !strings.Contains(err.Error(), "run the migration") {
				t.Error(err)
			}
		})
	}
}

// A column that keeps a value in another type does not make it another value.
func TestColumnsOfOtherTypes(t *testing.T) {
	each(t, func(t testing.TB, db idemtest.DB) {
		db.Exec(t, `CREATE TABLE prices (product varchar(20), region char(10), rev numeric(10, 2), cents real)`)
	}, "prices", func(t *testing.T, db idemtest.DB) {
		region := "eu"
		row := Price{Product: "1", Region: &region, Rev: 7, Cents: 12}
		want(t, "new", upsert.Counts{Inserted: 1})(prices(t.Context(), db, row))
		want(t, "again", upsert.Counts{Unchanged: 1})(prices(t.Context(), db, row))
	})
	each(t, func(t testing.TB, db idemtest.DB) {
		db.Exec(t, `CREATE TABLE recipients (list_id numeric, phone varchar(20), name char(20))`)
	}, "recipients", func(t *testing.T, db idemtest.DB) {
		row := Recipient{ListID: 1, Phone: "1", Name: "Ann"}
		want(t, "new", upsert.Counts{Inserted: 1})(recipients(t.Context(), db, row))
		want(t, "again", upsert.Counts{Unchanged: 1})(recipients(t.Context(), db, row))
		row.Name = "Eve"
		want(t, "changed", upsert.Counts{Updated: 1})(recipients(t.Context(), db, row))
	})
}
