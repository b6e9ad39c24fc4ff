package load

import (
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// top returns the keys of the file. The reader, the JSON Schema and the
// reference all come from here.
func (d *configReader) top() []field {
	std := defaultConfig()
	return []field{
		{
			Field:   spec.Field{Name: "version", Args: "1", Default: required, Doc: "the version of this file's form"},
			missing: "begin the file with version: 1", schema: &schema{Const: 1}, read: d.version,
		},
		{
			Field: spec.Field{
				Name: "dialect", Args: strings.Join(spec.DialectNames(), " | "), Default: string(std.Dialects[0]),
				Doc: "the kind of database, or a list of them",
			},
			schema: oneOrMore(enumSchema(spec.DialectNames()...), true), read: d.dialects,
		},
		{
			Field: spec.Field{
				Name: "table", Args: "TABLE", Default: std.Table, Example: "ops.job_runs",
				Doc: "the table of runs, which may be qualified by a schema",
			},
			schema: textSchema(tablePattern), read: d.table,
		},
		{
			Field: spec.Field{
				Name: "redelivery", Args: "DURATION", Default: "none", Example: "4d",
				Doc: "the longest time after which the broker delivers a message again: no run is kept for less",
			},
			schema: textSchema(durationPattern), read: d.redelivery,
		},
		{Field: spec.Field{Name: "migrations", Doc: "the migrations"}, fields: d.migrations(std)},
		{Field: spec.Field{Name: "audit", Doc: "the SQL that finds work that ran twice"}, fields: []field{
			dirField("the directory of the audit SQL, below the root", std.AuditDir, func(p pair) { d.auditDir = d.dir(p.value, &d.config.AuditDir) }),
		}},
		{Field: spec.Field{Name: "defaults", Doc: "what holds for a handler that does not say"}, fields: d.defaults(std)},
		d.list("handlers", "the handlers that no directive declares", d.handlerFields(&spec.Declaration{}), d.handlers),
		d.list("upserts", "the types whose values are rows of a table, which no directive declares", d.upsertFields(&spec.UpsertDeclaration{}), d.upserts),
	}
}

// list is a key whose value is a list of entries, each with some fields.
func (d *configReader) list(name, doc string, entry []field, read func(pair)) field {
	return field{
		Field:  spec.Field{Name: name, Args: "LIST", Default: "none", Doc: doc},
		schema: listSchema(mapSchema(entry)), read: read,
	}
}

func (d *configReader) migrations(std spec.Config) []field {
	return []field{
		dirField("the directory of the migrations, below the root", std.Migrations.Dir, func(p pair) { d.migrationsDir = d.dir(p.value, &d.config.Migrations.Dir) }),
		{
			Field:  spec.Field{Name: "tool", Args: strings.Join(spec.Tools(), " | "), Default: std.Migrations.Tool, Doc: "the tool that runs the migrations"},
			schema: enumSchema(spec.Tools()...),
			read: func(p pair) {
				if tool, ok := d.oneOf(p.value, "migration tool", spec.Tools()...); ok {
					d.config.Migrations.Tool, d.config.Migrations.ToolPos = tool, d.nodePos(p.value)
				}
			},
		},
	}
}

func dirField(doc, std string, read func(pair)) field {
	return field{
		Field:  spec.Field{Name: "dir", Args: "DIR", Default: std, Example: "db/" + std, Doc: doc},
		schema: &schema{Type: "string", Pattern: dirPattern, Not: textSchema(outsidePattern)}, read: read,
	}
}

func (d *configReader) defaults(std spec.Config) []field {
	into := &d.config.Defaults
	return []field{
		{
			Field:  spec.Field{Name: "lease", Args: "DURATION", Default: spec.FormatDuration(std.Defaults.Lease), Example: "5m", Doc: "how long a claim holds"},
			schema: textSchema(durationPattern),
			read:   func(p pair) { d.lease = d.duration(p, "5m", &into.Lease, spec.ParseLease) },
		},
		{
			Field: spec.Field{
				Name: "retain", Args: foreverArgs, Default: spec.FormatDuration(std.Defaults.Retain), Example: "30d",
				Doc: "how long a finished run answers duplicates",
			},
			schema: textSchema(foreverPattern),
			read:   func(p pair) { d.retain = d.duration(p, "30d", &into.Retain, spec.ParseRetain) },
		},
		{
			Field: spec.Field{
				Name: "attempts", Args: "NUMBER", Default: strconv.Itoa(std.Defaults.Attempts), Example: "20", Integer: true,
				Doc: "how many attempts a run has before it is dead",
			},
			schema: attemptsSchema(),
			read:   d.attempts,
		},
	}
}

// duration reads one, and returns its node if it is good. One that is wrong
// is 0, which nothing is compared with.
func (d *configReader) duration(p pair, example string, into *time.Duration, parse func(string) (time.Duration, *spec.Error)) *yaml.Node {
	*into = 0
	text, ok := d.argument(p.value, spec.Field{Name: p.key.Value, Args: "DURATION", Example: example})
	if !ok {
		return nil
	}
	value, err := parse(text)
	if err != nil {
		d.addError(p.value, err)
		return nil
	}
	*into = value
	return p.value
}

func (d *configReader) attempts(p pair) {
	text, ok := d.argument(p.value, spec.Field{Name: p.key.Value, Example: "20", Integer: true})
	if !ok {
		return
	}
	attempts, err := spec.ParseAttempts(text)
	if err != nil {
		d.addError(p.value, err)
		return
	}
	d.config.Defaults.Attempts = attempts
}
