package shop

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// onPostgres returns a database with a table and its unique index.
func onPostgres(t testing.TB, table func(testing.TB, idemtest.DB), index string) idemtest.DB {
	t.Helper()
	db := pgtest.Open(pgtest.Config{})(t)
	table(t, db)
	db.Exec(t, migration(t, db, index))
	return db
}

// A row that is as it should be is neither written nor locked: its place and
// its marks stay.
func TestUnchangedRowsAreNotTouched(t *testing.T) {
	db := onPostgres(t, sampleTable, "samples")
	rows := []Sample{sampleRow(1), sampleRow(2)}
	if _, err := UpsertSamplesPostgres(t.Context(), pgtest.Pool(db), rows); err != nil {
		t.Fatal(err)
	}
	const marks = "SELECT string_agg(concat(ctid, xmin, xmax), ',' ORDER BY id) FROM samples"
	before := value(t, db, marks)
	want(t, "again", upsert.Counts{Unchanged: 2})(UpsertSamplesPostgres(t.Context(), pgtest.Pool(db), rows))
	wantValue(t, db, marks, before)
	for _, change := range []func(*Sample){
		func(s *Sample) { s.Raw = []byte{} },
		func(s *Sample) { s.JSON = []byte(`{"b": 1, "a": [1.5, null]}`) }, // 1.50 before
		func(s *Sample) { s.Text = nil },
		func(s *Sample) { s.Float = -0.0000001 },
		func(s *Sample) { s.SeenAt = s.SeenAt.Add(time.Microsecond) },
		func(s *Sample) { s.Code = "10.0.0.99" },
		func(s *Sample) { s.Nick.Valid = false },
		func(s *Sample) { s.Other = &ID{} },
	} {
		change(&rows[1])
		want(t, "a change", upsert.Counts{Updated: 1, Unchanged: 1})(UpsertSamplesPostgres(t.Context(), pgtest.Pool(db), rows))
	}
}

// Every column arrives in every mode of pgx, also behind pgbouncer.
func TestQueryModes(t *testing.T) {
	db := onPostgres(t, sampleTable, "samples")
	const all = "SELECT string_agg(s::text, E'\\n' ORDER BY id) FROM samples AS s"
	var first string
	for _, mode := range []pgx.QueryExecMode{
		pgx.QueryExecModeCacheStatement, pgx.QueryExecModeCacheDescribe, pgx.QueryExecModeDescribeExec, pgx.QueryExecModeExec, pgx.QueryExecModeSimpleProtocol,
	} {
		config, err := pgx.ParseConfig(pgtest.URL(db))
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = mode
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		rows := []Sample{sampleRow(1), sampleRow(2)}
		want(t, mode.String(), upsert.Counts{Inserted: 2})(UpsertSamplesPostgres(t.Context(), conn, rows))
		want(t, mode.String(), upsert.Counts{Unchanged: 2})(UpsertSamplesPostgres(t.Context(), conn, rows))
		rows[0].Int = -1
		want(t, mode.String(), upsert.Counts{Updated: 1})(UpsertSamplePostgres(t.Context(), conn, rows[0]))
		if first == "" {
			first = value(t, db, all)
		}
		wantValue(t, db, all, first)
		db.Exec(t, "DELETE FROM samples")
		if err := conn.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(first, `,"\\x00ff","{""a"": [1.50, null], ""b"": 1}",text,2,"`) {
		t.Error(first)
	}
}

// An upsert takes part in the caller's transaction.
func TestInTransaction(t *testing.T) {
	db := onPostgres(t, recipientTable, "recipients")
	tx, err := pgtest.Pool(db).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "in a transaction", upsert.Counts{Inserted: 1})(UpsertRecipientPostgres(t.Context(), tx, recipientRow(1)))
	want(t, "which sees it", upsert.Counts{Unchanged: 1})(UpsertRecipientPostgres(t.Context(), tx, recipientRow(1)))
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := db.Count(t, "SELECT count(*) FROM recipients"); n != 0 {
		t.Errorf("%d rows outlived it", n)
	}
}

// Batches that have the same rows in other orders wait for each other and never
// meet in a deadlock.
func TestNoDeadlocks(t *testing.T) {
	db := onPostgres(t, recipientTable, "recipients")
	const workers, rounds, size = 6, 15, 400
	failures := make(chan error, workers)
	var group sync.WaitGroup
	for worker := range workers {
		group.Go(func() {
			for round := range rounds {
				rows := make([]Recipient, size)
				for n := range rows {
					rows[n] = recipientRow(n)
					rows[n].ListID = int64(n % 7)
					rows[n].Name = fmt.Sprint(worker, round)
				}
				if worker%2 == 0 {
					slices.Reverse(rows)
				}
				if _, err := UpsertRecipientsPostgres(t.Context(), pgtest.Pool(db), rows); err != nil {
					failures <- err
					return
				}
			}
		})
	}
	group.Wait()
	close(failures)
	for err := range failures {
		t.Error(err)
	}
}

// Texts that Postgres cannot hold, and keys that are one to it alone, are errors
// that say so.
func TestRefused(t *testing.T) {
	db := onPostgres(t, func(t testing.TB, db idemtest.DB) {
		db.Exec(t, `CREATE COLLATION alike (provider = icu, locale = 'und-u-ks-level2', deterministic = false)`)
		db.Exec(t, `CREATE TABLE recipients (list_id bigint, phone text COLLATE alike, name text)`)
	}, "recipients")
	_, err := UpsertRecipientPostgres(t.Context(), pgtest.Pool(db), Recipient{Phone: "\x00"})
	if err == nil || !strings.Contains(err.Error(), "0x00") {
		t.Error(err)
	}
	_, err = UpsertRecipientsPostgres(t.Context(), pgtest.Pool(db), []Recipient{{Phone: "A"}, {Phone: "a"}})
	if err == nil || !strings.Contains(err.Error(), "equal to the database") {
		t.Error(err)
	}
	want(t, "one", upsert.Counts{Inserted: 1})(UpsertRecipientPostgres(t.Context(), pgtest.Pool(db), Recipient{Phone: "A", Name: "x"}))
	want(t, "alike", upsert.Counts{Unchanged: 1})(UpsertRecipientPostgres(t.Context(), pgtest.Pool(db), Recipient{Phone: "a", Name: "x"}))
	want(t, "alike but for a value", upsert.Counts{Updated: 1})(UpsertRecipientPostgres(t.Context(), pgtest.Pool(db), Recipient{Phone: "a", Name: "X"}))
}

// A connection prepares the statement while the table is empty, and keeps it;
// the table then grows: no upsert may scan it.
func TestUpsertKeepsItsIndex(t *testing.T) {
	for name, prepare := range map[string]string{"never analysed": "", "analysed while empty": "ANALYZE recipients"} {
		t.Run(name, func(t *testing.T) {
			db := onPostgres(t, recipientTable, "recipients")
			db.Exec(t, "ALTER TABLE recipients SET (autovacuum_enabled = off)")
			db.Exec(t, prepare)
			conn, err := pgx.Connect(t.Context(), pgtest.URL(db))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close(context.Background()) }()
			for n := range 8 {
				want(t, "one of the first", upsert.Counts{Inserted: 1})(UpsertRecipientPostgres(t.Context(), conn, recipientRow(n)))
			}
			db.Exec(t, "INSERT INTO recipients SELECT n, 'phone-' || n, '' FROM generate_series(1000, 200000) AS n")
			rows := make([]Recipient, 100)
			for n := range rows {
				rows[n] = Recipient{ListID: int64(5000 + n), Phone: Phone(fmt.Sprint("phone-", 5000+n))}
			}
			wantFewScans(t, conn, rows)
		})
	}
}

// wantFewScans checks how much of the table an upsert reads.
func wantFewScans(t *testing.T, conn *pgx.Conn, rows []Recipient) {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(context.Background()) }()
	read := func() (n int) {
		const query = "SELECT pg_stat_get_xact_tuples_returned('recipients'::regclass)"
		if err := tx.QueryRow(t.Context(), query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	before := read()
	want(t, "again", upsert.Counts{Unchanged: len(rows)})(UpsertRecipientsPostgres(t.Context(), tx, rows))
	if got := read() - before; got > 0 {
		t.Errorf("%d rows were read by scanning the table", got)
	}
}

// A table in partitions is an error that says so.
func TestPartitions(t *testing.T) {
	db := pgtest.Open(pgtest.Config{})(t)
	db.Exec(t, `CREATE TABLE recipients (list_id bigint, phone text, name text, UNIQUE (list_id, phone)) PARTITION BY LIST (list_id)`)
	db.Exec(t, `CREATE TABLE recipients_1 PARTITION OF recipients FOR VALUES IN (1)`)
	_, err := recipients(t.Context(), db, Recipient{ListID: 1, Phone: "a"})
	if err == nil || !strings.Contains(err.Error(), "a table in partitions") {
		t.Error(err)
	}
}
