package sqlgen

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
)

// hostile are columns of the developer's that are called what the queries
// call something of their own, or what a dialect has another meaning for.
var hostile = []string{
	"finding", "row_count", "run_count", "first_row", "last_row", "expected_key", "day", "days", "retain", "retention",
	"effect", "effects", "run", "runs", "rows", "key", "handler", "status", "attempts", "created_at", "completed_at",
	"idemgen_key", "row_key", "idemgen_part_1", "idemgen_parts", "idemgen_rows", "idemgen_n", "idemgen_text", "idemgen_escape",
	"column_1", "column_2", "part_1", "parts", "keys", "n", "date", "row", "interval", "time", "count", "value", "rowid", "name",
}

// times are those of them that a time is most likely called, or most likely
// taken for.
var times = []string{"finding", "row_count", "first_row", "expected_key", "day", "created_at", "completed_at", "time", "column_1", "part_1", "idemgen_key", "row_key"}

// TestAuditColumnNames runs each of the queries over all of the names, and
// over the times one by one.
func TestAuditColumnNames(t *testing.T) {
	var parts []spec.KeyPart
	for i := range hostile {
		parts = append(parts, placeholder(fmt.Sprintf("p%d", i), spec.EncodeString))
	}
	byKey := []string{"duplicate", "row without run", "row without run", "run without row"}
	cases := []auditCase{
		{name: "all by key", audit: spec.Audit{Columns: hostile}, parts: parts, want: byKey},
		{name: "all by key, with a time", audit: spec.Audit{Columns: hostile, Time: "at", Since: time.Hour}, parts: parts, want: byKey},
		{name: "escaped", audit: spec.Audit{Columns: []string{"c", "n", "idemgen_n", "idemgen_text"}}, parts: parts[:4], show: []string{"expected_key"},
			want: []string{"duplicate", "row without run notify:a%3A:a%3A:a%3A:a%3A", "row without run notify:a%3A:a%3A:a%3A:a%3A", "run without row"}},
		{name: "all by day", audit: spec.Audit{Columns: hostile, Time: "at"}, parts: parts[1:], want: []string{"duplicate", "day that differs"}},
		{name: "all by total", audit: spec.Audit{Columns: hostile}, parts: parts[1:], want: []string{"duplicate", "totals that differ"}},
	}
	for _, name := range times {
		cases = append(cases,
			auditCase{name: name + " by key", audit: spec.Audit{Columns: []string{"a"}, Time: name, Since: time.Hour}, parts: parts[:1], want: byKey},
			auditCase{name: name + " by day", audit: spec.Audit{Columns: []string{"a"}, Time: name}, parts: parts[:2], want: []string{"duplicate", "day that differs"}})
	}
	for _, d := range dialects {
		for _, c := range cases {
			c.audit.Table = "shown"
			c.twice()
			t.Run(string(d)+"/"+c.name, func(t *testing.T) { c.run(t, d) })
		}
	}
}

// TestAuditTableNames does it for the tables.
func TestAuditTableNames(t *testing.T) {
	for _, name := range []string{"effect", "effects", "run", "runs", "days", "retention", "idemgen_parts", "idemgen_rows"} {
		for _, d := range dialects {
			for _, c := range []auditCase{
				{table: name, audit: spec.Audit{Table: "shown", Columns: []string{"a"}, Time: "at"}},
				{audit: spec.Audit{Table: name, Columns: []string{"a"}, Time: "at"}},
			} {
				c.parts = []spec.KeyPart{placeholder("event.ID", spec.EncodeString)}
				c.want = []string{"duplicate", "row without run", "row without run", "run without row"}
				c.twice()
				t.Run(strings.Join([]string{string(d), name, c.audit.Table}, "/"), func(t *testing.T) { c.run(t, d) })
			}
		}
	}
}

// twice fills in two rows that are the same, and a run of another key.
func (c *auditCase) twice() {
	c.columns = c.audit.Columns
	value := "'a', "
	if len(c.columns) < 10 { // else the key is too long for SQLite
		value = "'a:', "
	}
	row := strings.Repeat(value, len(c.columns))
	if c.audit.Time != "" {
		c.columns = append(c.columns[:len(c.columns):len(c.columns)], c.audit.Time)
		row += "{0h}"
	}
	row = strings.TrimSuffix(row, ", ")
	c.rows = []string{row, row}
	c.runs = map[idem.Key]time.Duration{"notify:lost": time.Minute}
}
