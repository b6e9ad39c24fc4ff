package templates

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"
)

//go:embed postgres sqlite
var files embed.FS

// sets are the parsed templates of each dialect.
var sets = map[string]func() (*template.Template, error){
	"postgres": sync.OnceValues(func() (*template.Template, error) { return parse("postgres") }),
	"sqlite":   sync.OnceValues(func() (*template.Template, error) { return parse("sqlite") }),
}

func parse(dialect string) (*template.Template, error) {
	return template.New(dialect).ParseFS(files, dialect+"/*.sql")
}

// Render executes a template in a dialect, "postgres" or "sqlite". Its name
// is that of a file, such as job_runs.up.sql, or of a definition in
// expressions.sql. It may be called from several goroutines at once.
func Render(dialect, name string, data any) (string, error) {
	parsed, ok := sets[dialect]
	if !ok {
		return "", fmt.Errorf("there are no templates for the dialect %q", dialect)
	}
	set, err := parsed()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := set.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Table is the name of a table of runs as the templates take it apart: what
// belongs to the table is named after it.
type Table struct {
	Schema string // with the dot, or empty
	Name   string
}

var tableName = regexp.MustCompile(`^([a-z_][a-z0-9_]*\.)?[a-z_][a-z0-9_]*$`)

// ParseTable splits a name that may be schema-qualified. It takes only names
// that need no quotes.
func ParseTable(table string) (Table, error) {
	if !tableName.MatchString(table) {
		return Table{}, fmt.Errorf("table %q: want lower-case letters, digits and _, optionally after a schema and a dot", table)
	}
	dot := strings.IndexByte(table, '.') + 1
	return Table{Schema: table[:dot], Name: table[dot:]}, nil
}

// Table returns the name as statements use it.
func (t Table) Table() string { return t.Schema + t.Name }

// JobRuns returns the statements that create and drop the table of runs,
// with its indexes and its view, in a dialect, "postgres" or "sqlite". The
// schema of a qualified name has to exist.
func JobRuns(dialect, table string) (up, down string, err error) {
	return migration(dialect, "job_runs", table)
}

// Order returns the statements that create and drop the table of entities beside
// a table of runs, for handlers with an order.
func Order(dialect, table string) (up, down string, err error) {
	return migration(dialect, "order", table)
}

// migration renders both files of a migration.
func migration(dialect, name, table string) (up, down string, err error) {
	t, err := ParseTable(table)
	if err != nil {
		return "", "", err
	}
	if up, err = Render(dialect, name+".up.sql", t); err != nil {
		return "", "", err
	}
	down, err = Render(dialect, name+".down.sql", t)
	return up, down, err
}

var grant = regexp.MustCompile(`(?m)^--   (\w+)? +(GRANT .*)$`)

// Grants returns what the comments of the migrations for Postgres say that
// each role needs, for the tests that hold it to that.
func Grants(table string) (map[string][]string, error) {
	runs, _, err := JobRuns("postgres", table)
	order, _, orderErr := Order("postgres", table)
	grants := map[string][]string{}
	role := ""
	for _, line := range grant.FindAllStringSubmatch(runs+order, -1) {
		role = cmp.Or(line[1], role)
		grants[role] = append(grants[role], line[2])
	}
	return grants, errors.Join(err, orderErr)
}
