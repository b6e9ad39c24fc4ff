package templates_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/templates"
)

// The folders have the same files, and each pair of files the same findings
// and the same questions about the data, in the same order.
func TestTwins(t *testing.T) {
	names := func(dialect string) []string {
		files, err := filepath.Glob(dialect + "/*")
		if err != nil {
			t.Fatal(err)
		}
		for i, file := range files {
			files[i] = filepath.Base(file)
		}
		return files
	}
	if diff := cmp.Diff(names("postgres"), names("sqlite")); diff != "" {
		t.Error(diff)
	}
	structure := regexp.MustCompile(`\{\{-? *(if|else|range|define|end)[^}]*\}\}|AS finding|(?m)^(CREATE \w+|DROP \w+|SELECT|FROM|WHERE|GROUP|ORDER|LIMIT)`)
	for _, name := range names("postgres") {
		if name == "expressions.sql" {
			continue
		}
		if diff := cmp.Diff(structure.FindAllString(read(t, "postgres/"+name), -1), structure.FindAllString(read(t, "sqlite/"+name), -1)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// The expressions differ; those that both dialects have come in one order.
func TestTwinExpressions(t *testing.T) {
	definition := regexp.MustCompile(`\{\{define "(\w+)"\}\}`)
	names := map[string][]string{}
	for _, dialect := range dialects {
		for _, found := range definition.FindAllStringSubmatch(read(t, dialect+"/expressions.sql"), -1) {
			names[dialect] = append(names[dialect], found[1])
		}
	}
	common := func(of, with string) []string {
		return slices.DeleteFunc(slices.Clone(names[of]), func(name string) bool { return !slices.Contains(names[with], name) })
	}
	if diff := cmp.Diff(common("postgres", "sqlite"), common("sqlite", "postgres")); diff != "" {
		t.Error(diff)
	}
	if len(common("postgres", "sqlite")) < 14 {
		t.Errorf("the dialects have only %v in common", common("postgres", "sqlite"))
	}
}

// The templates of a dialect are shared by all who render at the same time.
func TestRenderAtOnce(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, dialect := range dialects {
				if _, _, err := templates.JobRuns(dialect, "job_runs"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestParseTable(t *testing.T) {
	for name, want := range map[string]templates.Table{
		"job_runs":     {Name: "job_runs"},
		"app.job_runs": {Schema: "app.", Name: "job_runs"},
	} {
		got, err := templates.ParseTable(name)
		if err != nil || got != want || got.Table() != name {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "Job_runs", "a.b.c", "job runs", "job_runs;", `"x"`, ".x", "x.", "1x", "x\n"} {
		if got, err := templates.ParseTable(name); err == nil {
			t.Errorf("%q was taken for %+v", name, got)
		}
	}
	if _, _, err := templates.JobRuns("postgres", "x; DROP TABLE y"); err == nil {
		t.Error("a table's name reached SQL unchecked")
	}
	if _, _, err := templates.JobRuns("oracle", "job_runs"); err == nil {
		t.Error("a dialect that is not there was rendered")
	}
}
