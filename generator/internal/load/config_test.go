package load

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
redelivery: 36h
migrations: {dir: db/migrations/, tool: golang-migrate}
audit:
  dir: ./db/audit
defaults: {lease: 90s, retain: 1d12h, attempts: 3}
handlers: []
`, spec.Config{
			File: configName, Dialects: []spec.Dialect{spec.Postgres}, Table: "ops.runs", Redelivery: 36 * time.Hour,
			Migrations: spec.Migrations{Dir: "db/migrations", Tool: "golang-migrate"}, AuditDir: "db/audit",
			Defaults: spec.Defaults{Lease: 90 * time.Second, Retain: 36 * time.Hour, Attempts: 3},
		}},
		{"a run that is kept for ever outlives every redelivery", "version: 1\nredelivery: 400d\ndefaults: {retain: forever}\n", changed(func(c *spec.Config) {
			c.Redelivery, c.Defaults.Retain = 400*24*time.Hour, 0
		})},
		{"two dialects", "version: 1\ndialect: [sqlite, postgres]\n", changed(func(c *spec.Config) {
			c.Dialects = []spec.Dialect{spec.SQLite, spec.Postgres}
		})},
		{"tern", "version: 1\nmigrations: {tool: tern}\n", changed(func(c *spec.Config) { c.Migrations.Tool = "tern" })},
		{"dbmate", "version: 1\nmigrations: {tool: dbmate}\n", changed(func(c *spec.Config) { c.Migrations.Tool = "dbmate" })},
		{"atlas", "version: 1\nmigrations: {tool: atlas}\n", changed(func(c *spec.Config) { c.Migrations.Tool = "atlas" })},
		{"a number that begins with a zero", "version: 1\ndefaults: {attempts: 012}\n", changed(func(c *spec.Config) { c.Defaults.Attempts = 12 })},
		{"a number in hexadecimal", "version: 0x1\ndefaults: {attempts: 0x1_0}\n", changed(func(c *spec.Config) { c.Defaults.Attempts = 16 })},
		{"a schema", "# yaml-language-server: $schema=./idemgen.schema.json\nversion: 1\n", changed(func(c *spec.Config) { c.Schema = "idemgen.schema.json" })},
		{"a schema below another comment, with CR LF", "\ufeff# Ours.\r\n#  yaml-language-server : $schema=db/x.json # y\r\nversion: 1\r\n", changed(func(c *spec.Config) { c.Schema = "db/x.json" })},
		{"a schema of the network", "# yaml-language-server: $schema=https://example.com/x\nversion: 1\n", unchanged},
		{"a comment that names no schema", "# yaml-language-server: disable\n# $schema=x.json\nversion: 1\n", unchanged},
		{"a schema that stands too low", "version: 1\n# yaml-language-server: $schema=x.json\n", unchanged},
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
		{"the longest table", "version: 1\ntable: ops." + strings.Repeat("a", 49) + "\n", changed(func(c *spec.Config) {
			c.Table = "ops." + strings.Repeat("a", 49)
		})},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			writeFile(t, filepath.Join(root, configName), test.text)
			got, err := ReadConfig(root)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got, withoutPlaces); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// withoutPlaces leaves out where the table and the tool are given.
var withoutPlaces = cmp.Options{cmpopts.IgnoreFields(spec.Config{}, "TablePos"), cmpopts.IgnoreFields(spec.Migrations{}, "ToolPos")}

// What fits no database or no tool is told later, with its place.
func TestReadConfigPlaces(t *testing.T) {
	config, wrong, err := parseConfig([]byte("version: 1\ntable: runs\nmigrations: {tool: tern}\n"))
	if err != nil {
		t.Fatal(wrong, err)
	}
	got := []string{config.TablePos.String(), config.Migrations.ToolPos.String()}
	if want := []string{"idemgen.yaml:2:8", "idemgen.yaml:3:20"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
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
	for _, name := range []string{"idemgen.yml", ".idemgen.yaml", "Idemgen.yaml", ".Idemgen.YML"} {
		root := t.TempDir()
		writeFile(t, filepath.Join(root, name), "version: 1\n")
		_, err := ReadConfig(root)
		if want := name + ":1:1: this file is not read; rename it to idemgen.yaml"; (err == nil || err.Error() != want) && !isFile(filepath.Join(root, configName)) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
