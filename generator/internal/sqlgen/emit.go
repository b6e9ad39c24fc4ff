package sqlgen

import (
	"io/fs"
	"os"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// LockName is the lock's path relative to the root.
const LockName = "idemgen.lock"

// Output is all the SQL of a project.
type Output struct {
	Files []File
	Lock  []byte                                     // of idemgen.lock; nil if there is nothing to lock
	Up    map[spec.Dialect][]string                  // the migrations that make the tables of runs and of entities, in order; a tool's marks say what else is in them
	Index map[*spec.Upsert]map[spec.Dialect][]string // the migrations that make the unique indexes of upserts
}

// File is one file of SQL.
type File struct {
	Path   string // slash-separated, relative to the root
	Data   []byte
	Frozen bool // a migration: written if it is missing, never rewritten
}

// Emit returns the SQL of a project whose root is a directory. The errors
// are spec.Errors, unless something could not be read.
func Emit(s *spec.Spec, root string) (Output, error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return Output{}, err
	}
	defer r.Close()
	return emit(s, r.FS())
}

func emit(s *spec.Spec, root fs.FS) (Output, error) {
	m, err := migrate(s, root)
	if err != nil {
		return Output{}, err
	}
	audits, err := auditFiles(s, &m.errs)
	if err != nil {
		return Output{}, err
	}
	if err := m.errs.Err(); err != nil {
		return Output{}, err
	}
	return Output{Files: slices.Concat(m.files, audits), Lock: m.lock.text(), Up: m.up, Index: m.index}, nil
}

// Folders returns the directories of the configuration that Emit reads and
// its files go to.
func Folders(cfg spec.Config) []string {
	var dirs []string
	for _, d := range cfg.Dialects {
		dirs = append(dirs, cfg.Folder(cfg.Migrations.Dir, d), cfg.Folder(cfg.AuditDir, d))
	}
	return dirs
}
