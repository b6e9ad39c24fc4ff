package sqlgen

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// verbCase is a placeholder with verbs, a column for it, and values: as the
// table has them and as the runtime puts them into a key.
type verbCase struct {
	name    string
	encoder spec.Encoder
	verbs   []spec.Verb
	column  string // its name and type
	values  []verbValue
	path    string // of the placeholder; empty for event.Value
}

type verbValue struct {
	stored any
	part   idem.Part
}

// handlers are two with the placeholder: one whose part has to be there, and
// one whose need not.
func (c verbCase) handlers(n int) []*spec.Handler {
	column, _, _ := strings.Cut(c.column, " ")
	path := cmp.Or(c.path, "event.Value")
	var list []*spec.Handler
	for name, part := range map[string]spec.KeyPart{"needs": placeholder(path, c.encoder), "takes": optional(path, c.encoder)} {
		name = fmt.Sprintf("%s_%d", name, n)
		list = append(list, handler(name, &spec.Audit{Table: name + "_effects", Columns: []string{column}}, verbs(part, c.verbs...)))
	}
	return list
}

// TestVerbsInSQL checks that each row has its run and each run its row.
func TestVerbsInSQL(t *testing.T) {
	for _, d := range dialects {
		var handlers []*spec.Handler
		cases := slices.Concat(timeCases(d), textCases(d))
		for n, c := range cases {
			handlers = append(handlers, c.handlers(n)...)
		}
		w := emitTo(t, project(d, handlers...))
		db := w.open(t, d, "job_runs")
		if d == spec.Postgres {
			db.Exec(t, "CREATE DOMAIN moment AS timestamptz")
		}
		query := unlikely(t, db)
		for i, h := range handlers {
			c := cases[i/2]
			t.Run(string(d)+"/"+c.name+"/"+h.Namespace, func(t *testing.T) {
				c.seed(t, db, h)
				for _, finding := range findingsOf(t, query, w.read(t, "audit/"+h.Namespace+".sql"), h.Audit.Columns[0], "expected_key", "key") {
					if !strings.HasPrefix(finding, "duplicate") { // several times of one day are
						t.Errorf("%q", finding)
					}
				}
			})
		}
	}
}

// seed fills a table with the values that have a key, and runs for them.
func (c verbCase) seed(t *testing.T, db idemtest.DB, h *spec.Handler) {
	t.Helper()
	var stored []any
	var places []string
	runs := map[string]bool{}
	for _, v := range c.values {
		part := v.part
		if h.Key.Parts[2].Optional {
			part = idem.Optional(part)
		}
		key, err := idem.Spec{Handler: h.Namespace}.Key(idem.Literal(h.Namespace+":"), part)
		if err != nil { // it is missing
			continue
		}
		stored = append(stored, v.stored)
		places = append(places, fmt.Sprintf("($%d)", len(stored)))
		runs[fmt.Sprintf("(%s, '%s', 'done', 1, %s, %[3]s)", literal(string(key)), h.Namespace, ago(db, time.Minute))] = true
	}
	if len(stored) < len(c.values)/2 {
		t.Fatalf("%d of %d values have a key", len(stored), len(c.values))
	}
	db.Exec(t, fmt.Sprintf("CREATE TABLE %s (%s)", h.Audit.Table, c.column))
	db.Exec(t, fmt.Sprintf("INSERT INTO %s VALUES %s", h.Audit.Table, strings.Join(places, ", ")), stored...)
	db.Exec(t, "INSERT INTO job_runs (key, handler, status, attempts, created_at, completed_at) VALUES "+strings.Join(slices.Sorted(maps.Keys(runs)), ", "))
}

// unlikely queries in a session that shows times in an unlikely way.
func unlikely(t *testing.T, db idemtest.DB) func(string, ...any) (*sql.Rows, error) {
	t.Helper()
	conn, err := db.SQL().Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if db.Name() == "postgres" {
		if _, err := conn.ExecContext(context.Background(), "SET datestyle = 'SQL, DMY'; SET timezone = 'Asia/Kolkata'; SET extra_float_digits = 0"); err != nil {
			t.Fatal(err)
		}
	}
	return func(text string, args ...any) (*sql.Rows, error) {
		return conn.QueryContext(context.Background(), text, args...)
	}
}

// space is all that the runtime trims, and what only looks as if.
func space() []rune {
	list := []rune{0x180e, 0x200b, 0x200d, 0x2060, 0xfeff, '_', 0x1c, 0x1f, 0x7f, '%', ':', 'é', '😀'}
	for _, table := range unicode.White_Space.R16 {
		for r := rune(table.Lo); r <= rune(table.Hi); r += rune(table.Stride) {
			list = append(list, r)
		}
	}
	return list
}

func spaced() []string {
	r := rand.New(rand.NewPCG(3, 4))
	list := []string{"", " ", "a", " a", "a ", " - ", "-", "  % ", "a b"}
	for _, c := range space() {
		list = append(list, string(c)+"a"+string(c)+"b"+string(c), string(c))
	}
	for range 100 {
		var b strings.Builder
		for range r.IntN(6) {
			b.WriteRune(space()[r.IntN(len(space()))])
		}
		list = append(list, b.String()+[]string{"", "x", "x y"}[r.IntN(3)]+b.String())
	}
	return list
}

func textCase(name, column string, e spec.Encoder, verbs []spec.Verb, store func(string) any, part func(string) idem.Part) verbCase {
	c := verbCase{name: name, encoder: e, verbs: verbs, column: column, values: []verbValue{{nil, idem.Missing("v")}}}
	for _, s := range spaced() {
		c.values = append(c.values, verbValue{store(s), part(s)})
	}
	return c
}

func textCases(d spec.Dialect) []verbCase {
	asIs := func(s string) any { return s }
	part := func(s string) idem.Part { return idem.String("v", s) }
	trimmed := func(s string) idem.Part { return idem.Trim(part(s)) }
	hashed := func(s string) idem.Part { return idem.Hash(part(s)) }
	digest := func(s string) string {
		if s == "" {
			return ""
		}
		sum := sha256.Sum256([]byte(s))
		return hex.EncodeToString(sum[:])
	}
	trim, hash, lower := []spec.Verb{spec.VerbTrim}, []spec.Verb{spec.VerbHash}, []spec.Verb{spec.VerbLower}
	cases := []verbCase{
		textCase("trim", "value text", spec.EncodeString, trim, asIs, trimmed),
		textCase("trim of what is trimmed", "value_trim text", spec.EncodeString, trim, func(s string) any { return strings.TrimSpace(s) }, trimmed),
		textCase("hash of what is hashed", "value_hash text", spec.EncodeString, hash, func(s string) any { return digest(s) }, hashed),
		textCase("hash of what is hashed, in capitals", "value_hash text", spec.EncodeString, hash, func(s string) any { return strings.ToUpper(digest(s)) }, hashed),
		textCase("hash of what is hashed, in bytes", "value_hash "+columnTypes[d][spec.EncodeBytes], spec.EncodeString, hash, func(s string) any { b, _ := hex.DecodeString(digest(s)); return b }, hashed),
		textCase("lower of what is lower", "value_lower text", spec.EncodeString, lower, func(s string) any { return strings.ToLower("ÄΣ" + s) }, func(s string) idem.Part { return idem.Lower(idem.String("v", "ÄΣ"+s)) }),
		textCase("lower of bytes", "value "+columnTypes[d][spec.EncodeBytes], spec.EncodeBytes, []spec.Verb{spec.VerbLower, spec.VerbTrim}, func(s string) any { return []byte(s) }, func(s string) idem.Part { return idem.Lower(idem.Bytes("v", []byte(s))) }),
	}
	if d == spec.Postgres {
		raw := []byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
		at := time.Date(2024, 12, 1, 0, 30, 0, 0, time.FixedZone("", 3600))
		cases = append(cases,
			textCase("hash", "value text", spec.EncodeString, hash, asIs, hashed),
			textCase("trim, hash", "value text", spec.EncodeString, []spec.Verb{spec.VerbTrim, spec.VerbHash}, asIs, func(s string) idem.Part { return idem.Hash(trimmed(s)) }),
			textCase("hash of what is trimmed", "value_trim text", spec.EncodeString, []spec.Verb{spec.VerbTrim, spec.VerbHash}, func(s string) any { return strings.TrimSpace(s) }, func(s string) idem.Part { return idem.Hash(trimmed(s)) }),
			verbCase{name: "hash of a UUID", encoder: spec.EncodeByteArray, verbs: hash, column: "value uuid", values: []verbValue{{uuidText, idem.Hash(idem.ByteArray("v", raw))}, {noUUID, idem.Hash(idem.ByteArray("v", make([]byte, 16)))}}},
			verbCase{name: "hash of an integer", encoder: spec.EncodeInt, verbs: hash, column: "value bigint", values: []verbValue{{int64(-7), idem.Hash(idem.Int("v", -7))}, {int64(0), idem.Hash(idem.Int("v", 0))}}},
			verbCase{name: "hash of a day", encoder: spec.EncodeDate, verbs: hash, column: "value timestamptz", values: []verbValue{{at, idem.Hash(idem.Date("v", at))}, {time.Time{}, idem.Hash(idem.Date("v", time.Time{}))}}},
		)
	}
	return append(cases, ownNameCases(d, cases)...)
}

// ownNameCases are placeholders that are called like a verb: a column of that
// name holds the value as it is, one with the verb behind it what the verb made.
func ownNameCases(d spec.Dialect, like []verbCase) []verbCase {
	var cases []verbCase
	add := func(name, path, column string) {
		c := like[slices.IndexFunc(like, func(c verbCase) bool { return c.name == name })]
		_, typ, _ := strings.Cut(c.column, " ")
		c.name, c.path, c.column = "{"+path+"} by "+column, path, column+" "+typ
		cases = append(cases, c)
	}
	add("trim", "payload.Trim", "payload_trim")
	add("trim", "payload.Trim", "trim")
	add("hash of what is hashed", "event.Token", "token_hash")
	add("hash of what is hashed", "payload.Hash", "payload_hash_hash")
	if d == spec.Postgres {
		add("hash", "payload.Hash", "payload_hash")
		add("hash", "payload.Hash", "hash")
	}
	return cases
}

const noUUID = "00000000-0000-0000-0000-000000000000"

// Where SQL cannot do what a verb does, the audit says so.
func TestInexactVerbs(t *testing.T) {
	cases := []struct {
		path     string
		verbs    []spec.Verb
		encoder  spec.Encoder
		columns  []string
		postgres string
		sqlite   string
	}{
		{"event.Email", []spec.Verb{spec.VerbLower}, spec.EncodeString, []string{"email"}, "lower() of Postgres goes by the locale, and so {event.Email|lower} cannot be made from email; call a column that holds the result email_lower", "lower() of SQLite knows ASCII only, and so {event.Email|lower} cannot be made from email; call a column that holds the result email_lower"},
		{"event.Email", []spec.Verb{spec.VerbHash}, spec.EncodeString, []string{"email"}, "", "SQLite has no SHA-256, and so {event.Email|hash} cannot be made from email; call a column that holds the result email_hash"},
		{"event.Email", []spec.Verb{spec.VerbTrim, spec.VerbLower, spec.VerbHash}, spec.EncodeString, []string{"email_lower"}, "", "SQLite has no SHA-256, and so {event.Email|trim|lower|hash} cannot be made from email_lower; call a column that holds the result email_hash"},
		{"event.Email", []spec.Verb{spec.VerbTrim, spec.VerbLower, spec.VerbHash}, spec.EncodeString, []string{"email_hash"}, "", ""},
		{"payload.Hash", []spec.Verb{spec.VerbHash}, spec.EncodeString, []string{"payload_hash"}, "", "SQLite has no SHA-256, and so {payload.Hash|hash} cannot be made from payload_hash; call a column that holds the result payload_hash_hash"},
		{"event.Token", []spec.Verb{spec.VerbHash}, spec.EncodeString, []string{"token_hash"}, "", ""},
		{"event.Email", []spec.Verb{spec.VerbHash}, spec.EncodeDate, []string{"email"}, "", "SQLite has no SHA-256, and so {event.Email|date|hash} cannot be made from email; call a column that holds the result email_hash"},
		{"event.Email", []spec.Verb{spec.VerbLower}, spec.EncodeInt, []string{"email"}, "", ""},
		{"event.Email", []spec.Verb{spec.VerbLower}, spec.EncodeString, []string{"email", "tenant"}, "the key has 1 placeholder and the audit names 2 columns", "the key has 1 placeholder and the audit names 2 columns"},
	}
	for _, c := range cases {
		for d, want := range map[spec.Dialect]string{spec.Postgres: c.postgres, spec.SQLite: c.sqlite} {
			part := verbs(placeholder(c.path, c.encoder), c.verbs...)
			out := mustEmit(t, project(d, handler("notify", &spec.Audit{Table: "users", Columns: c.columns}, part)), nil)
			text := strings.Join(strings.Fields(strings.ReplaceAll(string(out.Files[len(out.Files)-1].Data), "\n-- ", " ")), " ")
			_, got, _ := strings.Cut(text, "Rows cannot be matched with runs one by one: ")
			got, _, _ = strings.Cut(got, ". Add ")
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %v of %v: %s", d, c.verbs, c.columns, diff)
			}
			if asItStands := strings.Contains(text, " for the same email as it stands. "); asItStands != strings.Contains(want, "lower()") {
				t.Errorf("%s, %v of %v: %s", d, c.verbs, c.columns, text)
			}
		}
	}
}
