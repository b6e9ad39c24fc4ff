package sqlgen

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
)

// auditCase is a story told in rows and runs.
type auditCase struct {
	name      string
	audit     spec.Audit
	qualified bool   // the table of runs has a schema, in Postgres
	table     string // of the runs; empty for the usual one
	parts     []spec.KeyPart
	params    []spec.Param
	columns   []string                   // of the table; behind the name may stand a type
	rows      []string                   // values; {ago D} is a time
	runs      map[idem.Key]time.Duration // and their age
	show      []string
	want      []string
}

func auditCases() []auditCase {
	id := placeholder("event.ID", spec.EncodeString)
	timed := spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}, Time: "sent_at", Since: 7 * 24 * time.Hour}
	show := []string{"external_event_id", "tenant", "key", "expected_key", "row_count", "run_count"}
	return []auditCase{
		{
			name: "before adoption", audit: timed, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {1h}", "'a', {2h}", "'b', {3h}", "'c', {4h}", "'c', {5h}", "'c', {6h}"},
			show:    show,
			want:    []string{"duplicate a 2", "duplicate c 3"},
		},
		{
			name: "after adoption", audit: timed, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {1h}", "'b:1', {2h}", "'before', {30h}", "'long before', {300h}"},
			runs:    map[idem.Key]time.Duration{"notify:a": 2 * time.Hour, "notify:b%3A1": 3 * time.Hour},
			show:    show,
		},
		{
			name: "past the wrapper", qualified: true, audit: timed, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {2h}", "'x:1', {1h}", "'50%', {2h}"},
			runs:    map[idem.Key]time.Duration{"notify:a": 3 * time.Hour, "notify:lost": 2 * time.Hour, "notify:old": 24 * 8 * time.Hour, "notify:edge": 24*7*time.Hour - time.Minute},
			show:    show,
			want:    []string{"row without run x:1 notify:x%3A1", "row without run 50% notify:50%25", "run without row notify:lost"},
		},
		{
			name:    "older than the retention",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}, Time: "sent_at"},
			parts:   []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {719h}", "'b', {721h}", "'stuck', {960h}"},
			runs:    map[idem.Key]time.Duration{"notify:stuck": 961 * time.Hour},
			show:    show,
			want:    []string{"row without run a notify:a"},
		},
		{
			name: "duplicates out of the window", audit: timed, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {200h}", "'a', {201h}"},
			show:    show,
		},
		{
			name: "NULL", audit: timed, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"NULL, {1h}"},
			runs:    map[idem.Key]time.Duration{"other:a": 2 * time.Hour},
			show:    show,
			want:    []string{"duplicate <nil> 1"},
		},
		{
			name:  "no time, no window",
			audit: spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}}, parts: []spec.KeyPart{id},
			columns: []string{"external_event_id"},
			rows:    []string{"'a'", "'a'", "'b'"},
			runs:    map[idem.Key]time.Duration{"notify:a": time.Hour, "notify:c": time.Hour},
			show:    show,
			want:    []string{"duplicate a 2", "row without run b notify:b", "run without row notify:c"},
		},
		{
			name:    "two columns, named",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"external_event_id", "tenant"}},
			parts:   []spec.KeyPart{placeholder("event.Tenant", spec.EncodeString), placeholder("event.ExternalEventID", spec.EncodeString)},
			columns: []string{"external_event_id", "tenant"},
			rows:    []string{"'e', 't'", "'b', 'a:'", "'e', 'u'"},
			runs:    map[idem.Key]time.Duration{"notify:t:e": time.Hour, "notify:a%3A:b": time.Hour},
			show:    show,
			want:    []string{"row without run e u notify:u:e"},
		},
		{
			name:    "two columns, in order",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"external_event_id", "tenant"}},
			parts:   []spec.KeyPart{placeholder("event.ID", spec.EncodeString), optional("event.Customer", spec.EncodeString)},
			columns: []string{"external_event_id", "tenant"},
			rows:    []string{"'e', 't'", "'e', NULL", "'e', '-'"},
			runs:    map[idem.Key]time.Duration{"notify:e:t": time.Hour, "notify:e:-": time.Hour, "notify:e:%2D": time.Hour},
			show:    show,
		},
		{
			name:    "the column holds the key",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"idempotency_key"}},
			parts:   []spec.KeyPart{id, placeholder("event.Part", spec.EncodeInt)},
			params:  []spec.Param{{Kind: spec.ContextParam}, {Kind: spec.KeyParam}},
			columns: []string{"idempotency_key"},
			rows:    []string{"'notify:a%3A:1'", "'notify:b:1'"},
			runs:    map[idem.Key]time.Duration{"notify:a%3A:1": time.Hour, "notify:c:1": time.Hour},
			show:    show,
			want:    []string{"row without run notify:b:1", "run without row notify:c:1"},
		},
		{
			name: "by day", qualified: true, audit: timed,
			parts:   []spec.KeyPart{id, placeholder("event.Part", spec.EncodeInt)},
			columns: []string{"external_event_id", "sent_at"},
			rows:    []string{"'a', {0h}", "'b', {0h}", "'c', {48h}", "'d', {72h}", "'before', {120h}"},
			runs:    map[idem.Key]time.Duration{"notify:a:1": 0, "notify:c:1": 48 * time.Hour, "notify:c:2": 48 * time.Hour, "notify:d:1": 72 * time.Hour},
			show:    show,
			want:    []string{"day that differs 2 1", "day that differs 1 2"},
		},
		{
			name: "by total", qualified: true, audit: spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}},
			parts:   []spec.KeyPart{id, placeholder("event.Part", spec.EncodeInt)},
			columns: []string{"external_event_id"},
			rows:    []string{"'a'", "'b'"},
			runs:    map[idem.Key]time.Duration{"notify:a:1": 0},
			show:    show,
			want:    []string{"totals that differ 2 1"},
		},
		{
			name: "totals agree", audit: spec.Audit{Table: "notifications", Columns: []string{"external_event_id"}},
			parts:   []spec.KeyPart{id, placeholder("event.Part", spec.EncodeInt)},
			columns: []string{"external_event_id"},
			rows:    []string{"'a'"},
			runs:    map[idem.Key]time.Duration{"notify:a:1": 0},
			show:    show,
		},
		{
			name:    "verbs",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"tenant", "sent_at"}},
			parts:   []spec.KeyPart{verbs(placeholder("event.Tenant", spec.EncodeString), spec.VerbTrim), placeholder("event.SentAt", spec.EncodeDate)},
			columns: []string{"tenant", "sent_at timestamptz"},
			rows: []string{
				"'a', '2024-12-01 00:30:00+01:00'", "'\ta\u2003', '2024-11-30 10:00:00+00:00'", "'a', '2024-12-01 00:30:00+00:00'",
				"'b', '2024-12-01 23:00:00-03:00'",
			},
			runs: map[idem.Key]time.Duration{"notify:a:2024-11-30": time.Hour, "notify:a:2024-12-01": time.Hour, "notify:b:2024-12-02": time.Hour, "notify:b:2024-12-01": time.Hour},
			show: []string{"tenant", "sent_at", "row_count", "key", "expected_key"},
			want: []string{"duplicate a 2024-11-30 2", "run without row notify:b:2024-12-01"},
		},
		{
			name:    "NULL, with a verb",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"tenant", "sent_at"}},
			parts:   []spec.KeyPart{verbs(placeholder("event.Tenant", spec.EncodeString), spec.VerbTrim), placeholder("event.SentAt", spec.EncodeDate)},
			columns: []string{"tenant", "sent_at timestamptz"},
			rows:    []string{"'a', NULL", "NULL, '2024-12-01 00:30:00+00:00'"},
			show:    []string{"row_count", "expected_key"},
			want:    []string{"duplicate 1", "duplicate 1", "row without run <nil>", "row without run <nil>"},
		},
		{
			name:    "optional, with a verb",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"tenant", "sent_at"}},
			parts:   []spec.KeyPart{placeholder("event.Tenant", spec.EncodeString), optional("event.SentAt", spec.EncodeDate)},
			columns: []string{"tenant", "sent_at timestamptz"},
			rows:    []string{"'a', NULL", "'b', '0001-01-01 01:00:00+01:00'", "'b', NULL"},
			runs:    map[idem.Key]time.Duration{"notify:a:-": time.Hour, "notify:b:-": time.Hour},
			show:    []string{"tenant", "sent_at", "row_count", "key", "expected_key"},
			want:    []string{"duplicate b <nil> 2"},
		},
		{
			name:    "a verb that SQL has not",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"tenant"}},
			parts:   []spec.KeyPart{verbs(placeholder("event.Tenant", spec.EncodeString), spec.VerbLower)},
			columns: []string{"tenant"},
			rows:    []string{"'a'", "'A'", "'a'"},
			runs:    map[idem.Key]time.Duration{"notify:a": time.Hour},
			show:    show,
			want:    []string{"duplicate a 2", "totals that differ 3 1"},
		},
		{
			name:    "a hash",
			audit:   spec.Audit{Table: "notifications", Columns: []string{"tenant", "token_hash"}},
			parts:   []spec.KeyPart{verbs(placeholder("event.Token", spec.EncodeString), spec.VerbTrim, spec.VerbHash), placeholder("event.Tenant", spec.EncodeString)},
			columns: []string{"tenant", "token_hash"},
			rows:    []string{"'t', '2C26B46B68FFC68FF99B453C1D30413413422D706483BFA0F98A5E886266E7AE'"},
			runs:    map[idem.Key]time.Duration{"notify:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae:t": time.Hour},
			show:    show,
		},
		{
			name:    "reserved words",
			audit:   spec.Audit{Table: "order", Columns: []string{"user", "group"}, Time: "when", Since: time.Hour},
			parts:   []spec.KeyPart{placeholder("event.User", spec.EncodeString), placeholder("event.Group", spec.EncodeString)},
			columns: []string{"user", "group", "when"},
			rows:    []string{"'u', 'g', {0h}", "'u', 'g', {0h}", "'u', 'h', {0h}"},
			runs:    map[idem.Key]time.Duration{"notify:u:g": time.Minute},
			show:    []string{"user", "group"},
			want:    []string{"duplicate u g", "row without run u h"},
		},
	}
}

func TestAudit(t *testing.T) {
	for _, d := range dialects {
		for _, c := range auditCases() {
			t.Run(string(d)+"/"+c.name, func(t *testing.T) { c.run(t, d) })
		}
	}
}

func (c auditCase) run(t *testing.T, d spec.Dialect) {
	h := handler("notify", &c.audit, c.parts...)
	h.Params = c.params
	s := project(d, h)
	if c.qualified {
		s.Config.Table = map[spec.Dialect]string{spec.Postgres: "app.runs", spec.SQLite: "runs"}[d]
	}
	if c.table != "" {
		s.Config.Table = c.table
	}
	w := emitTo(t, s)
	db := w.open(t, d, s.Config.Table)
	c.seed(t, db, d)
	for key, age := range c.runs {
		done(t, db, strings.SplitN(string(key), ":", 2)[0], key, age)
	}
	// Neither is a run of the handler that is done.
	done(t, db, "other", "other:without row", 0)
	db.Exec(t, fmt.Sprintf(`INSERT INTO %s (key, handler, status, attempts, due, created_at) VALUES ('notify:waiting', 'notify', 'waiting', 2, %s, %[2]s)`, db.Table(), ago(db, 0)))
	got := findings(t, db, w.read(t, "audit/notify.sql"), c.show...)
	if diff := cmp.Diff(c.want, got); diff != "" {
		t.Error(diff)
	}
	inShell(t, db, filepath.Join(w.dir, "audit", "notify.sql"), len(c.want))
}

func (c auditCase) seed(t *testing.T, db idemtest.DB, d spec.Dialect) {
	t.Helper()
	var columns []string
	for _, column := range c.columns {
		column, kind, typed := strings.Cut(column, " ")
		switch {
		case typed:
		case d == spec.SQLite:
			kind = "text"
		case column == c.audit.Time:
			kind = "timestamptz"
		default: // a collation of its own, which cannot be compared with the key's
			kind = `text COLLATE "POSIX"`
		}
		columns = append(columns, quote(d, column)+" "+kind)
	}
	db.Exec(t, fmt.Sprintf("CREATE TABLE %s (%s)", quote(d, c.audit.Table), strings.Join(columns, ", ")))
	for _, row := range c.rows {
		if before, age, ok := strings.Cut(row, "{"); ok {
			past, err := time.ParseDuration(strings.TrimSuffix(age, "}"))
			if err != nil {
				t.Fatal(err)
			}
			row = before + map[spec.Dialect]string{spec.Postgres: ago(db, past), spec.SQLite: "datetime(" + ago(db, past) + " / 1000, 'unixepoch')"}[d]
		}
		db.Exec(t, fmt.Sprintf("INSERT INTO %s VALUES (%s)", quote(d, c.audit.Table), row))
	}
}
