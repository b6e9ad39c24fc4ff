package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
)

// The wanted output is that of go run . and go run . -unsafe.
func TestRun(t *testing.T) {
	for _, database := range []string{"SQLite", "Postgres"} {
		for name, mode := range map[string][]string{"safe": nil, "unsafe": {"-unsafe"}} {
			t.Run(database+"/"+name, func(t *testing.T) {
				want, err := os.ReadFile("testdata/" + name + ".txt")
				if err != nil {
					t.Fatal(err)
				}
				args := mode
				if database == "Postgres" {
					db := pgtest.Open(pgtest.Config{})(t)
					args = append([]string{"-database-url", pgtest.URL(db)}, mode...)
					defer func() {
						if n := db.Count(t, "SELECT count(*) FROM pg_namespace WHERE nspname = $1", schema); n != 0 {
							t.Error("it left its schema behind")
						}
					}()
				}
				wantOutput(t, args, strings.Replace(string(want), "SQLite", database, 1))
			})
		}
	}
}

func wantOutput(t *testing.T, args []string, want string) {
	t.Helper()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	var stdout, stderr bytes.Buffer
	if code := run(args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
	if got := stdout.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) != 0 {
		t.Errorf("it left %v behind (%v)", left, err)
	}
}

func TestRunAfterOneThatWasKilled(t *testing.T) {
	db := pgtest.Open(pgtest.Config{})(t)
	db.Exec(t, "CREATE SCHEMA "+schema+"; CREATE TABLE "+schema+".notifications (n int)")
	var stdout, stderr bytes.Buffer
	if code := run([]string{"-database-url", pgtest.URL(db)}, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d\n%s", code, &stderr)
	}
}

func TestRunThatCannot(t *testing.T) {
	for _, args := range [][]string{
		{"-no-such-flag"},
		{"-database-url", "postgres://:not-a-port"},
		{"-database-url", "postgres:///x?host=" + t.TempDir()},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(args, &stdout, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("%v: exit code %d, said %q", args, code, &stderr)
		}
	}
}
