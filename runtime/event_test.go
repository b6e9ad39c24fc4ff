package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// event has a key of every kind of value.
type event struct {
	ID   string
	Seq  int64
	At   time.Time
	UUID uuid
	Sum  []byte
	Hash [16]byte
	Body string
}

func (e event) key() (idem.Key, error) {
	return spec.Key(idem.Literal("notify:"), idem.Lower(idem.Trim(idem.String("event.ID", e.ID))),
		idem.Literal(":"), idem.Int("event.Seq", e.Seq),
		idem.Literal(":"), idem.Date("event.At", e.At), idem.Literal(":"), idem.Hour("event.At", e.At), idem.Literal(":"), idem.Unix("event.At", e.At),
		idem.Literal(":"), idem.Text("event.UUID", e.UUID),
		idem.Literal(":"), idem.Bytes("event.Sum", e.Sum),
		idem.Literal(":"), idem.ByteArray("event.Hash", e.Hash[:]),
		idem.Literal(":"), idem.Optional(idem.Hash(idem.String("event.Body", e.Body))))
}

// deliverEvent is a wrapper with its key function.
func (w *worker) deliverEvent(ctx context.Context, e event) (receipt, error) {
	key, err := e.key()
	if err != nil {
		return receipt{}, err
	}
	return w.deliver(ctx, key)
}

// The text of a key is the same for ever, on both stores, wherever the event
// comes from: another text would be other work.
func TestKeyTextIsStable(t *testing.T) {
	const want = "notify:evt:7:2024-05-31:2024-05-31T23:1717198259:01000000-000000000000000000000000:00ff:000000000000000000000000000000aa:-"
	at := time.Date(2024, 5, 31, 23, 30, 59, 0, time.UTC)
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		e := event{ID: " EVT ", Seq: 7, At: at, UUID: uuid{1}, Sum: []byte{0, 0xff}, Hash: [16]byte{15: 0xaa}}
		first, err := w.deliverEvent(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		e.ID, e.At = "evt", at.In(time.FixedZone("CEST", 2*60*60)).Add(time.Millisecond)
		if again, err := w.deliverEvent(t.Context(), e); err != nil || again != first {
			t.Errorf("the same event, told otherwise: %v, error %v; want %v", again, err, first)
		}
		if rec := lookup(t, db, want); rec.Key != want || len(w.seen) != 1 || w.seen[0] != want {
			t.Errorf("the row has the key %q, the provider saw %q; want %q", rec.Key, w.seen, want)
		}
		if n := db.Count(t, "SELECT count(*) FROM job_runs"); n != 1 {
			t.Errorf("%d rows; want 1", n)
		}
	})
}

// Events that lack what their key needs are told so, each by itself: no row,
// and no result that they share.
func TestEventsWithoutKey(t *testing.T) {
	whole := event{ID: "evt", Seq: 0, At: time.Unix(0, 0), UUID: uuid{1}, Sum: []byte{0}, Hash: [16]byte{1}}
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		for name, lacking := range map[string]func(*event){
			"event.ID":   func(e *event) { e.ID = " \t" },
			"event.UUID": func(e *event) { e.UUID = uuid{} },
			"event.Sum":  func(e *event) { e.Sum = nil },
			"event.Hash": func(e *event) { e.Hash = [16]byte{} },
		} {
			for seq := range int64(2) {
				e := whole
				e.Seq = seq
				lacking(&e)
				_, err := w.deliverEvent(t.Context(), e)
				wantEmpty(t, "", err, name)
			}
		}
		_, err := w.deliverEvent(t.Context(), event{})
		wantEmpty(t, "", err, "event.ID", "event.At", "event.UUID", "event.Sum", "event.Hash")
		if n := db.Count(t, "SELECT count(*) FROM job_runs"); n != 0 || w.seen != nil {
			t.Errorf("%d rows, and the handler ran for %v; want neither", n, w.seen)
		}
		if _, err := w.deliverEvent(t.Context(), whole); err != nil {
			t.Errorf("an event that lacks nothing: %v", err)
		}
	})
}

// A blank is a value, and another one than two blanks.
func TestBlankKeys(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		w := newWorker(db.Store())
		results := map[receipt]string{}
		for _, id := range []string{" ", "  ", "\t", "\u00a0", "-"} {
			key, err := spec.Key(idem.Literal("notify:"), idem.String("event.ID", id))
			if err != nil {
				t.Fatalf("%q: %v", id, err)
			}
			for range 2 {
				got, err := w.deliver(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				if other, taken := results[got]; taken && other != id {
					t.Errorf("%q and %q share a result", other, id)
				}
				results[got] = id
			}
		}
		if len(w.seen) != 5 {
			t.Errorf("the handler ran for %q", w.seen)
		}
		key, err := spec.Key(idem.Literal("notify:"), idem.String("event.ID", ""))
		wantEmpty(t, key, err, "event.ID")
	})
}

// Values that are themselves put together of values: what is within one never
// reaches over to the next.
func TestNestedKeys(t *testing.T) {
	seen := map[idem.Key]string{}
	pieces := []string{"a", "a:b", "b:c", "c", "%3A", ":", "", "-"}
	for _, a := range pieces {
		for _, b := range pieces {
			inner, err := idem.Spec{Handler: "inner"}.Key(idem.Optional(idem.String("a", a)), idem.Literal(":"), idem.Optional(idem.String("b", b)))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range pieces {
				outer, err := spec.Key(idem.Literal("notify:"), idem.String("inner", inner), idem.Literal(":"), idem.Optional(idem.String("c", c)))
				if err != nil {
					t.Fatal(err)
				}
				values := fmt.Sprintf("%q", []string{a, b, c})
				if other, taken := seen[outer]; taken {
					t.Errorf("%s and %s have the key %q", other, values, outer)
				}
				seen[outer] = values
			}
		}
	}
}
