package runtime_test

import (
	"context"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

func TestDelivery(t *testing.T) {
	sent := idem.Delivery{Source: "orders", MessageID: "m-1", EventID: "evt_1", Attempt: 3, Redelivered: true}
	if got, ok := idem.DeliveryFromContext(t.Context()); ok || got != (idem.Delivery{}) {
		t.Errorf("without any: got %+v, %v", got, ok)
	}
	store := &scripted{}
	for _, tt := range []struct {
		ctx  context.Context
		want idem.Delivery
		ok   bool
	}{
		{t.Context(), idem.Delivery{}, false},
		{idem.WithDelivery(t.Context(), idem.Delivery{}), idem.Delivery{}, true},
		{idem.WithDelivery(t.Context(), sent), sent, true},
		{idem.WithDelivery(idem.WithDelivery(t.Context(), idem.Delivery{Source: "others", EventID: "evt_0"}), sent), sent, true},
	} {
		run, err := idem.Claim[receipt](tt.ctx, store, leased, key)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := idem.DeliveryFromContext(run.Context()); got != tt.want || ok != tt.ok || run.Delivery() != tt.want {
			t.Errorf("in the run's context %+v, %v, of the run %+v; want %+v, %v", got, ok, run.Delivery(), tt.want, tt.ok)
		}
	}
	replays := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
		return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusDone, Result: []byte("{}")}, nil
	}}
	run, err := idem.Claim[receipt](idem.WithDelivery(t.Context(), sent), replays, leased, key)
	if err != nil || run.Delivery() != sent {
		t.Errorf("of a replay: %+v, error %v; want %+v", run.Delivery(), err, sent)
	}
}

// Nothing that a broker says of a delivery makes it another one, or the same.
func TestDeliveryDecidesNothing(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		deliver := func(key idem.Key, d idem.Delivery) receipt {
			got, err := w.deliver(idem.WithDelivery(t.Context(), d), key)
			if err != nil {
				t.Fatalf("%+v: %v", d, err)
			}
			return got
		}
		// The first that anybody sees is called a redelivery.
		first := deliver("notify:1", idem.Delivery{Source: "a", MessageID: "m-1", EventID: "evt_1", Attempt: 7, Redelivered: true})
		for _, d := range []idem.Delivery{
			{}, {Source: "a", MessageID: "m-1", EventID: "evt_1", Attempt: 8, Redelivered: true},
			{Source: "b", MessageID: "m-2", EventID: "evt_2", Attempt: 1}, {Attempt: -1},
		} {
			if got := deliver("notify:1", d); got != first {
				t.Errorf("%+v: got %v; want the stored %v", d, got, first)
			}
		}
		same := idem.Delivery{Source: "a", MessageID: "m-1", EventID: "evt_1", Attempt: 7, Redelivered: true}
		if got := deliver("notify:2", same); got == first || len(w.seen) != 2 {
			t.Errorf("another key of the same delivery: got %v after %d runs", got, len(w.seen))
		}
	})
}
