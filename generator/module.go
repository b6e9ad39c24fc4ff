package generator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/load"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

const (
	modulePath  = "github.com/idemgen/idemgen"
	commandPath = modulePath + "/cmd/idemgen"
)

// module is what go.mod says.
type module struct {
	dir     string
	Module  struct{ Path string }
	Require []required
	Tool    []struct{ Path string }
	replaces
}

type required struct {
	Path     string
	Indirect bool
}

// readModule reads the go.mod of a project.
func readModule(ctx context.Context, root string) (module, error) {
	return parseModule(ctx, load.ModuleDir(root), "go.mod")
}

// parseModule lets the go command read a file, which knows how.
func parseModule(ctx context.Context, dir, name string) (module, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "edit", "-json", name)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	data, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		return module{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return module{}, fmt.Errorf("go mod edit: %w; install Go, or add the directory of its go command to PATH", err)
	case err != nil:
		if errs := load.ModErrors(dir, stderr.String(), "mend it: without it the go command knows no module"); errs != nil {
			return module{}, errs.Err()
		}
		return module{}, fmt.Errorf("go mod edit: %w: %s", err, strings.Join(strings.Fields(stderr.String()), " "))
	}
	mod := module{dir: dir}
	return mod, json.Unmarshal(data, &mod)
}

// requires reports whether the module requires another, or is that one.
func (m module) requires(other string) bool {
	return m.Module.Path == other || slices.ContainsFunc(m.Require, func(r required) bool { return r.Path == other })
}

func (m module) hasTool() bool {
	return slices.ContainsFunc(m.Tool, func(t struct{ Path string }) bool { return t.Path == commandPath })
}

// importPath returns the import path of a directory.
func (m module) importPath(dir string) string {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil {
		return m.Module.Path
	}
	return path.Join(m.Module.Path, filepath.ToSlash(rel))
}

// The drivers by which one sees what a module talks to, without those that
// only its dependencies want.
var drivers = []struct {
	dialect spec.Dialect
	path    *regexp.Regexp
}{
	{spec.Postgres, regexp.MustCompile(`^github\.com/(jackc/pgx|lib/pq)(/|$)`)},
	{spec.SQLite, regexp.MustCompile(`^(modernc\.org/sqlite|zombiezen\.com/go/sqlite|crawshaw\.io/sqlite|` +
		`github\.com/(mattn/go-sqlite3|ncruces/go-sqlite3|glebarez/(go-)?sqlite))(/|$)`)},
}

// dialect returns that of the first driver which the module requires.
func (m module) dialect() spec.Dialect {
	for _, d := range drivers {
		if slices.ContainsFunc(m.Require, func(r required) bool { return !r.Indirect && d.path.MatchString(r.Path) }) {
			return d.dialect
		}
	}
	return spec.Postgres
}
