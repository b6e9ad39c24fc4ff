package load

import (
	"bytes"
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// FuzzConfig reads whatever there is as idemgen.yaml: it never panics, every
// error has a place in the file and a cure, what is taken is taken again, with
// places in the file, and is right by the schema.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{
		"version: 1\n", "\ufeffversion: 1\r\n", "", "null", "---\n...\n", "a: \"b\n", "a: [b, {c: d\n", "a: b: c\n", "a:\n\tb: c\n", "a: *b\n", "a: @b\n", "%a\n", "a: - b\n",
		"a\u0085b: \u2028c: d\u2029", "# yaml-language-server: $schema=x.json\nversion: 1\n", "a: 'it's'\n", "a: \"\\q\"\n", "- &a [*a]\n", "a: !!binary b\n", "? [a]\n: b\n", "a: |\n  b\n c\n",
		"version: 1\ndialect: [sqlite, postgres]\ntable: runs\nredelivery: 4d\nmigrations: {dir: a, tool: goose}\naudit: {dir: b}\ndefaults: {lease: 5m, retain: forever, attempts: 3}\n",
		"version: 1\nhandlers:\n- &a {func: ./jobs.A, key: 'a:{id}', allow: [a b, 'c']}\n- <<: *a\n  func: >\n    b\n  lease: \"2\\x6d\"\n- func: *a\n  key: {id}\n  attempts: '5'\n",
		"version: 1\naudit: &a {<<: *a}\ndefaults: {<<: [{lease: 5m}, {<<: *a}]}\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, wrong, err := parseConfig(data)
		if err != nil {
			errs, ok := errors.AsType[spec.Errors](err)
			if !ok {
				t.Fatalf("%T: %v", err, err)
			}
			wrong = errs
		}
		for _, e := range wrong {
			checkPlace(t, data, e.Pos)
			if e.Msg == "" || e.Cure == "" || bytes.ContainsAny([]byte(e.Error()), "\n\r") {
				t.Fatalf("an error says %q", e.Error())
			}
		}
		for _, h := range config.Handlers {
			checkDeclaration(t, data, h)
		}
		if wrong != nil {
			return
		}
		again, _, _ := parseConfig(data)
		if diff := cmp.Diff(config, again); diff != "" {
			t.Fatalf("another time:\n%s", diff)
		}
		// The YAML library refuses to resolve many aliases.
		if wellFormed(config) && yaml.Unmarshal(data, new(any)) == nil {
			if fault := schemaFault(t, string(data)); fault != "" {
				t.Fatalf("by the schema %s", fault)
			}
		}
	})
}

// wellFormed reports whether the arguments have the forms that the rules for
// directives ask for, too.
func wellFormed(config spec.Config) bool {
	for _, h := range config.Handlers {
		for _, d := range h.Directives {
			form, ok := argumentForms[argsOf(d.Name)]
			if d.Args == "" || ok && !regexp.MustCompile(`^(`+form+`)$`).MatchString(d.Args) || d.Name == "attempts" && !attemptsForm.MatchString(d.Args) {
				return false
			}
		}
	}
	return true
}

var attemptsForm = regexp.MustCompile(`^([1-9][0-9]{0,5}|1000000)$`)

func argsOf(name string) string {
	for _, f := range spec.Fields() {
		if f.Name == name {
			return f.Args
		}
	}
	return ""
}

// checkPlace checks that a place is in the file, its end included.
func checkPlace(t *testing.T, data []byte, at spec.Pos) {
	t.Helper()
	lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	if at.File != configName || at.Line < 1 || at.Line > len(lines) || at.Col < 1 || at.Col > len(lines[at.Line-1])+1 {
		t.Fatalf("%s is not in the file", at)
	}
}

// checkDeclaration checks the places in a handler, and that those texts lie in
// the file whose places can be counted.
func checkDeclaration(t *testing.T, data []byte, h spec.Declaration) {
	t.Helper()
	checkPlace(t, data, h.Pos)
	checkPlace(t, data, h.FuncPos)
	lines := bytes.Split(bytes.TrimPrefix(data, []byte("\ufeff")), []byte("\n"))
	for _, d := range h.Directives {
		checkPlace(t, data, d.Pos)
		checkPlace(t, data, d.ArgsPos)
		if rest := lines[d.ArgsPos.Line-1][d.ArgsPos.Col-1:]; !d.Fixed && !bytes.HasPrefix(rest, []byte(d.Args)) {
			t.Fatalf("%q is not at %s", d.Args, d.ArgsPos)
		}
	}
}
