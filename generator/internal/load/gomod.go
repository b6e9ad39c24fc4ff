package load

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// runGoList runs go list in a directory, and returns what it writes. Where
// -mod=mod lets it write go.mod, it has a copy, so that it can do what it is
// told and we leave the project as it is.
func runGoList(ctx context.Context, dir string, args []string) (stdout, stderr string, err error) {
	explicit := slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-mod=") })
	if explicit || goFlag("mod") != "mod" {
		return execGoList(ctx, dir, args)
	}
	c, err := copyMod(dir)
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(c.dir)
	stdout, stderr, err = execGoList(ctx, dir, slices.Insert(slices.Clone(args), 0, "-modfile="+filepath.Join(c.dir, c.name)))
	if err != nil && strings.Contains(stderr, "-modfile cannot be used in workspace mode") {
		// There -mod=mod cannot be either, and without the copy it says so.
		return execGoList(ctx, dir, args)
	}
	paths := c.paths(dir)
	return paths.Replace(stdout), paths.Replace(stderr), err
}

// modCopy is a go.mod and its go.sum in a temporary directory.
type modCopy struct {
	dir, name string
	from      string // the directory that they come from
}

// copyMod copies the go.mod that the go command takes in a directory.
func copyMod(dir string) (*modCopy, error) {
	file := filepath.Join(cmp.Or(ModuleDir(dir), dir), moduleName)
	if other := goFlag("modfile"); filepath.IsAbs(other) {
		file = other
	} else if other != "" {
		file = filepath.Join(dir, other)
	}
	temp, err := os.MkdirTemp("", "idemgen-mod-")
	if err != nil {
		return nil, err
	}
	c := &modCopy{dir: temp, name: filepath.Base(file), from: filepath.Dir(file)}
	for _, name := range []string{c.name, strings.TrimSuffix(c.name, ".mod") + ".sum"} {
		data, err := os.ReadFile(filepath.Join(c.from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(temp, name), data, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = os.RemoveAll(temp)
			return nil, err
		}
	}
	return c, nil
}

// paths puts the path of the files that were copied, from a directory, where
// the go command names the copies: as they are, from the directory, and each
// of these in JSON.
func (c *modCopy) paths(dir string) *strings.Replacer {
	from := withSlash(relativeTo(dir, c.from))
	if from == "."+string(filepath.Separator) {
		from = ""
	}
	var pairs []string
	for _, copied := range []string{withSlash(relativeTo(dir, c.dir)), withSlash(c.dir)} {
		pairs = append(pairs, inJSON(copied), inJSON(from), copied, from)
	}
	return strings.NewReplacer(pairs...)
}

func withSlash(dir string) string { return dir + string(filepath.Separator) }

func relativeTo(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil {
		return rel
	}
	return name
}

func inJSON(text string) string {
	quoted, _ := json.Marshal(text)
	return string(quoted[1 : len(quoted)-1])
}
