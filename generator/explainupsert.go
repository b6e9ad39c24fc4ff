package generator

import (
	"context"
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// Upsert is what [ExplainAll] tells of a type whose values are rows of a table.
// Paths are slash-separated and relative to the root.
type Upsert struct {
	Name     string // Recipient
	Package  string // import path
	Dir      string // of the package; "." is the root
	Pos      Pos    // of the type's name
	Declared Pos    // of the directive, or the entry in idemgen.yaml

	Table   string
	By      []string // the columns of the key
	Version string   // column; empty if there is none
	Nulls   string   // same, distinct, or empty
	Columns []string // all, in the order of the fields

	Funcs []string // UpsertRecipient, UpsertRecipients
	Files []string // that belong to the type or its source file, whether they are there or not
}

// Explained is all there is to tell of a project.
type Explained struct {
	Handlers []Handler
	Upserts  []Upsert
}

// ExplainAll is [Explain], and tells of upserts, too.
func ExplainAll(ctx context.Context, cfg Config) (Explained, error) {
	out, err := cfg.explained(ctx)
	if err != nil {
		return Explained{}, err
	}
	var told Explained
	for _, file := range out.spec.Files {
		for _, h := range file.Handlers {
			told.Handlers = append(told.Handlers, out.explain(h))
		}
		for _, u := range file.Upserts {
			told.Upserts = append(told.Upserts, out.explainUpsert(u))
		}
	}
	return told, nil
}

// explained loads a project, and makes its Go files for their names.
func (cfg Config) explained(ctx context.Context) (*output, error) {
	program, err := cfg.load(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{root: cfg.Dir, spec: program.Spec}
	return out, emitGo(out)
}

func (o *output) explainUpsert(u *spec.Upsert) Upsert {
	told := Upsert{
		Name: u.Type, Package: u.File.Package.Path, Dir: u.File.Package.Dir, Pos: u.Pos, Declared: u.Declared,
		Table: u.Table, By: u.By, Version: u.Version, Nulls: string(u.Nulls), Files: o.filesOfUpsert(u),
	}
	for _, c := range u.Columns {
		told.Columns = append(told.Columns, c.Name)
	}
	for _, d := range o.spec.Config.Dialects {
		one, many := u.Funcs(d, o.spec.Config.Dialects)
		told.Funcs = append(told.Funcs, one, many)
	}
	return told
}

// filesOfUpsert returns the files that belong to an upsert, as filesOf does.
func (o *output) filesOfUpsert(u *spec.Upsert) []string {
	fixture := path.Join(u.File.Package.Dir, u.Fixture())
	var files []string
	for _, f := range o.files {
		if source, ok := spec.SourceOf(f.Path); ok && source == u.File.Path || f.Path == fixture {
			files = append(files, f.Path)
		}
	}
	if !slices.Contains(files, fixture) && exists(o.root, fixture) {
		files = append(files, fixture)
	}
	for _, d := range o.spec.Config.Dialects {
		files = append(files, sqlgen.UpsertAuditPath(o.spec.Config, d, u))
	}
	slices.Sort(files)
	return files
}
