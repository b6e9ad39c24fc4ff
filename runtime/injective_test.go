package runtime_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
)

// Distinct values give distinct keys, in templates of two and of three parts of
// all kinds.
func FuzzKeyIsInjective(f *testing.F) {
	for shape := range uint64(formCount) {
		f.Add(shape, false, "a:b", "c", "", "a", "b:c", "")
		f.Add(shape, true, " A\xff", "-", "", "a\xfe", "%2D", "-")
	}
	f.Fuzz(func(t *testing.T, shape uint64, three bool, a1, b1, c1, a2, b2, c2 string) {
		one, other := []string{a1, b1, c1}, []string{a2, b2, c2}
		n := 2
		if three {
			n = 3
		}
		forms := template(shape, n)
		wantInjective(t, forms, one[:n], other[:n])
	})
}

// awkward are values that a careless encoding takes for one another, as texts,
// and as the bytes of numbers and times.
var awkward = []string{
	"", "-", "%2D", "%", "%3A", ":", "::", "a", "A", "á", "Á", "ß", "SS", "ss", "İ", "i", "I", "K", "k", "\u212a",
	" ", " a", "a ", "\u00a0a", "\u2003", "a\u200b", "\x00", "\xff", "\xfe", "a\xff", "\ufffd", "\xed\xa0\x80", "\xc3", "\u00c3",
	"\x01", "\x02\x01", "\xff\xff\xff\xff\xff\xff\xff\x7f", "\x00\x00\x00\x00\x00\x00\x00\x80", "\x80\x51\x01", "\x00\xa3\x02", "\x7f\x51\x01",
	"sha256-", "%sha256-", "2001-02-03", "true", "0",
}

// Each kind of part, with each row of verbs, beside a part that may be missing.
func TestKeysOfEveryForm(t *testing.T) {
	for shape := range uint64(formCount) {
		forms := template(shape, 2)
		forms[1].optional = true
		keys, identities := map[idem.Key]string{}, map[string]idem.Key{}
		for _, a := range awkward {
			for _, b := range awkward {
				key, identity := keyOf(t, forms, []string{a, b})
				if key == "" {
					continue
				}
				if other, taken := keys[key]; taken && other != identity {
					t.Fatalf("%v: %s and %s have the key %q", forms, other, identity, key)
				}
				if other, taken := identities[identity]; taken && other != key {
					t.Fatalf("%v: %s has the keys %q and %q", forms, identity, other, key)
				}
				keys[key], identities[identity] = identity, key
			}
		}
	}
}

// Random templates of two and three parts, and values that differ in little.
func TestKeysOfRandomTemplates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func() string { return awkward[r.IntN(len(awkward))] + awkward[r.IntN(len(awkward))] }
	for range 100_000 {
		forms := template(r.Uint64(), 2+r.IntN(2))
		one := []string{pick(), pick(), pick()}
		other := slices.Clone(one)
		other[r.IntN(len(forms))] = pick()
		other[r.IntN(len(forms))] = pick()
		wantInjective(t, forms, one, other)
	}
}

// TestKeyIsInjective tries every pair of short values over the bytes that
// matter, some ten million pairs of pairs: their keys all differ.
func TestKeyIsInjective(t *testing.T) {
	var values []string
	alphabet := []string{"a", ":", "%", "-", "3", "A", "\x00", "\xff", "é", "2D"}
	for _, a := range append(alphabet, "") {
		for _, b := range append(alphabet, "") {
			values = append(values, a+b)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	seen := map[idem.Key][2]string{}
	for _, a := range values {
		for _, b := range values {
			key, err := spec.Key(idem.Literal("notify:"), idem.Optional(idem.String("a", a)), idem.Literal(":"), idem.Optional(idem.String("b", b)))
			if err != nil {
				t.Fatal(err)
			}
			if other, taken := seen[key]; taken {
				t.Fatalf("%q and %q have the key %q", other, [2]string{a, b}, key)
			}
			seen[key] = [2]string{a, b}
		}
	}
	if pairs := len(seen) * (len(seen) - 1) / 2; pairs < 10_000_000 {
		t.Errorf("only %d pairs compared", pairs)
	}
}
