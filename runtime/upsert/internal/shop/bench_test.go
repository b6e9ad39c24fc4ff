package shop

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

// What an upsert costs beside the statement that one would write by hand, both
// in turn on one table: compare the ratio, not the times.
func BenchmarkUpsert(b *testing.B) {
	for _, kind := range []string{"new", "changed", "unchanged"} {
		for _, byHand := range []struct {
			name string
			run  func(context.Context, *pgxpool.Pool, []Recipient) error
		}{{"without counts", exec}, {"with counts", query}} {
			b.Run(kind+" rows, by hand "+byHand.name, func(b *testing.B) { benchmarkUpsert(b, kind, byHand.run) })
		}
	}
}

// benchRows is how many rows a batch has.
const benchRows = 5_000

func benchmarkUpsert(b *testing.B, kind string, byHand func(context.Context, *pgxpool.Pool, []Recipient) error) {
	db := onPostgres(b, recipientTable, "recipients")
	pool := pgtest.Pool(db)
	generated := func(ctx context.Context, pool *pgxpool.Pool, rows []Recipient) error {
		_, err := UpsertRecipientsPostgres(ctx, pool, rows)
		return err
	}
	ways := []func(context.Context, *pgxpool.Pool, []Recipient) error{generated, byHand}
	var spent [2]time.Duration
	turn := 0
	for b.Loop() {
		for i := range ways {
			way := (i + turn) % len(ways)
			rows := benchBatch(kind, turn, way)
			start := time.Now()
			if err := ways[way](b.Context(), pool, rows); err != nil {
				b.Fatal(err)
			}
			if turn > 0 || kind == "new" { // the first is new to all
				spent[way] += time.Since(start)
			}
		}
		turn++
	}
	b.ReportMetric(float64(turn)*benchRows/spent[0].Seconds(), "rows/s")
	b.ReportMetric(float64(turn)*benchRows/spent[1].Seconds(), "by-hand-rows/s")
	b.ReportMetric(spent[1].Seconds()/spent[0].Seconds(), "ratio")
}

// benchBatch is the next batch of one of the two ways.
func benchBatch(kind string, turn, way int) []Recipient {
	first := way * benchRows
	if kind == "new" {
		first += 2 * turn * benchRows
	}
	rows := make([]Recipient, benchRows)
	for i := range rows {
		n := first + i
		rows[i] = Recipient{ListID: int64(n % 7), Phone: Phone(fmt.Sprintf("+49%09d", n*7919%10_000_019)), Name: "name"}
		if kind == "changed" {
			rows[i].Name = fmt.Sprint("name ", turn)
		}
	}
	return rows
}

// statement is what one would write by hand.
const statement = `INSERT INTO recipients (list_id, phone, name)
	SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
	ON CONFLICT (list_id, phone) DO UPDATE SET name = excluded.name`

func arrays(rows []Recipient) []any {
	lists, phones, names := make([]int64, len(rows)), make([]string, len(rows)), make([]string, len(rows))
	for i, row := range rows {
		lists[i], phones[i], names[i] = row.ListID, string(row.Phone), row.Name
	}
	return []any{lists, phones, names}
}

func exec(ctx context.Context, pool *pgxpool.Pool, rows []Recipient) error {
	_, err := pool.Exec(ctx, statement, arrays(rows)...)
	return err
}

func query(ctx context.Context, pool *pgxpool.Pool, rows []Recipient) error {
	answer, err := pool.Query(ctx, statement+" RETURNING xmax = 0", arrays(rows)...)
	if err != nil {
		return err
	}
	defer answer.Close()
	var counts upsert.Counts
	for answer.Next() {
		var inserted bool
		if err := answer.Scan(&inserted); err != nil {
			return err
		}
		if inserted {
			counts.Inserted++
		} else {
			counts.Updated++
		}
	}
	return answer.Err()
}
