// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// visitRow returns the n-th row of a file: the same n gives the same values, another n
// another page and visitor.
func visitRow(n int) Visit {
	var row Visit
	row.Page = fmt.Sprintf("page-%d", n)
	row.Visitor.String, row.Visitor.Valid = fmt.Sprintf("visitor-%d", n), true
	row.Count = n
	return row
}

// visitTable makes the table visits in the database of a test. What is here is a guess
// from the fields of Visit: run your own migrations instead, so that the tests see your
// columns, constraints and triggers. The unique index of the upsert is made after it,
// unless they make it.
func visitTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "visits" (
		"page" text NOT NULL,
		"visitor" text,
		"count" bigint NOT NULL
	)`)
}
