package sqlgen

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/templates"
)

// The needs of the table of runs, and of that of entities beside it, in their
// first versions.
const (
	jobRuns = "job_runs/1"
	order   = "order/1"
)

// tables make the migrations of the needs that are tables of ours.
var tables = map[string]func(dialect, table string) (up, down string, err error){
	jobRuns: templates.JobRuns,
	order:   templates.Order,
}

// need is what a migration is there for.
type need struct {
	dialect spec.Dialect
	name    string
	table   string
}

func (n need) String() string { return fmt.Sprintf("%s %s %s", n.dialect, n.name, n.table) }

// stem is what the names of a need's files have after the number.
func (n need) stem() string {
	name, _, _ := strings.Cut(n.name, "/")
	if key, ok := n.key(); ok {
		name = key.Index()
	}
	return "_idemgen_" + name
}

// migrator holds the state of one Emit.
type migrator struct {
	cfg   spec.Config
	root  fs.FS
	lock  *lock
	files []File
	up    map[spec.Dialect][]string
	index map[*spec.Upsert]map[spec.Dialect][]string
	errs  spec.Errors
}

// migrate returns the migrations: the locked ones as they are, and new ones
// for the needs that no locked one serves. A project without handlers has no
// needs. What is wrong is in errs; an error is that something could not be
// read.
func migrate(s *spec.Spec, root fs.FS) (*migrator, error) {
	m := &migrator{cfg: s.Config, root: root, up: map[spec.Dialect][]string{}, index: map[*spec.Upsert]map[spec.Dialect][]string{}}
	text, err := m.read(LockName)
	if err != nil {
		return nil, err
	}
	if m.lock, m.errs = parseLock(text); m.errs != nil {
		return m, nil
	}
	for i := range m.lock.entries {
		if err := m.verify(&m.lock.entries[i]); err != nil {
			return nil, err
		}
	}
	if len(s.Files) == 0 {
		return m, nil
	}
	dialects := m.runnable()
	if handlers := handlersOf(s); len(handlers) > 0 && m.checkTable() {
		if err := m.serveTables(handlers, dialects); err != nil {
			return nil, err
		}
	}
	return m, m.serveIndexes(upsertsOf(s), dialects)
}

// serveTables sees to it that the table of runs has its migrations, and that of
// entities if a handler has an order.
func (m *migrator) serveTables(handlers []*spec.Handler, dialects []spec.Dialect) error {
	names := []string{jobRuns}
	if len(orders(handlers)) > 0 {
		names = append(names, order)
	}
	for _, d := range dialects {
		for _, name := range names {
			if err := m.serve(need{dialect: d, name: name, table: m.cfg.Table}); err != nil {
				return err
			}
		}
	}
	return nil
}

// serveIndexes sees to it that the unique indexes of upserts have their
// migrations.
func (m *migrator) serveIndexes(upserts []*spec.Upsert, dialects []spec.Dialect) error {
	for _, u := range upserts {
		m.index[u] = map[spec.Dialect][]string{}
		for _, d := range dialects {
			n := indexNeed(d, u)
			if err := m.serve(n); err != nil {
				return err
			}
			m.index[u][d] = m.lock.up(n)
		}
	}
	return nil
}

// checkTable reports a table of runs that would have to be quoted: stores and
// operators write its name as it is.
func (m *migrator) checkTable() bool {
	for _, word := range strings.Split(m.cfg.Table, ".") {
		if reserved[word] {
			m.errs.Add(m.cfg.TablePos, fmt.Sprintf("the table's name %s has the reserved word %s in it", m.cfg.Table, word), "give it another name")
			return false
		}
	}
	return true
}

// runnable returns the dialects that the tool can run migrations of, and
// reports the others.
func (m *migrator) runnable() []spec.Dialect {
	name := m.cfg.Migrations.Tool
	return slices.DeleteFunc(slices.Clone(m.cfg.Dialects), func(d spec.Dialect) bool {
		known := tools[name].dialects
		if slices.Contains(known, d) {
			return false
		}
		m.errs.Add(m.cfg.Migrations.ToolPos, fmt.Sprintf("migrations.tool %s is for %s alone, and dialect says %s", name, known[0], d),
			"name another tool: "+strings.Join(toolsFor(d), ", "))
		return true
	})
}

// serve sees to it that a need has its migration.
func (m *migrator) serve(n need) error {
	dir, want := m.cfg.Folder(m.cfg.Migrations.Dir, n.dialect), layoutOf(m.cfg.Migrations.Tool)
	locked := m.lock.of(n)
	if len(locked) == 0 {
		if m.foreign(dir, n.dialect) {
			return nil
		}
		if err := m.create(n, dir, want); err != nil {
			return err
		}
	} else if !m.inPlace(locked, dir, want) {
		return nil
	}
	if _, ofUpsert := n.key(); !ofUpsert {
		m.up[n.dialect] = append(m.up[n.dialect], m.lock.up(n)...)
	}
	return m.strays(n, dir)
}

// foreign reports a directory that has another dialect's migrations: a tool
// would run both.
func (m *migrator) foreign(dir string, d spec.Dialect) bool {
	for _, e := range m.lock.entries {
		if e.dialect != d && path.Dir(e.path) == dir {
			m.errs.Add(e.pos(), fmt.Sprintf("%s holds the migrations of %s, and cannot hold those of %s as well", dir, e.dialect, d),
				"give migrations.dir another directory, or, if these were never applied, delete them and "+LockName)
			return true
		}
	}
	return false
}

// inPlace reports locked files that the configuration wants elsewhere, or
// for another tool.
func (m *migrator) inPlace(locked []entry, dir string, want []piece) bool {
	e := locked[0]
	tools := strings.Join(e.piece.tools, " or ")
	before := len(m.errs)
	if !slices.Contains(e.piece.tools, m.cfg.Migrations.Tool) {
		m.errs.Add(e.pos(), fmt.Sprintf("%s is laid out for %s, and migrations.tool is %s", e.path, tools, m.cfg.Migrations.Tool),
			fmt.Sprintf("set migrations.tool back to %s, or, to change the tool, delete %s and the files in it and run idemgen generate", tools, LockName))
	} else if len(locked) != len(want) {
		m.errs.Add(e.pos(), fmt.Sprintf("a line is missing beside that of %s", e.path), restoreLock)
	}
	if at := path.Dir(e.path); at != dir {
		changed := "migrations.dir"
		if base := m.cfg.Migrations.Dir; at == base || at == path.Join(base, string(e.dialect)) {
			changed = "dialect" // of several, each has a directory of its own
		}
		m.errs.Add(e.pos(), fmt.Sprintf("%s does not lie in %s, where the configuration has the migrations of %s", e.path, dir, e.dialect),
			fmt.Sprintf("set %s back, or move the files from %s to %s, delete %s and run idemgen generate", changed, at, dir, LockName))
	}
	return len(m.errs) == before
}

// create emits a migration, or takes up one that lost its lines in the lock.
func (m *migrator) create(n need, dir string, want []piece) error {
	number, err := m.pick(n, dir, want)
	if err != nil {
		return err
	}
	for _, p := range want {
		file := path.Join(dir, number+n.stem()+p.suffix)
		data, ok := n.render(p)
		if !ok {
			return fmt.Errorf("no template for %s", n)
		}
		m.lock.add(n, p, file, data)
		old, err := m.read(file)
		if err != nil {
			return err
		}
		if old != nil { // taken up as it is: its line ends may be CRLF
			data = old
		}
		m.files = append(m.files, File{Path: file, Data: data, Frozen: true})
	}
	return nil
}

// pick returns the number of a migration that is to be emitted.
func (m *migrator) pick(n need, dir string, want []piece) (string, error) {
	names, err := m.names(dir)
	if err != nil {
		return "", err
	}
	number, err := m.orphan(n, dir, want, names)
	if number == "" {
		number = m.next(dir, names)
	}
	return number, err
}

// read returns a file's bytes, nil if there is none.
func (m *migrator) read(file string) ([]byte, error) {
	data, err := fs.ReadFile(m.root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// names lists a directory's files, sorted; a directory that is missing has
// none.
func (m *migrator) names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(m.root, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if !e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
