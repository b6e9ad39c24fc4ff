package load

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// tableSuffixes are what the names of the table's indexes and companions add
// to its own. The maintenance table's is counted already: a name that is
// good now has to stay so.
var tableSuffixes = []string{"_running", "_created", "_text", "_pkey", "_maintenance"}

// ReadConfig reads the root's idemgen.yaml. Without one the defaults hold.
func ReadConfig(root string) (spec.Config, error) {
	data, err := os.ReadFile(filepath.Join(root, configName))
	if errors.Is(err, fs.ErrNotExist) {
		return defaultConfig(), checkConfigName(root)
	}
	if err != nil {
		return spec.Config{}, err
	}
	return parseConfig(data)
}

// checkConfigName finds a configuration that would be passed over.
func checkConfigName(root string) error {
	const other = "idemgen.yml"
	if !isFile(filepath.Join(root, other)) {
		return nil
	}
	return spec.Errors{{
		Pos:  spec.Pos{File: other, Line: 1, Col: 1},
		Msg:  "this file is not read",
		Cure: "rename it to " + configName,
	}}.Err()
}

func defaultConfig() spec.Config {
	return spec.Config{
		Dialects:   []spec.Dialect{spec.Postgres},
		Table:      "job_runs",
		Migrations: spec.Migrations{Dir: "migrations", Tool: "plain"},
		AuditDir:   "audit",
		Defaults:   spec.Standard,
	}
}

// parseConfig reads the text of a configuration.
func parseConfig(data []byte) (spec.Config, error) {
	d := &configReader{yamlReader: newYAMLReader(configName, data), config: defaultConfig()}
	d.config.File = configName
	if doc := d.document(); doc != nil {
		d.top(doc)
	}
	if err := d.errs.Err(); err != nil {
		return spec.Config{}, err
	}
	return d.config, nil
}

// configReader fills a configuration from a document.
type configReader struct {
	*yamlReader
	config                  spec.Config
	migrationsDir, auditDir *yaml.Node // nil where the default holds
}

func (d *configReader) top(doc *yaml.Node) {
	given := d.fields(doc, "the configuration", []field{
		{"version", d.version},
		{"dialect", d.dialects},
		{"table", d.table},
		{"migrations", d.migrations},
		{"audit", d.audit},
		{"defaults", d.defaults},
	})
	d.sqliteTable(given["table"])
	d.twoDirs()
	if doc.Kind == yaml.MappingNode && given["version"] == nil {
		d.add(doc, "the version is missing", "begin the file with version: 1")
	}
}

func (d *configReader) version(n *yaml.Node) {
	if v, ok := d.integer(n, "a version", "write version: 1"); ok && v != 1 {
		d.add(n, fmt.Sprintf("unknown version %d of the configuration", v), "write version: 1")
	}
}

func (d *configReader) dialects(n *yaml.Node) {
	items := []*yaml.Node{n}
	if list := resolve(n); list.Kind == yaml.SequenceNode {
		items = list.Content
		if len(items) == 0 {
			d.add(n, "the list of dialects is empty", "name postgres, sqlite or both")
		}
	}
	d.config.Dialects = nil
	for _, item := range items {
		name, ok := d.oneOf(item, "dialect", string(spec.Postgres), string(spec.SQLite))
		if !ok {
			continue
		}
		if slices.Contains(d.config.Dialects, spec.Dialect(name)) {
			d.add(item, fmt.Sprintf("the dialect %s is named twice", name), "name it once")
			continue
		}
		d.config.Dialects = append(d.config.Dialects, spec.Dialect(name))
	}
}

func (d *configReader) table(n *yaml.Node) {
	name, ok := d.text(n, "the name of a table", "write one, such as job_runs")
	if !ok {
		return
	}
	d.addError(n, spec.CheckTable(name, tableSuffixes...))
	d.config.Table = name
}

func (d *configReader) migrations(n *yaml.Node) {
	d.fields(n, "migrations", []field{
		{"dir", func(n *yaml.Node) { d.migrationsDir = d.dir(n, &d.config.Migrations.Dir) }},
		{"tool", func(n *yaml.Node) {
			if tool, ok := d.oneOf(n, "migration tool", "plain", "goose", "golang-migrate"); ok {
				d.config.Migrations.Tool = tool
			}
		}},
	})
}

func (d *configReader) audit(n *yaml.Node) {
	d.fields(n, "audit", []field{
		{"dir", func(n *yaml.Node) { d.auditDir = d.dir(n, &d.config.AuditDir) }},
	})
}

// sqliteTable refuses a table of a name that SQLite does not take.
func (d *configReader) sqliteTable(n *yaml.Node) {
	if n == nil || !slices.Contains(d.config.Dialects, spec.SQLite) {
		return
	}
	schema, name, qualified := strings.Cut(d.config.Table, ".")
	switch {
	case qualified:
		d.add(n, "SQLite has no schemas, such as "+schema, "name the table "+name+" alone, or make the dialect postgres")
	case strings.HasPrefix(d.config.Table, "sqlite_"):
		d.add(n, "SQLite keeps names that begin with sqlite_ to itself, such as "+d.config.Table, "give the table another name")
	}
}

// twoDirs refuses audit SQL among the migrations, which a tool would run.
func (d *configReader) twoDirs() {
	at := cmp.Or(d.auditDir, d.migrationsDir)
	if at != nil && d.config.AuditDir == d.config.Migrations.Dir {
		d.add(at, "audit.dir is the directory of the migrations, "+d.config.AuditDir, "give audit.dir another directory than migrations.dir")
	}
}

// dir reads a directory for output, which has to lie below the root. It
// returns the node if it is one.
func (d *configReader) dir(n *yaml.Node, into *string) *yaml.Node {
	const cure = "write the path of a directory below the root, such as db/migrations"
	dir, ok := d.text(n, "a directory", cure)
	if !ok {
		return nil
	}
	switch {
	case strings.Contains(dir, `\`):
		d.add(n, fmt.Sprintf("the directory %q has a backslash in it", dir), "separate directories by /")
	case !filepath.IsLocal(filepath.FromSlash(dir)) || path.IsAbs(dir):
		d.add(n, fmt.Sprintf("the directory %q does not lie below the root", dir), cure)
	case bytes.ContainsFunc([]byte(dir), func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.add(n, fmt.Sprintf("the directory %q has a control character in it", dir), cure)
	default:
		*into = path.Clean(dir)
		return n
	}
	return nil
}

func (d *configReader) defaults(n *yaml.Node) {
	into := &d.config.Defaults
	given := d.fields(n, "defaults", []field{
		{"lease", func(n *yaml.Node) {
			if text, ok := d.text(n, "a duration", "write one, such as 5m"); ok {
				d.duration(n, &into.Lease, text, spec.ParseLease)
			}
		}},
		{"retain", func(n *yaml.Node) {
			if text, ok := d.text(n, "a duration", "write one, such as 30d, or forever"); ok {
				d.duration(n, &into.Retain, text, spec.ParseRetain)
			}
		}},
		{"attempts", func(n *yaml.Node) {
			if v, ok := d.integer(n, "a number of attempts", "write one, such as 20"); ok {
				attempts, err := spec.ParseAttempts(fmt.Sprint(v))
				d.addError(n, err)
				into.Attempts = attempts
			}
		}},
	})
	d.retention(given)
}

// retention checks that a finished run is kept at least as long as a lease.
func (d *configReader) retention(given map[string]*yaml.Node) {
	def := d.config.Defaults
	if def.Retain == 0 || def.Lease <= def.Retain {
		return
	}
	at := given["retain"]
	if at == nil {
		at = given["lease"]
	}
	d.add(at, fmt.Sprintf("the default retain, %s, is shorter than the default lease, %s", spec.FormatDuration(def.Retain), spec.FormatDuration(def.Lease)),
		"keep finished runs at least as long as a claim holds")
}

func (d *configReader) duration(n *yaml.Node, into *time.Duration, text string, parse func(string) (time.Duration, *spec.Error)) {
	value, err := parse(text)
	if err != nil {
		d.addError(n, err)
		return
	}
	*into = value
}
