package sqlgen

import (
	"bytes"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

const (
	upFile   = "migrations/0001_idemgen_job_runs.up.sql"
	downFile = "migrations/0001_idemgen_job_runs.down.sql"
)

// settings are a change of the configuration.
type settings func(*spec.Config)

func both(c *spec.Config) { c.Dialects = []spec.Dialect{spec.Postgres, spec.SQLite} }

// TestLock changes a project that has its migrations, and looks at what the
// next emission says, or at which files it changes.
func TestLock(t *testing.T) {
	cases := []struct {
		name   string
		emit   settings // for the first emission
		change func(root fstest.MapFS)
		then   settings
		want   []string // parts of the errors, each in one line, in order
		writes []string
	}{
		{name: "nothing"},
		{
			name:   "edited",
			change: edit(upFile, "fillfactor = 80", "fillfactor = 100"),
			want:   []string{upFile + ":34:1: the migration was edited after it was written, and a migration is frozen; put it back with git checkout " + upFile},
		},
		{
			name:   "edited to nothing",
			change: func(root fstest.MapFS) { root[downFile] = &fstest.MapFile{} },
			want:   []string{downFile + ":1:1: the migration was edited"},
		},
		{
			name:   "missing",
			change: remove(upFile),
			writes: []string{upFile},
		},
		{
			name:   "missing, and written by another version",
			change: func(root fstest.MapFS) { reissue(root, "CREATE TABLE other ();"); delete(root, upFile) },
			want:   []string{"idemgen.lock:4:1: " + upFile + " is missing, and this idemgen would write it otherwise; put it back with git checkout " + upFile},
		},
		{
			name:   "written by another version",
			change: func(root fstest.MapFS) { reissue(root, "CREATE TABLE other ();") },
		},
		{
			name: "written by another version, and edited",
			change: func(root fstest.MapFS) {
				reissue(root, "CREATE TABLE other ();")
				edit(upFile, "other", "another")(root)
			},
			want: []string{upFile + ":1:1: the migration was edited"},
		},
		{
			name:   "for a need of the future",
			change: edit(LockName, "job_runs/1", "job_runs/9", rechain),
			want:   []string{"idemgen.lock:4:1: " + upFile + " was written by a newer idemgen, for job_runs/9; update idemgen", "idemgen.lock:5:1"},
		},
		{
			name:   "CRLF in all files",
			change: crlf,
		},
		{
			name:   "first line removed",
			change: removeLine(3),
			want:   []string{"idemgen.lock:4:1: this line was edited, or a line before it was edited, removed or moved; put it back with git checkout idemgen.lock"},
		},
		{
			name:   "last line removed",
			change: removeLine(4),
			want:   []string{"idemgen.lock:4:1: a line is missing beside that of " + upFile},
		},
		{
			name:   "lines swapped",
			change: lockLines(func(l []string) []string { l[3], l[4] = l[4], l[3]; return l }),
			want:   []string{"idemgen.lock:4:1: this line was edited", "idemgen.lock:5:1: this line was edited"},
		},
		{
			name:   "line twice",
			change: lockLines(func(l []string) []string { return slices.Insert(l, 4, l[3]) }),
			want:   []string{"idemgen.lock:5:1: this line was edited, or"},
		},
		{
			name:   "hash edited",
			change: edit(LockName, "sha256:", "sha256:0", trim),
			want:   []string{"idemgen.lock:4:1: this line was edited"},
		},
		{
			name:   "nonsense",
			change: lockLines(func(l []string) []string { return slices.Insert(l, 3, "what is this") }),
			want:   []string{"idemgen.lock:4:1: this is not a line that idemgen wrote; put it back"},
		},
		{
			name:   "path out of the root",
			change: edit(LockName, "migrations/0001_idemgen_job_runs.up.sql", "../0001.up.sql", rechain),
			want:   []string{"idemgen.lock:4:1: this is not a line that idemgen wrote"},
		},
		{
			name:   "comments and empty lines",
			change: lockLines(func(l []string) []string { return slices.Insert(l, 4, "", "# mine") }),
		},
		{
			name: "merge conflict",
			change: lockLines(func(l []string) []string {
				return slices.Concat(l[:3], []string{"<<<<<<< HEAD", l[3], "=======", l[4], ">>>>>>> other"})
			}),
			want: []string{"idemgen.lock:4:1: a merge conflict is not resolved; keep the lines of one side"},
		},
		{
			name:   "lock missing",
			change: remove(LockName),
			writes: []string{LockName},
		},
		{
			name:   "lock empty",
			change: func(root fstest.MapFS) { root[LockName] = &fstest.MapFile{} },
			writes: []string{LockName},
		},
		{
			name:   "lock and one file missing",
			change: func(root fstest.MapFS) { delete(root, LockName); delete(root, downFile) },
			writes: []string{LockName, downFile},
		},
		{
			name:   "lock missing, file edited",
			change: func(root fstest.MapFS) { delete(root, LockName); edit(downFile, "DROP TABLE", "TRUNCATE")(root) },
			want: []string{downFile + ":1:1: 0001_idemgen_job_runs.down.sql is not in idemgen.lock, where 0002_idemgen_job_runs.up.sql serves the same need; if it was applied anywhere, put the lock back with git checkout idemgen.lock; otherwise delete it",
				upFile + ":1:1"},
		},
		{
			name: "a second migration, from a merge",
			change: func(root fstest.MapFS) {
				root["migrations/0007_idemgen_job_runs.up.sql"] = root[upFile]
			},
			want: []string{"migrations/0007_idemgen_job_runs.up.sql:1:1: 0007_idemgen_job_runs.up.sql is not in idemgen.lock, where 0001_idemgen_job_runs.up.sql serves the same need"},
		},
		{
			name:   "table renamed",
			then:   func(c *spec.Config) { c.Table = "app.runs" },
			writes: []string{"audit/job_runs.sql", "audit/notify.sql", LockName, "migrations/0002_idemgen_job_runs.down.sql", "migrations/0002_idemgen_job_runs.up.sql"},
		},
		{
			name: "tool changed",
			then: func(c *spec.Config) { c.Migrations.Tool = "goose" },
			want: []string{"idemgen.lock:4:1: " + upFile + " is laid out for plain or golang-migrate, and migrations.tool is goose; set migrations.tool back"},
		},
		{
			name: "tool changed back",
			emit: func(c *spec.Config) { c.Migrations.Tool = "goose" },
			then: func(c *spec.Config) { c.Migrations.Tool = "plain" },
			want: []string{"idemgen.lock:4:1: migrations/00001_idemgen_job_runs.sql is laid out for goose, and migrations.tool is plain"},
		},
		{
			name: "tool changed to one with the same files",
			then: func(c *spec.Config) { c.Migrations.Tool = "golang-migrate" },
		},
		{
			name: "directory changed",
			then: func(c *spec.Config) { c.Migrations.Dir = "db" },
			want: []string{"idemgen.lock:4:1: " + upFile + " does not lie in db, where the configuration has the migrations of postgres; set migrations.dir back, or move the files from migrations to db, delete idemgen.lock"},
		},
		{
			name: "dialect added",
			then: func(c *spec.Config) { c.Dialects = []spec.Dialect{spec.Postgres, spec.SQLite} },
			want: []string{"idemgen.lock:4:1: " + upFile + " does not lie in migrations/postgres, where the configuration has the migrations of postgres; set dialect back, or move the files from migrations to migrations/postgres, delete idemgen.lock"},
		},
		{
			name: "directory changed, files moved, lock deleted",
			change: func(root fstest.MapFS) {
				root["db/0001_idemgen_job_runs.up.sql"], root["db/0001_idemgen_job_runs.down.sql"] = root[upFile], root[downFile]
				for _, path := range []string{upFile, downFile, LockName} {
					delete(root, path)
				}
			},
			then:   func(c *spec.Config) { c.Migrations.Dir = "db" },
			writes: []string{LockName},
		},
		{
			name: "dialect changed",
			then: func(c *spec.Config) { c.Dialects = []spec.Dialect{spec.SQLite} },
			want: []string{"idemgen.lock:4:1: migrations holds the migrations of postgres, and cannot hold those of sqlite as well"},
		},
		{
			name: "dialect added",
			then: both,
			want: []string{"idemgen.lock:4:1: " + upFile + " does not lie in migrations/postgres"},
		},
		{
			name: "dialect removed",
			emit: both,
			then: func(c *spec.Config) { c.Dialects = []spec.Dialect{spec.Postgres} },
			want: []string{"idemgen.lock:4:1: migrations/postgres/0001_idemgen_job_runs.up.sql does not lie in migrations, where"},
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := project(spec.Postgres, notify())
			if c.emit != nil {
				c.emit(&s.Config)
			}
			root := write(nil, mustEmit(t, s, nil))
			if c.change != nil {
				c.change(root)
			}
			if c.then != nil {
				c.then(&s.Config)
			}
			out, err := emit(s, root)
			checkErrors(t, err, c.want)
			if err == nil {
				checkFrozen(t, root, out)
				if diff := cmp.Diff(c.writes, changed(root, out)); diff != "" {
					t.Errorf("changed files:\n%s", diff)
				}
			}
		})
	}
}

// What is locked stays, also when the last handler goes.
func TestLockWithoutHandlers(t *testing.T) {
	root := write(nil, mustEmit(t, project(spec.Postgres, notify()), nil))
	s := project(spec.Postgres)
	s.Files = nil
	out := mustEmit(t, s, root)
	if diff := cmp.Diff([]string{upFile, downFile}, frozenPaths(out)); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(out.Lock, root[LockName].Data) {
		t.Errorf("the lock changed:\n%s", out.Lock)
	}
	if out := mustEmit(t, s, nil); len(out.Files) > 0 || out.Lock != nil {
		t.Errorf("a project without handlers got %v", out.Files)
	}
}

// New lines go to the end; the lines and comments that are there stay.
func TestLockGrows(t *testing.T) {
	s := project(spec.Postgres, notify())
	root := write(nil, mustEmit(t, s, nil))
	root[LockName].Data = append(root[LockName].Data, "# mine"...)
	s.Config.Table = "other_runs"
	out := mustEmit(t, s, root)
	if !bytes.HasPrefix(out.Lock, append(slices.Clone(root[LockName].Data), '\n')) {
		t.Errorf("the lock's beginning changed:\n%s", out.Lock)
	}
	if diff := cmp.Diff([]string{"migrations/0002_idemgen_job_runs.up.sql"}, out.Up[spec.Postgres]); diff != "" {
		t.Error(diff)
	}
	if got := changed(write(root, out), mustEmit(t, s, write(root, out))); got != nil {
		t.Errorf("a second emission changes %v", got)
	}
}
