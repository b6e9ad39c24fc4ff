package load

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

var update = flag.Bool("update", false, "write docs/configuration.md")

// The reference that users read is the one that the tables write.
func TestConfigReferenceIsCurrent(t *testing.T) {
	const path = "../../../docs/configuration.md"
	if *update {
		if err := os.WriteFile(path, []byte(ConfigReference()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(data) != ConfigReference() {
		t.Errorf("%s is not what the tables write; go test ./generator/internal/load -run ConfigReferenceIsCurrent -update", path)
	}
}

// The reference has a row of each key, and its example is taken.
func TestConfigReference(t *testing.T) {
	text := ConfigReference()
	d := newConfigReader(nil)
	rows := map[string]bool{}
	for line := range strings.Lines(text) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |"); ok && strings.HasPrefix(line, "| `") {
			rows[name] = true
		}
	}
	for _, f := range d.top() {
		for _, sub := range f.fields {
			if !rows[f.Name+"."+sub.Name] {
				t.Errorf("no row of %s.%s", f.Name, sub.Name)
			}
		}
		if f.fields == nil && !rows[f.Name] {
			t.Errorf("no row of %s", f.Name)
		}
	}
	for _, f := range d.handlerFields(&spec.Declaration{}) {
		if !rows[f.Name] {
			t.Errorf("no row of a handler's %s", f.Name)
		}
	}
	for _, row := range []string{
		"| `version` | `1` | required | the version of this file's form |\n",
		"| `migrations.tool` | `plain \\| goose \\| golang-migrate \\| tern \\| dbmate \\| atlas` | plain | the tool that runs the migrations |\n",
		"| `allow` | `FIELD REASON`, or a list | none |",
		"| `defaults.retain` | `DURATION \\| forever` | 30d | how long a finished run answers duplicates |\n",
	} {
		if !strings.Contains(text, row) {
			t.Errorf("no row %s", row)
		}
	}
	var example strings.Builder
	for line := range strings.Lines(text) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example.WriteString(code)
		}
	}
	config, wrong, err := parseConfig([]byte(example.String()))
	if err != nil || wrong != nil || config.Schema != "idemgen.schema.json" || len(config.Handlers) != 2 {
		t.Errorf("the example: %v %v %+v", err, wrong, config)
	}
	if strings.Contains(text, "\n\n\n") || strings.Contains(text, " \n") || !strings.HasSuffix(text, "|\n") {
		t.Error("the space in the reference is out of order")
	}
}
