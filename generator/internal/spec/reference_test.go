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
