package generator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The fields and methods of the types that an internal package has, which
// go doc does not show, are those of their comments.
func TestErrorsComments(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, decl := range file.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
			comments[d.Specs[0].(*ast.TypeSpec).Name.Name] = d.Doc.Text()
		}
	}
	types := []reflect.Type{reflect.TypeFor[Errors](), reflect.TypeFor[Error](), reflect.TypeFor[Pos]()}
	if len(comments) != len(types) {
		t.Errorf("%d types have comments, want %d", len(comments), len(types))
	}
	member := regexp.MustCompile(`(?m)^\t(?:func \([^)]*\) )?([A-Z]\w*)[ (]`)
	for _, typ := range types {
		var got []string
		for _, m := range member.FindAllStringSubmatch(comments[typ.Name()], -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if diff := cmp.Diff(members(typ), got); diff != "" {
			t.Errorf("%s, in its comment (-want +got):\n%s", typ.Name(), diff)
		}
	}
}

// members returns the exported names of a type, sorted.
func members(typ reflect.Type) []string {
	var names []string
	if typ.Kind() == reflect.Struct {
		for field := range typ.Fields() {
			names = append(names, field.Name)
		}
	}
	for method := range reflect.PointerTo(typ).Methods() {
		names = append(names, method.Name)
	}
	slices.Sort(names)
	return names
}
