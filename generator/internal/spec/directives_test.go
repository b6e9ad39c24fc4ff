package spec

import (
	"strings"
	"testing"
	"time"
)

const notify = "func Notify(ctx context.Context, event Event) error { return nil }"

func TestDirectives(t *testing.T) {
	h := one(t, `// Notify says so.
//
//nolint:all
//idem:key notify:{event.ID}
//idem:lease 90s
//go:noinline
//idem:retain 1d12h
//idem:attempts 3
//idem:audit app.notices by tenant , event_id,kind time created_at since 7d
`+notify)
	if h.Lease != 90*time.Second || h.Retain != 36*time.Hour || h.Attempts != 3 || h.Namespace != "notify" {
		t.Errorf("got %+v", h)
	}
	a := h.Audit
	if a == nil || a.Table != "app.notices" || strings.Join(a.Columns, " ") != "tenant event_id kind" ||
		a.Since != 7*24*time.Hour || a.Time != "created_at" {
		t.Errorf("audit %+v", a)
	}
}

func TestDefaults(t *testing.T) {
	h := one(t, "//idem:key notify:{event.ID}\n"+notify)
	if h.Lease != 5*time.Minute || h.Retain != 720*time.Hour || h.Attempts != 20 || h.Audit != nil {
		t.Errorf("got %+v", h)
	}
	if h.Pos.String() != "jobs/notify.go:32:6" || h.Key.Text != "notify:{event.ID}" {
		t.Errorf("position %v, text %s", h.Pos, h.Key.Text)
	}
}

func TestForever(t *testing.T) {
	if h := one(t, "//idem:key notify:{event.ID}\n//idem:retain forever\n"+notify); h.Retain != 0 {
		t.Errorf("retain %v", h.Retain)
	}
}

func TestNamespace(t *testing.T) {
	for _, c := range []struct{ name, directives, want string }{
		{"of the key", "//idem:key notify.v2:{event.ID}", "notify.v2"},
		{"of the directive, before the key's", "//idem:key notify:{event.ID}\n//idem:name old-name", "old-name"},
		{"of a key that begins with a placeholder", "//idem:name notify\n//idem:key {event.ID}", "notify"},
		{"of a key without a colon", "//idem:name notify\n//idem:key n-{event.ID}", "notify"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := one(t, c.directives+"\n"+notify)
			if h.Namespace != c.want {
				t.Errorf("got %s, want %s", h.Namespace, c.want)
			}
		})
	}
}

// directiveCases are directives with what is wrong with them.
func directiveCases() []argCase {
	const key = "//idem:key a:{event.ID}\n"
	const duration = "; write numbers with their units, such as 90s, 5m, 1h30m or 30d"
	const auditCure = "; write //idem:audit TABLE by COL[, COL] [since DURATION] [time COL]"
	const nameCure = `; use a-z, 0-9, "_", "." and "-", and begin with a letter, a digit or "_"`
	return []argCase{
		{"unknown", "§//idem:kee a:{event.ID}\n" + key, []string{"unknown directive //idem:kee; did you mean //idem:key?"}},
		{"unknown, not near", key + "§//idem:frobnicate x", []string{"unknown directive //idem:frobnicate; the directives are key, lease, retain, attempts, name, fingerprint, audit, order, payload, allow, upsert"}},
		{"of a form that other tools have", key + "§//idem:lease=5m", []string{"unknown directive //idem:lease=5m; put a space between //idem:lease and its argument"}},
		{"of such a form, the key", "§//idem:key=notify:{event.ID}", []string{"unknown directive //idem:key=notify:{event.ID}; put a space between //idem:key and its argument"}},
		{"no key", "§//idem:lease 5m\n//idem:retain 30d", []string{"Notify has no //idem:key; add one, such as //idem:key notify:{event.ID}: without it the function is not a handler"}},
		{"misspelt key only", "§//idem:kye a:{event.ID}", []string{
			"unknown directive //idem:kye; did you mean //idem:key?",
		}},
		{"twice", key + "//idem:lease 5m\n§//idem:lease x", []string{"//idem:lease is given twice, first at jobs/notify.go:32:1; remove one of the two"}},
		{"two keys", key + "§//idem:key b:{event.ID}", []string{"//idem:key is given twice, first at jobs/notify.go:31:1; remove one of the two"}},
		{"no argument", "//idem:key§", []string{"//idem:key has no argument; write //idem:key TEMPLATE, such as //idem:key notify:{event.ID}"}},
		{"no duration", key + "//idem:lease§", []string{"//idem:lease has no argument; write //idem:lease DURATION, such as //idem:lease 2m"}},
		{"too many arguments", key + "//idem:lease 5m §or so", []string{`//idem:lease takes one argument, and "or so" is left over; remove it; a comment goes on a line of its own`}},
		{"too many arguments, and the first wrong", key + "//idem:attempts  §many  §// times", []string{
			`"many" is not a number of attempts; write a whole number from 1 to 1000000`,
			`//idem:attempts takes one argument, and "// times" is left over; remove it; a comment goes on a line of its own`,
		}},
		{"bad lease", key + "//idem:lease §5", []string{`"5" is not a duration` + duration}},
		{"bad unit", key + "//idem:lease §5w", []string{`"5w" is not a duration` + duration}},
		{"lease forever", key + "//idem:lease §forever", []string{`"forever" is not a duration` + duration}},
		{"negative", key + "//idem:lease §-5m", []string{"the duration -5m is not positive; write one of at least a millisecond"}},
		{"a sign", key + "//idem:lease §+5m", []string{`"+5m" is not a duration` + duration}},
		{"a sign before the days", key + "//idem:retain §+5d", []string{`"+5d" is not a duration` + duration + `, or "forever"`}},
		{"attempts with a sign", key + "//idem:attempts §+5", []string{`"+5" is not a number of attempts; write a whole number from 1 to 1000000`}},
		{"zero", key + "//idem:lease §0s", []string{"the duration 0s is not positive; write one of at least a millisecond"}},
		{"too fine", key + "//idem:lease §900us", []string{"the duration 900us is shorter than a millisecond, which is as finely as time is kept; write one of at least a millisecond"}},
		{"too long", key + "//idem:retain 90d\n//idem:lease §31d", []string{"a lease of 31d is too long: the key of a worker that dies is stuck until it is over; write the longest reasonable duration of the job, at most 30d"}},
		{"bad retain", key + "//idem:retain §always", []string{`"always" is not a duration` + duration + `, or "forever"`}},
		{"overflow", key + "//idem:retain §200000d", []string{`the duration 200000d is longer than can be kept; write 106751d or less, or "forever"`}},
		{"the least overflow", key + "//idem:retain §106752d", []string{`the duration 106752d is longer than can be kept; write 106751d or less, or "forever"`}},
		{"an overflow of a lease", key + "//idem:lease §2562048h", []string{"a lease of 2562048h is too long: the key of a worker that dies is stuck until it is over; write the longest reasonable duration of the job, at most 30d"}},
		{"retain below lease", key + "//idem:lease 2h\n//idem:retain §90m", []string{"retain 1h30m is shorter than lease 2h; keep finished runs at least as long as a claim holds"}},
		{"retain below the default lease", key + "//idem:retain §1m", []string{"retain 1m is shorter than lease 5m; keep finished runs at least as long as a claim holds"}},
		{"a bad lease is not compared", key + "//idem:lease §0s\n//idem:retain 2m", []string{"the duration 0s is not positive; write one of at least a millisecond"}},
		{"no attempts", key + "//idem:attempts §0", []string{`"0" is not a number of attempts; write a whole number from 1 to 1000000`}},
		{"too many attempts", key + "//idem:attempts §1000001", []string{`"1000001" is not a number of attempts; write a whole number from 1 to 1000000`}},
		{"bad name", key + "//idem:name §Notify:x", []string{`"Notify:x" is not a namespace` + nameCure}},

		{"audit without by", key + "//idem:audit notices§", []string{`"by" is missing at the end` + auditCure}},
		{"audit with another word for by", key + "//idem:audit notices §on id", []string{`"on" stands where "by" is expected` + auditCure}},
		{"audit without a table", key + "//idem:audit §by id", []string{`"by" stands where a table is expected` + auditCure}},
		{"audit without columns", key + "//idem:audit notices by§", []string{"a column is missing at the end" + auditCure}},
		{"audit that ends in a comma", key + "//idem:audit notices by id,§", []string{"a column is missing at the end" + auditCure}},
		{"audit with two commas", key + "//idem:audit notices by id,§, b", []string{`"," stands where a column is expected` + auditCure}},
		{"audit without a comma", key + "//idem:audit notices by id §kind", []string{`"kind" stands where a comma and a column, since, or time is expected` + auditCure}},
		{"audit with a column twice", key + "//idem:audit notices by id, §id", []string{"the column id is named twice; name it once"}},
		{"audit with bad names", key + "//idem:audit §Notices by §order-id, §1st time §at!", []string{
			`"Notices" is not a name for SQL; write it in lower case, notices`,
			`"order-id" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`,
			`"1st" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`,
			`"at!" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`,
		}},
		{"audit with SQL in it", key + `//idem:audit §x";-- by id`, []string{`"x\";--" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`}},
		{"audit with too many dots", key + "//idem:audit §a.b.c by id", []string{`"b.c" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`}},
		{"audit with a bad schema", key + "//idem:audit §.b by id", []string{`"" is not a name for SQL; use a-z, 0-9 and _, and begin with a letter or _`}},
		{"audit with a long name", key + "//idem:audit a by §" + strings.Repeat("x", 64), []string{"the name " + strings.Repeat("x", 64) + " is 1 bytes too long; shorten it to 63 bytes"}},
		{"audit since without time", key + "//idem:audit a by id §since 30d", []string{`since has no column to look at; add "time COL", the column that says when the row was written`}},
		{"audit since nothing", key + "//idem:audit a by id time at since§", []string{"a duration is missing at the end" + auditCure}},
		{"audit since a bad duration", key + "//idem:audit a by id since §yesterday time at", []string{`"yesterday" is not a duration` + duration}},
		{"audit time nothing", key + "//idem:audit a by id time§", []string{"a column is missing at the end" + auditCure}},
		{"audit time twice", key + "//idem:audit a by id time at §time at", []string{`"time" stands where a comma and a column, since, or time is expected` + auditCure}},

		{"key without a namespace", "//idem:key §{event.ID}", []string{"the key {event.ID} does not begin with a namespace; begin it with one and a colon, such as notify:, or add //idem:name notify"}},
		{"key whose first literal has no colon", "//idem:key §n-{event.ID}:x", []string{"the key n-{event.ID}:x does not begin with a namespace; begin it with one and a colon, such as notify:, or add //idem:name notify"}},
		{"key with an empty namespace", "//idem:key §:a:{event.ID}", []string{`"", before the key's first colon, is not a namespace` + nameCure + "; or add //idem:name"}},
		{"key with a bad namespace", "//idem:key §-a:{event.ID}", []string{`"-a", before the key's first colon, is not a namespace` + nameCure + "; or add //idem:name"}},

		{"all of it at once", "//idem:key a:§{event.IDD}\n//idem:lease §x\n//idem:attempts §x\n//idem:name §X\n§//idem:x y", []string{
			"Event has no field or method IDD; did you mean event.ID?",
			`"x" is not a duration` + duration,
			`"x" is not a number of attempts; write a whole number from 1 to 1000000`,
			`"X" is not a namespace` + nameCure,
			"unknown directive //idem:x; the directives are key, lease, retain, attempts, name, fingerprint, audit, order, payload, allow, upsert",
		}},
	}
}

func TestDirectiveErrors(t *testing.T) {
	for _, c := range directiveCases() {
		t.Run(c.name, func(t *testing.T) {
			runErrorCases(t, []errorCase{{"of Notify", strings.TrimRight(c.text, "\n") + "\n" + notify, c.want}})
		})
	}
}

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"1ms": time.Millisecond, "90s": 90 * time.Second, "1h30m": 90 * time.Minute,
		"30d": 720 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour, "1d0.5h": 24*time.Hour + 30*time.Minute,
		"106751d": 106751 * 24 * time.Hour,
	} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("%s: got %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "d", "5", "m", "1h1d", "1d1d", "-1d", "+1d", "+5m", "+1.5h", "+0", "1d-1h", "1d+1h", "1..5d", "5md", "106752d", "106751d48h", "1e3h", "1 d", "NaNd", "48d0", "1d-0s"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("%q: got %v", s, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for _, s := range []string{"1ms", "90d", "1s", "2m", "10m", "1h", "20h", "1h30m", "1m30s", "36h", "1h0m5s"} {
		d, err := ParseDuration(s)
		if got := FormatDuration(d); err != nil || got != s {
			t.Errorf("%s: got %s, %v", s, got, err)
		}
	}
}

func TestCheckTable(t *testing.T) {
	for _, name := range []string{"job_runs", "_a1", "app.job_runs", strings.Repeat("s", 63) + "." + strings.Repeat("t", 58)} {
		if err := CheckTable(name, "_idx", "_long", "_v"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "a.", "a b", "Ä", "a\n", strings.Repeat("t", 59), strings.Repeat("s", 64) + ".t"} {
		if err := CheckTable(name, "_idx", "_long", "_v"); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
