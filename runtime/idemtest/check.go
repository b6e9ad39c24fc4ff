package idemtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// wantResult checks a delivery that has to end with the result of the n-th
// effect, its own or a stored one.
func wantResult[R any](t testing.TB, what string, got R, err error, n int) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v; want the result of run %d", what, err, n)
	}
	wantSame(t, what, got, sample[R](n))
}

// wantSame compares results by the bytes that are stored of them.
func wantSame[R any](t testing.TB, what string, got, want R) {
	t.Helper()
	gotJSON, wantJSON := encode(t, got), encode(t, want)
	if !bytes.Equal(gotJSON, wantJSON) {
		t.Fatalf("%s: got the result\n%s\nwant\n%s", what, gotJSON, wantJSON)
	}
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("a result that cannot be stored: %v", err)
	}
	return data
}

// wantInProgress checks a delivery that met a run whose lease is in force.
func (w *trial[R]) wantInProgress(t testing.TB, what string, err error) {
	t.Helper()
	var busy *idem.InProgressError
	if !errors.As(err, &busy) {
		t.Fatalf("%s: got error %v; want *idem.InProgressError", what, err)
	}
	if busy.RetryAfter <= 0 || busy.RetryAfter > w.Spec.Lease {
		t.Fatalf("%s: retry after %v; want more than nothing and at most the lease of %v", what, busy.RetryAfter, w.Spec.Lease)
	}
}

// wantRun checks the table: one run, in this state.
func (w *trial[R]) wantRun(t testing.TB, status idem.Status, attempt int) {
	t.Helper()
	if rows := w.db.Count(t, "SELECT count(*) FROM "+w.db.Table()); rows != 1 {
		t.Fatalf("%s has %d rows; want 1", w.db.Table(), rows)
	}
	key := w.key(t, 1)
	rec, err := w.db.Store().Lookup(context.Background(), key)
	if err != nil {
		t.Fatalf("the run of %q: %v; the one row is of another key", key, err)
	}
	if rec.Status != status || rec.Attempt != attempt || rec.Handler != w.Spec.Handler {
		t.Fatalf("the run is %s of %s at attempt %d; want %s of %s at attempt %d",
			rec.Status, rec.Handler, rec.Attempt, status, w.Spec.Handler, attempt)
	}
}

// wantDead checks a delivery of an event whose only attempt is used up.
func (w *trial[R]) wantDead(t testing.TB, err error) {
	t.Helper()
	if !errors.Is(err, idem.ErrDead) {
		t.Fatalf("with the only attempt used up: got error %v; want idem.ErrDead", err)
	}
}
