package load

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

func TestReadConfig(t *testing.T) {
	changed := func(change func(*spec.Config)) spec.Config {
		c := defaultConfig()
		c.File = configName
		change(&c)
		return c
	}
	unchanged := changed(func(*spec.Config) {})
	for _, test := range []struct {
		name, text string
		want       spec.Config
	}{
		{"only the version", "version: 1\n", unchanged},
		{"JSON", `{"version": 1}`, unchanged},
		{"a document's marks", "%YAML 1.1\n---\nversion: 1\n...\n", unchanged},
		{"CR LF and a byte order mark", "\ufeffversion: 1\r\ntable: runs\r\n", changed(func(c *spec.Config) { c.Table = "runs" })},
		{"a tab that is no indentation", "version:\t1\t# one\n", unchanged},
		{"everything", `
# A comment.
version: 1
dialect: postgres
table: ops.runs
migrations: {dir: db/migrations/, tool: golang-migrate}
audit:
  dir: ./db/audit
defaults: {lease: 90s, retain: 1d12h, attempts: 3}
`, spec.Config{
			File: configName, Dialects: []spec.Dialect{spec.Postgres}, Table: "ops.runs",
			Migrations: spec.Migrations{Dir: "db/migrations", Tool: "golang-migrate"}, AuditDir: "db/audit",
			Defaults: spec.Defaults{Lease: 90 * time.Second, Retain: 36 * time.Hour, Attempts: 3},
		}},
		{"two dialects", "version: 1\ndialect: [sqlite, postgres]\n", changed(func(c *spec.Config) {
			c.Dialects = []spec.Dialect{spec.SQLite, spec.Postgres}
		})},
		{"for ever", "version: 1\ndefaults: {retain: forever, lease: 2d}\n", changed(func(c *spec.Config) {
			c.Defaults.Retain, c.Defaults.Lease = 0, 48*time.Hour
		})},
		{"anchors", "version: 1\naudit: &a {dir: &d sql}\ntable: *d\n", changed(func(c *spec.Config) {
			c.AuditDir, c.Table = "sql", "sql"
		})},
		{"a merge", "version: 1\nmigrations: &m {dir: sql}\naudit: {<<: *m, dir: own}\n", changed(func(c *spec.Config) {
			c.AuditDir, c.Migrations.Dir = "own", "sql"
		})},
		{"a list of merges, overridden", "version: 1\naudit: &a {dir: sql}\nmigrations: {<<: [{dir: one}, *a], tool: goose}\n", changed(func(c *spec.Config) {
			c.AuditDir, c.Migrations = "sql", spec.Migrations{Dir: "one", Tool: "goose"}
		})},
		{"a merge, overridden by what stands before it", "version: 1\naudit: &a {dir: sql}\nmigrations: {dir: own, <<: *a}\n", changed(func(c *spec.Config) {
			c.AuditDir, c.Migrations.Dir = "sql", "own"
		})},
		{"such a table in Postgres alone", "version: 1\ntable: sqlite_runs\n", changed(func(c *spec.Config) { c.Table = "sqlite_runs" })},
		{"the longest table", "version: 1\ntable: ops." + strings.Repeat("a", 51) + "\n", changed(func(c *spec.Config) {
			c.Table = "ops." + strings.Repeat("a", 51)
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			writeFile(t, filepath.Join(root, configName), test.text)
			got, err := ReadConfig(root)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestReadConfigErrors(t *testing.T) {
	const (
		keys  = "the keys are version, dialect, table, migrations, audit, defaults"
		empty = "idemgen.yaml:1:1: the configuration is empty; write version: 1, or remove the file"
		local = "write the path of a directory below the root, such as db/migrations"
	)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{empty}},
		{"comments", "# nothing\n\n", []string{empty}},
		{"null", "null\n", []string{empty}},
		{"a mark", "---\n", []string{empty}},
		{"a byte order mark", "\ufeff", []string{empty}},
		{"an error behind a byte order mark", "\ufeff{version: 1, tabel: x}\n", []string{`idemgen.yaml:1:14: unknown key "tabel" in the configuration; did you mean table?`}},
		{"a list", "- version: 1\n", []string{"idemgen.yaml:1:1: a list where a map is wanted; write the configuration as keys with values"}},
		{"a text", "version 1\n", []string{`idemgen.yaml:1:1: the text "version 1" where a map is wanted; write the configuration as keys with values`}},
		{"no version", "# none\ntable: runs\n", []string{"idemgen.yaml:2:1: the version is missing; begin the file with version: 1"}},
		{"versions", "version: 2\n", []string{"idemgen.yaml:1:10: unknown version 2 of the configuration; write version: 1"}},
		{"a text for a version", "version: \"1\"\n", []string{`idemgen.yaml:1:10: the text "1" where a version is wanted; write version: 1`}},
		{"a fraction for a version", "version: 1.0\n", []string{"idemgen.yaml:1:10: 1.0 where a version is wanted; write version: 1"}},
		{"one directory", "version: 1\nmigrations: {dir: sql}\naudit: {dir: ./sql/}\n", []string{
			"idemgen.yaml:3:14: audit.dir is the directory of the migrations, sql; give audit.dir another directory than migrations.dir"}},
		{"the default's directory", "version: 1\nmigrations: {dir: audit}\n", []string{
			"idemgen.yaml:2:19: audit.dir is the directory of the migrations, audit; give audit.dir another directory than migrations.dir"}},
		{"a merge that makes one directory", "version: 1\naudit: &a {dir: sql}\nmigrations: {<<: *a, tool: goose}\n", []string{
			"idemgen.yaml:2:17: audit.dir is the directory of the migrations, sql; give audit.dir another directory than migrations.dir"}},
		{"a table that SQLite keeps to itself", "version: 1\ntable: sqlite_runs\ndialect: [postgres, sqlite]\n", []string{
			"idemgen.yaml:2:8: SQLite keeps names that begin with sqlite_ to itself, such as sqlite_runs; give the table another name"}},
		{"a table in a schema that SQLite has not", "version: 1\ndialect: [postgres, sqlite]\ntable: ops.runs\n", []string{
			"idemgen.yaml:3:8: SQLite has no schemas, such as ops; name the table runs alone, or make the dialect postgres"}},
		{"everything at once", `version: 1
dialcet: postgres
dialect: [postgres, sqlight, postgres, [x]]
table: Job_Runs
handlers: []
migrations:
  dir: ../migrations
  tool: Goose
  dirs: x
audit: {dir: /audit, tool: plain}
defaults: {lease: 5 minutes, retain: 0s, attempts: many, lease: 5m}
`, []string{
			`idemgen.yaml:2:1: unknown key "dialcet" in the configuration; did you mean dialect?`,
			`idemgen.yaml:3:21: unknown dialect "sqlight"; did you mean sqlite?`,
			`idemgen.yaml:3:30: the dialect postgres is named twice; name it once`,
			`idemgen.yaml:3:40: a list where a dialect is wanted; write one of postgres, sqlite`,
			`idemgen.yaml:4:8: "Job_Runs" is not a name for SQL; write it in lower case, job_runs`,
			`idemgen.yaml:5:1: unknown key "handlers" in the configuration; ` + keys,
			`idemgen.yaml:7:8: the directory "../migrations" does not lie below the root; ` + local,
			`idemgen.yaml:8:9: unknown migration tool "Goose"; did you mean goose?`,
			`idemgen.yaml:9:3: unknown key "dirs" in migrations; did you mean dir?`,
			`idemgen.yaml:10:14: the directory "/audit" does not lie below the root; ` + local,
			`idemgen.yaml:10:22: unknown key "tool" in audit; the keys are dir`,
			`idemgen.yaml:11:19: "5 minutes" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d`,
			`idemgen.yaml:11:38: the duration 0s is not positive; write one of at least a millisecond, or "forever"`,
			`idemgen.yaml:11:52: the text "many" where a number of attempts is wanted; write one, such as 20`,
			`idemgen.yaml:11:58: the key "lease" is given twice, first at idemgen.yaml:11:12; remove one of the two`,
		}},
		{"wrong types", `version: [1]
dialect: {postgres: true}
table: 1
migrations: plain
audit:
defaults: {lease: 300, retain: [], attempts: 1.5}
`, []string{
			"idemgen.yaml:1:10: a list where a version is wanted; write version: 1",
			"idemgen.yaml:2:10: a map where a dialect is wanted; write one of postgres, sqlite",
			"idemgen.yaml:3:8: 1 where the name of a table is wanted; write one, such as job_runs",
			`idemgen.yaml:4:13: the text "plain" where a map is wanted; write migrations as keys with values`,
			"idemgen.yaml:5:7: nothing where a map is wanted; write audit as keys with values",
			"idemgen.yaml:6:19: 300 where a duration is wanted; write one, such as 5m",
			"idemgen.yaml:6:32: a list where a duration is wanted; write one, such as 30d, or forever",
			"idemgen.yaml:6:46: 1.5 where a number of attempts is wanted; write one, such as 20",
		}},
		{"limits", `version: 1
table: ` + strings.Repeat("a", 52) + `
dialect: []
defaults: {lease: 31d, retain: 40d, attempts: 0}
`, []string{
			"idemgen.yaml:2:8: the name " + strings.Repeat("a", 52) + " is 1 bytes too long; shorten it to 51 bytes",
			"idemgen.yaml:3:10: the list of dialects is empty; name postgres, sqlite or both",
			"idemgen.yaml:4:19: a lease of 31d is too long: the key of a worker that dies is stuck until it is over; write the longest reasonable duration of the job, at most 30d",
			`idemgen.yaml:4:47: "0" is not a number of attempts; write a whole number from 1 to 1000000`,
		}},
		{"a retention below the lease", "version: 1\ndefaults: {retain: 1m}\n", []string{
			"idemgen.yaml:2:20: the default retain, 1m, is shorter than the default lease, 5m; keep finished runs at least as long as a claim holds",
		}},
		{"a lease above the retention", "version: 1\ndefaults:\n  lease: 25h\n  retain: 1d\n", []string{
			"idemgen.yaml:4:11: the default retain, 1d, is shorter than the default lease, 25h; keep finished runs at least as long as a claim holds",
		}},
		{"directories", `version: 1
migrations: {dir: 'db\x'}
audit: {dir: "a\u0000b"}
`, []string{
			`idemgen.yaml:2:19: the directory "db\\x" has a backslash in it; separate directories by /`,
			`idemgen.yaml:3:14: the directory "a\x00b" has a control character in it; ` + local,
		}},
		{"control characters", "version: 1\naudit: {dir: \"a\\nb\"}\nmigrations: {dir: ''}\n", []string{
			`idemgen.yaml:2:14: the directory "a\nb" has a control character in it; ` + local,
			`idemgen.yaml:3:19: the directory "" does not lie below the root; ` + local,
		}},
		{"a second document", "version: 1\n# more\n---\nhandlers: []\n", []string{"idemgen.yaml:3:1: a second document begins here; keep one document in the file"}},
		{"an empty second document", "version: 2\n---\n", []string{
			"idemgen.yaml:1:10: unknown version 2 of the configuration; write version: 1",
			"idemgen.yaml:2:1: a second document begins here; keep one document in the file",
		}},
		{"a second document that does not parse", "version: 1\n---\na: [\n", []string{"idemgen.yaml:3:1: not YAML: did not find expected node content; mend the line, or the one above"}},
		{"tabs", "version: 1\nmigrations:\n\tdir: x\n  \ttool: plain\n\t# x\n", []string{
			"idemgen.yaml:3:1: a tab in the indentation; indent with spaces",
			"idemgen.yaml:4:3: a tab in the indentation; indent with spaces",
			"idemgen.yaml:5:1: a tab in the indentation; indent with spaces",
		}},
		{"a bad indentation", "version: 1\nmigrations:\n  dir: x\n tool: plain\ntable: x\n", []string{"idemgen.yaml:4:2: not YAML: did not find expected key; mend the line, or the one above"}},
		{"a bad first line", "version: 1: 2\n", []string{"idemgen.yaml:1:1: not YAML: mapping values are not allowed in this context; mend the line, or the one above"}},
		{"a quote that does not end", "version: 1\ntable: \"x\naudit: {}\n", []string{"idemgen.yaml:2:1: not YAML: found unexpected end of stream; mend the line, or the one above"}},
		{"an unknown anchor", "version: 1\n\ntable: *t\n", []string{"idemgen.yaml:3:1: not YAML: unknown anchor 't' referenced; mend the line, or the one above"}},
		{"not UTF-8", "version: 1\ntable: \xff\n", []string{"idemgen.yaml:2:1: not YAML: invalid leading UTF-8 octet; mend the line, or the one above"}},
		{"columns in bytes", "{version: 1, \"ä\": 1, tabel: x}\n", []string{
			`idemgen.yaml:1:14: unknown key "ä" in the configuration; ` + keys,
			`idemgen.yaml:1:23: unknown key "tabel" in the configuration; did you mean table?`,
		}},
		{"an unknown key inside an anchor", "version: 1\ndefaults: &d {leese: 5m}\naudit: {<<: *d}\n", []string{
			`idemgen.yaml:2:15: unknown key "leese" in audit; the keys are dir`,
			`idemgen.yaml:2:15: unknown key "leese" in defaults; did you mean lease?`,
		}},
		{"two merges", "version: 1\naudit: &a {dir: x}\nmigrations:\n  <<: *a\n  <<: *a\n  dir: y\n", []string{
			`idemgen.yaml:5:3: the key "<<" is given twice, first at idemgen.yaml:4:3; remove one of the two`,
		}},
		{"bad merges", "version: 1\naudit: &a {<<: *a}\nmigrations: {<<: x}\ndefaults: {<<: [5]}\n", []string{
			"idemgen.yaml:2:16: a map is merged into itself; remove the <<",
			`idemgen.yaml:3:18: the text "x" where a map is wanted; merge a map, or remove the <<`,
			"idemgen.yaml:4:17: 5 where a map is wanted; merge a map, or remove the <<",
		}},
		{"an alias of the wrong type", "version: 1\naudit: &a {dir: x}\ntable: *a\ndialect: &l [*l]\n", []string{
			"idemgen.yaml:3:8: a map where the name of a table is wanted; write one, such as job_runs",
			"idemgen.yaml:4:14: a list where a dialect is wanted; write one of postgres, sqlite",
		}},
		{"keys that are no words", "version: 1\n[table]: x\n? {a: b}\n: x\n1: x\n", []string{
			"idemgen.yaml:2:1: a key is a list; write a plain word",
			"idemgen.yaml:3:3: a key is a map; write a plain word",
			`idemgen.yaml:5:1: unknown key "1" in the configuration; ` + keys,
		}},
		{"twice the same at top", "version: 1\ntable: a\n\"table\": b\n", []string{
			`idemgen.yaml:3:1: the key "table" is given twice, first at idemgen.yaml:2:1; remove one of the two`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			writeFile(t, filepath.Join(root, configName), test.text)
			_, err := ReadConfig(root)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(test.want, strings.Split(err.Error(), "\n")); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

func TestReadConfigMissing(t *testing.T) {
	root := t.TempDir()
	got, err := ReadConfig(root)
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Config{
		Dialects: []spec.Dialect{spec.Postgres}, Table: "job_runs",
		Migrations: spec.Migrations{Dir: "migrations", Tool: "plain"}, AuditDir: "audit",
		Defaults: spec.Defaults{Lease: 5 * time.Minute, Retain: 720 * time.Hour, Attempts: 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	writeFile(t, filepath.Join(root, "idemgen.yml"), "version: 1\n")
	_, err = ReadConfig(root)
	if want := "idemgen.yml:1:1: this file is not read; rename it to idemgen.yaml"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
