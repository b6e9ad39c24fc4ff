//go:build !race

package runtime_test

import (
	"context"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// What a delivery allocates that has no use for fingerprints or verbs, and what
// its key does: the text, and nothing beside it.
func TestAllocations(t *testing.T) {
	store := &scripted{completed: func(context.Context, idem.Outcome) error { return nil }}
	var err error
	for _, tt := range []struct {
		name string
		most float64
		run  func()
	}{
		{"wrapper", 15, func() { _, err = deliver(t.Context(), store, work1) }},
		{"key", 1, func() {
			_, err = spec.Key(idem.Literal("notify:"), idem.String("a", "evt_1"), idem.Literal(":"), idem.Int("b", 7), idem.Literal(":"), idem.Bool("c", true))
		}},
		{"optional key", 1, func() {
			_, err = spec.Key(idem.Literal("notify:"), idem.Optional(idem.String("a", "-")), idem.Literal(":"), idem.Optional(idem.Missing("b")))
		}},
		{"key of a number", 2, func() { _, err = spec.Key(idem.Literal("notify:"), idem.Int("a", 123456789)) }},
	} {
		if got := testing.AllocsPerRun(100, tt.run); got > tt.most || err != nil {
			t.Errorf("%s: %v allocations, error %v; want at most %v", tt.name, got, err, tt.most)
		}
	}
}
