package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"idemgen": main,
		"fakego":  fakeGo,
	})
}

var update = flag.Bool("update", false, "write what the commands print into the scripts' wanted files")

// TestScript runs testdata/script/*.txtar, each in a module of its own that
// takes idemgen from this checkout. Beyond testscript's commands they have
//
//	exits CODE PROGRAM [ARG...]  run a program that ends with this exit code
//	snapshot                     note names, bytes, modes, mtimes and inodes of all files
//	[!] unchanged                compare all files with the snapshot
//	readonly                     take the write permissions from all files and directories
//	edit FILE OLD NEW            replace a text in a file, wherever it stands
//	crlf FILE                    turn the line ends to CRLF
//
// A script without a go.mod gets one, of the module example.com/app.
func TestScript(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(root, "testdata", "script"),
		Setup:               func(env *testscript.Env) error { return setUp(env, root) },
		Cmds:                scriptCommands,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// setUp gives a script the module and an environment in which the go command
// finds everything in the caches and asks nobody.
func setUp(env *testscript.Env, root string) error {
	caches, err := goEnv("GOCACHE", "GOMODCACHE")
	if err != nil {
		return err
	}
	env.Setenv("GOCACHE", caches[0])
	env.Setenv("GOMODCACHE", caches[1])
	env.Setenv("IDEMGEN_ROOT", root)
	env.Setenv("GOFLAGS", "")
	env.Setenv("GOPROXY", "off")
	env.Setenv("GOSUMDB", "off")
	env.Setenv("GOTOOLCHAIN", "local")
	env.Setenv("GOWORK", "off")
	for _, name := range []string{"IDEMGEN_TEST_DATABASE_URL", "CI"} {
		env.Setenv(name, os.Getenv(name))
	}
	env.Values[snapshotKey{}] = new(tree)
	return writeModule(env.WorkDir, root)
}

func writeModule(dir, root string) error {
	name := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		return err
	}
	text := strings.Replace(string(mod), "module github.com/idemgen/idemgen", "module example.com/app", 1) +
		"\nrequire github.com/idemgen/idemgen v0.0.0\n\nreplace github.com/idemgen/idemgen => " + root + "\n"
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o644)
}
