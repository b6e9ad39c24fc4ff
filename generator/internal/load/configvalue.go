package load

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// tableSuffixes are what the names of the table's indexes and companions add
// to its own.
var tableSuffixes = []string{"_running", "_created", "_left", "_text", "_pkey", "_maintenance", "_order", "_order_touched"}

func (d *configReader) version(p pair) {
	if v, ok := d.readInteger(p.value, "a version", "write version: 1"); ok && v != 1 {
		d.add(p.value, fmt.Sprintf("unknown version %d of the configuration", v), "write version: 1")
	}
}

func (d *configReader) dialects(p pair) {
	items := []*yaml.Node{p.value}
	if list := resolve(p.value); list.Kind == yaml.SequenceNode {
		items = list.Content
		if len(items) == 0 {
			d.add(p.value, "the list of dialects is empty", "name postgres, sqlite or both")
		}
	}
	var named []spec.Dialect
	for _, item := range items {
		name, ok := d.oneOf(item, "dialect", spec.DialectNames()...)
		if !ok {
			continue
		}
		if slices.Contains(named, spec.Dialect(name)) {
			d.add(item, fmt.Sprintf("the dialect %s is named twice", name), "name it once")
			continue
		}
		named = append(named, spec.Dialect(name))
	}
	if named != nil {
		d.config.Dialects = named
	}
}

func (d *configReader) table(p pair) {
	name, ok := d.readText(p.value, "the name of a table", "write one, such as job_runs")
	if !ok {
		return
	}
	if err := spec.CheckTable(name, tableSuffixes...); err != nil {
		d.addError(p.value, err)
		return
	}
	d.config.Table, d.config.TablePos = name, d.nodePos(p.value)
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
	dir, ok := d.readText(n, "a directory", cure)
	if !ok {
		return nil
	}
	switch {
	case strings.Contains(dir, `\`):
		d.add(n, fmt.Sprintf("the directory %q has a backslash in it", dir), "separate directories by /")
	case !isLocal(dir):
		d.add(n, fmt.Sprintf("the directory %q does not lie below the root", dir), cure)
	case bytes.ContainsFunc([]byte(dir), func(r rune) bool { return r < ' ' || r == 0x7f }):
		d.add(n, fmt.Sprintf("the directory %q has a control character in it", dir), cure)
	default:
		*into = path.Clean(dir)
		return n
	}
	return nil
}

// isLocal reports whether a slash-separated path stays below the root.
func isLocal(name string) bool {
	return filepath.IsLocal(filepath.FromSlash(name)) && !path.IsAbs(name)
}

func (d *configReader) redelivery(p pair) {
	d.duration(p, "4d", &d.config.Redelivery, spec.ParseDuration)
}

// retention checks that a finished run is kept at least as long as a lease.
func (d *configReader) retention() {
	def := d.config.Defaults
	at := cmp.Or(d.retain, d.lease)
	if at == nil || def.Retain == 0 || def.Lease <= def.Retain {
		return
	}
	d.add(at, fmt.Sprintf("the default retain, %s, is shorter than the default lease, %s", spec.FormatDuration(def.Retain), spec.FormatDuration(def.Lease)),
		"keep finished runs at least as long as a claim holds")
}

// redelivered checks that a finished run is kept until the broker's last
// delivery of its message. Defaults are the value of that key, if it is given.
func (d *configReader) redelivered(n, defaults *yaml.Node) {
	retain, redelivery := d.config.Defaults.Retain, d.config.Redelivery
	if retain == 0 || retain >= redelivery {
		return
	}
	msg := fmt.Sprintf("the default retain, %s, is shorter than redelivery, %s: the work would be done again", spec.FormatDuration(retain), spec.FormatDuration(redelivery))
	if d.retain != nil {
		d.add(d.retain, msg, fmt.Sprintf("write retain: %s, or longer", spec.FormatDuration(redelivery)))
		return
	}
	cure := "add defaults: {retain: %s}, or longer"
	if defaults != nil {
		cure = "add retain: %s to defaults, or longer"
	}
	d.add(n, msg, fmt.Sprintf(cure, spec.FormatDuration(redelivery)))
}

// schemaLine finds the schema that the file names for editors, in a comment
// above all else. One on the network is nobody's file.
func (d *configReader) schemaLine() {
	for line := range d.lines {
		text := d.text(line + 1)
		if !strings.HasPrefix(text, "#") {
			return
		}
		m := schemaComment.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		at, name := d.lines[line]+m[2], text[m[2]:m[3]]
		const cure = "write the path of a .json file below the root, such as idemgen.schema.json"
		switch {
		case strings.Contains(name, "://"):
		case strings.Contains(name, `\`) || !isLocal(name):
			d.addAt(at, fmt.Sprintf("the schema %q does not lie below the root", name), cure)
		case path.Ext(name) != ".json":
			d.addAt(at, fmt.Sprintf("the schema %q is no .json file", name), cure)
		default:
			d.config.Schema = path.Clean(name)
		}
		return
	}
}
