package load

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Texts of all styles, by where they stand and whether places in them can be
// counted from there.
func TestHandlers(t *testing.T) {
	at := func(line, col int) spec.Pos { return spec.Pos{File: configName, Line: line, Col: col} }
	text := func(name, args string, line, key, col int) spec.Directive {
		return spec.Directive{Name: name, Args: args, Pos: at(line, key), ArgsPos: at(line, col), YAML: true}
	}
	fixed := func(d spec.Directive) spec.Directive { d.Fixed = true; return d }
	uncut := func(d spec.Directive, text string) spec.Directive { d.Uncut = text; return d }
	below := func(d spec.Directive, lines int) spec.Directive { d.ArgsPos.Line += lines; return d }
	for _, test := range []struct {
		name, handler string // its lines begin in line 3
		want          spec.Declaration
	}{
		{"plain", "  - func: ./jobs.A\n    key: a:{id}\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{text("key", "a:{id}", 4, 5, 10)},
		}},
		{"all in one line", "  - {\"key\": 'a:{id}', func: \"./jobs.A\" , lease: 2m,attempts: 3}\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 30), Directives: []spec.Directive{
				text("key", "a:{id}", 3, 6, 14), text("lease", "2m", 3, 42, 49), text("attempts", "3", 3, 52, 62),
			},
		}},
		{"space around", "  - func: ' ./jobs.A  '\n    key:   \"  a:{id} \"  # why\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 13), Directives: []spec.Directive{text("key", "a:{id}", 4, 5, 15)},
		}},
		{"quotes in quotes", "  - func: ./jobs.A\n    key: 'a''{id}'\n    name: \"a\\x62\"\n    audit: \"\\ta\"\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{
				fixed(text("key", "a'{id}", 4, 5, 11)), fixed(text("name", "ab", 5, 5, 12)), fixed(text("audit", "a", 6, 5, 13)),
			},
		}},
		{"blocks", "  - func: ./jobs.A\n    key: | # a block\n\n      a:{id}\n    audit: >-\n      a by b\n      time c\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{
				below(text("key", "a:{id}", 4, 5, 7), 2), below(fixed(text("audit", "a by b time c", 7, 5, 7)), 1),
			},
		}},
		{"over two lines", "  - func: ./jobs.A\n    audit: a by b\n      time c\n    key:\n      a:{id}\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{
				fixed(text("audit", "a by b time c", 4, 5, 12)), below(text("key", "a:{id}", 6, 5, 7), 1),
			},
		}},
		{"anchors, tags and aliases", "  - func: &f !!str ./jobs.A\n    key: !!str\n      \"a:{id}\"\n    name: *f\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 20), Directives: []spec.Directive{
				below(text("key", "a:{id}", 4, 5, 8), 1), fixed(text("name", "./jobs.A", 6, 5, 11)),
			},
		}},
		{"a merge", "  - &a {func: ./jobs.B, key: \"a:{id}\", lease: 2m}\n  - <<: *a\n    func: ./jobs.A\n    lease: 3m\n", spec.Declaration{
			Pos: at(4, 5), Func: "./jobs.A", FuncPos: at(5, 11), Directives: []spec.Directive{text("lease", "3m", 6, 5, 12), text("key", "a:{id}", 3, 25, 31)},
		}},
		{"columns in bytes", "  - {key: \"ä:{id}\", func: ./jobs.A}\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 28), Directives: []spec.Directive{text("key", "ä:{id}", 3, 6, 12)},
		}},
		{"numbers as YAML has them", "  - func: ./jobs.A\n    key: a:{id}\n    attempts: 0x10\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{text("key", "a:{id}", 4, 5, 10), fixed(text("attempts", "16", 5, 5, 15))},
		}},
		{"many", "  - func: ./jobs.A\n    key: a:{id}\n    allow: [id since it is,\n      'b c']\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{
				text("key", "a:{id}", 4, 5, 10), text("allow", "id since it is", 5, 5, 13), below(text("allow", "b c", 5, 5, 8), 1),
			},
		}},
		{"many that commas cut", "  - func: ./jobs.A\n    key: a:{id}\n    allow: [e.N because, yes, e.M too, 'no', x]\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{
				text("key", "a:{id}", 4, 5, 10), text("allow", "e.N because", 5, 5, 13), uncut(text("allow", "yes", 5, 5, 26), "e.N because, yes"),
				text("allow", "e.M too", 5, 5, 31), text("allow", "no", 5, 5, 41), text("allow", "x", 5, 5, 46),
			},
		}},
		{"one of many", "  - func: ./jobs.A\n    key: a:{id}\n    allow: id since it is\n", spec.Declaration{
			Pos: at(3, 5), Func: "./jobs.A", FuncPos: at(3, 11), Directives: []spec.Directive{text("key", "a:{id}", 4, 5, 10), text("allow", "id since it is", 5, 5, 12)},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for name, text := range map[string]string{
				"LF": test.handler, "CR LF": strings.ReplaceAll(test.handler, "\n", "\r\n"),
			} {
				config, wrong, err := parseConfig([]byte("\ufeffversion: 1\nhandlers:\n" + text))
				if err != nil || wrong != nil {
					t.Fatal(name, err, wrong)
				}
				if diff := cmp.Diff(test.want, config.Handlers[len(config.Handlers)-1]); diff != "" {
					t.Errorf("%s: want -, got +:\n%s", name, diff)
				}
			}
		})
	}
}

func TestHandlersErrors(t *testing.T) {
	const (
		keys  = "the keys are func, "
		tag   = " stands where a text is wanted; remove it, or quote the text that begins with it"
		noKey = `the key is missing; add it, such as key: "notify:{event.ID}"`
	)
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "handlers:\n", []string{"idemgen.yaml:2:10: nothing where a list is wanted; begin each handler with a dash, such as - func: ./jobs.Notify"}},
		{"a map", "handlers: {func: ./jobs.A, key: x}\n", []string{"idemgen.yaml:2:11: a map where a list is wanted; begin each handler with a dash, such as - func: ./jobs.Notify"}},
		{"empty entries", "handlers:\n  -\n  - {}\n  - ./jobs.A\n  - []\n", []string{
			"idemgen.yaml:3:4: nothing where a map is wanted; write a handler as keys with values",
			"idemgen.yaml:4:5: the func is missing; name the function, such as func: ./jobs.Notify",
			"idemgen.yaml:4:5: " + noKey,
			`idemgen.yaml:5:5: the text "./jobs.A" where a map is wanted; write a handler as keys with values`,
			"idemgen.yaml:6:5: a list where a map is wanted; write a handler as keys with values",
		}},
		{"the same twice in two handlers", "handlers:\n  - func: ./jobs.A\n    kee: a:{id}\n  - func: ./jobs.B\n    kee: b:{id}\n", []string{
			`idemgen.yaml:4:5: unknown key "kee" in a handler; did you mean key?`,
			`idemgen.yaml:6:5: unknown key "kee" in a handler; did you mean key?`,
		}},
		{"an unknown key inside an anchor", "handlers:\n  - &a\n    func: ./jobs.A\n    key: a:{id}\n    wait: 2m\n  - <<: *a\n    func: ./jobs.B\n", []string{
			`idemgen.yaml:6:5: unknown key "wait" in a handler; ` + keys,
		}},
		{"two merges in a map", "handlers:\n  - &a {func: ./jobs.A, key: 'a:{id}'}\n  - <<: *a\n    func: ./jobs.B\n    <<: *a\n", []string{
			`idemgen.yaml:6:5: the key "<<" is given twice, first at idemgen.yaml:4:5; remove one of the two`,
		}},
		{"a key twice", "handlers:\n  - func: ./jobs.A\n    key: a:{id}\n    func: ./jobs.B\n", []string{
			`idemgen.yaml:5:5: the key "func" is given twice, first at idemgen.yaml:3:5; remove one of the two`,
		}},
		{"texts that YAML takes for something else", `handlers:
  - func: 12
    key: {event.ID}
    lease: 5
    retain: 30
    attempts: "7"
    name: true
    audit: 2001-01-01
    fingerprint: {a: 1} # no
    allow: [1.5, [x], {y}, ok then]
  - func: ~
    key: 12
    lease: 1.5
    retain: null
    attempts: many
    name: [a]
    audit: {a:
      b}
    fingerprint:
    allow: []
  - func:
      a: b
    key:
      - c
    attempts: 12345678901234567890
`, []string{
			`idemgen.yaml:3:11: 12 where a text is wanted; quote it: func: "12"`,
			`idemgen.yaml:4:10: a map where a text is wanted; quote it: key: "{event.ID}"`,
			"idemgen.yaml:5:12: 5 where a duration is wanted; write its unit, too: 5s, 5m, 5h or 5d",
			"idemgen.yaml:6:13: 30 where a duration is wanted; write its unit, too: 30s, 30m, 30h or 30d",
			`idemgen.yaml:7:15: the text "7" where a number is wanted; write it without quotes: attempts: 7`,
			`idemgen.yaml:8:11: true where a text is wanted; quote it: name: "true"`,
			`idemgen.yaml:9:12: 2001-01-01 where a text is wanted; quote it: audit: "2001-01-01"`,
			`idemgen.yaml:10:18: a map where a text is wanted; quote it: fingerprint: "{a: 1}"`,
			`idemgen.yaml:11:13: 1.5 where a text is wanted; quote it: allow: "1.5"`,
			"idemgen.yaml:11:18: a list where a text is wanted; write it without the brackets or the dash: allow: x",
			`idemgen.yaml:11:23: a map where a text is wanted; quote it: allow: "{y}"`,
			"idemgen.yaml:12:11: nothing where a text is wanted; write func: ./jobs.Notify",
			`idemgen.yaml:13:10: 12 where a text is wanted; quote it: key: "12"`,
			"idemgen.yaml:14:12: 1.5 where a duration is wanted; write lease: 2m",
			"idemgen.yaml:15:13: nothing where a duration is wanted; write retain: 30d",
			`idemgen.yaml:16:15: the text "many" where a number is wanted; write attempts: 20`,
			"idemgen.yaml:17:11: a list where a text is wanted; write it without the brackets or the dash: name: a",
			`idemgen.yaml:18:12: a map where a text is wanted; quote it: audit: "{a:"`,
			`idemgen.yaml:20:17: nothing where a text is wanted; write fingerprint: `,
			"idemgen.yaml:21:12: the list of allow is empty; remove it",
			"idemgen.yaml:23:7: a map where a text is wanted; write func: ./jobs.Notify",
			"idemgen.yaml:25:7: a list where a text is wanted; write it without the brackets or the dash: key: c",
			"idemgen.yaml:26:15: 12345678901234567890 where a number is wanted; write attempts: 20",
		}},
		{"orders", "handlers:\n  - func: ./jobs.A\n    key: a:{id}\n    order: {e.ID} at {e.N}\n", []string{
			`idemgen.yaml:5:12: the text {e.ID} at {e.N} has to be quoted; write "{e.ID} at {e.N}"`,
		}},
		{"an order as a map", "handlers:\n  - func: ./jobs.A\n    key: a:{id}\n    order: {entity: \"b:{e.ID}\", version: {e.N}}\n  - func: ./jobs.B\n    key: b:{id}\n" +
			"    order:\n      version: \"{e.N}\"\n      entity: b:{e.ID}\n  - func: ./jobs.C\n    key: c:{id}\n    order: {account: e.ID}\n", []string{
			`idemgen.yaml:5:12: a map where a text is wanted; write order: "b:{e.ID} at {e.N}"`,
			`idemgen.yaml:9:7: a map where a text is wanted; write order: "b:{e.ID} at {e.N}"`,
			`idemgen.yaml:13:12: a map where a text is wanted; write order: "account:{event.AccountID} at {event.Version}"`,
		}},
		{"a misspelt order", "handlers:\n  - func: ./jobs.A\n    key: a:{id}\n    ordr: b:{id} at {n}\n  - func: ./jobs.B\n    key: b:{id}\n    order: 5\n", []string{
			`idemgen.yaml:5:5: unknown key "ordr" in a handler; did you mean order?`,
			`idemgen.yaml:8:12: 5 where a text is wanted; quote it: order: "5"`,
		}},
		{"tags", "handlers:\n  - func: !foo \"A\"\n    key: !!binary Zm9v\n    name: !important\n    attempts: !!str 5\n", []string{
			"idemgen.yaml:3:11: the tag !foo" + tag, "idemgen.yaml:4:10: the tag !!binary" + tag, "idemgen.yaml:5:11: the tag !important" + tag,
			"idemgen.yaml:6:15: the tag !!str stands where a number is wanted; remove it, or quote the text that begins with it",
		}},
		{"lists of several", "handlers:\n  - func: [./jobs.A, ./jobs.B]\n    key: [" + strings.Repeat("a, ", 50) + "b]\n", []string{
			"idemgen.yaml:3:11: a list where a text is wanted; write func: ./jobs.Notify",
			`idemgen.yaml:4:10: a list where a text is wanted; write key: "notify:{event.ID}"`,
		}},
		{"reasons behind colons", "handlers:\n  - func: ./jobs.A\n    key: a:{id}\n    allow:\n      - e.Attempt: because\n      - {e.N: 'it is, too'}\n      - e.X: [y]\n", []string{
			"idemgen.yaml:6:9: a map where a text is wanted; write it without the colon: e.Attempt because",
			`idemgen.yaml:7:9: a map where a text is wanted; write it without the colon: "e.N it is, too"`,
			`idemgen.yaml:8:9: a map where a text is wanted; write allow: "event.Attempt the sender counts it, not the broker"`,
		}},
		{"all that is wrong without a function", "handlers:\n  - key: a:{id\n    lease: soon\n    retain: 5\n    audit: a by\n", []string{
			"idemgen.yaml:3:5: the func is missing; name the function, such as func: ./jobs.Notify",
			`idemgen.yaml:3:12: "{" is not closed; close the placeholder with "}"`,
			`idemgen.yaml:4:12: "soon" is not a duration; `,
			"idemgen.yaml:5:13: 5 where a duration is wanted; write its unit, too: 5s, 5m, 5h or 5d",
			"idemgen.yaml:6:16: a column is missing at the end; ",
		}},
		{"an alias of something else", "handlers:\n  - func: ./jobs.A\n    key: &k [a]\n    name: *k\n    allow: *k\n", []string{
			"idemgen.yaml:4:10: a list where a text is wanted; write it without the brackets or the dash: key: a",
			"idemgen.yaml:5:11: a list where a text is wanted; write name: notify",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, wrong, err := parseConfig([]byte("version: 1\n" + test.text))
			if err == nil {
				err = wrong.Err()
			}
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.Split(err.Error(), "\n")
			for i, want := range test.want {
				// What the table of directives says is not for this test.
				if i < len(got) && strings.HasPrefix(got[i], want) && strings.HasSuffix(want, " ") {
					got[i] = want
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("want -, got +:\n%s", diff)
			}
		})
	}
}

// Of a handler that is wrong the rest is kept, for what is to come of it to be
// expected, and what is wrong with it to be told. Where there may be other handlers, nothing is.
func TestBrokenConfig(t *testing.T) {
	config, wrong, err := parseConfig([]byte("version: 2\ntable: 1\ndialect: [mysql, sqlite]\nhandlers:\n  - {func: ./jobs.A, kee: a, lease: 5m}\n  - {key: b}\n  - {func: ./jobs.C, key: c}\n"))
	if err != nil || len(wrong) != 6 {
		t.Fatal(err, wrong)
	}
	if a, c := config.Handlers[0], config.Handlers[1]; len(config.Handlers) != 2 || a.Func != "./jobs.A" || len(a.Directives) != 2 || a.Directives[0].Args != "5m" || !a.Directives[1].Unread || c.Func != "./jobs.C" || len(c.Directives) != 1 {
		t.Errorf("handlers %v", config.Handlers)
	}
	if config.Table != "job_runs" || len(config.Dialects) != 1 || config.Dialects[0] != spec.SQLite {
		t.Errorf("table %s, dialects %v", config.Table, config.Dialects)
	}
	for _, text := range []string{"version: 1\nhandlers: {}\n", "version: 1\nhandlesr:\n  - func: ./jobs.A\n", "version: 1\nhandlers: [\n", "5\n"} {
		if _, _, err := parseConfig([]byte(text)); err == nil {
			t.Errorf("%q can be gone on with", text)
		}
	}
}
