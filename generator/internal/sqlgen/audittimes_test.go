package sqlgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
)

// instants are times in many zones, most of them within a second of where the
// day, the hour or the second changes.
func instants(from, to int) []time.Time {
	r := rand.New(rand.NewPCG(1, 2))
	list := []time.Time{time.Unix(0, 0), time.Unix(-1, 999_999_999), time.Unix(0, -1), time.Date(1969, 12, 31, 23, 59, 59, 999_999_000, time.UTC), time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)}
	for range 200 {
		day := time.Date(from+r.IntN(to-from), time.Month(1+r.IntN(12)), 1+r.IntN(31), r.IntN(24), 0, 0, 0, time.UTC)
		at := day.Add(time.Duration(r.Int64N(int64(4*time.Second))) - 2*time.Second)
		list = append(list, at.In(time.FixedZone([]string{"", "CEST", "IST"}[r.IntN(3)], (r.IntN(27*4)-12*4)*15*60)))
	}
	return append(list, time.Date(2024, 12, 1, 0, 30, 0, 0, time.FixedZone("", 3600)), time.Time{})
}

// timeEncoders with what the runtime makes, and what a column holds that
// holds the value after the verb.
var timeEncoders = []struct {
	encoder spec.Encoder
	part    func(string, time.Time) idem.Part
	text    func(time.Time) string
}{
	{spec.EncodeDate, idem.Date, func(t time.Time) string { return t.UTC().Format("2006-01-02") }},
	{spec.EncodeHour, idem.Hour, func(t time.Time) string { return t.UTC().Format("2006-01-02T15") }},
	{spec.EncodeUnix, idem.Unix, func(t time.Time) string { return fmt.Sprint(t.Unix()) }},
}

// timeCases are the columns of a table that has times.
func timeCases(d spec.Dialect) []verbCase {
	var cases []verbCase
	for _, e := range timeEncoders {
		add := func(column string, from, to int, store func(time.Time) any) {
			c := verbCase{name: string(e.encoder) + " of " + column, encoder: e.encoder, column: "value " + column}
			for i, at := range instants(from, to) {
				if stored := store(at); stored != nil {
					c.values = append(c.values, verbValue{stored, e.part("v", at)})
				}
				if i == 0 {
					c.values = append(c.values, verbValue{nil, idem.Missing("v")})
				}
			}
			cases = append(cases, c)
		}
		add("text", 1, 9999, func(t time.Time) any { return e.text(t) })
		writtenTimes(add)
		if d == spec.SQLite {
			add("timestamp /* from the driver */", 2, 9998, func(t time.Time) any { return t })
			continue
		}
		add("timestamptz", 1, 12000, func(t time.Time) any { return t })
		add("timestamp", 1, 12000, func(t time.Time) any { return t.UTC() })
		add("moment", 1, 9999, func(t time.Time) any { return t })
		if e.encoder == spec.EncodeDate {
			add("date", 1, 12000, func(t time.Time) any { return t.UTC() })
		} else {
			cases = append(cases, midnights(e.encoder, e.part))
		}
		add("numeric", 1, 5000, func(t time.Time) any { return t.Unix() })
	}
	return cases
}

// midnights are what a date holds for the other encoders.
func midnights(e spec.Encoder, part func(string, time.Time) idem.Part) verbCase {
	c := verbCase{name: string(e) + " of date", encoder: e, column: "value date"}
	for year := 1900; year < 2100; year += 7 {
		at := time.Date(year, time.Month(year%12+1), 1+year%28, 0, 0, 0, 0, time.UTC)
		c.values = append(c.values, verbValue{at, part("v", at)})
	}
	return c
}

// writtenTimes are the forms in which drivers and programs write times.
func writtenTimes(add func(column string, from, to int, store func(time.Time) any)) {
	for _, layout := range []string{time.RFC3339, time.RFC3339Nano, "2006-01-02 15:04:05.999999999-07:00", "2006-01-02 15:04:05.999999999 -0700 MST"} {
		add("text /* "+layout+" */", 2, 9998, func(t time.Time) any { return t.Format(layout) })
	}
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05.000Z"} {
		add("text /* "+layout+" */", 1, 9999, func(t time.Time) any { return t.UTC().Format(layout) })
	}
	whole := func(unit int64, count func(time.Time) int64) func(time.Time) any {
		return func(t time.Time) any {
			// Nearer to 1970 it looks like the next greater unit; a zero time
			// has too many nanoseconds for an integer.
			if near := t.Unix() > -1e8 && t.Unix() < 1e8; near && unit > 1 || t.IsZero() && unit == 1e9 {
				return nil
			}
			return count(t)
		}
	}
	add("bigint /* seconds */", 1, 5000, whole(1, time.Time.Unix))
	add("bigint /* milliseconds */", 1, 5000, whole(1e3, time.Time.UnixMilli))
	add("bigint /* microseconds */", 1, 5000, whole(1e6, time.Time.UnixMicro))
	add("bigint /* nanoseconds */", 1700, 2200, whole(1e9, time.Time.UnixNano))
}

// noTimes are what looks like a time, and is none. All of them stand as they
// are in a key.
var noTimes = []string{
	"no time", "", "2024-13-45", "2024-13-45T10:00:00Z", "2023-02-30T10:00:00Z", "2023-02-29", "2023-00-10", "0000-01-01T00:00:00Z",
	"2024-12-01x", "2024-12-01T24:10:00Z", "2024-12-01T10:60:00Z", "2024-12-01T10:00:60Z", "2024-12-01T1:00:00Z", "2024-12-01T10:00+01:00",
	"infinity", "-infinity", "now", "today", "epoch", "2460000", "1733047200", "NaN", "2024-12-01T", "12024-12-01T10:00:00Z",
}

// What is no time is taken as it stands, and breaks no query.
func TestNoTimes(t *testing.T) {
	columns := map[spec.Dialect]map[string][]string{
		spec.Postgres: {
			"timestamptz": {"'infinity'", "'-infinity'", "'0044-03-15 10:00+00 BC'"}, "date": {"'infinity'"}, "boolean": {"true"}, "jsonb": {"'{}'", "'1'", "'null'"},
			"numeric": {"1e300", "-1e300", "'NaN'", "'infinity'", "0.5", "-99999999999", "-1e-300"}, "float": {"1e300", "'infinity'", "'NaN'"},
			"bigint": {"-9223372036854775808", "9223372036854775807", "-99999999999", "99999999999"}, "text[]": {"'{}'"},
		},
		spec.SQLite: {"any": {"x'00'", "1e300", "1733047200.5", "-9223372036854775808", "9223372036854775807", "'9999-12-31 23:00:00-05:00'"}},
	}
	for _, text := range noTimes {
		columns[spec.Postgres]["text"] = append(columns[spec.Postgres]["text"], literal(text))
		columns[spec.SQLite]["text"] = append(columns[spec.SQLite]["text"], literal(text))
	}
	for _, d := range dialects {
		for column, values := range columns[d] {
			t.Run(string(d)+"/"+column, func(t *testing.T) {
				var handlers []*spec.Handler
				for _, e := range timeEncoders {
					audit := &spec.Audit{Table: "effects", Columns: []string{"value"}}
					if d == spec.SQLite {
						audit.Time, audit.Since = "value", time.Hour
					}
					handlers = append(handlers, handler(strings.ToLower(string(e.encoder)), audit, placeholder("event.Value", e.encoder)))
				}
				w := emitTo(t, project(d, handlers...))
				db := w.open(t, d, "job_runs")
				db.Exec(t, "CREATE TABLE effects (value "+column+")")
				db.Exec(t, "INSERT INTO effects VALUES ("+strings.Join(values, "), (")+")")
				for _, h := range handlers {
					done(t, db, h.Namespace, idem.Key(h.Namespace+":lost"), time.Minute)
					got := findings(t, db, w.read(t, "audit/"+h.Namespace+".sql"), "key")
					if !slices.Contains(got, "run without row "+h.Namespace+":lost") {
						t.Errorf("%s: findings: %q", h.Namespace, got)
					}
				}
			})
		}
	}
}

// Both dialects make the same text of what is no time: the text itself.
func TestNoTimesAsTheyStand(t *testing.T) {
	for _, d := range dialects {
		db := emitTo(t, project(d)).open(t, d, "job_runs")
		db.Exec(t, "CREATE TABLE effects (value text)")
		for _, e := range timeEncoders {
			expr, err := matched{column: "value", encoder: e.encoder}.value(d)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range noTimes {
				var got string
				db.Exec(t, "DELETE FROM effects")
				db.Exec(t, "INSERT INTO effects VALUES ($1)", text)
				if err := db.SQL().QueryRow("SELECT " + expr + " FROM effects AS effect").Scan(&got); err != nil || got != text {
					t.Errorf("%s, %s of %q: %q, %v", d, e.encoder, text, got, err)
				}
			}
		}
	}
}
