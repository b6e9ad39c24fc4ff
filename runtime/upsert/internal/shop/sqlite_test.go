package shop

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// onSQLite returns a database with a table and its unique index.
func onSQLite(t testing.TB, table func(testing.TB, idemtest.DB), index string) idemtest.DB {
	t.Helper()
	db := sqlitetest.Open(sqlitetest.Config{})(t)
	table(t, db)
	db.Exec(t, migration(t, db, index))
	return db
}

// A batch may have more parameters than SQLite takes in a statement.
func TestManyParameters(t *testing.T) {
	db := onSQLite(t, sampleTable, "samples")
	rows := make([]Sample, 3_000) // of 20 columns each
	for n := range rows {
		rows[n] = sampleRow(n)
	}
	want(t, "new", upsert.Counts{Inserted: len(rows)})(UpsertSamplesSQLite(t.Context(), db.SQL(), rows))
	want(t, "again", upsert.Counts{Unchanged: len(rows)})(UpsertSamplesSQLite(t.Context(), db.SQL(), rows))
}

// Values arrive in a form that SQLite's own functions and the drivers know.
func TestSQLiteValues(t *testing.T) {
	db := onSQLite(t, sampleTable, "samples")
	row := sampleRow(2)
	empty := row
	empty.ID, empty.Raw = ID{}, nil
	row.Raw = []byte{}
	if _, err := UpsertSamplesSQLite(t.Context(), db.SQL(), []Sample{row, empty}); err != nil {
		t.Fatal(err)
	}
	const of = " FROM samples WHERE id = x'00000000000000000000000000000002'"
	for query, want := range map[string]string{
		"SELECT seen_at || ''" + of:                                     "1970-01-01 00:00:02.000000000+00:00",
		"SELECT unixepoch(seen_at)" + of:                                "2",
		"SELECT \"when\" || ''" + of:                                    "1970-01-01 00:00:02.000001500+00:00",
		"SELECT json ->> '$.b'" + of:                                    "1",
		"SELECT typeof(json)" + of:                                      "text",
		"SELECT typeof(raw)" + of:                                       "blob",
		"SELECT typeof(yes) || yes" + of:                                "integer1",
		"SELECT nick || pg || text || code" + of:                        "nickpgtext10.0.0.2",
		"SELECT count(*) FROM samples WHERE raw IS NULL AND length(id)": "1",
	} {
		wantValue(t, db, query, want)
	}
}

// The statements find the rows that are there by the index.
func TestSQLiteUsesTheIndex(t *testing.T) {
	for _, c := range []struct {
		table     func(testing.TB, idemtest.DB)
		index     string
		statement string
		row       string
	}{
		{recipientTable, "recipients_by_list_id_phone", recipientUpsertSQLite.Update, "(1, 'a', 'b'), (2, 'a', 'b')"},
		{priceTable, "prices_by_product_region_nulls", priceUpsertSQLite.Update, "('a', NULL, 1, 1), ('a', 'b', 1, 1)"},
	} {
		plan := explain(t, onSQLite(t, c.table, c.index), strings.Replace(c.statement, "{rows}", c.row, 1))
		if text := strings.Join(plan, "\n"); !strings.Contains(text, "SEARCH stored USING INDEX "+c.index) {
			t.Error(text)
		}
	}
}

// explain returns SQLite's plan of a statement.
func explain(t *testing.T, db idemtest.DB, statement string) (plan []string) {
	t.Helper()
	rows, err := db.SQL().Query("EXPLAIN QUERY PLAN " + statement)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		plan = append(plan, detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan
}

// An upsert takes part in the caller's transaction.
func TestInSQLiteTransaction(t *testing.T) {
	db := onSQLite(t, recipientTable, "recipients")
	tx, err := db.SQL().Begin()
	if err != nil {
		t.Fatal(err)
	}
	want(t, "in a transaction", upsert.Counts{Inserted: 1})(UpsertRecipientSQLite(t.Context(), tx, recipientRow(1)))
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := db.Count(t, "SELECT count(*) FROM recipients"); n != 0 {
		t.Errorf("%d rows outlived it", n)
	}
}

// Writers wait for each other.
func TestSQLiteWriters(t *testing.T) {
	db := onSQLite(t, recipientTable, "recipients")
	failures := make(chan error, 50)
	var group sync.WaitGroup
	for worker := range cap(failures) {
		group.Go(func() {
			row := recipientRow(1)
			row.Name = fmt.Sprint(worker)
			_, err := UpsertRecipientSQLite(context.Background(), db.SQL(), row)
			failures <- err
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		if err != nil {
			t.Error(err)
		}
	}
}
