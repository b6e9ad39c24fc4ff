package load

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// ReadConfig reads the root's idemgen.yaml. Without one the defaults hold. An
// error that the user can mend is [spec.Errors], and holds all there are.
func ReadConfig(root string) (spec.Config, error) {
	config, wrong, err := ReadBrokenConfig(root)
	if err == nil {
		err = wrong.Err()
	}
	if err != nil {
		return spec.Config{}, err
	}
	return config, nil
}

// ReadBrokenConfig is [ReadConfig] for those who go on to [Load] when fields
// are wrong, so that the user gets all errors at once. What is wrong is left
// at its default, or for ever; of a handler the fields that are right are left,
// if the function is. Where there is no telling what handlers there are, all is
// in err.
func ReadBrokenConfig(root string) (config spec.Config, wrong spec.Errors, err error) {
	data, err := os.ReadFile(filepath.Join(root, configName))
	if errors.Is(err, fs.ErrNotExist) {
		return defaultConfig(), nil, checkConfigName(root)
	}
	if err != nil {
		return spec.Config{}, nil, err
	}
	return parseConfig(data)
}

// checkConfigName finds a configuration that would be passed over, by a name
// that is nearly the right one.
func checkConfigName(root string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil // which those tell who read more of it
	}
	for _, e := range entries {
		name := strings.TrimPrefix(strings.ToLower(e.Name()), ".")
		if (name == configName || name == "idemgen.yml") && isFile(filepath.Join(root, e.Name())) {
			return spec.Errors{{Pos: top(e.Name()), Msg: "this file is not read", Cure: "rename it to " + configName}}.Err()
		}
	}
	return nil
}

func defaultConfig() spec.Config {
	return spec.Config{
		Dialects:   []spec.Dialect{spec.Postgres},
		Table:      "job_runs",
		Migrations: spec.Migrations{Dir: "migrations", Tool: spec.ToolPlain},
		AuditDir:   "audit",
		Defaults:   spec.Standard,
	}
}

// parseConfig reads the text of a configuration.
func parseConfig(data []byte) (config spec.Config, wrong spec.Errors, err error) {
	d := newConfigReader(data)
	doc := d.document()
	if doc == nil {
		return spec.Config{}, nil, d.errs.Err()
	}
	d.schemaLine()
	given := d.readFields(doc, "the configuration", d.top())
	if doc.Kind != yaml.MappingNode || given["handlers"] != nil && !d.listed || given["upserts"] != nil && !d.upsertsListed {
		return spec.Config{}, nil, d.errs.Err()
	}
	d.sqliteTable(given["table"])
	d.twoDirs()
	d.retention()
	d.redelivered(given["redelivery"], given["defaults"])
	return d.config, d.errs, nil
}

// configReader fills a configuration from a document.
type configReader struct {
	*yamlReader
	config                  spec.Config
	migrationsDir, auditDir *yaml.Node // nil where the default holds
	lease, retain           *yaml.Node // the defaults; nil where ours hold
	listed                  bool       // the list of handlers was read
	upsertsListed           bool
}

func newConfigReader(data []byte) *configReader {
	d := &configReader{yamlReader: newYAMLReader(configName, data), config: defaultConfig()}
	d.config.File = configName
	return d
}
