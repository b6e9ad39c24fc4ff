package load

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadConfigErrors(t *testing.T) {
	const (
		keys     = "the keys are version, dialect, table, redelivery, migrations, audit, defaults, handlers, upserts"
		empty    = "idemgen.yaml:1:1: the configuration is empty; write version: 1, or remove the file"
		jsonFile = "write the path of a .json file below the root, such as idemgen.schema.json"
		local    = "write the path of a directory below the root, such as db/migrations"
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
			`idemgen.yaml:7:8: the directory "../migrations" does not lie below the root; ` + local,
			`idemgen.yaml:8:9: unknown migration tool "Goose"; did you mean goose?`,
			`idemgen.yaml:9:3: unknown key "dirs" in migrations; did you mean dir?`,
			`idemgen.yaml:10:14: the directory "/audit" does not lie below the root; ` + local,
			`idemgen.yaml:10:22: unknown key "tool" in audit; the keys are dir`,
			`idemgen.yaml:11:19: "5 minutes" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d`,
			`idemgen.yaml:11:38: the duration 0s is not positive; write one of at least a millisecond, or "forever"`,
			`idemgen.yaml:11:52: the text "many" where a number is wanted; write attempts: 20`,
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
			"idemgen.yaml:6:19: 300 where a duration is wanted; write its unit, too: 300s, 300m, 300h or 300d",
			"idemgen.yaml:6:32: a list where a duration is wanted; write retain: 30d",
			"idemgen.yaml:6:46: 1.5 where a number is wanted; write attempts: 20",
		}},
		{"limits", `version: 1
table: ` + strings.Repeat("a", 50) + `
dialect: []
defaults: {lease: 31d, retain: 40d, attempts: 0}
`, []string{
			"idemgen.yaml:2:8: the name " + strings.Repeat("a", 50) + " is 1 bytes too long; shorten it to 49 bytes",
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
		{"durations that are numbers and worse", "version: 1\nredelivery: 4\ndefaults: {lease: 0x10, retain: true, attempts: \"20\"}\n", []string{
			"idemgen.yaml:2:13: 4 where a duration is wanted; write its unit, too: 4s, 4m, 4h or 4d",
			"idemgen.yaml:3:19: 0x10 where a duration is wanted; write lease: 5m",
			"idemgen.yaml:3:33: true where a duration is wanted; write retain: 30d",
			`idemgen.yaml:3:49: the text "20" where a number is wanted; write it without quotes: attempts: 20`,
		}},
		{"a retention below the redelivery", "version: 1\nredelivery: 4d\ndefaults: {retain: 72h}\n", []string{
			"idemgen.yaml:3:20: the default retain, 3d, is shorter than redelivery, 4d: the work would be done again; write retain: 4d, or longer",
		}},
		{"a redelivery above our retention", "version: 1\nredelivery: 31d\n", []string{
			"idemgen.yaml:2:13: the default retain, 30d, is shorter than redelivery, 31d: the work would be done again; add defaults: {retain: 31d}, or longer",
		}},
		{"a redelivery above our retention, with other defaults", "version: 1\nredelivery: 40d\ndefaults: {lease: 5m}\n", []string{
			"idemgen.yaml:2:13: the default retain, 30d, is shorter than redelivery, 40d: the work would be done again; add retain: 40d to defaults, or longer",
		}},
		{"a retention that is wrong is compared with nothing", "version: 1\nredelivery: 31d\ndefaults: {lease: 1y, retain: 1y}\n", []string{
			`idemgen.yaml:3:19: "1y" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d`,
			`idemgen.yaml:3:31: "1y" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d, or "forever"`,
		}},
		{"a redelivery that is wrong", "version: 1\nredelivery: forever\n", []string{
			`idemgen.yaml:2:13: "forever" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d`,
		}},
		{"a schema beyond the root", "# yaml-language-server: $schema=../x.json\nversion: 1\n", []string{
			`idemgen.yaml:1:33: the schema "../x.json" does not lie below the root; ` + jsonFile,
		}},
		{"a schema of the system", "\ufeff# yaml-language-server: $schema=/x.json\nversion: 1\n", []string{
			`idemgen.yaml:1:33: the schema "/x.json" does not lie below the root; ` + jsonFile,
		}},
		{"a schema with backslashes", "# One.\n# yaml-language-server: $schema=a\\x.json\nversion: 1\n", []string{
			`idemgen.yaml:2:33: the schema "a\\x.json" does not lie below the root; ` + jsonFile,
		}},
		{"a schema that is no JSON", "# yaml-language-server: $schema=idemgen.yaml\nversion: 1\n", []string{
			`idemgen.yaml:1:33: the schema "idemgen.yaml" is no .json file; ` + jsonFile,
		}},
		{"a version that was meant", "vresion: 1\n", []string{`idemgen.yaml:1:1: unknown key "vresion" in the configuration; did you mean version?`}},
		{"a tag of nobody", "version: 1\ntable: !mine \"a\\nb\"\naudit: {dir: !mine x}\n", []string{
			"idemgen.yaml:2:8: the tag !mine stands where the name of a table is wanted; remove it, or quote the text that begins with it",
			"idemgen.yaml:3:14: the tag !mine stands where a directory is wanted; remove it, or quote the text that begins with it",
		}},
		{"anchors that multiply", multiplying(), []string{
			"idemgen.yaml:5:57: the << of this file give more than 100000 keys; write the keys themselves, or merge less",
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

// multiplying has anchors that merge the one above ten times each.
func multiplying() string {
	text := "version: 1\ndefaults:\n  <<:\n    - &a0 {lease: 5m}\n"
	for i := range 8 {
		text += fmt.Sprintf("    - &a%d {<<: [%s]}\n", i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	return text
}
