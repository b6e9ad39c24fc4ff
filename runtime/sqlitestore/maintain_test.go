package sqlitestore_test

import (
	"fmt"
	"testing"

	"github.com/idemgen/idemgen/runtime/storetest"
)

func TestMaintenance(t *testing.T) {
	storetest.RunMaintenance(t, func(t testing.TB) storetest.MaintenanceHarness {
		h := harness(t)
		h.Exec(t, `CREATE TABLE refused (refused_key TEXT)`)
		for _, what := range []string{"UPDATE", "DELETE"} {
			h.Exec(t, fmt.Sprintf(`CREATE TRIGGER refuse_%[1]s BEFORE %[1]s ON job_runs WHEN EXISTS (SELECT 1 FROM refused WHERE refused_key = OLD.key)
				BEGIN SELECT RAISE(ABORT, 'refused by the test'); END`, what))
		}
		return storetest.MaintenanceHarness{Harness: h, Refuse: func(t testing.TB, key string) {
			h.Exec(t, fmt.Sprintf("INSERT INTO refused VALUES ('%s')", key))
		}}
	})
}
