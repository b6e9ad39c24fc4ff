package load

import (
	"context"
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"os"
	"slices"

	"golang.org/x/tools/go/gcexportdata"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// implied are the packages that every wrapper imports.
var implied = []string{"context", "time", spec.RuntimePath}

var (
	// errReported stops an import whose error has been reported already.
	errReported = errors.New("reported at its own place")
	// errNotFetched stops an import that only test files have: nothing that
	// is looked at depends on it.
	errNotFetched = errors.New("not fetched")
)

// impliedByTests returns the packages that the generated tests import.
func impliedByTests(dialects []spec.Dialect) []string {
	const idemtest = spec.RuntimePath + "/idemtest"
	paths := []string{"fmt", "testing", idemtest}
	for _, d := range dialects {
		switch d {
		case spec.Postgres:
			paths = append(paths, idemtest+"/pgtest")
		case spec.SQLite:
			paths = append(paths, idemtest+"/sqlitetest")
		}
	}
	return paths
}

// exports is the export data of packages that are not type-checked from
// source.
type exports struct {
	listed map[string]*goPackage
	types  map[string]*types.Package // also what the read ones refer to, perhaps incomplete
}

func newExports() *exports {
	return &exports{listed: map[string]*goPackage{}, types: map[string]*types.Package{}}
}

// fetch finds the export data of the packages that it is not known of yet.
// That of a package holds all it refers to in others, so that the direct
// imports are enough.
func (x *exports) fetch(ctx context.Context, dir string, paths []string) error {
	paths = slices.Clone(paths) // the caller goes on with what is here already, too
	slices.Sort(paths)
	paths = slices.DeleteFunc(slices.Compact(paths), func(p string) bool {
		return p == "C" || p == "unsafe" || x.listed[p] != nil
	})
	if len(paths) == 0 {
		return nil
	}
	listed, err := listExports(ctx, dir, paths)
	for _, p := range listed {
		x.listed[p.ImportPath] = p
	}
	return err
}

// read reads the export data of packages. Only get may be called side by side
// with itself: a package that is read adds to those that it refers to.
func (x *exports) read(fset *token.FileSet, paths []string) {
	for _, path := range paths {
		if p := x.listed[path]; p != nil && p.Export != "" && x.done(path) == nil {
			p.unreadable = x.readFile(fset, p)
		}
	}
}

func (x *exports) readFile(fset *token.FileSet, p *goPackage) error {
	f, err := os.Open(p.Export)
	if err != nil {
		return err
	}
	defer f.Close()
	// go list -export still writes the compiler's archives.
	r, err := gcexportdata.NewReader(f) //nolint:staticcheck // for those there is no other way
	if err == nil {
		_, err = gcexportdata.Read(r, fset, x.types, p.ImportPath)
	}
	if err != nil {
		return fmt.Errorf("export data of %s: %w", p.ImportPath, err)
	}
	return nil
}

// done returns the types of a package that was read, or nil.
func (x *exports) done(path string) *types.Package {
	if p := x.types[path]; p != nil && p.Complete() {
		return p
	}
	return nil
}

// get returns the types of a package that was read, or says why it has none.
func (x *exports) get(path string) (*types.Package, error) {
	if p := x.done(path); p != nil {
		return p, nil
	}
	listed := x.listed[path]
	switch {
	case listed == nil:
		return nil, errNotFetched
	case listed.reported:
		return nil, errReported
	case listed.unreadable != nil:
		return nil, listed.unreadable
	}
	return nil, errors.New(listed.reason())
}

// reported reports whether an import was found to be wrong.
func (x *exports) reported() bool {
	for _, p := range x.listed {
		if p.reported {
			return true
		}
	}
	return false
}
