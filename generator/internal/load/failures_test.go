package load

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// TestFailures are what no edit of a source mends.
func TestFailures(t *testing.T) {
	root := project(t, oneHandler)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Load(ctx, Options{Root: root, Config: defaultConfig()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for _, last := range []string{"scan", "list", "parse", "export", "types"} {
		ctx, cancel := context.WithCancel(t.Context())
		var got string
		_, err := Load(ctx, Options{Root: root, Config: defaultConfig(), Stage: func(name string, _ time.Duration) {
			if got = name; name == last {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || got != last {
			t.Errorf("cancelled in stage %s: %v in stage %s", last, err, got)
		}
	}
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/shop\n\nbroken\nalso x\n")
	_, err := Load(t.Context(), Options{Root: root, Config: defaultConfig()})
	if want := "go.mod:3:1: unknown directive: broken; mend it: without it the go command finds no package\n" +
		"go.mod:4:1: unknown directive: also; mend it: without it the go command finds no package"; err == nil || err.Error() != want {
		t.Errorf("broken go.mod: %v", err)
	}
	_, err = Load(t.Context(), Options{Root: filepath.Join(root, "jobs"), Config: defaultConfig()})
	if errs, ok := errors.AsType[spec.Errors](err); !ok || errs[0].Pos.String() != "../go.mod:3:1" {
		t.Errorf("broken go.mod above the project: %v", err)
	}
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/shop\n\ngo 1.999\n")
	t.Setenv("GOTOOLCHAIN", "local")
	if _, err = Load(t.Context(), Options{Root: root, Config: defaultConfig()}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("go.mod of another Go: %v", err)
	}
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/shop\n\ngo 1.26\n\nrequire example.com/event v1.0.0\n")
	writeFile(t, filepath.Join(root, "vendor", "modules.txt"), "")
	t.Setenv("GOFLAGS", "-mod=vendor")
	_, err = Load(t.Context(), Options{Root: root, Config: defaultConfig()})
	if want := "go.mod:1:1: inconsistent vendoring in " + root + ": example.com/event@v1.0.0: is explicitly required in go.mod, but not marked as explicit in vendor/modules.txt; run go mod vendor"; err == nil || err.Error() != want {
		t.Errorf("vendor of another go.mod: %v", err)
	}
	t.Setenv("PATH", "")
	_, err = Load(t.Context(), Options{Root: root, Config: defaultConfig()})
	if !errors.Is(err, exec.ErrNotFound) || !strings.HasSuffix(err.Error(), "; install Go, or add the directory of its go command to PATH") {
		t.Errorf("no go command: %v", err)
	}
}

// TestUntidy has a go.mod that lacks what generated tests import, which go mod
// tidy would not add: the message tells what does.
func TestUntidy(t *testing.T) {
	root := project(t, oneHandler)
	t.Setenv("GOFLAGS", "-mod=readonly")
	_, err := Load(t.Context(), Options{Root: root, Config: defaultConfig()})
	const want = "go.mod:1:1: updates to go.mod needed; run go mod tidy; or, where that changes nothing, go get github.com/idemgen/idemgen/runtime/idemtest/pgtest github.com/idemgen/idemgen/runtime/idemtest/sqlitetest"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// TestModInWorkspace has -mod=mod refused where there is a workspace, in the
// go command's own words.
func TestModInWorkspace(t *testing.T) {
	root := project(t, oneHandler)
	writeFile(t, filepath.Join(root, "go.work"), "go 1.26.0\n\nuse .\n")
	_, err := Load(t.Context(), Options{Root: root, Config: defaultConfig()})
	if err == nil || !strings.HasPrefix(err.Error(), "go list: go: -mod may only be set to readonly or vendor when in workspace mode") {
		t.Errorf("got %v", err)
	}
}
