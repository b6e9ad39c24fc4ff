package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/idemgen/idemgen/generator"
)

// upsertJSON is an upsert in the JSON of explain.
type upsertJSON struct {
	Name       string    `json:"name"`
	Package    string    `json:"package"`
	Type       placeJSON `json:"type"`
	Declared   placeJSON `json:"declared"`
	DeclaredBy string    `json:"declared_by"`
	Table      string    `json:"table"`
	By         []string  `json:"by"`
	Version    string    `json:"version"`
	Nulls      string    `json:"nulls"`
	Columns    []string  `json:"columns"`
	Functions  []string  `json:"functions"`
	Files      []string  `json:"files"`
}

// explainUpsert says all there is to say of an upsert.
func (p project) explainUpsert(u generator.Upsert) upsertJSON {
	told := upsertJSON{
		Name: u.Name, Package: u.Package, Type: p.place(u.Pos), Declared: p.place(u.Declared), DeclaredBy: "directive",
		Table: u.Table, By: u.By, Version: u.Version, Nulls: u.Nulls, Columns: u.Columns, Functions: u.Funcs,
	}
	if u.Declared.File == generator.ConfigName {
		told.DeclaredBy = generator.ConfigName
	}
	for _, name := range u.Files {
		told.Files = append(told.Files, p.rel(name))
	}
	return told
}

// print writes an upsert, a row for each thing that there is to say.
func (u upsertJSON) print(text *tabwriter.Writer) {
	fmt.Fprintln(text, u.Name)
	printRows(text, []tableRow{
		{"package", []string{u.Package}},
		{"type", []string{u.Type.String()}},
		{"declared", []string{u.Declared.String()}},
		{"table", []string{u.Table}},
		{"by", []string{strings.Join(u.By, ", ")}},
		{"version", given(u.Version)},
		{"nulls", given(u.Nulls)},
		{"columns", []string{strings.Join(u.Columns, ", ")}},
		{"functions", u.Functions},
		{"files", u.Files},
	})
}

// chosenOf returns what any of the arguments means: an upsert goes by its type
// as a handler does by its function, and by its table as by a namespace.
func (p project) chosenOf(dir string, args []string, all generator.Explained) (generator.Explained, error) {
	named := slices.Clone(all.Handlers)
	for _, u := range all.Upserts {
		named = append(named, generator.Handler{Name: u.Name, Namespace: u.Table, Package: u.Package, Dir: u.Dir, Pos: u.Pos})
	}
	found, err := p.chosen(dir, args, named)
	chosen := func(pos generator.Pos) bool {
		return slices.ContainsFunc(found, func(h generator.Handler) bool { return h.Pos == pos })
	}
	all.Handlers = slices.DeleteFunc(all.Handlers, func(h generator.Handler) bool { return !chosen(h.Pos) })
	all.Upserts = slices.DeleteFunc(all.Upserts, func(u generator.Upsert) bool { return !chosen(u.Pos) })
	return all, err
}
