package sqlgen

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// rowsOf adds an upsert to a project.
func rowsOf(s *spec.Spec, u spec.Upsert) *spec.Upsert {
	f := s.Files[0]
	u.File = f
	f.Upserts = append(f.Upserts, &u)
	return &u
}

func text(name string) spec.Column {
	return spec.Column{Name: name, Path: spec.UpperFirst(name), SQLType: "text", Basic: "string"}
}

func nullable(name string) spec.Column {
	c := text(name)
	c.Nullable = true
	return c
}

// upserts are projects with nothing else, in a layout.
func upserts(tool string, dialects ...spec.Dialect) *spec.Spec {
	s := project(spec.Postgres)
	s.Config.Dialects, s.Config.Migrations.Tool = dialects, tool
	rowsOf(s, spec.Upsert{Type: "Recipient", Table: "recipients", By: []string{"list_id", "phone"}, Columns: []spec.Column{text("list_id"), text("phone"), text("name")}})
	return s
}

func upsertGolden() *spec.Spec {
	s := upserts(spec.ToolPlain, spec.Postgres, spec.SQLite)
	rowsOf(s, spec.Upsert{Type: "Price", Table: "prices", By: []string{"product", "region"}, Version: "rev", Nulls: spec.NullsSame, Columns: []spec.Column{text("product"), nullable("region"), text("rev")}})
	rowsOf(s, spec.Upsert{Type: "Visit", Table: "visits", By: []string{"page", "user"}, Nulls: spec.NullsDistinct, Columns: []spec.Column{text("page"), nullable("user")}})
	return s
}

// On Postgres the index stands alone in its file, with the mark by which each
// tool runs it outside of a transaction, on both ways.
func TestIndexIsNoTransaction(t *testing.T) {
	for tool, want := range map[string][]string{
		spec.ToolPlain:         {"-- The unique index of upserts into recipients.\n"},
		spec.ToolGolangMigrate: {"-- The unique index of upserts into recipients.\n"},
		spec.ToolGoose:         {"-- +goose NO TRANSACTION\n-- +goose Up\n", "\n-- +goose Down\n"},
		spec.ToolTern:          {"---- tern: disable-tx ----\n", "\n---- create above / drop below ----\n"},
		spec.ToolDbmate:        {"-- migrate:up transaction:false\n", "\n-- migrate:down transaction:false\n"},
		spec.ToolAtlas:         {"-- atlas:txmode none\n\n-- For Atlas: ", "Add the index\n"},
	} {
		s := upserts(tool, spec.Postgres)
		out := mustEmit(t, s, nil)
		path := out.Index[s.Files[0].Upserts[0]][spec.Postgres]
		if len(path) != 1 {
			t.Fatalf("%s: %v", tool, path)
		}
		file := string(write(nil, out)[path[0]].Data)
		if !strings.HasPrefix(file, want[0]) {
			t.Errorf("%s begins\n%.200s", tool, file)
		}
		for _, mark := range want {
			if !strings.Contains(file, mark) {
				t.Errorf("%s: no %q in\n%s", tool, mark, file)
			}
		}
		statements := statementsIn(file)
		if wanted := 1 + strings.Count(file, "\nDROP INDEX"); statements != wanted {
			t.Errorf("%s: %d statements; want %d", tool, statements, wanted)
		}
	}
	for _, tool := range toolsFor(spec.SQLite) {
		s := upserts(tool, spec.SQLite)
		for _, f := range mustEmit(t, s, nil).Files {
			if strings.Contains(string(f.Data), "CONCURRENTLY") || strings.Contains(strings.ToLower(string(f.Data)), "tx") {
				t.Errorf("%s:\n%s", f.Path, f.Data)
			}
		}
	}
}

// statementsIn counts the lines that are no comments, which are statements each.
func statementsIn(file string) (n int) {
	for line := range strings.Lines(file) {
		if line != "\n" && !strings.HasPrefix(line, "--") {
			n++
		}
	}
	return n
}

// An upsert that changes gets a new migration, and the old one stays as it is:
// other columns, another table, NULLs taken otherwise. What is not in the index
// changes nothing.
func TestChangedUpserts(t *testing.T) {
	for name, change := range map[string]func(*spec.Upsert){
		"columns": func(u *spec.Upsert) { u.By = []string{"phone"} },
		"order":   func(u *spec.Upsert) { u.By = []string{"phone", "list_id"} },
		"table":   func(u *spec.Upsert) { u.Table = "contacts" },
		"nulls":   func(u *spec.Upsert) { u.Columns[1].Nullable, u.Nulls = true, spec.NullsSame },
	} {
		s := upserts(spec.ToolPlain, spec.Postgres)
		root := write(nil, mustEmit(t, s, nil))
		before := maps.Clone(root)
		change(s.Files[0].Upserts[0])
		out := mustEmit(t, s, root)
		root = write(root, out)
		for path, file := range before {
			if path != LockName && strings.HasPrefix(path, "migrations/") && string(root[path].Data) != string(file.Data) {
				t.Errorf("%s: %s changed", name, path)
			}
		}
		if got := frozenPaths(out); len(got) != 4 || !slices.ContainsFunc(got, func(path string) bool { return strings.HasPrefix(path, "migrations/0002_idemgen_") }) {
			t.Errorf("%s: %v", name, got)
		}
		if again := changed(root, mustEmit(t, s, root)); again != nil {
			t.Errorf("%s: then %v", name, again)
		}
	}
	s := upserts(spec.ToolPlain, spec.Postgres)
	root := write(nil, mustEmit(t, s, nil))
	s.Files[0].Upserts[0].Version, s.Files[0].Upserts[0].Columns = "name", append(s.Files[0].Upserts[0].Columns, text("other"))
	if got := changed(root, mustEmit(t, s, root)); got != nil {
		t.Errorf("more columns and a version: %v", got)
	}
}

// An edited index is found as any other migration is, and one that is gone comes
// back.
func TestFrozenIndex(t *testing.T) {
	s := upserts(spec.ToolGoose, spec.Postgres)
	root := write(nil, mustEmit(t, s, nil))
	const path = "migrations/00001_idemgen_recipients_by_list_id_phone.sql"
	data := root[path].Data
	root[path] = &fstest.MapFile{Data: []byte(strings.Replace(string(data), "UNIQUE ", "", 1))}
	_, err := emit(s, root)
	checkErrors(t, err, []string{path + ":19:1: the migration was edited"})
	delete(root, path)
	if got := string(write(root, mustEmit(t, s, root))[path].Data); got != string(data) {
		t.Error(got)
	}
}

// Names that are too long for an index end in a hash, and two of them differ.
func TestLongIndexNames(t *testing.T) {
	long := strings.Repeat("long_", 10)
	u := spec.Upsert{Table: "t", By: []string{long + "a", long + "b"}, Columns: []spec.Column{text(long + "a"), text(long + "b"), text(long + "c")}}
	first := Index(spec.Postgres, &u)
	u.By[1] = long + "c"
	if second := Index(spec.Postgres, &u); len(first) > 63 || len(second) > 63 || first == second || spec.CheckColumn(first) != nil {
		t.Errorf("%s, %s", first, second)
	}
}

// Two types that are rows of one table by one key share what belongs to it.
func TestSharedIndex(t *testing.T) {
	s := upserts(spec.ToolPlain, spec.Postgres)
	rowsOf(s, *s.Files[0].Upserts[0])
	out := mustEmit(t, s, nil)
	if paths := frozenPaths(out); len(paths) != 2 || len(out.Files) != 3 {
		t.Errorf("%v of %d files", paths, len(out.Files))
	}
}
