package generator

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"testing"
	"time"
)

// The figures of docs/performance.md. Each loop runs the commands in turn, so
// that a machine that slows down slows all alike, and medians are compared.

// BenchmarkProject compares generate and check, as processes, with what a
// warm packages.Load with LoadSyntax takes in the same tree.
func BenchmarkProject(b *testing.B) {
	before := map[string]*projectTimes{}
	for _, packages := range []int{1, 10, 100} {
		tree := newBenchTree(b, packages, 0)
		r := newBenchRunner(b, tree.root)
		r.run(b, "", r.idemgen, "generate")
		for _, state := range []struct {
			name   string
			edited int
		}{{"warm", 0}, {"one", 1}, {"all", packages}} {
			b.Run(fmt.Sprintf("handlers=%d/packages=%d/edited=%s", 10*packages, packages, state.name), func(b *testing.B) {
				times := measureProject(b, r, tree, state.edited)
				times.report(b, before[state.name])
				before[state.name] = times
			})
		}
	}
}

// projectTimes are the times of the rounds of a benchmark.
type projectTimes struct {
	load, edited, generate, check []time.Duration
	memory                        []usage
}

func measureProject(b *testing.B, r *benchRunner, tree *benchTree, edited int) *projectTimes {
	b.Helper()
	edit := func() {
		if edited > 0 {
			tree.edit(b, edited)
		}
	}
	times := &projectTimes{}
	r.load(b, "./...")
	for b.Loop() {
		edit()
		times.generate = append(times.generate, r.generate(b).time)
		edit()
		times.check = append(times.check, r.check(b).time)
		times.edited = append(times.edited, r.load(b, "./..."))
		times.load = append(times.load, r.load(b, "./..."))
	}
	r.memory = true
	for _, command := range []func(*testing.B) usage{r.generate, r.check} {
		edit()
		times.memory = append(times.memory, command(b))
	}
	r.memory = false
	return times
}

// report tells the medians, in milliseconds and as ratios, and how they have
// grown from a tenth of the handlers.
func (t *projectTimes) report(b *testing.B, tenth *projectTimes) {
	b.Helper()
	load := median(t.load)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(load), "load-ms")
	b.ReportMetric(ms(median(t.edited)), "load-edited-ms")
	for i, command := range []struct {
		name        string
		time, tenth func(*projectTimes) []time.Duration
	}{
		{name: "generate", time: func(t *projectTimes) []time.Duration { return t.generate }},
		{name: "check", time: func(t *projectTimes) []time.Duration { return t.check }},
	} {
		took := median(command.time(t))
		b.ReportMetric(ms(took), command.name+"-ms")
		b.ReportMetric(ratio(took, load), command.name+"/load")
		b.ReportMetric(float64(t.memory[i].own)/1e6, command.name+"-MB")
		b.ReportMetric(float64(t.memory[i].kids)/1e6, command.name+"-go-MB")
		if tenth != nil {
			b.ReportMetric(ratio(took, median(command.time(tenth))), command.name+"/tenth")
		}
	}
}

func ms(d time.Duration) float64       { return float64(d.Microseconds()) / 1000 }
func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }

// BenchmarkFewAnnotated has 300 packages, 3 of them with handlers, and
// compares check with a plain parse of all files and a packages.Load of the
// three.
func BenchmarkFewAnnotated(b *testing.B) {
	tree := newBenchTree(b, 3, 297)
	r := newBenchRunner(b, tree.root)
	r.run(b, "", r.idemgen, "generate")
	const three = "./p000 ./p001 ./p002"
	r.load(b, three)
	var check, parse, load []time.Duration
	for b.Loop() {
		check = append(check, r.check(b).time)
		parse = append(parse, parseAll(b, tree.root))
		load = append(load, r.load(b, three))
	}
	plain := median(parse) + median(load)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(median(check)), "check-ms")
	b.ReportMetric(ms(median(parse)), "parse-ms")
	b.ReportMetric(ms(median(load)), "load-ms")
	b.ReportMetric(ratio(median(check), plain), "check/parse+load")
}

// parseAll parses every Go file, one after the other.
func parseAll(b *testing.B, root string) time.Duration {
	b.Helper()
	start := time.Now()
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" {
			return err
		}
		_, err = parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
