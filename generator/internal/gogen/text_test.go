package gogen

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		2 * time.Minute:         "2 * time.Minute",
		time.Minute:             "time.Minute",
		90 * time.Second:        "90 * time.Second",
		90 * time.Minute:        "90 * time.Minute",
		time.Hour:               "time.Hour",
		24 * time.Hour:          "24 * time.Hour",
		36 * time.Hour:          "36 * time.Hour",
		48 * time.Hour:          "2 * 24 * time.Hour",
		30 * 24 * time.Hour:     "30 * 24 * time.Hour",
		1500 * time.Millisecond: "1500 * time.Millisecond",
		3 * time.Microsecond:    "3 * time.Microsecond",
		1001 * time.Nanosecond:  "1001 * time.Nanosecond",
	} {
		if got := duration(d, "time"); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}

func TestHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"notify:{event.ID}":   "notify:{event.ID}",
		"a*/b":                "ab",
		"**//":                "",
		"*//go:*/b":           "/go:b",
		"//go://go:*/x":       "x",
		"x\n//go:build never": "x build never",
		"a\r\nb":              "a  b",
	} {
		if got := harmless(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAlias(t *testing.T) {
	for path, want := range map[string]string{
		"context":                     "stdcontext",
		"example.com/shop/event":      "shopevent",
		"example.com/shop-eu/event":   "shopeuevent",
		"example.com/shop/event/v2":   "shopevent",
		"example.com/3d/event":        "eventpkg",
		"github.com/acme/event":       "acmeevent",
		"example.com/internal/x/go-e": "xevent",
	} {
		name := "event"
		if path == "context" {
			name = path
		}
		if got := alias(path, name); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, c := range [][3]string{
		{"jobs", "migrations/1.sql", "../migrations/1.sql"},
		{".", "migrations/1.sql", "migrations/1.sql"},
		{"a/b", "a/migrations/1.sql", "../migrations/1.sql"},
		{"a/b", "a/b/c/1.sql", "c/1.sql"},
	} {
		if got := relative(c[0], c[1]); got != c[2] {
			t.Errorf("from %s to %s: got %s, want %s", c[0], c[1], got, c[2])
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		path, from string
		want       bool
	}{
		{"example.com/a/internal/b", "example.com/a/jobs", true},
		{"example.com/a/internal/b", "example.com/a", true},
		{"example.com/a/internal/b", "example.com/ab", false},
		{"example.com/a/internal", "example.com/c", false},
		{"example.com/a/internals/b", "example.com/c", true},
		{"internal/abi", "example.com/c", false},
	} {
		if got := visible(c.path, c.from); got != c.want {
			t.Errorf("%s from %s: got %v", c.path, c.from, got)
		}
	}
}

// TestFixtureKeepsItsNames checks that the second run sees the fixture that
// the first one wrote as what it is, and other people's names as theirs.
func TestFixtureKeepsItsNames(t *testing.T) {
	imported := map[string]spec.Pos{}
	handler := func(names map[string]spec.Pos) *declared {
		file := &spec.File{Path: "jobs/notify.go", Package: &spec.Package{Path: "example.com/jobs", Name: "jobs", Dir: "jobs", Names: names, Imported: imported}}
		h := &spec.Handler{Func: "Notify", File: file}
		file.Handlers = []*spec.Handler{h}
		d, err := declare(&spec.Spec{Files: []*spec.File{file}})
		if err != nil {
			t.Fatal(err)
		}
		return d.of[h]
	}
	first := handler(nil)
	if first.fixture != "jobs/notify_idem_fixture_test.go" {
		t.Errorf("fixture is %s", first.fixture)
	}
	own := spec.Pos{File: first.fixture, Line: 1, Col: 1}
	if second := handler(map[string]spec.Pos{"notifyArgs": own, "notifyReal": own}); second.args != first.args || second.real != first.real || !second.given["notifyArgs"] || first.given["notifyArgs"] {
		t.Errorf("second run has %+v, first had %+v", second, first)
	}
	elsewhere := spec.Pos{File: "jobs/helpers_test.go", Line: 1, Col: 1}
	if moved := handler(map[string]spec.Pos{"notifyArgs": elsewhere, "notifyReal": own}); moved.args != first.args || moved.real != first.real {
		t.Errorf("moved to another test: got %+v", moved)
	}
	foreign := spec.Pos{File: "jobs/other.go", Line: 1, Col: 1}
	others := spec.Pos{File: "jobs/other_idem_fixture_test.go", Line: 1, Col: 1}
	taken := handler(map[string]spec.Pos{"notifyArgs": foreign, "notifyArgs2": others, "notifySpec": elsewhere})
	if taken.args != "notifyArgs3" || taken.spec != "notifySpec2" || taken.seam != first.seam || taken.given["notifyArgs3"] {
		t.Errorf("got %+v", taken)
	}
	imported["notifyArgs"], imported["notifySpec"] = elsewhere, elsewhere
	if beside := handler(nil); beside.args != "notifyArgs2" || beside.spec != "notifySpec2" || beside.real != first.real {
		t.Errorf("beside imports: got %+v", beside)
	}
}

func TestIdentifiers(t *testing.T) {
	got := identifiers("map[event.ID]func(n int, x Box[shop.Order]) (err error)")
	if want := []string{"event", "int", "Box", "shop", "error"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestComment(t *testing.T) {
	for _, line := range comment("%s", strings.Repeat("word ", 60)) {
		if text := strings.TrimSpace(line.(interface{ GoString() string }).GoString()); columns(text) > commentColumns {
			t.Errorf("%d columns: %s", columns(text), text)
		}
	}
}
