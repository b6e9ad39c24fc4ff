// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// billRow returns the n-th row of a file: the same n gives the same values, another n
// another id.
func billRow(n int) Bill {
	var row Bill
	row.ID = fmt.Sprintf("id-%d", n)
	return row
}

// billTable makes the table bills in the database of a test. What is here is a guess from
// the fields of Bill: run your own migrations instead, so that the tests see your
// columns, constraints and triggers. The unique index of the upsert is made after it,
// unless they make it.
func billTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "bills" (
		"id" text NOT NULL,
		"total" numeric
	)`)
}
