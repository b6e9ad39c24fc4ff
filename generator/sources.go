package generator

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// sources are where the Go files lie that a load may read, and what says so.
type sources struct {
	workspace string   // go.work; empty if there is none
	modules   []string // directories: the project's own module, those of the workspace, and those that stand for others by a replace
}

// findSources asks the go command, which parses the files and looks no module
// up. What it cannot read, the run tells; until that is mended, the run reads
// nothing that hangs on it.
func findSources(ctx context.Context, root string) sources {
	var s sources
	if own := load.ModuleDir(root); own != "" {
		s.modules = []string{own}
	}
	if name, err := goOutput(ctx, root, "env", "GOWORK"); err == nil && filepath.IsAbs(name) {
		s.workspace = name
	}
	replaced := s.workspaceModules(ctx)
	for _, dir := range slices.Clone(s.modules) {
		if mod, err := parseModule(ctx, dir, "go.mod"); err == nil {
			replaced = append(replaced, mod.directories(dir)...)
		}
	}
	s.modules = slices.Compact(slices.Sorted(slices.Values(append(s.modules, replaced...))))
	return s
}

// workspaceModules takes in the modules that go.work uses, and returns those
// that it replaces.
func (s *sources) workspaceModules(ctx context.Context) []string {
	if s.workspace == "" {
		return nil
	}
	dir := filepath.Dir(s.workspace)
	text, err := goOutput(ctx, dir, "work", "edit", "-json", s.workspace)
	var work struct {
		Use []struct{ DiskPath string }
		replaces
	}
	if err != nil || json.Unmarshal([]byte(text), &work) != nil {
		return nil
	}
	for _, use := range work.Use {
		s.modules = append(s.modules, within(dir, use.DiskPath))
	}
	return work.directories(dir)
}

// replaces are what go.mod and go.work put in the place of modules.
type replaces struct {
	Replace []struct {
		New struct{ Path, Version string }
	}
}

// directories returns those that stand for modules: they have no version.
func (r replaces) directories(dir string) []string {
	var dirs []string
	for _, r := range r.Replace {
		if r.New.Version == "" {
			dirs = append(dirs, within(dir, r.New.Path))
		}
	}
	return dirs
}

// within returns a path that is written in a file of a directory.
func within(dir, name string) string {
	if name = filepath.FromSlash(name); filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func goOutput(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	data, err := cmd.Output()
	return strings.TrimSpace(string(data)), err
}
