package sqlgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
						if slices.Contains([]spec.Encoder{spec.EncodeText, spec.EncodeByteArray}, encoder) { // nobody set it
							db.Exec(t, "INSERT INTO effects VALUES ($1)", noUUID)
						}
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

// A column whose collation cannot be used by regular expressions is one like
// any other.
func TestCollationsInSQL(t *testing.T) {
	values := map[spec.Encoder]map[string]idem.Part{
		spec.EncodeString: {"a:b": idem.String("v", "a:b"), "É": idem.String("v", "É")},
		spec.EncodeBytes:  {"0AFF": idem.Bytes("v", []byte{10, 255})},
	}
	for encoder, parts := range values {
		t.Run(string(encoder), func(t *testing.T) {
			w := emitTo(t, project(spec.Postgres, handler("notify", &spec.Audit{Table: "effects", Columns: []string{"value"}}, placeholder("event.Value", encoder))))
			db := w.open(t, spec.Postgres, "job_runs")
			db.Exec(t, `CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
				CREATE TABLE effects (value text COLLATE ignore_case)`)
			for value, part := range parts {
				db.Exec(t, "INSERT INTO effects VALUES ($1)", value)
				done(t, db, "notify", makeKey(t, part, false), time.Minute)
			}
			if got := findings(t, db, w.read(t, "audit/notify.sql"), "value", "expected_key", "key"); got != nil {
				t.Errorf("findings: %q", got)
			}
		})
	}
}

// Drivers write times into SQLite as text in the zone that they have, and
// those are compared with the runs as what they are.
func TestZonesInSQLite(t *testing.T) {
	audit := spec.Audit{Table: "notifications", Columns: []string{"id"}, Time: "sent_at", Since: 10 * time.Hour}
	byDay := spec.Audit{Table: "mails", Columns: []string{"id", "part"}, Time: "sent_at"}
	w := emitTo(t, project(spec.SQLite, handler("notify", &audit, placeholder("event.ID", spec.EncodeString)), handler("mail", &byDay, placeholder("event.ID", spec.EncodeString))))
	db := w.open(t, spec.SQLite, "job_runs")
	db.Exec(t, "CREATE TABLE notifications (id text, sent_at timestamp); CREATE TABLE mails (id text, part integer, sent_at timestamp)")
	east, west := time.FixedZone("", 14*3600), time.FixedZone("", -12*3600)
	now := time.Now()
	for id, at := range map[string]time.Time{
		"before the first run": now.Add(-3 * time.Hour).In(east),
		"past the wrapper":     now.Add(-time.Hour).In(west),
		"out of the window":    now.Add(-11 * time.Hour).In(east),
	} {
		db.Exec(t, "INSERT INTO notifications VALUES ($1, $2), ($1, $2)", id, at)
	}
	db.Exec(t, "INSERT INTO notifications VALUES ('first', $1)", now.Add(-2*time.Hour).In(west))
	done(t, db, "notify", "notify:first", 2*time.Hour)
	want := []string{"duplicate past the wrapper", "duplicate before the first run", "row without run past the wrapper", "row without run past the wrapper"}
	got := findings(t, db, w.read(t, "audit/notify.sql"), "id")
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	noon := now.Truncate(24 * time.Hour).Add(-36 * time.Hour)
	for _, zone := range []*time.Location{east, west} {
		done(t, db, "mail", idem.Key("mail:"+noon.In(zone).String()), now.Sub(noon))
		db.Exec(t, "INSERT INTO mails VALUES ('a', $1, $2)", noon.In(zone).String(), noon.In(zone))
	}
	if got := findings(t, db, w.read(t, "audit/mail.sql")); got != nil {
		t.Errorf("findings by day: %q", got)
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
