package spec

import (
	"flag"
	"os"
	"strings"
	"testing"
)

// The reference has a row and a section of each directive, and each of its
// examples of a line is one that is taken.
func TestReference(t *testing.T) {
	text := Reference()
	for _, def := range directiveTable {
		if !strings.Contains(text, "\n| [`"+def.Name+"`](#"+def.Name+") |") || strings.Count(text, "\n## "+def.Name+"\n") != 1 {
			t.Errorf("%s is not in the reference", def.Name)
		}
		if !def.accepts(def.Example) {
			t.Errorf("the example of %s is refused", def.Name)
		}
	}
	for _, row := range []string{
		"| [`retain`](#retain) | `DURATION \\| forever` | 30d | how long a finished run answers duplicates |\n",
		"| [`lease`](#lease) | `DURATION` | 5m |", "| [`attempts`](#attempts) | `NUMBER` | 20 |",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("no row %s", row)
		}
	}
	examples := 0
	for line := range strings.Lines(text) {
		directive, ok := strings.CutPrefix(line, "    //idem:")
		name, args, _ := strings.Cut(strings.TrimSpace(directive), " ")
		def, known := lookupDirective(name)
		if !ok || args == def.Args {
			continue
		}
		examples++
		if !known || !def.accepts(args) {
			t.Errorf("refused: %s", line)
		}
	}
	if examples < 8 {
		t.Errorf("%d examples", examples)
	}
	if strings.Contains(text, "\n\n\n") || strings.Contains(text, " \n") || !strings.HasSuffix(text, ".\n") {
		t.Error("the space in the reference is out of order")
	}
}

// The help and the reference have all directives and all verbs.
func TestHelp(t *testing.T) {
	help := Help()
	for _, want := range []string{
		"\n  key TEMPLATE\n        makes the function a handler and says which event values name one piece of work\n        default: required\n",
		"\n  name NAMESPACE\n        the handler's namespace, where the key does not begin with it\n        default: first literal of the key, up to :\n",
		"\n  allow FIELD REASON\n", "\n  date   of time.Time: its day in UTC, 2026-03-14\n",
	} {
		if !strings.Contains(help, want) {
			t.Errorf("no %q in\n%s", want, help)
		}
	}
	for _, def := range directiveTable {
		if !strings.Contains(help, "\n  "+def.Name+" "+def.Args+"\n") {
			t.Errorf("no %s", def.Name)
		}
	}
	for _, v := range verbTable {
		if !strings.Contains(help, "\n  "+v.name+" ") || !strings.Contains(Reference(), "\n| `"+v.name+"` | ") {
			t.Errorf("no %s", v.name)
		}
	}
	for line := range strings.Lines(help) {
		if strings.ContainsAny(line, "`\t") || line != "\n" && strings.TrimRight(line, " \n")+"\n" != line {
			t.Errorf("%q", line)
		}
	}
}

// The fields of handlers that the reference shows are taken.
func TestReferenceOfYAML(t *testing.T) {
	_, section, _ := strings.Cut(Reference(), "\n## In idemgen.yaml\n")
	section, _, _ = strings.Cut(section, "\n## ")
	examples := 0
	for line := range strings.Lines(section) {
		name, args, ok := strings.Cut(strings.TrimSpace(line), ": ")
		def, known := lookupDirective(name)
		if !ok || !known {
			continue
		}
		examples++
		if !def.accepts(strings.Trim(args, `"`)) {
			t.Errorf("refused: %s", line)
		}
	}
	if examples != 5 {
		t.Errorf("%d examples", examples)
	}
}

var update = flag.Bool("update", false, "write docs/directives.md")

// The reference that users read is the one that the table writes.
func TestReferenceIsCurrent(t *testing.T) {
	const path = "../../../docs/directives.md"
	if *update {
		if err := os.WriteFile(path, []byte(Reference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != Reference() {
		t.Errorf("%s is not what the table writes; go test ./generator/internal/spec -run ReferenceIsCurrent -update", path)
	}
}
