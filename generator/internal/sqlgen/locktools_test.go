package sqlgen

import (
	"bytes"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// toolProject is a project with a tool's migration, and the migration's files.
func toolProject(t *testing.T, tool string) (*spec.Spec, fstest.MapFS, []string) {
	t.Helper()
	s := project(spec.Postgres, notify())
	s.Config.Migrations.Tool = tool
	out := mustEmit(t, s, nil)
	return s, write(nil, out), frozenPaths(out)
}

func eachTool(t *testing.T, test func(t *testing.T, tool string)) {
	for _, tool := range toolsFor(spec.Postgres) {
		t.Run(tool, func(t *testing.T) { test(t, tool) })
	}
}

// The migrations of all tools are frozen, missed and put back alike.
func TestLockOfEachTool(t *testing.T) {
	eachTool(t, func(t *testing.T, tool string) {
		s, first, files := toolProject(t, tool)
		for _, file := range files {
			root := maps.Clone(first)
			edit(file, "job_runs", "other_runs")(root)
			_, err := emit(s, root)
			checkErrors(t, err, []string{file + ":"})
			if err != nil && !strings.Contains(err.Error(), "the migration was edited after it was written, and a migration is frozen; put it back with git checkout "+file) {
				t.Error(err)
			}

			delete(root, file)
			if diff := cmp.Diff([]string{file}, changed(root, mustEmit(t, s, root))); diff != "" {
				t.Errorf("%s missing: %s", file, diff)
			}
			if restored := write(root, mustEmit(t, s, root))[file]; !bytes.Equal(restored.Data, first[file].Data) {
				t.Errorf("%s comes back as\n%s", file, restored.Data)
			}
		}
		root := maps.Clone(first)
		crlf(root)
		if got := changed(root, mustEmit(t, s, root)); got != nil {
			t.Errorf("with CRLF: %v", got)
		}
		delete(root, LockName)
		if diff := cmp.Diff([]string{LockName}, changed(root, mustEmit(t, s, root))); diff != "" {
			t.Errorf("lock missing: %s", diff)
		}
	})
}

// Another table is another migration, in another file; another directory is
// an error until the files are moved.
func TestLockOfEachToolMoves(t *testing.T) {
	eachTool(t, func(t *testing.T, tool string) {
		s, root, files := toolProject(t, tool)
		s.Config.Migrations.Dir = "db"
		_, err := emit(s, root)
		checkErrors(t, err, []string{"idemgen.lock:4:1: " + files[0] + " does not lie in db"})

		moved := maps.Clone(root)
		delete(moved, LockName)
		for _, file := range files {
			moved[strings.Replace(file, "migrations/", "db/", 1)] = moved[file]
			delete(moved, file)
		}
		if diff := cmp.Diff([]string{LockName}, changed(moved, mustEmit(t, s, moved))); diff != "" {
			t.Errorf("files moved: %s", diff)
		}

		s.Config.Migrations.Dir, s.Config.Table = "migrations", "other_runs"
		out := mustEmit(t, s, root)
		want := []string{strings.Replace(files[0], "1_", "2_", 1)}
		if diff := cmp.Diff(want, out.Up[spec.Postgres]); diff != "" {
			t.Error(diff)
		}
		root = write(root, out)
		if got := changed(root, mustEmit(t, s, root)); got != nil {
			t.Errorf("a second emission changes %v", got)
		}
	})
}

// Each change of the tool is told from and to, and how to make it.
func TestToolsChange(t *testing.T) {
	eachTool(t, func(t *testing.T, from string) {
		for _, to := range toolsFor(spec.Postgres) {
			s, root, files := toolProject(t, from)
			s.Config.Migrations.Tool = to
			out, err := emit(s, root)
			if slices.Contains(pieceNamed(t, files[0], from).tools, to) {
				checkErrors(t, err, nil)
				if got := changed(root, out); got != nil {
					t.Errorf("%s for %s: %v", from, to, got)
				}
				continue
			}
			names := strings.Join(pieceNamed(t, files[0], from).tools, " or ")
			want := []string{"idemgen.lock:4:1: " + files[0] + " is laid out for " + names + ", and migrations.tool is " + to +
				"; set migrations.tool back to " + names + ", or, to change the tool, delete idemgen.lock and the files in it and run idemgen generate"}
			checkErrors(t, err, want)
			missing := maps.Clone(root)
			delete(missing, files[0])
			_, err = emit(s, missing)
			checkErrors(t, err, want)

			delete(root, LockName)
			_, err = emit(s, root)
			number, _, _ := strings.Cut(path.Base(files[0]), "1_")
			if err == nil || !strings.Contains(err.Error(), " is not in idemgen.lock, where "+number+"2_idemgen_job_runs.") {
				t.Errorf("%s for %s, with the old files: %v", from, to, err)
			}
			for _, file := range files {
				delete(root, file)
			}
			if out := mustEmit(t, s, root); len(out.Up[spec.Postgres]) != 1 {
				t.Errorf("%s for %s: %v", from, to, out.Up)
			}
		}
	})
}

func pieceNamed(t *testing.T, file, tool string) piece {
	t.Helper()
	for _, p := range layoutOf(tool) {
		if strings.HasSuffix(file, "_idemgen_job_runs"+p.suffix) {
			return p
		}
	}
	t.Fatalf("%s is no file for %s", file, tool)
	return piece{}
}

// The file of another version of idemgen, whose hash tells nothing, is known
// by its marks, also when the tool changes.
func TestToolOfAnotherVersion(t *testing.T) {
	eachTool(t, func(t *testing.T, tool string) {
		s, root, files := toolProject(t, tool)
		text := bytes.ReplaceAll(root[files[0]].Data, []byte("fillfactor = 80"), []byte("fillfactor = 70"))
		lock := strings.Replace(string(root[LockName].Data), hash(root[files[0]].Data), hash(text), 1)
		root[files[0]] = &fstest.MapFile{Data: text}
		root[LockName] = &fstest.MapFile{Data: []byte(rechain(lock))}
		if got := changed(root, mustEmit(t, s, root)); got != nil {
			t.Errorf("it is frozen, and %v change", got)
		}
		other := map[bool]string{true: "goose", false: "tern"}[tool == "tern"]
		s.Config.Migrations.Tool = other
		_, err := emit(s, root)
		checkErrors(t, err, []string{"idemgen.lock:4:1: " + files[0] + " is laid out for " + strings.Join(pieceNamed(t, files[0], tool).tools, " or ") + ", and migrations.tool is " + other})

		s.Config.Migrations.Tool = tool
		delete(root, files[0])
		_, err = emit(s, root)
		checkErrors(t, err, []string{"idemgen.lock:4:1: " + files[0] + " is missing, and this idemgen would write it otherwise"})
	})
}

// tern runs on Postgres alone.
func TestToolsOfADialect(t *testing.T) {
	for _, list := range [][]spec.Dialect{{spec.SQLite}, {spec.Postgres, spec.SQLite}} {
		s := project(spec.Postgres, notify())
		s.Config.Dialects = list
		s.Config.Migrations.Tool, s.Config.Migrations.ToolPos = "tern", spec.Pos{File: "idemgen.yaml", Line: 3, Col: 20}
		_, err := emit(s, fstest.MapFS{})
		checkErrors(t, err, []string{"idemgen.yaml:3:20: migrations.tool tern is for postgres alone, and dialect says sqlite; name another tool: atlas, dbmate, golang-migrate, goose, plain"})
	}
}
