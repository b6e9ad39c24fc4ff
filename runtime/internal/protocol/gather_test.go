package protocol_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// ledger is a table that notes what goes out together, and takes a millisecond.
type ledger struct {
	stub
	mu   sync.Mutex
	sent []string
	err  error // of what goes out together
}

func (l *ledger) note(what string, keys ...string) error {
	time.Sleep(time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	slices.Sort(keys)
	l.sent = append(l.sent, what+" "+strings.Join(keys, "+"))
	if what == "insert" {
		slices.Sort(l.sent[1:])
		return nil
	}
	return l.err
}

func (l *ledger) Insert(_ context.Context, req idem.ClaimRequest) (idem.Record, bool, error) {
	return idem.Record{Key: req.Key}, true, l.note("insert", string(req.Key))
}

func (l *ledger) InsertAll(_ context.Context, reqs []idem.ClaimRequest) ([]protocol.Found, error) {
	var found []protocol.Found
	var keys []string
	for _, req := range reqs {
		found, keys = append(found, protocol.Found{Record: idem.Record{Key: req.Key}, OK: true}), append(keys, string(req.Key))
	}
	return found, l.note("inserts", keys...)
}

func (l *ledger) FindAll(_ context.Context, asked []idem.Key) ([]protocol.Found, error) {
	var found []protocol.Found
	var keys []string
	for _, key := range asked {
		found, keys = append(found, protocol.Found{Record: idem.Record{Key: key}, OK: true}), append(keys, string(key))
	}
	return found, l.note("finds", keys...)
}

func (l *ledger) CompleteAll(_ context.Context, ends []protocol.End) ([]bool, error) {
	var keys []string
	for _, e := range ends {
		keys = append(keys, string(e.Token.Key))
	}
	return make([]bool, len(ends)), l.note("completes", keys...)
}

func (l *ledger) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Equal(l.sent, want) {
		t.Errorf("sent %q; want %q", l.sent, want)
	}
	l.sent = nil
}

// asks has a delivery insert its key, in a goroutine of its own.
func asks(ctx context.Context, g *protocol.Gathering, key string) (answer func(*testing.T, error)) {
	var rec idem.Record
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		rec, _, err = g.Insert(ctx, idem.ClaimRequest{Key: idem.Key(key)})
	}()
	synctest.Wait()
	return func(t *testing.T, want error) {
		t.Helper()
		<-done
		if !errors.Is(err, want) || want == nil && (err != nil || rec.Key != idem.Key(key)) {
			t.Errorf("%s: answered %+v, %v; want %v", key, rec, err, want)
		}
	}
}

func TestGatheringSendsWhenAllWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		g := protocol.Gather(l, 4)
		a, b := asks(t.Context(), g, "a"), asks(t.Context(), g, "b")
		go func() { _, _, _ = g.Find(t.Context(), "c") }()
		l.want(t)
		go func() { _, _ = g.Complete(t.Context(), idem.Token{Key: "d"}, idem.Outcome{}) }()
		time.Sleep(5 * time.Millisecond)
		l.want(t, "completes d", "inserts a+b", "finds c")
		a(t, nil)
		b(t, nil)
	})
}

// Nobody waits for one that has left, or longer than a second for one that
// asks nothing.
func TestGatheringWaitsNotForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		g := protocol.Gather(l, 3)
		a := asks(t.Context(), g, "a")
		g.Leave()
		b := asks(t.Context(), g, "b")
		time.Sleep(5 * time.Millisecond)
		l.want(t, "inserts a+b")
		a(t, nil)
		b(t, nil)

		c := asks(t.Context(), g, "c")
		time.Sleep(time.Second - time.Millisecond)
		l.want(t)
		time.Sleep(5 * time.Millisecond)
		l.want(t, "inserts c")
		c(t, nil)

		d := asks(t.Context(), g, "d")
		g.Leave()
		time.Sleep(5 * time.Millisecond)
		l.want(t, "inserts d")
		d(t, nil)
		g.Leave()
		time.Sleep(2 * time.Second)
		l.want(t)
	})
}

func TestGatheringGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		g := protocol.Gather(l, 3)
		ctx, cancel := context.WithCancel(t.Context())
		a, b := asks(ctx, g, "a"), asks(t.Context(), g, "b")
		cancel() // before it was sent
		a(t, context.Canceled)
		g.Leave()
		c := asks(t.Context(), g, "c")
		time.Sleep(5 * time.Millisecond)
		l.want(t, "inserts b+c")
		b(t, nil)
		c(t, nil)

		ctx, cancel = context.WithCancel(t.Context())
		b, c = asks(t.Context(), g, "b"), asks(ctx, g, "c")
		cancel() // while it is under way: the last that asks also sends
		time.Sleep(5 * time.Millisecond)
		l.want(t, "inserts b+c")
		b(t, nil)
		c(t, context.Canceled)
	})
}

// What is refused is asked for each alone, what is not known is for each to find
// out, and so many do not go out at once that they would be too many.
func TestGatheringErrors(t *testing.T) {
	for _, tt := range []struct {
		fate protocol.Fate
		sent []string
		err  error
	}{
		{protocol.Refused, []string{"inserts a+b", "insert a", "insert b"}, nil},
		{protocol.Unknown, []string{"inserts a+b"}, errDown},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &ledger{stub: stub{fate: tt.fate}, err: errDown}
			g := protocol.Gather(l, 2)
			a, b := asks(t.Context(), g, "a"), asks(t.Context(), g, "b")
			time.Sleep(10 * time.Millisecond)
			l.want(t, tt.sent...)
			a(t, tt.err)
			b(t, tt.err)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		g := protocol.Gather(l, 2500)
		var all sync.WaitGroup
		for i := range 2500 {
			all.Go(func() { _, _, _ = g.Insert(t.Context(), idem.ClaimRequest{Key: idem.Key(fmt.Sprint(i))}) })
		}
		all.Wait()
		if len(l.sent) != 3 {
			t.Errorf("sent %d times", len(l.sent))
		}
	})
}

// panicking is a ledger whose completions panic.
type panicking struct{ *ledger }

func (panicking) CompleteAll(context.Context, []protocol.End) ([]bool, error) { panic("a tracer's") }

// A panic in what one sends for all goes on where it was, and nobody waits for ever.
func TestPanicInWhatIsGathered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		g := protocol.Gather(panicking{l}, 3)
		insert := asks(t.Context(), g, "a")
		var err error
		go func() { _, err = g.Complete(t.Context(), idem.Token{Key: "b"}, idem.Outcome{}) }()
		synctest.Wait()
		var recovered any
		go func() {
			defer func() { recovered = recover() }()
			g.Leave()
		}()
		synctest.Wait()
		time.Sleep(5 * time.Millisecond)
		insert(t, nil)
		synctest.Wait()
		if err == nil || recovered == nil {
			t.Errorf("the completion got %v; recovered %v", err, recovered)
		}
		l.want(t, "inserts a")
	})
}
