package generator

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// The files that belong to handlers are those that Generate makes, but for the
// ones that belong to the whole project.
func TestExplainFiles(t *testing.T) {
	root, err := filepath.Abs("../examples/quickstart")
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Dir: root}
	handlers, err := Explain(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	files, err := Generate(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, f := range files {
		if f.Kind == Owned && !strings.HasSuffix(f.Path, "/job_runs.sql") { // which is of all handlers
			want = append(want, f.Path)
		}
	}
	for _, h := range handlers {
		for _, name := range h.Files {
			if !strings.HasSuffix(name, spec.FixtureSuffix) { // which the developer has
				got = append(got, name)
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

func TestPlaceholders(t *testing.T) {
	parts := []spec.KeyPart{
		{Text: "order.Cents", Encoder: spec.EncodeValue},
		{Text: "order.At", Encoder: spec.EncodeHour},
		{Text: "order.Currency", Encoder: spec.EncodeString, Verbs: []spec.Verb{spec.VerbTrim, spec.VerbLower}},
		{Text: "body", Encoder: spec.EncodeJSON},
	}
	const want = "{order.Cents} {order.At|hour} {order.Currency|trim|lower} {body|json}"
	if got := spec.Placeholders(parts); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
