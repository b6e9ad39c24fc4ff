// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// sampleRow returns the n-th row of a file: the same n gives the same values, another n
// another id.
func sampleRow(n int) Sample {
	var row Sample
	row.SeenAt = time.Unix(int64(n), 0)
	row.ID = ID([16]byte{14: byte(n >> 8), 15: byte(n)})
	row.Small = uint8(n)
	row.Int = n
	row.Big = uint64(n)
	row.Float = float64(n)
	row.Short = float32(n)
	row.Yes = n%2 == 0
	row.Code = fmt.Sprintf("10.0.0.%d", n)
	if n%2 == 0 { // the others have NULLs
		text, count, when, other, flag := "text", int32(n), row.SeenAt.Add(1500*time.Nanosecond), row.ID, true
		row.Raw, row.JSON = []byte{0, 255}, json.RawMessage(`{"b": 1, "a": [1.50, null]}`)
		row.Text, row.Count, row.When, row.Other, row.Flag = &text, &count, &when, &other, &flag
		row.Nick, row.At = sql.NullString{String: "nick", Valid: true}, sql.NullTime{Time: when, Valid: true}
		row.Pg = pgtype.Text{String: "pg", Valid: true}
	}
	return row
}

// sampleTable makes the table samples in the database of a test. What is here is a guess
// from the fields of Sample: run your own migrations instead, so that the tests see your
// columns, constraints and triggers. The unique index of the upsert is made after it,
// unless they make it.
func sampleTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "samples" (
		"seen_at" timestamptz NOT NULL,
		"id" uuid NOT NULL,
		"small" smallint NOT NULL,
		"int" bigint NOT NULL,
		"big" bigint NOT NULL,
		"float" double precision NOT NULL,
		"short" real NOT NULL,
		"yes" boolean NOT NULL,
		"raw" bytea,
		"json" jsonb,
		"text" text,
		"count" integer,
		"when" timestamptz,
		"other" uuid,
		"nick" text,
		"at" timestamptz,
		"code" inet NOT NULL,
		"flag" boolean,
		"pg" text
	)`)
}
