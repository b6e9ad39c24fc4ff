package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// goPackage is what the go command tells of a package.
type goPackage struct {
	ImportPath  string
	Name        string
	Dir         string
	Match       []string // the patterns that it is listed for
	GoFiles     []string
	CgoFiles    []string
	TestGoFiles []string
	Ignored     []string `json:"IgnoredGoFiles"` // by the build's constraints
	Invalid     []string `json:"InvalidGoFiles"`
	Imports     []string
	Export      string
	Module      *goModule
	Error       *goError
	DepsErrors  []*goError

	reported   bool  // what is wrong with it has been reported at its place
	unreadable error // what is wrong with its export data
}

// goModule is what it tells of a package's module.
type goModule struct {
	Path, Dir, GoVersion string
	Main                 bool
	Replace              *struct{ Version string }
}

type goError struct{ Pos, Err string }

// goList runs go list in a directory. Packages that are wrong in some way are
// listed with their errors.
func goList(ctx context.Context, dir string, args ...string) ([]*goPackage, error) {
	stdout, stderr, err := runGoList(ctx, dir, args)
	if err != nil {
		return nil, goListError(ctx, dir, err, stderr)
	}
	var packages []*goPackage
	for dec := json.NewDecoder(strings.NewReader(stdout)); ; {
		p := new(goPackage)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

func execGoList(ctx context.Context, dir string, args []string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-e"}, args...)...)
	cmd.Dir = dir
	var out, said strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &said
	// The go command ends its compilers, and removes their temporary files, if
	// it is asked to end and not killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 2 * time.Second
	err = cmd.Run()
	return out.String(), said.String(), err
}

// goListError says why go list did not list anything.
func goListError(ctx context.Context, dir string, err error, stderr string) error {
	stderr = strings.TrimSpace(stderr)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("go list: %w; install Go, or add the directory of its go command to PATH", err)
	case stderr == "":
		return fmt.Errorf("go list: %w", err)
	}
	if errs := ModErrors(dir, stderr, "mend it: without it the go command finds no package"); errs != nil {
		return errs.Err()
	}
	if wrong := modError(dir, stderr); wrong != nil {
		return spec.Errors{wrong}.Err()
	}
	return errors.New("go list: " + oneLine(stderr))
}

// modLine is what the go command says of a line of go.mod or go.work.
var modLine = regexp.MustCompile(`(?m)^(?:go: )?((?:[^\n]*[/\\])?go\.(?:mod|work)):(\d+):(?:(\d+):)? (.*)$`)

// ModErrors returns what the go command, run in a directory, says of lines of
// go.mod and go.work, at their places from there. All have one cure.
func ModErrors(dir, stderr, cure string) spec.Errors {
	var errs spec.Errors
	for _, m := range modLine.FindAllStringSubmatch(stderr, -1) {
		line, _ := strconv.Atoi(m[2])
		col, _ := strconv.Atoi(m[3])
		file := m[1]
		if filepath.IsAbs(file) {
			file = relativeTo(dir, file)
		}
		errs.Add(spec.Pos{File: filepath.ToSlash(file), Line: line, Col: max(1, col)}, m[4], cure)
	}
	return errs
}

// listDeps returns packages and all that they import, without compiling any.
func listDeps(ctx context.Context, dir string, patterns []string) ([]*goPackage, error) {
	const fields = "-json=ImportPath,Name,Dir,Match,GoFiles,CgoFiles,TestGoFiles,IgnoredGoFiles,InvalidGoFiles,Imports,Module,Error"
	return goList(ctx, dir, append([]string{"-deps", fields, "--"}, patterns...)...)
}

// listExports returns packages with their export data, which the go command
// compiles where its cache has none.
func listExports(ctx context.Context, dir string, paths []string) ([]*goPackage, error) {
	const fields = "-json=ImportPath,Export,Error,DepsErrors"
	return goList(ctx, dir, slices.Concat([]string{"-export", fields, "--"}, paths)...)
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
