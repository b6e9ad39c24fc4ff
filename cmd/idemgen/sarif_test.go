package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// sarifRequired is what SARIF 2.1.0 demands of the objects that we write, by
// the property that holds them: each has all of these.
var sarifRequired = map[string][]string{
	"":                           {"version", "runs"},
	"runs":                       {"tool"},
	"tool":                       {"driver"},
	"driver":                     {"name"},
	"rules":                      {"id"},
	"results":                    {"message"},
	"message":                    {"text"}, // or an id, of which we have none
	"shortDescription":           {"text"},
	"help":                       {"text"},
	"invocations":                {"executionSuccessful"},
	"toolExecutionNotifications": {"message"},
	"region":                     {"startLine"}, // or an offset, of which we have none
}

// sarifValues are the properties that have to have one of some values.
var sarifValues = map[string][]string{
	"version":    {"2.1.0"}, // of the log
	"level":      {"none", "note", "warning", "error"},
	"columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
}

// wholeDocument has everything that a document can have.
func wholeDocument() *document {
	doc := newDocument()
	placed := problem{File: "jobs/é 1%:2.go", Line: 3, Col: 4, Message: "bad {{x}", Cure: "write {event.ID}"}
	doc.Errors = append(doc.Errors, placed, problem{Message: "disk full"})
	doc.Notices = append(doc.Notices, placed, problem{Message: "no handler", Cure: "write {event.ID}"})
	for _, is := range []status{statusWrote, statusRemoved, statusUnchanged, statusDrifted, statusMissing, statusLeftOver} {
		doc.Files = append(doc.Files, file{Path: "../x:y/" + string(is) + ".go", Status: is})
	}
	return doc
}

func TestSARIF(t *testing.T) {
	for _, doc := range []*document{wholeDocument(), newDocument()} {
		for _, dry := range []bool{false, true} {
			var stdout bytes.Buffer
			cmd := rootCommand()
			cmd.SetOut(&stdout)
			if err := printSARIF(cmd, &output{dryRun: dry}, doc); err != nil {
				t.Fatal(err)
			}
			var log map[string]any
			if err := json.Unmarshal(stdout.Bytes(), &log); err != nil {
				t.Fatal(err)
			}
			sarifObject(t, "", log)
			run := log["runs"].([]any)[0].(map[string]any)
			sarifResults(t, run)
			if got, want := len(run["results"].([]any)), 2+doc.findings(); len(doc.Errors) > 0 && got != want {
				t.Errorf("%d results, want %d", got, want)
			}
		}
	}
}

// sarifObject checks an object and those in it.
func sarifObject(t *testing.T, name string, object map[string]any) {
	t.Helper()
	for _, property := range sarifRequired[name] {
		if _, ok := object[property]; !ok {
			t.Errorf("%s has no %s: %v", name, property, object)
		}
	}
	for property, value := range object {
		switch value := value.(type) {
		case map[string]any:
			sarifObject(t, property, value)
		case []any:
			for _, item := range value {
				sarifObject(t, property, item.(map[string]any))
			}
		case string:
			if property == "text" && strings.ContainsAny(strings.NewReplacer("{{", "", "}}", "").Replace(value), "{}") {
				t.Errorf("%s is %q, with a placeholder that no argument is for", name, value)
			}
			if want := sarifValues[property]; name != "driver" && want != nil && !slices.Contains(want, value) {
				t.Errorf("%s.%s is %q", name, property, value)
			}
		case nil:
			t.Errorf("%s.%s is null", name, property)
		case float64:
			if strings.HasPrefix(property, "start") && value < 1 {
				t.Errorf("%s.%s is %v", name, property, value)
			}
		}
	}
}

// sarifResults checks that each result has its rule, and a place whose URI is
// one that consumers resolve against the root of their sources.
func sarifResults(t *testing.T, run map[string]any) {
	t.Helper()
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	for _, r := range run["results"].([]any) {
		result := r.(map[string]any)
		index := int(result["ruleIndex"].(float64))
		if id := rules[index].(map[string]any)["id"]; id != result["ruleId"] {
			t.Errorf("rule %v is that of index %d, %v", result["ruleId"], index, id)
		}
		location := result["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
		text := location["artifactLocation"].(map[string]any)["uri"].(string)
		uri, err := url.Parse(text)
		if err != nil || uri.IsAbs() || strings.HasPrefix(uri.Path, "/") || strings.ContainsFunc(text, notInURI) {
			t.Errorf("uri %q: %v", text, err)
		}
	}
}

func notInURI(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^{|}`+"`", r) }

// The one who shows a message gets the text.
func TestSARIFMessage(t *testing.T) {
	if got, want := messageOf("{{x} {event.ID}").Text, "{{{{x}} {{event.ID}}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSARIFURI(t *testing.T) {
	for name, want := range map[string]string{
		"jobs/notify.go": "jobs/notify.go",
		"a b/100%.go":    "a%20b/100%25.go",
		"a:b.go":         "./a:b.go",
		"#?.go":          "%23%3F.go",
		"../é.go":        "../%C3%A9.go",
		"/tmp/a b.go":    "file:///tmp/a%20b.go",
	} {
		if got := sarifURI(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Columns count characters, where the file can be read that far.
func TestCodePoints(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.go", "é\néé€x\n")
	for _, tt := range []struct {
		file           string
		line, col, got int
	}{
		{"a.go", 2, 1, 1}, {"a.go", 2, 3, 2}, {"a.go", 2, 8, 4}, {"a.go", 2, 9, 5}, {"a.go", 2, 10, 10},
		{"a.go", 3, 1, 1}, {"a.go", 4, 7, 7}, {"none.go", 2, 8, 8},
	} {
		p := problem{File: tt.file, Line: tt.line, Col: tt.col}
		if got := codePoints(p); got != tt.got {
			t.Errorf("%s is column %d, want %d", fmt.Sprint(p), got, tt.got)
		}
	}
}
