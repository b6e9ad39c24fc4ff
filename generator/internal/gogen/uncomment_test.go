package gogen_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// uncommentExamples does what the fixtures of some cases ask the developer to
// do, and compiles them.
func (m *module) uncommentExamples(t *testing.T, cases ...string) {
	t.Helper()
	var patterns []string
	for _, name := range cases {
		patterns = append(patterns, "./"+name+"/...")
		files, _ := filepath.Glob(filepath.Join(m.dir, name, "*_fixture_test.go"))
		inJobs, _ := filepath.Glob(filepath.Join(m.dir, name, "jobs", "*_fixture_test.go"))
		for _, file := range append(files, inJobs...) {
			uncomment(t, file)
		}
	}
	m.goCmd(t, append([]string{"vet", "-tags=special"}, patterns...)...)
}

var (
	neededImports = regexp.MustCompile("(?m)^\t// This needs the imports (.*)\\.$")
	createTable   = regexp.MustCompile("`CREATE TABLE (\\w+) \\((.*)\\)`\\)")
)

func uncomment(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "For example:") {
		return // filled in
	}
	text := strings.ReplaceAll(string(data), "\t//\t", "\t")
	text = strings.ReplaceAll(text, "\t}\n\treturn nil\n", "\t}\n")
	needed := neededImports.FindStringSubmatch(text)
	if needed == nil || !strings.Contains(text, " context.Context, ") || strings.Contains(text, "return nil") {
		t.Fatalf("%s has no example:\n%s", file, data)
	}
	for _, imported := range strings.Split(needed[1], ", ") {
		if !strings.Contains(text, "\t"+imported+"\n") {
			text = strings.Replace(text, "import (\n", "import (\n\t"+imported+"\n", 1)
		}
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// runExamples runs the uncommented examples of a case, whose handlers write
// with what the package's variable database is set to, into tables that have
// a unique constraint: that is what the developer adds.
func (m *module) runExamples(t *testing.T, name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(m.dir, name, "jobs", "*_fixture_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := createTable.ReplaceAllStringFunc(string(data), func(create string) string {
			parts := createTable.FindStringSubmatch(create)
			var columns []string
			for _, column := range strings.Split(parts[2], ", ") {
				columns = append(columns, strings.Fields(column)[0])
			}
			return "`CREATE TABLE " + parts[1] + " (" + parts[2] + ", UNIQUE (" + strings.Join(columns, ", ") + "))`)\n\tdatabase = db.SQL()"
		})
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m.pass(t, name+"/", "real", "./"+name+"/...")
}
