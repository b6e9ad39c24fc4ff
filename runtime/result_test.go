package runtime_test

import (
	"context"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// The result's bytes, and back: zero values of every kind, and text, numbers
// and times that a careless encoding changes.
func TestResultRoundTrip(t *testing.T) {
	roundTrip(t, "false", false)
	roundTrip(t, "0", 0)
	roundTrip(t, "empty string", "")
	roundTrip(t, "nil slice", []int(nil))
	roundTrip(t, "empty slice", []int{})
	roundTrip(t, "nil map", map[string]int(nil))
	roundTrip(t, "empty struct", struct{}{})
	roundTrip(t, "zero struct", receipt{})
	roundTrip(t, "nil pointer", (*receipt)(nil))
	roundTrip(t, "pointer to zero", &receipt{})
	roundTrip(t, "NUL and markup", "a\x00b<>&\u2028\u2029\"\\")
	roundTrip(t, "a real U+FFFD", "\uFFFD")
	roundTrip(t, "the text of an escape", `\ufffd \\ufffd`)
	roundTrip(t, "an escape in its own JSON", json.RawMessage(`{"a":"\ufffd","b":"<&>"}`))
	roundTrip(t, "64 bits", []int64{math.MaxInt64, math.MinInt64, 1<<53 + 1})
	roundTrip(t, "unsigned 64 bits", uint64(math.MaxUint64))
	roundTrip(t, "floats", []float64{1e308, 5e-324, -0.1})
	roundTrip(t, "time with a zone", time.Date(2024, 2, 29, 23, 59, 59, 1, time.FixedZone("", 5*3600+1800)))
	roundTrip(t, "bytes", []byte{0, 0xff, 0xc3})
	roundTrip(t, "a pointer's methods", decimal{7})
	roundTrip(t, "a pointer's methods in a field", struct{ N big.Int }{*big.NewInt(1 << 60)})
	roundTrip(t, "at the limit", strings.Repeat("x", idem.MaxResultBytes-2))
}

func roundTrip[R any](t *testing.T, name string, result R) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		var stored idem.Outcome
		store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { stored = o; return nil }}
		got, err := deliver(t.Context(), store, func(context.Context) (R, error) { return result, nil })
		if err != nil || !reflect.DeepEqual(got, result) {
			t.Fatalf("first delivery: %v, error %v", got, err)
		}
		if stored.Status != idem.StatusDone || stored.Error != "" || stored.Result == nil {
			t.Fatalf("outcome %+v", stored)
		}
		replays := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
			return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusDone, Result: stored.Result}, nil
		}}
		again, err := deliver(t.Context(), replays, func(context.Context) (R, error) {
			t.Error("the handler ran again")
			return result, nil
		})
		if err != nil || !same(again, result) {
			t.Errorf("replay %#v, error %v; want %#v", again, err, result)
		}
	})
}

func same(a, b any) bool {
	if at, ok := a.(time.Time); ok {
		bt := b.(time.Time)
		_, az := at.Zone()
		_, bz := bt.Zone()
		return at.Equal(bt) && az == bz
	}
	return reflect.DeepEqual(a, b)
}

// Results that are too large, or that JSON cannot hold: done, told why, never again.
func TestResultNotStored(t *testing.T) {
	for _, tt := range []struct {
		name   string
		result any
		text   string
	}{
		{"one byte over the limit", strings.Repeat("x", idem.MaxResultBytes-1), "result not stored: 1048577 bytes as encoded, over the limit of 1048576"},
		{"not a number", math.NaN(), "result not stored: json: unsupported value: NaN"},
		{"not UTF-8", "a\xff", "result not stored: a string in it is not valid UTF-8, which JSON cannot hold"},
		{"panics", panics{}, "result not stored: panic: no JSON today"},
		{"lone surrogate", "\\\xed\xa0\x80", "result not stored: a string in it is not valid UTF-8, which JSON cannot hold"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stored idem.Outcome
			store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { stored = o; return nil }}
			_, err := deliver(t.Context(), store, func(context.Context) (any, error) { return tt.result, nil })
			if err != nil {
				t.Errorf("first delivery: %v; it has its result", err)
			}
			if stored.Status != idem.StatusDone || stored.Result != nil || stored.Error != tt.text {
				t.Errorf("outcome %s, %d bytes, %q; want done, none, %q", stored.Status, len(stored.Result), stored.Error, tt.text)
			}
		})
	}
}

type panics struct{}

func (panics) MarshalJSON() ([]byte, error) { panic("no JSON today") }
