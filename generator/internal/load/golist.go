package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// goPackage is what the go command tells of a package.
type goPackage struct {
	ImportPath  string
	Name        string
	Dir         string
	GoFiles     []string
	CgoFiles    []string
	TestGoFiles []string
	Imports     []string
	Export      string
	Module      *struct{ Path, Dir, GoVersion string }
	Error       *goError
	DepsErrors  []*goError

	reported bool // what is wrong with it has been reported at its place
}

type goError struct{ Err string }

// goList runs go list in a directory. Packages that are wrong in some way are
// listed with their errors.
func goList(ctx context.Context, dir string, args ...string) ([]*goPackage, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e"}, args...)...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if text := strings.TrimSpace(stderr.String()); text != "" {
			return nil, fmt.Errorf("go list: %s", text)
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []*goPackage
	for dec := json.NewDecoder(&stdout); ; {
		p := new(goPackage)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// listDeps returns packages and all that they import, without compiling any.
func listDeps(ctx context.Context, dir string, patterns []string) ([]*goPackage, error) {
	const fields = "-json=ImportPath,Name,Dir,GoFiles,CgoFiles,TestGoFiles,Imports,Module,Error"
	return goList(ctx, dir, append([]string{"-deps", fields, "--"}, patterns...)...)
}

// listExports returns packages with their export data, which the go command
// compiles where its cache has none.
func listExports(ctx context.Context, dir string, paths []string) ([]*goPackage, error) {
	const fields = "-json=ImportPath,Export,Error,DepsErrors"
	return goList(ctx, dir, append([]string{"-export", fields, "--"}, paths...)...)
}

// errs returns what the go command says is wrong with a package.
func (p *goPackage) errs() []string {
	var all []string
	if p.Error != nil {
		all = append(all, p.Error.Err)
	}
	for _, e := range p.DepsErrors {
		all = append(all, e.Err)
	}
	return all
}
