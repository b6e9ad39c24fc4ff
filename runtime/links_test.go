package runtime_test

import (
	"os/exec"
	"strings"
	"testing"
)

// What a program links that imports these packages, and nothing more: no
// generator, no driver of another database.
func TestLinks(t *testing.T) {
	const module = "github.com/idemgen/idemgen/"
	generator := []string{
		module + "generator", module + "templates", "github.com/dave/jennifer", "github.com/spf13",
		"golang.org/x/tools", "gopkg.in/yaml", "github.com/rogpeppe",
	}
	sqlite := []string{"modernc.org/", module + "runtime/sqlitestore"}
	postgres := []string{"github.com/jackc/", module + "runtime/pgstore"}
	testing := []string{"testing", module + "runtime/idemtest", module + "runtime/storetest"}
	for pkg, unwanted := range map[string][][]string{
		"runtime":                     {generator, sqlite, postgres, testing, {"golang.org/", "github.com/google"}},
		"runtime/pgstore":             {generator, sqlite, testing},
		"runtime/sqlitestore":         {generator, postgres, testing, {"modernc.org/"}},
		"runtime/upsert/pgupsert":     {generator, sqlite, testing},
		"runtime/upsert/sqliteupsert": {generator, postgres, testing, {"modernc.org/"}},
		"runtime/storetest":           {generator, sqlite, postgres},
		"runtime/idemtest":            {generator, sqlite, postgres},
		"runtime/idemtest/pgtest":     {generator, sqlite},
		"runtime/idemtest/sqlitetest": {generator, postgres},
	} {
		out, err := exec.Command("go", "list", "-deps", module+pkg).Output()
		if err != nil {
			t.Fatal(err)
		}
		deps := strings.Fields(string(out))
		if len(deps) < 10 {
			t.Errorf("%s: only %d packages listed", pkg, len(deps))
		}
		for _, dep := range deps {
			for _, kind := range unwanted {
				for _, prefix := range kind {
					if strings.HasPrefix(dep, prefix) {
						t.Errorf("%s links %s", pkg, dep)
					}
				}
			}
		}
	}
}
