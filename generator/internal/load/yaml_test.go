package load

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is no YAML is told at its place, and how to write it.
func TestYAMLSyntax(t *testing.T) {
	const instruction = " begins with %, as instructions to a YAML parser do, and is none that can be followed here; remove the line"
	for _, test := range []struct{ name, text, want string }{
		{"a quote that does not end", "version: 1\ntable: \"x\naudit: {}\n", `2:8: the quote " is not closed; write a second " where the text ends`},
		{"another kind of quote, with CR LF", "version: 1\r\ntable: 'x\r\naudit: {}\r\n", `2:8: the quote ' is not closed; write a second ' where the text ends`},
		{"quotes before one that does not end", "a: [\"it's\", 'it''s', \"\\\"\", it's, 'x]\n", `1:34: the quote ' is not closed; write a second ' where the text ends`},
		{"a quote that a document's mark ends", "a: \"x\n---\nb\n", `1:4: the quote " is not closed; write a second " where the text ends`},
		{"a quote that another one ends", "version: 1\ntable: \"x\naudit: {dir: \"y\"}\n", "2:8: the text that is quoted here ends in line 3, and more follows it there; close the quote where the text ends"},
		{"text behind a quoted text", "a: \"x\" y\n", "1:8: y follows a quoted text; remove it, or quote the whole text"},
		{"an apostrophe", "a: 'it's'\n", "1:8: s' follows a quoted text; remove it, or quote the whole text"},
		{"a map that does not end", "version: 1\naudit: {dir: y\ntable: x\n", "2:8: { is not closed; close it with }, or quote the text that begins with it"},
		{"one that a quoted text ends", "version: 1\naudit: {dir: \"y\"\ntable: x\n", "2:8: { is not closed; close it with }, or quote the text that begins with it"},
		{"one at the end", "audit: {dir: y", "1:8: { is not closed; close it with }, or quote the text that begins with it"},
		{"a list that does not end", "dialect: [sqlite,\n  postgres\ntable: x\n", "1:10: [ is not closed; close it with ], or quote the text that begins with it"},
		{"a list in a list", "a: [b, [c, d]\ne: f\n", "1:4: [ is not closed; close it with ], or quote the text that begins with it"},
		{"a list that another bracket ends", "a: [b, c}\n", "1:9: } closes the [ at idemgen.yaml:1:4; write ]"},
		{"an apostrophe in quotes before", "a: ['it''s', {b: c]\n", "1:19: ] closes the { at idemgen.yaml:1:14; write }"},
		{"a bracket too many", "a: {b: c}}\n", "1:10: } closes nothing; remove it, or quote the text that it is in"},
		{"nothing but a closing one", "a: ]\n", "1:4: ] closes nothing; remove it, or quote the text that it is in"},
		{"placeholders first", "handlers:\n  - func: a\n    key: {event.ID}:x # why\n    lease: 5m\n", `3:10: the text {event.ID}:x has to be quoted; write "{event.ID}:x"`},
		{"placeholders only", "handlers:\n  - func: a\n    fingerprint: {a.B} {c}\n    lease: 5m\n", `3:18: the text {a.B} {c} has to be quoted; write "{a.B} {c}"`},
		{"a key in a line with others", "handlers:\n  - {func: a, key: notify:{event.ID}:{b}, lease: 5m}\n", `2:20: the text notify:{event.ID}:{b} has to be quoted; write "notify:{event.ID}:{b}"`},
		{"placeholders in a line with others", "handlers:\n  - {func: a, fingerprint: {a} {b}}\n", `2:28: the text {a} {b} has to be quoted; write "{a} {b}"`},
		{"a colon in a line with others", "handlers:\n  - {func: a, key: a: b, lease: 5m}\n", `2:20: the text a: b has to be quoted; write "a: b"`},
		{"a key in lines of brackets", "handlers:\n  - {func: a,\n    name: b\n      c,\n    key: notify:{event.ID}\n    }\n", `5:10: the text notify:{event.ID} has to be quoted; write "notify:{event.ID}"`},
		{"a colon with a space", "handlers:\n  - func: a\n    key: notify: {event.ID} # why\n", `3:10: the text notify: {event.ID} has to be quoted; write "notify:{event.ID}"`},
		{"a value of two", "version: 1: 2\n", `1:10: the text 1: 2 has to be quoted; write "1: 2"`},
		{"no colon above", "version 1\n\n# Ours.\ntable: x\n", "1:1: version 1 is no key with a value; put a colon and a space between the two"},
		{"no space behind the colon", "version:1\ntable: x\n", "1:1: version:1 is no key with a value; put a colon and a space between the two"},
		{"no colon in the line", "version: 1\ntable x\naudit: {}\n", "2:1: table x is no key with a value; put a colon and a space between the two"},
		{"no colon in a list", "handlers:\n  - func: a\n  - func c\n    key: d\n", "3:5: func c is no key with a value; put a colon and a space between the two"},
		{"an indentation below a value", "version: 1\n table: x\n", "2:2: the line is indented further than the one above, which has its value already; indent it as its neighbours"},
		{"a key further right", "handlers:\n  - func: a\n     key: b\n", "3:6: the line is indented further than the one above, which has its value already; indent it as its neighbours"},
		{"a key further left", "handlers:\n  - func: a\n  key: b\n", "3:3: the indentation fits no line above; indent the line as its neighbours"},
		{"an indentation between two", "version: 1\nmigrations:\n  dir: x\n tool: plain\ntable: x\n", "4:2: the indentation fits no line above; indent the line as its neighbours"},
		{"a text below a list that has ended", "dialect: [sqlite]\n  postgres\ntable: x\n", "2:3: the indentation fits no line above; indent the line as its neighbours"},
		{"a dash further right", "handlers:\n- func: a\n  key: b\n - func: c\n", "4:2: the indentation fits no line above; indent the line as its neighbours"},
		{"a dash without a space", "handlers:\n  - func: a\n  -func: c\n", "3:3: a dash without a space behind it begins no list entry; write a space behind the dash"},
		{"a list behind its key", "handlers: - func: a\n", "1:11: a list cannot begin behind its key; begin it in the next line, or write [ ] around it"},
		{"an at sign", "version: 1\ntable: @x # y\n", `2:8: a text cannot begin with @; quote it: "@x"`},
		{"a backquote", "audit: {dir: `x`, a: b}\n", "1:14: a text cannot begin with `; quote it: \"`x`\""},
		{"a percent sign", "version: 1\ntable: %x\n", `2:8: a text cannot begin with %; quote it: "%x"`},
		{"a percent sign that begins a line", "version: 1\n%x: y\n", `2:1: a text cannot begin with %; quote it: "%x"`},
		{"one that begins the file", "%x y\n---\nversion: 1\n", "1:1: %x y" + instruction},
		{"a directive of no YAML", "# Ours.\n%FOO bar\nversion: 1\n", "2:1: %FOO bar" + instruction},
		{"one with a colon", "%FOO: bar\n", "1:1: %FOO: bar" + instruction},
		{"a version of nothing", "%YAML\n---\nversion: 1\n", "1:1: %YAML" + instruction},
		{"one without a mark below", "%YAML 1.1\n\nversion: 1\n", "1:1: %YAML 1.1" + instruction},
		{"an error below the mark", "%YAML 1.1\n---\na: ]\n", "3:4: ] closes nothing; remove it, or quote the text that it is in"},
		{"one that follows keys", "version: 1\n%FOO bar\n", `2:1: a text cannot begin with %; quote it: "%FOO bar"`},
		{"a tag of nobody's", "version: 1\ntable: !x!y z\n", "2:8: the tag !x!y stands for nothing; remove it, or quote the text that begins with it"},
		{"another YAML", "# Ours.\n%YAML 1.2\n---\nversion: 1\n", "2:1: %YAML 1.2 is not the version of YAML that is read here; remove the line"},
		{"another YAML in the first line", "%YAML 1.2\n---\nversion: 1\n", "1:1: %YAML 1.2 is not the version of YAML that is read here; remove the line"},
		{"marks of a merge", "version: 1\n<<<<<<< HEAD\ntable: a\n=======\ntable: b\n>>>>>>> theirs\n", "2:1: a merge conflict is not resolved; keep the lines of one side, or parts of both, and remove the markers"},
		{"marks of a merge in three ways, with CR LF", "version: 1\r\nhandlers:\r\n||||||| base\r\n=======\r\n", "3:1: a merge conflict is not resolved; keep the lines of one side, or parts of both, and remove the markers"},
		{"a key with a space before its placeholder", "handlers:\n  - func: a\n    key: refund: {chargeID}\n", `3:10: the text refund: {chargeID} has to be quoted; write "refund:{chargeID}"`},
		{"an escape of nothing", "a: \"b\\q\"\n", `1:6: "\\q" means nothing between double quotes; write \\ for a backslash, or use single quotes`},
		{"an alias of nothing", "a: \"*t\"\n\ntable: *t\nb: '*t'\n", `3:8: no anchor &t stands above this alias; quote it, if it is a text: "*t"`},
		{"an alias that is a text", "a: &a b\nc: [*a, *Service.Notify]\n", `2:9: a text cannot begin with *; quote it: "*Service.Notify"`},
		{"a second document that does not parse", "version: 1\n---\na: [\n", "3:4: [ is not closed; close it with ], or quote the text that begins with it"},
		{"keys behind a map", "{a: 1}\nb: 2\n", "2:1: the document has ended above this line; put all keys into one map"},
		{"keys behind the end", "a: 1\n...\nb: 2\n", "3:1: the document has ended above this line; put all keys into one map"},
		{"a block in a line", "a:\n  b: | x\n", "2:3: not YAML: did not find expected comment or line break; mend the line, or the one above"},
		{"a comma", "a: 1\nb: , x\nc: d\n", `2:4: the text , x has to be quoted; write ", x"`},
		{"not UTF-8", "version: 1\ntable: \xff\n", "2:8: not YAML: the byte 0xff is no text; write the file in UTF-8, without control characters"},
		{"UTF-16", "\xff\xfea\x00", "1:1: not YAML: the byte 0xff is no text; write the file in UTF-8, without control characters"},
		{"a control character", "version: 1\naudit: {dir: \"ä\x07\"}\n", "2:17: not YAML: the byte 0x07 is no text; write the file in UTF-8, without control characters"},
		{"a mark in the middle", "version: 1\n\ufefftable: x\n", "2:1: not YAML: the byte 0xef is no text; write the file in UTF-8, without control characters"},
		{"line breaks that editors do not count", "# \u2028# \u0085version: 1: 2\n", `1:19: the text 1: 2 has to be quoted; write "1: 2"`},
		{"too deep", strings.Repeat("[", 20_000), "1:1: not YAML: exceeded max depth of 10000; mend the line, or the one above"},
		{"too long", "version: 1\n" + strings.Repeat("#", 1<<20), "1:1: the file has 1048587 bytes, which is too much; keep it below 1048576 bytes; directives declare handlers, too"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := parseConfig([]byte(test.text))
			if err == nil {
				t.Fatal("no error")
			}
			if want := "idemgen.yaml:" + test.want; err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
		})
	}
}

// Every line that is indented by tabs is told, if one is in the way.
func TestYAMLTabs(t *testing.T) {
	const text = "version: 1\nmigrations:\n\tdir: x\n  \ttool: plain\n\t# x\n"
	_, _, err := parseConfig([]byte(text))
	want := []string{
		"idemgen.yaml:3:1: a tab in the indentation; indent with spaces",
		"idemgen.yaml:4:3: a tab in the indentation; indent with spaces",
		"idemgen.yaml:5:1: a tab in the indentation; indent with spaces",
	}
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
	// This one is in nobody's way, and something else is.
	_, _, err = parseConfig([]byte("a: |\n  x\n  \ty\nversion: 1: 2\n"))
	if want := `idemgen.yaml:4:10: the text 1: 2 has to be quoted; write "1: 2"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// What the parser panics over is an error.
func TestYAMLPanic(t *testing.T) {
	if _, err := decodeYAML(panicking{}); err == nil || err.Error() != "yaml: out of range" {
		t.Errorf("got %v", err)
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("out of range") }
