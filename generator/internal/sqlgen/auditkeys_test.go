package sqlgen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
)

// columnTypes are the types in which tables hold the values of key parts.
var columnTypes = map[spec.Dialect]map[spec.Encoder]string{
	spec.Postgres: {spec.EncodeString: "text", spec.EncodeText: "uuid", spec.EncodeStringer: "text", spec.EncodeInt: "bigint", spec.EncodeUint: "numeric(20)", spec.EncodeBool: "boolean", spec.EncodeBytes: "bytea", spec.EncodeByteArray: "uuid"},
	spec.SQLite:   {spec.EncodeString: "TEXT", spec.EncodeText: "TEXT", spec.EncodeStringer: "TEXT", spec.EncodeInt: "INTEGER", spec.EncodeUint: "TEXT", spec.EncodeBool: "INTEGER", spec.EncodeBytes: "BLOB", spec.EncodeByteArray: "TEXT"},
}

// keyCase is a value as the database has it and as the runtime puts it into
// a key.
type keyCase struct {
	encoder spec.Encoder
	value   any
	part    idem.Part
}

const uuidText = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

type textValue string

func (v textValue) MarshalText() ([]byte, error) { return []byte(v), nil }
func (v textValue) String() string               { return string(v) }

func keyCases() []keyCase {
	var cases []keyCase
	control := ""
	for c := rune(1); c < 0x20; c++ {
		control += string(c)
	}
	for _, s := range []string{"evt_1", "a:b", "100%", "%3A", "-", " ", "tab\tand\nline", "é€😀", "del\x7f", "\u0085\u00a0", "'; DROP TABLE x; --", `back\slash`, control, "a*[b]?^"} {
		cases = append(cases, keyCase{spec.EncodeString, s, idem.String("v", s)}, keyCase{spec.EncodeStringer, s, idem.Stringer("v", textValue(s))})
	}
	raw := []byte{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	return append(cases,
		keyCase{spec.EncodeText, uuidText, idem.Text("v", textValue(uuidText))},
		keyCase{spec.EncodeInt, int64(-9223372036854775808), idem.Int("v", int64(-9223372036854775808))},
		keyCase{spec.EncodeInt, int64(0), idem.Int("v", 0)},
		keyCase{spec.EncodeUint, "18446744073709551615", idem.Uint("v", uint64(18446744073709551615))},
		keyCase{spec.EncodeBool, true, idem.Bool("v", true)},
		keyCase{spec.EncodeBool, false, idem.Bool("v", false)},
		keyCase{spec.EncodeBytes, []byte{0, 0xff, 0x25}, idem.Bytes("v", []byte{0, 0xff, 0x25})},
		keyCase{spec.EncodeByteArray, uuidText, idem.ByteArray("v", raw)},
	)
}

// The key that the SQL makes from a column is the runtime's: the row has its
// run, and the run its row.
func TestKeysInSQL(t *testing.T) {
	for _, d := range dialects {
		for _, optionalPart := range []bool{false, true} {
			for encoder, columnType := range columnTypes[d] {
				t.Run(fmt.Sprintf("%s/%s/%v", d, encoder, optionalPart), func(t *testing.T) {
					part := placeholder("event.Value", encoder)
					part.Optional = optionalPart
					h := handler("notify", &spec.Audit{Table: "effects", Columns: []string{"value"}}, part)
					w := emitTo(t, project(d, h))
					db := w.open(t, d, "job_runs")
					db.Exec(t, "CREATE TABLE effects (value "+columnType+")")
					for _, c := range keyCases() {
						if c.encoder != encoder {
							continue
						}
						db.Exec(t, "INSERT INTO effects VALUES ($1)", c.value)
						done(t, db, "notify", makeKey(t, c.part, optionalPart), time.Minute)
					}
					if optionalPart {
						db.Exec(t, "INSERT INTO effects VALUES (NULL)")
						done(t, db, "notify", makeKey(t, idem.Missing("v"), true), time.Minute)
					}
					got := findings(t, db, w.read(t, "audit/notify.sql"), "value", "expected_key", "key")
					if got != nil {
						t.Errorf("findings: %q", got)
					}
				})
			}
		}
	}
}

func makeKey(t *testing.T, part idem.Part, optionalPart bool) idem.Key {
	t.Helper()
	if optionalPart {
		part = idem.Optional(part)
	}
	key, err := idem.Spec{Handler: "notify"}.Key(idem.Literal("notify:"), part)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A key over the limit ends in a hash: Postgres makes it again, SQLite
// leaves it out on both sides.
func TestLongKeysInSQL(t *testing.T) {
	for _, d := range dialects {
		t.Run(string(d), func(t *testing.T) {
			w := emitTo(t, project(d, notify()))
			db := w.open(t, d, "job_runs")
			db.Exec(t, "CREATE TABLE notifications (external_event_id text)")
			for _, s := range []string{strings.Repeat("x", 193), strings.Repeat("x", 194), strings.Repeat("é", 150), "a" + strings.Repeat("€", 150), "ab" + strings.Repeat("😀", 60), strings.Repeat("%", 70)} {
				db.Exec(t, "INSERT INTO notifications VALUES ($1)", s)
				done(t, db, "notify", makeKey(t, idem.String("v", s), false), time.Minute)
			}
			if got := findings(t, db, w.read(t, "audit/notify.sql"), "expected_key", "key"); got != nil {
				t.Errorf("findings: %q", got)
			}
			db.Exec(t, "INSERT INTO notifications VALUES ($1)", strings.Repeat("y", 300))
			want := map[spec.Dialect]int{spec.Postgres: 1}[d]
			if got := findings(t, db, w.read(t, "audit/notify.sql")); len(got) != want {
				t.Errorf("findings on a long key past the wrapper: %q", got)
			}
		})
	}
}

// The runs find their rows through an index that SQLite makes for the query,
// instead of reading all rows for each run.
func TestAuditPlanSQLite(t *testing.T) {
	w := emitTo(t, project(spec.SQLite, notify()))
	db := w.open(t, spec.SQLite, "job_runs")
	db.Exec(t, "CREATE TABLE notifications (external_event_id text)")
	rows, err := db.SQL().Query("EXPLAIN QUERY PLAN " + statements(w.read(t, "audit/notify.sql"))[2])
	if err != nil {
		t.Fatal(err)
	}
	plan := ""
	for _, row := range scan(t, rows) {
		plan += row["detail"] + "\n"
	}
	if !strings.Contains(plan, "SEARCH effects USING AUTOMATIC") {
		t.Errorf("the plan is quadratic:\n%s", plan)
	}
}
