package shop

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// openers open an empty database of each kind.
var openers = []idemtest.Opener{pgtest.Open(pgtest.Config{}), sqlitetest.Open(sqlitetest.Config{})}

// each runs a test on both databases, with a table and its unique index.
func each(t *testing.T, table func(testing.TB, idemtest.DB), index string, test func(*testing.T, idemtest.DB)) {
	t.Helper()
	for _, open := range openers {
		t.Run(open(nil).Name(), func(t *testing.T) {
			db := open(t)
			table(t, db)
			db.Exec(t, migration(t, db, index))
			test(t, db)
		})
	}
}

// migration returns the migration whose name has a part.
func migration(t testing.TB, db idemtest.DB, part string) string {
	t.Helper()
	dir := "migrations/" + db.Name() + "/"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), part) && strings.HasSuffix(entry.Name(), ".up.sql") {
			text, err := os.ReadFile(dir + entry.Name())
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
	t.Fatalf("no migration %s", part)
	return ""
}

func postgres(db idemtest.DB) bool { return db.Name() == "postgres" }

func recipients(ctx context.Context, db idemtest.DB, rows ...Recipient) (upsert.Counts, error) {
	if postgres(db) {
		return UpsertRecipientsPostgres(ctx, pgtest.Pool(db), rows)
	}
	return UpsertRecipientsSQLite(ctx, db.SQL(), rows)
}

func prices(ctx context.Context, db idemtest.DB, rows ...Price) (upsert.Counts, error) {
	if postgres(db) {
		return UpsertPricesPostgres(ctx, pgtest.Pool(db), rows)
	}
	return UpsertPricesSQLite(ctx, db.SQL(), rows)
}

func readings(ctx context.Context, db idemtest.DB, rows ...Reading) (upsert.Counts, error) {
	if postgres(db) {
		return UpsertReadingsPostgres(ctx, pgtest.Pool(db), rows)
	}
	return UpsertReadingsSQLite(ctx, db.SQL(), rows)
}

func visits(ctx context.Context, db idemtest.DB, rows ...Visit) (upsert.Counts, error) {
	if postgres(db) {
		return UpsertVisitsPostgres(ctx, pgtest.Pool(db), rows)
	}
	return UpsertVisitsSQLite(ctx, db.SQL(), rows)
}

func tags(ctx context.Context, db idemtest.DB, rows ...Tag) (upsert.Counts, error) {
	if postgres(db) {
		return UpsertTagsPostgres(ctx, pgtest.Pool(db), rows)
	}
	return UpsertTagsSQLite(ctx, db.SQL(), rows)
}

// want checks what an upsert returned.
func want(t *testing.T, why string, counts upsert.Counts) func(upsert.Counts, error) {
	t.Helper()
	return func(got upsert.Counts, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", why, err)
		}
		if got != counts {
			t.Fatalf("%s: %+v; want %+v", why, got, counts)
		}
	}
}

// value returns the one text that a query yields.
func value(t *testing.T, db idemtest.DB, query string) string {
	t.Helper()
	var text string
	if err := db.SQL().QueryRow(query).Scan(&text); err != nil {
		t.Fatalf("%v\nin: %s", err, query)
	}
	return text
}

func wantValue(t *testing.T, db idemtest.DB, query, want string) {
	t.Helper()
	if got := value(t, db, query); got != want {
		t.Errorf("%s: %q; want %q", query, got, want)
	}
}
