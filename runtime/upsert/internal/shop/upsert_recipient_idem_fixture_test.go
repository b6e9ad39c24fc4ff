// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// recipientRow returns the n-th row of a file: the same n gives the same values, another
// n another list_id and phone.
func recipientRow(n int) Recipient {
	var row Recipient
	row.ListID = int64(n)
	row.Phone = Phone(fmt.Sprintf("phone-%d", n))
	row.Name = fmt.Sprintf("name-%d", n)
	return row
}

// recipientTable makes the table recipients in the database of a test. What is here is a
// guess from the fields of Recipient: run your own migrations instead, so that the tests
// see your columns, constraints and triggers. The unique index of the upsert is made
// after it, unless they make it.
func recipientTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "recipients" (
		"list_id" bigint NOT NULL,
		"phone" text NOT NULL,
		"name" text NOT NULL
	)`)
}
