// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// tagRow returns the n-th row of a file: the same n gives the same values, another n
// another select and day.
func tagRow(n int) Tag {
	var row Tag
	row.Name = fmt.Sprintf("select-%d", n)
	row.Day = time.Unix(int64(n), 0)
	return row
}

// tagTable makes the table tags in the database of a test. What is here is a guess from
// the fields of Tag: run your own migrations instead, so that the tests see your columns,
// constraints and triggers. The unique index of the upsert is made after it, unless they
// make it.
func tagTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "tags" (
		"select" text NOT NULL,
		"day" timestamptz NOT NULL
	)`)
}
