// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// readingRow returns the n-th row of a file: the same n gives the same values, another n
// another sensor.
func readingRow(n int) Reading {
	var row Reading
	row.Sensor = fmt.Sprintf("sensor-%d", n)
	row.At = time.Unix(int64(n), 0)
	row.Value = float64(n)
	return row
}

// readingTable makes the table readings in the database of a test. What is here is a
// guess from the fields of Reading: run your own migrations instead, so that the tests
// see your columns, constraints and triggers. The unique index of the upsert is made
// after it, unless they make it.
func readingTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "readings" (
		"sensor" text NOT NULL,
		"at" timestamptz NOT NULL,
		"value" double precision NOT NULL
	)`)
}
