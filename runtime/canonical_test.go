package runtime_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	idem "github.com/idemgen/idemgen/runtime"
)

// jsonSum tells JSON texts apart as a fingerprint does; "" if there is none.
func jsonSum(text []byte) string {
	data, err := idem.NewFingerprint(idem.JSON("v", text)).Bytes()
	if err != nil {
		return ""
	}
	return string(data)
}

func TestJSONIsCanonical(t *testing.T) {
	for _, same := range [][]string{
		{`{"a":1,"b":{"c":[1,{"x":true,"y":null}],"d":""}}`, "\n{ \"b\" : {\t\"d\":\"\", \"c\":[ 1 , {\"y\":null,\"x\":true} ]} ,\r\n\"a\":1 }\n"},
		{`{}`, ` { } `}, {`[]`, "[\n]"}, {`1e308`, ` 1e308 `},
		{`"é<&>/"`, `"\u00e9\u003c\u0026\u003E\/"`},
		{`"\"\\\b\f\n\r\t\u007f"`, `"\u0022\u005C\u0008\u000c\u000a\u000D\u0009` + "\x7f\""},
		{`"😀"`, `"\ud83d\ude00"`, `"\uD83D\uDE00"`},
		{`"\ud800"`, `"\uD800"`},
		{`{"é":1,"a":2}`, `{"\u0061":2,"\u00e9":1}`},
		{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat("[ ", 5000) + strings.Repeat("]", 5000)},
	} {
		for _, text := range same {
			if jsonSum([]byte(text)) == "" || jsonSum([]byte(text)) != jsonSum([]byte(same[0])) {
				t.Errorf("%.60q and %.60q differ", text, same[0])
			}
		}
	}
	different := []string{
		`1`, `1.0`, `1e0`, `10e-1`, `-0`, `0`, `"1"`, `[1]`, `[[1]]`, `[1,1]`, `{"1":1}`, `true`, `"true"`, `null`, `"null"`, `""`, `[""]`,
		`"a"`, `"A"`, `"\\u0061"`, `"\u0000"`, `"\\u0000"`, `"\ud800"`, `"\udc00"`, `"\ud800\ud800"`, `"\ud800a"`, `"\\ud800"`, `"\ufffd"`, `"\ufffd\ufffd"`,
		"\"\xff\"", "\"\xfe\"", "\"\xed\xa0\x80\"", "\"\xc3\\u00a9\"", `"é"`, `"e\u0301"`, `"\udc00\ud800"`,
		`{}`, `[]`, `[{}]`, `[[]]`, `{"a":{}}`, `{"a":[]}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`, `{"a":{"b":1}}`, `{"a":[{"b":1}]}`, `["a","b"]`, `["a,b"]`, `["b","a"]`, `["a\",\"b"]`,
		strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat("[", 5001) + strings.Repeat("]", 5001),
	}
	seen := map[string]string{}
	for _, text := range different {
		sum := jsonSum([]byte(text))
		if other, taken := seen[sum]; taken || sum == "" {
			t.Errorf("%.60q and %.60q are the same, or no JSON", text, other)
		}
		seen[sum] = text
	}
}

// FuzzJSONFingerprint compares two texts with what encoding/json reads, where
// it reads all that there is.
func FuzzJSONFingerprint(f *testing.F) {
	f.Add([]byte(`{"a":1,"b":[true,null,"x"]}`), []byte(` {"b":[true,null,"\u0078"], "a":1}`))
	f.Add([]byte(`[1.0,{"\ud83d\ude00":{}}]`), []byte(`[1,{"😀":[]}]`))
	f.Add([]byte(`"\ud800"`), []byte(`"\ufffd"`))
	f.Add([]byte(`{"a":1,"a":1}`), []byte(`{"a":1}{`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a) == 0 || len(b) == 0 {
			return // not there
		}
		sumA, sumB := jsonSum(a), jsonSum(b)
		if json.Valid(a) != (sumA != "") && !repeats(a) {
			t.Fatalf("%q: valid: %v; fingerprint %x", a, json.Valid(a), sumA)
		}
		if sumA == "" || sumB == "" || !whole(a) || !whole(b) {
			return
		}
		if same := reflect.DeepEqual(read(t, a), read(t, b)); same != (sumA == sumB) {
			t.Fatalf("%q and %q: the same value: %v; fingerprints %x and %x", a, b, same, sumA, sumB)
		}
	})
}

// whole reports whether encoding/json reads a text without putting U+FFFD into
// the place of something else.
func whole(text []byte) bool {
	return utf8.Valid(text) && !bytes.Contains(bytes.ToLower(text), []byte(`\ud`))
}

func read(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

// repeats reports whether an object in a JSON text has a name twice, as far as
// encoding/json can tell names apart.
func repeats(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	type object struct {
		names map[string]bool // nil for a list
		value bool            // what comes next is a value
	}
	stack := []object{{}}
	for {
		token, err := dec.Token()
		if err != nil {
			return err != io.EOF
		}
		in := &stack[len(stack)-1]
		if name, ok := token.(string); ok && in.names != nil && !in.value {
			if in.names[name] {
				return true
			}
			in.names[name], in.value = true, true
			continue
		}
		in.value = false
		switch token {
		case json.Delim('{'):
			stack = append(stack, object{names: map[string]bool{}})
		case json.Delim('['):
			stack = append(stack, object{})
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:len(stack)-1]
		}
	}
}

// Shuffled properties at every depth, as the text of a body and as values.
func TestShuffledJSON(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		tree := randomTree(r, 4)
		one, other := write(r, tree), write(r, tree)
		if sum := jsonSum([]byte(one)); sum == "" || sum != jsonSum([]byte(other)) {
			t.Fatalf("differ:\n%s\n%s", one, other)
		}
		wantAgreement(t, one, true, fingerprint(t, idem.Value("v", json.RawMessage(one))), fingerprint(t, idem.Value("v", json.RawMessage(other))))
		wantAgreement(t, one, true, fingerprint(t, idem.Value("v", read(t, []byte(one)))), fingerprint(t, idem.Value("v", read(t, []byte(other)))))
		changed := strings.Replace(one, "leaf", "Leaf", 1)
		if changed != one && jsonSum([]byte(changed)) == jsonSum([]byte(one)) {
			t.Fatalf("the same:\n%s\n%s", one, changed)
		}
	}
}

// randomTree is an object, a list or a leaf, whose text is JSON.
func randomTree(r *rand.Rand, depth int) any {
	switch n := r.IntN(4); {
	case n == 0 || depth == 0:
		return []string{`"leaf"`, "1.50", "-0", "null", `"\u00fc\\"`}[r.IntN(5)]
	case n == 1:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomTree(r, depth-1)
		}
		return list
	default:
		object := map[string]any{}
		for i := range r.IntN(6) {
			object[fmt.Sprintf("p%d\u00e9", i*7%10)] = randomTree(r, depth-1)
		}
		return object
	}
}

// write writes a tree, with properties and white space at random.
func write(r *rand.Rand, tree any) string {
	space := func() string { return []string{"", " ", "\n\t"}[r.IntN(3)] }
	var parts []string
	switch tree := tree.(type) {
	case []any:
		for _, v := range tree {
			parts = append(parts, write(r, v))
		}
		return space() + "[" + strings.Join(parts, ",") + space() + "]" + space()
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(tree)) {
			parts = append(parts, space()+fmt.Sprintf("%q", name)+space()+":"+write(r, tree[name]))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		return space() + "{" + strings.Join(parts, ",") + space() + "}" + space()
	}
	return space() + tree.(string) + space()
}

// Each level of a deep text is written once, and not again with every level
// above it.
func TestDeepJSON(t *testing.T) {
	const depth, size = 9000, 1 << 20
	text := []byte(strings.Repeat(`{"b":[`, depth/2) + `"` + strings.Repeat("x", size) + `"` + strings.Repeat(`],"a":0}`, depth/2))
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	sum := jsonSum(text)
	goruntime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; sum == "" || used > 100*size {
		t.Errorf("fingerprint %x; it took %d MB", sum, used>>20)
	}
}

// Elements cost their bytes, not a node each.
func TestWideJSON(t *testing.T) {
	for _, element := range []string{"0", `{"a":0}`, `[[0]]`, `"\u0041"`} {
		text := []byte("[" + strings.Repeat(element+",", 1<<17) + element + "]")
		var before, after goruntime.MemStats
		goruntime.ReadMemStats(&before)
		sum := jsonSum(text)
		goruntime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; sum == "" || used > 150*uint64(len(text)) {
			t.Errorf("%s: fingerprint %x; it took %d times its bytes", element, sum, used/uint64(len(text)))
		}
	}
}
