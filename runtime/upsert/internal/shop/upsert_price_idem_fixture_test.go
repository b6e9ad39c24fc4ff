// This file is yours: idemgen wrote it once and leaves it alone from now on.

package shop

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest"
)

// priceRow returns the n-th row of a file: the same n gives the same values, another n
// another product and region.
func priceRow(n int) Price {
	var row Price
	row.Product = fmt.Sprintf("product-%d", n)
	row.Region = new(string)
	*row.Region = fmt.Sprintf("region-%d", n)
	row.Rev = n
	row.Cents = int64(n)
	return row
}

// priceTable makes the table prices in the database of a test. What is here is a guess
// from the fields of Price: run your own migrations instead, so that the tests see your
// columns, constraints and triggers. The unique index of the upsert is made after it,
// unless they make it.
func priceTable(t testing.TB, db idemtest.DB) {
	db.Exec(t, `CREATE TABLE "prices" (
		"product" text NOT NULL,
		"region" text,
		"rev" bigint NOT NULL,
		"cents" bigint NOT NULL
	)`)
}
