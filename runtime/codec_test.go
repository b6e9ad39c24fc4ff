package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// On a real database: results are unreadable in the table, replay as they were,
// and are not another key's.
func TestEncryptedResults(t *testing.T) {
	eachDatabase(t, func(t *testing.T, db idemtest.DB) {
		codec := newSealed([]byte("0123456789abcdef"))
		w := newWorker(idem.Configure(db.Store(), idem.WithCodec(codec)))
		first, err := w.deliver(t.Context(), "notify:1")
		if err != nil {
			t.Fatal(err)
		}
		if stored := lookup(t, db, "notify:1").Result; bytes.Contains(stored, []byte("notify:1")) || len(stored) == 0 {
			t.Errorf("the table has %q", stored)
		}
		if got, err := w.deliver(t.Context(), "notify:1"); err != nil || got != first {
			t.Errorf("duplicate: %v, %v; want %v", got, err, first)
		}
		if _, err := w.deliver(t.Context(), "notify:2"); err != nil {
			t.Fatal(err)
		}
		db.Exec(t, "UPDATE job_runs SET result = (SELECT result FROM job_runs WHERE key = 'notify:1') WHERE key = 'notify:2'")
		if got, err := w.deliver(t.Context(), "notify:2"); !errors.Is(err, idem.ErrResultNotStored) || got != (receipt{}) {
			t.Errorf("another key's result: %v, %v", got, err)
		}
		if len(w.seen) != 2 {
			t.Errorf("%d effects", len(w.seen))
		}
	})
}

// coded is a codec made of funcs.
type coded struct {
	encode func() ([]byte, error)
	decode func() error
}

func (c coded) Encode(idem.Key, any) ([]byte, error) { return c.encode() }
func (c coded) Decode(idem.Key, []byte, any) error   { return c.decode() }

// Whatever a codec does, the work is done and does not run again.
func TestCodecThatFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		encode func() ([]byte, error)
		result []byte
		text   string
	}{
		{"error", func() ([]byte, error) { return []byte("x"), errDown }, nil, "result not stored: connection refused"},
		{"panic", func() ([]byte, error) { panic("no key") }, nil, "result not stored: panic: no key"},
		{"too large", func() ([]byte, error) { return make([]byte, idem.MaxResultBytes+1), nil }, nil,
			"result not stored: 1048577 bytes as encoded, over the limit of 1048576"},
		{"nothing", func() ([]byte, error) { return nil, nil }, []byte{}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var outcome idem.Outcome
			store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { outcome = o; return nil }}
			got, err := deliver(t.Context(), idem.Configure(store, idem.WithCodec(coded{encode: tt.encode})), work1)
			if err != nil || got == (receipt{}) {
				t.Errorf("got %v, %v", got, err)
			}
			if outcome.Status != idem.StatusDone || !bytes.Equal(outcome.Result, tt.result) || (outcome.Result == nil) != (tt.result == nil) || outcome.Error != tt.text {
				t.Errorf("outcome %+v; want done, %q, %q", outcome, tt.result, tt.text)
			}
		})
	}
	for _, decode := range []func() error{func() error { return errDown }, func() error { panic(errDown) }} {
		store := &scripted{claimed: func(req idem.ClaimRequest) (idem.Record, error) {
			return idem.Record{Key: req.Key, Handler: req.Handler, Status: idem.StatusDone, Result: []byte{}}, nil
		}}
		_, err := deliver(t.Context(), idem.Configure(store, idem.WithCodec(coded{decode: decode})), work1)
		if !errors.Is(err, idem.ErrResultNotStored) || !errors.Is(err, errDown) {
			t.Errorf("error %v; want ErrResultNotStored and the cause", err)
		}
	}
}

// What an encoder complains of may be secret, too.
func TestTextOfAResultThatIsNotStored(t *testing.T) {
	var outcome idem.Outcome
	store := &scripted{completed: func(_ context.Context, o idem.Outcome) error { outcome = o; return nil }}
	redact := idem.WithErrorText(func(err error) string { return strings.ReplaceAll(err.Error(), "refused", "***") })
	_, err := deliver(t.Context(), idem.Configure(store, redact, idem.WithCodec(coded{encode: func() ([]byte, error) { return nil, errDown }})), work1)
	if err != nil || outcome.Error != "result not stored: connection ***" {
		t.Errorf("outcome %+v, error %v", outcome, err)
	}
}

func ExampleWithCodec() {
	codec := newSealed([]byte("an AES key of 16"))
	data, err := codec.Encode("charge:1", &receipt{ID: "ch_1"})
	fmt.Println(bytes.Contains(data, []byte("ch_1")), err)
	var got receipt
	fmt.Println(codec.Decode("charge:1", data, &got), got.ID)
	fmt.Println(codec.Decode("charge:2", data, &got))
	// store = idem.Configure(store, idem.WithCodec(codec))

	// Output:
	// false <nil>
	// <nil> ch_1
	// cipher: message authentication failed
}
