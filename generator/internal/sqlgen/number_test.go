package sqlgen

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

func TestNumbers(t *testing.T) {
	cases := []struct {
		tool  string
		there []string
		want  string
	}{
		{"plain", nil, "0001_idemgen_job_runs.up.sql"},
		{"golang-migrate", nil, "000001_idemgen_job_runs.up.sql"},
		{"goose", nil, "00001_idemgen_job_runs.sql"},
		{"plain", []string{"0009_users.up.sql", "0010_orders.up.sql", "README.md", "2024-notes.md"}, "0011_idemgen_job_runs.up.sql"},
		{"plain", []string{"001_users.sql", "9_old.sql"}, "10_idemgen_job_runs.up.sql"},
		{"plain", []string{"099_users.sql"}, "100_idemgen_job_runs.up.sql"},
		{"golang-migrate", []string{"20240131235959_users.up.sql", "000003_x.up.sql"}, "20240131235960_idemgen_job_runs.up.sql"},
		{"goose", []string{"00007_users.go"}, "00008_idemgen_job_runs.sql"},
		{"goose", []string{"00007_users.sql", "20240131235959_orders.sql"}, "20240131235960_idemgen_job_runs.sql"},
		{"plain", []string{"99999999999999999999_x.sql", "0001_x.sql"}, "0002_idemgen_job_runs.up.sql"},
		{"plain", []string{"0005_dir/x.sql", "0001_x.sql"}, "0002_idemgen_job_runs.up.sql"},
	}
	for _, c := range cases {
		root := fstest.MapFS{}
		for _, name := range c.there {
			root["migrations/"+name] = &fstest.MapFile{}
		}
		s := project(spec.Postgres, notify())
		s.Config.Migrations.Tool = c.tool
		got := mustEmit(t, s, root).Up[spec.Postgres]
		if diff := cmp.Diff([]string{"migrations/" + c.want}, got); diff != "" {
			t.Errorf("%s beside %v:\n%s", c.tool, c.there, diff)
		}
	}
}

// The number of a locked file that is missing is not used again.
func TestNumberOfMissingFile(t *testing.T) {
	s := project(spec.Postgres, notify())
	root := write(nil, mustEmit(t, s, nil))
	delete(root, upFile)
	delete(root, downFile)
	s.Config.Table = "other_runs"
	want := []string{"migrations/0002_idemgen_job_runs.up.sql"}
	if diff := cmp.Diff(want, mustEmit(t, s, root).Up[spec.Postgres]); diff != "" {
		t.Error(diff)
	}
}
