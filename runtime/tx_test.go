package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// What a handler's outcome comes to in a transaction: the same rows and answers
// as outside of one, and no work but of what is done. In D4's words, no way to
// end leaves an open transaction or a held connection.
func TestTxOutcomes(t *testing.T) {
	down := errors.New("the provider is down")
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, tt := range []struct {
		name    string
		handle  handled
		want    error
		status  idem.Status
		attempt int
		holds   int
		rows    int
		text    string
	}{
		{"done", fine, nil, idem.StatusDone, 1, 0, 1, ""},
		{"error", failing(down), down, idem.StatusWaiting, 2, 0, 0, "the provider is down"},
		{"held", failing(idem.RetryAfter(time.Minute, down)), idem.ErrInProgress, idem.StatusWaiting, 2, 1, 0, "the provider is down"},
		{"permanent", failing(idem.Permanent(down)), idem.ErrFailed, idem.StatusFailed, 1, 0, 0, "the provider is down"},
		{"cancelled", failing(idem.Permanent(ended.Err())), context.Canceled, idem.StatusWaiting, 2, 0, 0, "context canceled"},
		{"another's end", failing(idem.ErrDead), nil, idem.StatusWaiting, 2, 0, 0, "attempts used up"},
		{"failing statement", func(_ context.Context, exec func(string) error) (receipt, error) {
			return receipt{}, exec("INSERT INTO nowhere VALUES (1)")
		}, nil, idem.StatusWaiting, 2, 0, 0, "nowhere"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachDatabase(t, func(t *testing.T, db idemtest.DB) {
				w := newTxWorker(t, db)
				_, err := w.deliver(t.Context(), key, tt.handle)
				if (err == nil) != (tt.rows > 0) || tt.want != nil && !errors.Is(err, tt.want) || errors.Is(err, idem.ErrDead) {
					t.Errorf("got error %v; want %v", err, tt.want)
				}
				w.want(tt.name, key, tt.rows)
				w.wantRow(t, tt.name, key, tt.status, tt.attempt, tt.holds)
				if rec := lookup(t, db, key); !strings.Contains(rec.Error, tt.text) || tt.text == "" && rec.Error != "" {
					t.Errorf("the row says %q; want %q", rec.Error, tt.text)
				}
				again, err := w.deliver(t.Context(), key, fine)
				switch tt.status {
				case idem.StatusWaiting:
					if held := tt.holds > 0; held != errors.Is(err, idem.ErrInProgress) || !held && err != nil {
						t.Errorf("delivered again: %v", err)
					}
				case idem.StatusDone:
					if err != nil || again.ID != "m" || w.ran != 1 {
						t.Errorf("a duplicate: got %v, %v after %d runs", again, err, w.ran)
					}
				default:
					if !errors.Is(err, tt.want) || w.ran != 1 {
						t.Errorf("a duplicate: got %v after %d runs", err, w.ran)
					}
				}
				w.want("after a duplicate", key, min(1, tt.attempt-1-tt.holds+tt.rows))
			})
		})
	}
}

func failing(err error) handled {
	return func(context.Context, func(string) error) (receipt, error) { return receipt{}, err }
}

// Invariant 5: a job that keeps failing is dead when its attempts are used up,
// though each of them is rolled back.
func TestTxPoison(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		poison := errors.New("poison")
		ends := []func(){
			func() { _, _ = w.deliver(t.Context(), key, failing(poison)) },
			func() {
				if v := recovered(func() {
					_, _ = w.deliver(t.Context(), key, func(context.Context, func(string) error) (receipt, error) { panic("out of cheese") })
				}); v != "out of cheese" {
					t.Errorf("the handler's panic came out as %v", v)
				}
			},
			func() {
				var exit sync.WaitGroup
				exit.Go(func() {
					_, _ = w.deliver(t.Context(), key, func(context.Context, func(string) error) (receipt, error) {
						goruntime.Goexit()
						return receipt{}, nil
					})
				})
				exit.Wait()
			},
		}
		for i, end := range ends {
			end()
			status := idem.StatusWaiting
			if i == len(ends)-1 {
				status = idem.StatusDead
			}
			w.wantRow(t, fmt.Sprint("attempt ", i+1), key, status, i+2, 0)
			w.want("after it", key, 0)
		}
		if _, err := w.deliver(t.Context(), key, fine); !errors.Is(err, idem.ErrDead) || w.ran != 3 {
			t.Errorf("got %v after %d runs; want ErrDead after 3", err, w.ran)
		}
	})
}

// Holds do not count, however many.
func TestTxHolds(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		for i := range 5 {
			if _, err := w.deliver(t.Context(), key, failing(idem.RetryAfter(time.Minute, nil))); !errors.Is(err, idem.ErrInProgress) {
				t.Fatalf("hold %d: %v", i+1, err)
			}
			w.want("held", key, 0)
			db.Advance(time.Minute)
		}
		w.wantRow(t, "after five holds", key, idem.StatusWaiting, 6, 5)
		if _, err := w.deliver(t.Context(), key, fine); err != nil {
			t.Error(err)
		}
	})
}

// Invariant 10: a caller that is cancelled while the handler returns loses
// nothing.
func TestTxCancelledCaller(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		for want, handle := range map[idem.Status]handled{idem.StatusDone: fine, idem.StatusWaiting: failing(errors.New("no"))} {
			ctx, cancel := context.WithCancel(t.Context())
			key := idem.Key("notify:" + want)
			_, _ = w.deliver(ctx, key, func(ctx context.Context, exec func(string) error) (receipt, error) {
				cancel()
				return handle(ctx, exec)
			})
			if rec := lookup(t, db, key); rec.Status != want {
				t.Errorf("the row is %s; want %s", rec.Status, want)
			}
		}
	})
}

// Work whose result is too large to be stored is committed, and never done again.
func TestTxResultTooLarge(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newTxWorker(t, db)
		large := func(ctx context.Context, exec func(string) error) (receipt, error) {
			result, err := fine(ctx, exec)
			result.ID = strings.Repeat("x", idem.MaxResultBytes)
			return result, err
		}
		if _, err := w.deliver(t.Context(), key, large); err != nil {
			t.Errorf("first delivery: %v", err)
		}
		if _, err := w.deliver(t.Context(), key, large); !errors.Is(err, idem.ErrResultNotStored) || w.ran != 1 {
			t.Errorf("a duplicate: error %v after %d runs; want ErrResultNotStored", err, w.ran)
		}
		w.want("too large", key, 1)
		w.wantRow(t, "too large", key, idem.StatusDone, 1, 0)
	})
}
