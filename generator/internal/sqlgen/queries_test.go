package sqlgen

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
)

// findings runs all queries of a file and returns the rows, a line each:
// the kind of finding and the columns whose names are given.
func findings(t *testing.T, db idemtest.DB, sqlText string, columns ...string) []string {
	t.Helper()
	return findingsOf(t, db.SQL().Query, sqlText, columns...)
}

func findingsOf(t *testing.T, query func(string, ...any) (*sql.Rows, error), sqlText string, columns ...string) []string {
	t.Helper()
	var list []string
	for _, text := range statements(sqlText) {
		rows, err := query(text)
		if err != nil {
			t.Fatalf("%v\nin: %s", err, text)
		}
		for _, row := range scan(t, rows) {
			line := row["finding"]
			for _, column := range columns {
				if value, ok := row[column]; ok {
					line += " " + value
				}
			}
			list = append(list, line)
		}
	}
	return list
}

func scan(t *testing.T, rows *sql.Rows) []map[string]string {
	t.Helper()
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var list []map[string]string
	for rows.Next() {
		values := make([]any, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range names {
			if _, shown := row[name]; !shown {
				row[name] = fmt.Sprint(values[i])
			}
		}
		list = append(list, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

// ago is an SQL expression for a time that has passed, as the table of runs
// has it.
func ago(db idemtest.DB, d time.Duration) string {
	if db.Name() == "sqlite" {
		return fmt.Sprintf("(CAST(strftime('%%s', 'now') AS INTEGER) * 1000 - %d)", d.Milliseconds())
	}
	return fmt.Sprintf("(now() - interval '%d seconds')", int64(d.Seconds()))
}

// done puts a finished run into the table.
func done(t *testing.T, db idemtest.DB, handler string, key idem.Key, age time.Duration) {
	t.Helper()
	at := ago(db, age)
	db.Exec(t, fmt.Sprintf("INSERT INTO %s (key, handler, status, attempts, created_at, completed_at) VALUES (%s, '%s', 'done', 1, %s, %[4]s)",
		db.Table(), literal(string(key)), handler, at))
}

// inShell runs a file as its comment says, and counts the rows.
func inShell(t *testing.T, db idemtest.DB, file string, want int) {
	t.Helper()
	var cmd *exec.Cmd
	if db.Name() == "sqlite" {
		path, _, _ := strings.Cut(strings.TrimPrefix(sqlitetest.DSN(db), "file:"), "?")
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		cmd = exec.Command("sqlite3", "-bail", path)
		cmd.Stdin = in
	} else {
		cmd = exec.Command("psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-f", file, pgtest.URL(db))
	}
	if _, err := exec.LookPath(cmd.Args[0]); err != nil {
		t.Logf("no %s here: %v", cmd.Args[0], err)
		return
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, stderr.String())
	}
	if got := strings.Count(string(out), "\n"); got != want {
		t.Errorf("%s shows %d lines, want %d:\n%s", cmd.Args[0], got, want, out)
	}
}
