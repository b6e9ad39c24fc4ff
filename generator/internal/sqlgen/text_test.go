package sqlgen

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
)

// Postgres itself says which words it reserves.
func TestReservedPostgres(t *testing.T) {
	db := pgtest.Open(pgtest.Config{})(t)
	rows, err := db.SQL().Query("SELECT word FROM pg_get_keywords() WHERE catcode IN ('R', 'T')")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range scan(t, rows) {
		if !reserved[row["word"]] {
			t.Errorf("%s is not in the list", row["word"])
		}
	}
}

func TestQuote(t *testing.T) {
	for _, c := range []struct {
		dialect    spec.Dialect
		name, want string
	}{
		{spec.Postgres, "external_event_id", "external_event_id"},
		{spec.Postgres, "app.order", `app."order"`},
		{spec.SQLite, "app.order", "app.`order`"},
		{spec.SQLite, "", ""},
	} {
		if got := quote(c.dialect, c.name); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.dialect, c.name, got, c.want)
		}
	}
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"jobs/notify.go":              "jobs/notify.go",
		"a\nDROP TABLE x; --b\r\n\tc": "a DROP TABLE x; --b c",
		"a\u2028b\u2029c\u0085d\x00e": "a b c d e",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestWrapComments(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 17))
	got := string(wrapComments("-- first " + long + "\n--\n-- 1. a\n--    b\n--    " + long + "\n--\n--     kept\n--    c\n-- d\nSELECT 1;\n-- " + long + " end\n"))
	want := "-- first " + long + "\n--\n-- 1. a b" + strings.Repeat(" word", 13) + "\n--    word word word word\n--\n--     kept\n--    c d\nSELECT 1;\n--" + strings.Repeat(" word", 15) + "\n-- word word end\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string][3]string{
		"720h":   {"30d", "720 hours", "2592000"},
		"36h":    {"36h", "36 hours", "129600"},
		"1h30m":  {"1h30m", "5400 seconds", "5400"},
		"1500ms": {"1.5s", "1500 milliseconds", "2"},
	} {
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		s := span(d)
		got := [3]string{s.String(), s.Interval(), strconv.FormatInt(s.Seconds(), 10)}
		if got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestColumns(t *testing.T) {
	for name, want := range map[string]string{"ID": "id", "ExternalEventID": "external_event_id", "userID": "user_id", "HTTPServer": "http_server", "Snake_Case": "snake_case", "V2": "v2"} {
		if got := spec.Snake(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, c := range []struct {
		places, columns, want string
	}{
		{"event.Tenant event.ID", "id tenant", "tenant id"},
		{"event.Order.ID event.ID", "id order_id", "order_id id"},
		{"event.GetTenant() event.ID", "id get_tenant", "get_tenant id"},
		{"event.ID event.ID", "id event_id", "nil"},
		{"event.A event.B", "b c", "nil"},
		{"event.A", "a b", "nil"},
	} {
		var places []spec.KeyPart
		for _, p := range strings.Fields(c.places) {
			places = append(places, placeholder(p, spec.EncodeString))
		}
		got := reorder(strings.Fields(c.columns), places)
		if c.want == "nil" && got == nil {
			continue
		}
		if !slices.Equal(got, strings.Fields(c.want)) {
			t.Errorf("%s with %s: %v, want %s", c.places, c.columns, got, c.want)
		}
	}
}
