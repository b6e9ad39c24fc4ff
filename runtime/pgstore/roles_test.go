package pgstore_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/idemtest"
	"github.com/idemgen/idemgen/runtime/pgstore"
	"github.com/idemgen/idemgen/templates"
)

// Each role of the migration's comment can do its own work by the store, and for
// all else gets an error that says where the grants are.
func TestRoles(t *testing.T) {
	reads := []string{"lookup", "undelivered"}
	tasks := []string{"begin", "end", "health"}
	may := map[string][]string{
		"workers": slices.Concat(reads, []string{"claim", "complete", "release", "extend", "sweep", "enter", "apply", "leave", "keep"}),
		"sweeper": slices.Concat(reads, tasks, []string{"complete", "release", "extend", "sweep"}),
		"purge":   slices.Concat(reads, tasks, []string{"purge", "purge entities"}),
		"health":  slices.Concat(reads, []string{"health"}),
		"people":  nil,
	}
	grants, err := templates.Grants("job_runs")
	must(t, err)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(may)), slices.Sorted(maps.Keys(grants))); diff != "" {
		t.Fatal(diff)
	}
	for role, list := range grants {
		t.Run(role, func(t *testing.T) {
			db := open(t)
			store := storeAs(t, db, role, list)
			var could []string
			for what, call := range everyCall(t, db) {
				err := call(store)
				switch {
				case err == nil:
					could = append(could, what)
				case !strings.Contains(err.Error(), "says in its comment what to grant"), !strings.Contains(err.Error(), "permission denied for table job_runs"):
					t.Errorf("%s: %v", what, err)
				}
			}
			slices.Sort(could)
			if diff := cmp.Diff(slices.Sorted(slices.Values(may[role])), could); diff != "" {
				t.Errorf("(-may +could)\n%s", diff)
			}
		})
	}
}

// storeAs is a store whose connections are of a role with no more than grants.
func storeAs(t *testing.T, db idemtest.DB, role string, grants []string) *pgstore.Store {
	t.Helper()
	name := "idemgen_" + role
	pool := connect(t, db, func(c *pgxpool.Config) {
		name += "_" + c.ConnConfig.Database // roles are the server's
		c.ConnConfig.RuntimeParams["role"] = name
	})
	db.Exec(t, "CREATE ROLE "+name)
	t.Cleanup(func() { db.Exec(t, "DROP OWNED BY "+name+"; DROP ROLE "+name) })
	for _, grant := range grants {
		db.Exec(t, grant+" TO "+name)
	}
	return pgstore.New(pool)
}

// everyCall is each call of a store, with something to do for it.
func everyCall(t *testing.T, db idemtest.DB) map[string]func(*pgstore.Store) error {
	owner := pgstore.New(connect(t, db, func(*pgxpool.Config) {}))
	ctx := context.Background()
	held := func(key idem.Key) idem.Token { return hold(t, owner, key).Token() }
	must(t, owner.Complete(ctx, held("notify:done"), idem.Outcome{Status: idem.StatusDone}))
	db.Exec(t, "UPDATE job_runs SET created_at = created_at - interval '1 day', completed_at = completed_at - interval '1 day'")
	expired := request("notify:expired")
	expired.Lease = 0
	_, err := owner.Claim(ctx, expired)
	must(t, err)
	toComplete, toRelease, toExtend := held("notify:1"), held("notify:2"), held("notify:3")
	calls := everyOrderCall(t, owner)
	maps.Copy(calls, map[string]func(*pgstore.Store) error{
		"claim": func(s *pgstore.Store) error { _, err := s.Claim(ctx, request("notify:new")); return err },
		"complete": func(s *pgstore.Store) error {
			return s.Complete(ctx, toComplete, idem.Outcome{Status: idem.StatusDone})
		},
		"release": func(s *pgstore.Store) error { return s.Release(ctx, toRelease, idem.Release{Attempts: 3}) },
		"extend":  func(s *pgstore.Store) error { return s.Extend(ctx, toExtend, lease) },
		"lookup":  func(s *pgstore.Store) error { _, err := s.Lookup(ctx, "notify:1"); return err },
		"sweep":   func(s *pgstore.Store) error { _, err := s.Sweep(ctx, 9); return err },
		"purge":   func(s *pgstore.Store) error { _, err := s.Purge(ctx, "notify", lease, 9); return err },
		"begin":   func(s *pgstore.Store) error { _, err := s.BeginTask(ctx, idem.SweepTask, lease); return err },
		"end":     func(s *pgstore.Store) error { return s.EndTask(ctx, idem.SweepTask, 1, "") },
		"health": func(s *pgstore.Store) error {
			_, err := s.Health(ctx, []idem.Spec{{Handler: "notify", Retain: lease}})
			return err
		},
		"undelivered": func(s *pgstore.Store) error {
			_, err := s.Undelivered(ctx, "notify", idem.Undelivered{}, 9)
			return err
		},
	})
	return calls
}
