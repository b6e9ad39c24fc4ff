package generator

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
)

// benchTree is a module of the size of a real one, whose packages are written
// from the templates below. Every package imports two shared ones.
type benchTree struct {
	root     string
	packages []benchPackage
	revision int // of the edits
}

// benchPackage is what the templates read.
type benchPackage struct {
	Name      string
	Annotated bool
	Files     []benchFile
	Imports   []string // names of packages of the tree
	Revision  int
}

type benchFile struct {
	Name     string
	Handlers []benchHandler
}

type benchHandler struct {
	Name, Key string
	Method    bool
}

// benchFiles are the source files of a package and their handlers. Those with
// a star are methods.
var benchFiles = []string{"notify Notify Remind*", "charge Charge* Refund Invoice", "ship Ship* Close", "sync Sync Import* Archive"}

// newBenchTree writes a module of annotated packages, of ten handlers each,
// among others.
func newBenchTree(b *testing.B, annotated, others int) *benchTree {
	b.Helper()
	t := &benchTree{root: b.TempDir()}
	for i := range annotated + others {
		p := benchPackage{Name: fmt.Sprintf("p%03d", i), Annotated: i < annotated}
		for _, words := range benchFiles {
			p.Files = append(p.Files, newBenchFile(p.Name, strings.Fields(words)))
		}
		for _, j := range benchImports(i, annotated) {
			if j < annotated+others {
				p.Imports = append(p.Imports, fmt.Sprintf("p%03d", j))
			}
		}
		t.packages = append(t.packages, p)
	}
	t.module(b)
	for _, p := range t.packages {
		t.write(b, p)
	}
	t.edit(b, len(t.packages))
	return t
}

// benchImports returns the packages that a package imports. Those without
// handlers are a tree, each above two others; those with handlers import one
// of them each, so that the handlers of three rest on three eighths of it.
func benchImports(i, annotated int) []int {
	if i < annotated {
		return []int{annotated + 7 + i%8}
	}
	k := i - annotated
	return []int{annotated + 2*k + 1, annotated + 2*k + 2}
}

func newBenchFile(pkg string, words []string) benchFile {
	f := benchFile{Name: words[0]}
	for _, word := range words[1:] {
		name, method := strings.CutSuffix(word, "*")
		f.Handlers = append(f.Handlers, benchHandler{Name: name, Key: pkg + "-" + strings.ToLower(name), Method: method})
	}
	return f
}

// module writes what the packages share. The module requires this one, from
// the working copy, and whatever this one requires.
func (t *benchTree) module(b *testing.B) {
	b.Helper()
	repo, err := filepath.Abs("..")
	if err != nil {
		b.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	if err != nil {
		b.Fatal(err)
	}
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Replace(string(mod), "module github.com/idemgen/idemgen", "module example.com/shop", 1)
	text += "\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => " + repo + "\n"
	t.file(b, "go.mod", []byte(text))
	t.file(b, "go.sum", sum)
	t.file(b, "money/money.go", []byte(benchMoney))
	t.file(b, "order/order.go", []byte(benchOrder))
}

func (t *benchTree) file(b *testing.B, name string, data []byte) {
	b.Helper()
	name = filepath.Join(t.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		b.Fatal(err)
	}
}

func (t *benchTree) write(b *testing.B, p benchPackage) {
	b.Helper()
	for _, f := range p.Files {
		t.render(b, p.Name+"/"+f.Name+".go", "handlers", map[string]any{"Package": p, "Handlers": f.Handlers})
	}
	for _, name := range []string{"service.go", "client.go", "store.go", "service_test.go"} {
		t.render(b, p.Name+"/"+name, name, p)
	}
}

func (t *benchTree) render(b *testing.B, name, tmpl string, data any) {
	b.Helper()
	var text bytes.Buffer
	if err := benchTemplates.ExecuteTemplate(&text, tmpl, data); err != nil {
		b.Fatal(err)
	}
	t.file(b, name, text.Bytes())
}

// edit changes the content and the export data of the first n packages and,
// if those are all, of the shared ones.
func (t *benchTree) edit(b *testing.B, n int) {
	b.Helper()
	t.revision++
	dirs := []string{"money", "order"}
	for _, p := range t.packages {
		dirs = append(dirs, p.Name)
	}
	if n < len(t.packages) {
		dirs = dirs[2 : 2+n]
	}
	for _, dir := range dirs {
		t.render(b, dir+"/revision.go", "revision.go", benchPackage{Name: dir, Revision: t.revision})
	}
}

var benchTemplates = template.Must(template.New("").Parse(benchText))
