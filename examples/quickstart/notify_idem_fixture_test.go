// This file is yours: idemgen wrote it once and leaves it alone from now on.

package main

import (
	"context"
	"fmt"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// notifyArgs returns the arguments of the n-th delivery: the same n gives the same key,
// another n another key.
func notifyArgs(n int) (shop Shop, event ShippedEvent) {
	event.ID = fmt.Sprintf("id-%d", n)
	return shop, event
}

// notifyReal lets the race tests run Notify itself too, and count the rows that it leaves
// in the shop's table.
func notifyReal(t testing.TB, db idemtest.DB) *idemtest.Real[Receipt] {
	db.Exec(t, notifications)
	provider := NewProvider()
	return &idemtest.Real[Receipt]{
		Handle: func(ctx context.Context, n int) (Receipt, error) {
			shop, event := notifyArgs(n)
			shop.DB, shop.Texts = db.SQL(), provider
			key, _ := idem.KeyFromContext(ctx)
			return Notify(ctx, key, shop, event)
		},
		Effects: func(n int) int {
			_, event := notifyArgs(n)
			return db.Count(t, `SELECT count(*) FROM notifications WHERE external_event_id = $1`, event.ID)
		},
	}
}
