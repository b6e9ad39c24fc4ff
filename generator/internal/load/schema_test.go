package load

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// What the reader takes is right by the schema, and what is wrong by the schema
// it refuses. The other way round the schema cannot know all.
func TestSchemaAgrees(t *testing.T) {
	const version = "version: 1\n"
	for _, test := range []struct {
		texts         []string
		reader, right bool
	}{
		{[]string{
			version, `{"version": 1}`, version + "dialect: sqlite\n", version + "dialect: [sqlite, postgres]\n", version + "table: a.b\n",
			version + "redelivery: .5d1.h5m\n", version + "redelivery: 1d0.5h\n", version + "migrations: {dir: ./a/.b/../c, tool: atlas}\naudit: {}\n",
			version + "audit: {dir: ..a}\n",
			version + "defaults: {lease: 1m, retain: forever, attempts: 1000000}\n", version + "handlers: []\n",
			version + "handlers:\n- {func: ' a ', key: \"b\\n\", lease: ' 1m ', retain: \"forever\\n\", attempts: 1, name: ' a ', allow: a b}\n",
			version + "handlers:\n- &a {func: a, key: b, allow: [a, b]}\n- {<<: *a, func: c}\n",
		}, true, true},
		{[]string{
			"", "[]", "version: 2\n", "version: '1'\n", "dialect: sqlite\n", version + "x: 1\n", version + "dialect: mysql\n", version + "dialect: []\n",
			version + "dialect: [sqlite, sqlite]\n", version + "table: A\n", version + "table: a.b.c\n", version + "table: 1\n",
			version + "redelivery: 1\n", version + "redelivery: '1'\n", version + "redelivery: forever\n", version + "redelivery: 1h1d\n", version + "redelivery: d\n",
			version + "redelivery: ' 1d'\n", version + "redelivery: -1d\n", version + "redelivery: 1y\n", version + "redelivery: ''\n",
			version + "migrations: x\n", version + "migrations:\n", version + "migrations: {tool: none}\n", version + "migrations: {dir: /a}\n", version + "migrations: {dir: ../a}\n",
			version + "migrations: {dir: ..}\n", version + "migrations: {dir: 'a\\b'}\n", version + "audit: {dir: ''}\n", version + "audit: {dir: \"a\\tb\"}\n", version + "audit: {x: 1}\n",
			version + "defaults: {lease: 1}\n", version + "defaults: {retain: 1}\n", version + "defaults: {attempts: 0}\n", version + "defaults: {attempts: 1000001}\n", version + "defaults: {attempts: '1'}\n",
			version + "defaults: {name: a}\n", version + "handlers: {}\n", version + "handlers:\n", version + "handlers:\n- \n", version + "handlers:\n- {}\n", version + "handlers:\n- {func: a}\n",
			version + "handlers:\n- {key: a}\n", version + "handlers:\n- {func: a, key: b, x: c}\n", version + "handlers:\n- {func: ' ', key: b}\n", version + "handlers:\n- {func: a, key: {b}}\n",
			version + "handlers:\n- {func: a, key: b, lease: 5}\n", version + "handlers:\n- {func: a, key: b, attempts: '5'}\n", version + "handlers:\n- {func: a, key: b, allow: []}\n",
			version + "handlers:\n- {func: a, key: b, allow: [1]}\n",
		}, false, false},
		{[]string{
			version + "defaults: {lease: 40d}\n", version + "redelivery: 0s\n", version + "redelivery: 40d\n", version + "defaults: {lease: 2h, retain: 1h}\n",
			version + "dialect: sqlite\ntable: a.b\n", version + "audit: {dir: migrations}\n", version + "audit: {dir: a/../../b}\n",
		}, false, true},
		{[]string{ // which are left to the rules for directives
			version + "handlers:\n- {func: a, key: b, lease: x}\n", version + "handlers:\n- {func: a, key: b, lease: forever}\n",
			version + "handlers:\n- {func: a, key: b, retain: 1y}\n", version + "handlers:\n- {func: a, key: b, name: A}\n",
		}, true, false},
	} {
		for _, text := range test.texts {
			_, wrong, err := parseConfig([]byte(text))
			if reads := err == nil && wrong == nil; reads != test.reader {
				t.Errorf("%q: the reader says %t: %v %v", text, reads, err, wrong)
			}
			if fault := schemaFault(t, text); (fault == "") != test.right {
				t.Errorf("%q: by the schema %s", text, fault)
			}
		}
	}
}

// The forms of durations and names hold for all that package spec takes.
func TestSchemaForms(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for _, form := range []struct {
		pattern, letters string
		takes            func(string) bool
	}{
		{durationPattern, "0123456789.-dhmsnµu", func(s string) bool { _, err := spec.ParseDuration(s); return err == nil }},
		{foreverPattern, "05.dhms", func(s string) bool { _, err := spec.ParseRetain(s); return err == nil }},
		{tablePattern, "aZ_0.", func(s string) bool { return spec.CheckTable(s) == nil }},
	} {
		pattern, letters, taken := regexp.MustCompile(form.pattern), []rune(form.letters), 0
		for range 200_000 {
			text := make([]rune, 1+random.Intn(7))
			for i := range text {
				text[i] = letters[random.Intn(len(letters))]
			}
			if form.takes(string(text)) {
				taken++
				if !pattern.MatchString(string(text)) {
					t.Fatalf("%s does not match %q", form.pattern, string(text))
				}
			}
		}
		if taken < 1000 {
			t.Errorf("only %d texts were taken for %s", taken, form.pattern)
		}
	}
	if !regexp.MustCompile(foreverPattern).MatchString("forever") {
		t.Error("forever")
	}
}

// Every key that the reader knows is in the schema, and says what it is; and
// every example is right by it.
func TestSchemaKeys(t *testing.T) {
	var root schemaMap
	if err := json.Unmarshal(Schema(), &root); err != nil {
		t.Fatal(err)
	}
	d := newConfigReader(nil)
	checkKeys(t, "", d.top(), root)
	checkKeys(t, "handlers", d.handlerFields(&spec.Declaration{}), root.sub("properties", "handlers", "items"))
	checkKeys(t, "upserts", d.upsertFields(&spec.UpsertDeclaration{}), root.sub("properties", "upserts", "items"))
	if begins := "{\n  \"$comment\": \"Code generated by idemgen; DO NOT EDIT.\",\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"; !strings.HasPrefix(string(Schema()), begins) {
		t.Errorf("it begins %.100s", Schema())
	}
	if !bytes.HasSuffix(Schema(), []byte("}\n")) {
		t.Error("its form is not that of a text file")
	}
}

func checkKeys(t *testing.T, within string, fields []field, s schemaMap) {
	t.Helper()
	var names, needed []string
	for _, f := range fields {
		names = append(names, f.Name)
		if f.Default == required {
			needed = append(needed, f.Name)
		}
		value := s.sub("properties", f.Name)
		if text, _ := value["description"].(string); !strings.HasPrefix(text, spec.UpperFirst(f.Doc)+".") {
			t.Errorf("%s %s is described by %q", within, f.Name, text)
		}
		examples, _ := value["examples"].([]any)
		if f.fields == nil && value["const"] == nil && !strings.Contains(f.Args, "postgres") && value["enum"] == nil && f.Name != "handlers" && f.Name != "upserts" && len(examples) != 1 {
			t.Errorf("%s %s has no example", within, f.Name)
		}
		for _, example := range examples {
			if fault := value.fault(example); fault != "" {
				t.Errorf("the example of %s %s: %s", within, f.Name, fault)
			}
		}
		if f.fields != nil {
			checkKeys(t, f.Name, f.fields, value)
		}
	}
	var inSchema []string
	for name := range s.sub("properties") {
		inSchema = append(inSchema, name)
	}
	slices.Sort(inSchema)
	if diff := cmp.Diff(slices.Sorted(slices.Values(names)), inSchema); diff != "" {
		t.Errorf("keys of %s: want -, got +:\n%s", within, diff)
	}
	var inNeeded []string
	for _, name := range s.list("required") {
		inNeeded = append(inNeeded, name.(string))
	}
	if diff := cmp.Diff(needed, inNeeded); diff != "" {
		t.Errorf("required in %s: want -, got +:\n%s", within, diff)
	}
	if s["additionalProperties"] != false {
		t.Errorf("%s takes other keys", within)
	}
}
