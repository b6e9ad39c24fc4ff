package sqlgen

import (
	"strings"
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
		{"tern", nil, "001_idemgen_job_runs.sql"},
		{"dbmate", nil, "0001_idemgen_job_runs.sql"},
		{"atlas", nil, "0001_idemgen_job_runs.sql"},
		{"tern", []string{"009_users.sql", "010_orders.sql", "tern.conf"}, "011_idemgen_job_runs.sql"},
		{"tern", []string{"0999_users.sql"}, "1000_idemgen_job_runs.sql"},
		{"dbmate", []string{"20240131235959_users.sql"}, "20240131235960_idemgen_job_runs.sql"},
		{"atlas", []string{"20240131235959.sql", "atlas.sum"}, "20240131235960_idemgen_job_runs.sql"},
		{"plain", []string{"0009_users.up.sql", "0010_orders.up.sql", "README.md", "2024-notes.md"}, "0011_idemgen_job_runs.up.sql"},
		{"golang-migrate", []string{"001_users.sql", "9_old.sql"}, "10_idemgen_job_runs.up.sql"},
		{"goose", []string{"99999_users.sql"}, "100000_idemgen_job_runs.sql"},
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

// A migration that comes last by its number has to come last by its name
// where that is what counts.
func TestNumberOutOfOrder(t *testing.T) {
	for last, others := range map[string][]string{
		"9999_users.up.sql":    {"0001_x.up.sql"},
		"9_old.sql":            {"001_users.sql"},
		"9_first.sql":          {"0010_second.sql"},
		"99999999999999_x.sql": nil,
		"2_b.sql":              {"1_a.sql", "0010_c.sql", "README.md"},
	} {
		root := fstest.MapFS{"migrations/" + last: {}}
		for _, name := range others {
			root["migrations/"+name] = &fstest.MapFile{}
		}
		for _, tool := range []string{"plain", "dbmate", "atlas"} {
			s := project(spec.Postgres, notify())
			s.Config.Migrations.Tool = tool
			_, err := emit(s, root)
			checkErrors(t, err, []string{"migrations/" + last + ":1:1: the next migration, "})
			if err != nil && !strings.Contains(err.Error(), ", comes before it by its name, and migrations.tool "+tool+" goes by names; ") {
				t.Error(err)
			}
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
