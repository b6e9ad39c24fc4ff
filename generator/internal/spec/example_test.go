package spec

import (
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// uuid is as the one of the tests' sources.
type uuid [16]byte

func (uuid) MarshalText() ([]byte, error) { return []byte(exampleUUID), nil }

// The example is the key that the runtime makes of the same values.
func TestExampleKey(t *testing.T) {
	at := time.Date(2026, 3, 14, 10, 26, 53, 0, time.FixedZone("", 3600))
	bytes := []byte{1, 2, 3, 4, 5, 6, 7, 8}
	id := uuid{1}
	for path, want := range map[string]runtime.Part{
		"v.ID": runtime.String("", "v_1"), "v.Buyer.ID": runtime.String("", "buyer_1"), "s": runtime.String("", "s_1"), "id": runtime.String("", "id_1"),
		"v.GetOrderID": runtime.String("", "order_1"), "v.Größe": runtime.String("", "größe_1"), "v.HTTPCode": runtime.String("", "http_code_1"),
		"v.Größe|hash": runtime.Hash(runtime.String("", "größe_1")), "v.ID|trim|lower": runtime.Lower(runtime.String("", "v_1")), "v.ID?": runtime.Optional(runtime.String("", "v_1")),
		"v.N": runtime.Int("", 42), "v.Small": runtime.Uint("", uint8(42)), "v.B": runtime.Bool("", true), "v.N|hash": runtime.Hash(runtime.Int("", 42)),
		"v.PN?": runtime.Int("", 42), "v.Raw": runtime.Bytes("", bytes), "v.Arr": runtime.ByteArray("", bytes[:4]), "v.Raw|hash": runtime.Hash(runtime.Bytes("", bytes)),
		"v.UUID": runtime.Text("", id), "v.PUUID?": runtime.Optional(runtime.Text("", id)), "v.UUID|hash": runtime.Hash(runtime.Text("", id)),
		"v.Big": runtime.Text("", big.NewInt(42)), "v.Named": runtime.String("", "named_1"), "v.Long": runtime.ByteArray("", longBytes()),
		"v.At|date": runtime.Date("", at), "v.PAt?|hour": runtime.Hour("", at), "v.At|unix": runtime.Unix("", at), "v.At|unix|hash": runtime.Hash(runtime.Unix("", at)),
		"v.At": runtime.Text("", at.UTC()),
	} {
		t.Run(path, func(t *testing.T) {
			directives := "//idem:key a:{" + path + "}:z\n"
			if path == "v.At" {
				directives += "//idem:allow v.At ours\n"
			}
			h := one(t, paths+`type V struct { ID, HTTPCode, Größe string; Buyer Customer; N int; Small uint8; B bool; PN *int; Raw []byte; Arr [4]byte; Long [120]byte
				UUID uuid.UUID; PUUID *uuid.UUID; Big big.Int; Named Named; At time.Time; PAt *time.Time }
				func (V) GetOrderID() string { return "" }
				`+directives+"func Notify(ctx context.Context, v V, s, id string) error { return nil }")
			key, err := runtime.Spec{}.Key(runtime.Literal("a:"), want, runtime.Literal(":z"))
			if err != nil {
				t.Fatal(err)
			}
			if got := h.ExampleKey(); got != string(key) {
				t.Errorf("got %s, want %s", got, key)
			}
		})
	}
}

func longBytes() []byte {
	data := make([]byte, 120)
	for i := range data {
		data[i] = byte(i + 1)
	}
	return data
}

// A key whose literal text alone is too long is brought below the limit as the
// runtime does it, between letters.
func TestExampleKeyTooLong(t *testing.T) {
	if maxKeyBytes != runtime.MaxKeyBytes {
		t.Errorf("a limit of %d", maxKeyBytes)
	}
	name := strings.Repeat("ü", 100)
	for n := range 3 {
		literal := "a" + strings.Repeat("b", n) + ":"
		h := one(t, "//idem:key "+literal+"{"+name+"}\nfunc Notify(ctx context.Context, "+name+" string) error { return nil }")
		want, err := runtime.Spec{}.Key(runtime.Literal(literal), runtime.String("", name+"_1"))
		if err != nil {
			t.Fatal(err)
		}
		if got := h.ExampleKey(); got != string(want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// The reference and the help show the same moment.
func TestExampleTime(t *testing.T) {
	for _, text := range []string{Reference(), Help()} {
		for _, want := range []string{"2026-03-14", "2026-03-14T09", "1773480413"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s", want)
			}
		}
	}
}
