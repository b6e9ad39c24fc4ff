package generator

import (
	"bytes"
	"context"
	_ "embed" // for the configuration
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/load"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// Setup is what [Init] found and did. Paths are slash-separated and relative
// to the root.
type Setup struct {
	Root  string
	Wrote []string
	Kept  []string // were there, and are as they were

	Dialects   []string // that idemgen.yaml says: postgres, sqlite
	Migrations []string // their directories, one for each dialect
	Tool       string   // that runs the migrations

	Command      string // that runs idemgen here: go tool idemgen, if go.mod names the tool
	GenerateLine string // that nobody has, and generate.go, which is there, has to get; else empty
	SchemaLine   string // that idemgen.yaml, which is there, has to begin with; else empty
	NeedsModule  bool   // go.mod does not require the module that generated code imports
	NeedsTool    bool   // no go.mod names the tool, and the go:generate line runs what lies on the path
}

// ConfigName is the file at the project's root that says what idemgen works
// by, and may declare handlers.
const ConfigName = "idemgen.yaml"

const (
	generateName = "generate.go"
	schemaLine   = "# yaml-language-server: $schema=" + schemaName
)

//go:embed scaffold/config.yaml
var configText string

// Init gives the project that dir belongs to an idemgen.yaml in which every
// field is explained, the schema that its first line names, and the go:generate
// line, in a file of its own. Without dialects it takes the one whose driver
// go.mod requires. It writes over nothing but a line of its own that ran what lies
// on the path, once go.mod names the tool, and writes all or nothing.
func Init(ctx context.Context, dir string, dialects ...string) (Setup, error) {
	wanted, err := parseDialects(dialects)
	if err != nil {
		return Setup{}, err
	}
	root, err := Root(dir)
	if err != nil {
		return Setup{}, err
	}
	mod, err := readModule(ctx, root)
	if err != nil {
		return Setup{}, err
	}
	s := Setup{Root: root, Command: mod.command(ctx, root), NeedsModule: !mod.requires(modulePath)}
	config, err := s.config(mod, wanted)
	if err != nil {
		return Setup{}, err
	}
	generate, err := s.generate(mod)
	if err != nil {
		return Setup{}, err
	}
	err = s.write(append(config, generate...))
	return s, err
}

// config returns the configuration, and the schema that it names. One that is
// there has to be right.
func (s *Setup) config(mod module, dialects []spec.Dialect) ([]File, error) {
	there := exists(s.Root, ConfigName)
	if there && len(dialects) > 0 {
		return nil, Errors{{Pos: Pos{File: ConfigName, Line: 1, Col: 1}, Msg: "this file is there already, and it says what the dialects are",
			Cure: "change dialect in it"}}
	}
	config, err := load.ReadConfig(s.Root)
	if err != nil {
		return nil, err
	}
	if !there {
		config.Dialects = dialects
		if len(dialects) == 0 {
			config.Dialects = []spec.Dialect{mod.dialect()}
		}
		config.Schema = schemaName
	}
	for _, d := range config.Dialects {
		s.Dialects = append(s.Dialects, string(d))
		s.Migrations = append(s.Migrations, config.Folder(config.Migrations.Dir, d))
	}
	s.Tool = config.Migrations.Tool
	files := []File{{Path: ConfigName, Data: []byte(withDialects(config.Dialects)), Kind: Scaffold}}
	if config.Schema == "" {
		return files, s.wantSchema()
	}
	return append(files, File{Path: config.Schema, Data: Schema()}), nil
}

// wantSchema asks for the first line, unless idemgen.yaml names a schema that
// is none of ours.
func (s *Setup) wantSchema() error {
	data, err := os.ReadFile(filepath.Join(s.Root, ConfigName))
	if !bytes.Contains(data, []byte("$schema=")) {
		s.SchemaLine = schemaLine
	}
	return err
}

// withDialects writes the configuration for dialects.
func withDialects(dialects []spec.Dialect) string {
	const standard = "# dialect: postgres\n"
	line := standard
	switch {
	case len(dialects) > 1:
		line = fmt.Sprintf("dialect: [%s, %s]\n", dialects[0], dialects[1])
	case dialects[0] != spec.Postgres:
		line = fmt.Sprintf("dialect: %s\n", dialects[0])
	}
	return strings.Replace(configText, standard, line, 1)
}

// generate returns the file with the go:generate line, unless another has
// one.
func (s *Setup) generate(mod module) ([]File, error) {
	has, err := hasGenerateLine(s.Root)
	if err != nil {
		return nil, err
	}
	there := exists(s.Root, generateName)
	if has && !there {
		return nil, nil
	}
	if there && !has {
		s.GenerateLine = "//go:generate " + s.Command + " generate"
	}
	text := func(command string) []byte {
		return []byte("package " + packageName(s.Root, mod.importPath(s.Root)) +
			"\n\n// Once is enough: idemgen generate takes the whole project.\n//\n//go:generate " + command + " generate\n")
	}
	file := File{Path: generateName, Data: text(s.Command), Kind: Scaffold}
	data, err := os.ReadFile(filepath.Join(s.Root, generateName))
	own := err == nil && bytes.Equal(data, text(onPath))
	if own {
		file.Kind = Lock // as it was before the tool was there
	}
	s.NeedsTool = s.Command == onPath && (own || !has)
	return []File{file}, nil
}

// write writes the files that are not there, and one that needs no header to be
// ours, and removes none.
func (s *Setup) write(files []File) error {
	dir, err := os.OpenRoot(s.Root)
	if err != nil {
		return err
	}
	defer dir.Close()
	var changes []change
	var errs Errors
	for _, f := range files {
		c, found, err := compare(dir, f)
		if err != nil {
			return err
		}
		if c.before != nil && f.Kind != Lock {
			c.after = c.before
		}
		errs = append(errs, found...)
		changes = append(changes, c)
	}
	if err := errs.Err(); err != nil {
		return err
	}
	done, err := apply(dir, changes)
	s.Wrote, s.Kept = slices.Sorted(slices.Values(done.Wrote)), slices.Sorted(slices.Values(done.Unchanged))
	return err
}
