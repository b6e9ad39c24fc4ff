package gogen_test

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/idemgen/idemgen/generator/internal/gogen"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// TestNames makes packages in which things are called what the output calls
// its own, and type-checks all that is written for them. What a user may call
// a thing breaks nothing, and what the fixtures declare changes nothing.
func TestNames(t *testing.T) {
	const all = 400
	w := shops(t)
	refused := 0
	for seed := range uint64(all) {
		files := newMaker(seed).files()
		no, err := tryNames(w, files)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, files)
		}
		for _, e := range no {
			if e.Pos.File == "" || e.Pos.Line == 0 {
				t.Errorf("seed %d: no position: %v", seed, e)
			}
		}
		if no != nil {
			refused++
		}
	}
	t.Logf("%d of %d packages refused", refused, all)
	if refused > all/4 {
		t.Errorf("%d of %d packages refused: too few are tried", refused, all)
	}
}

// source is files by path.
type source []struct{ path, text string }

func (s *source) add(path, text string) {
	*s = append(*s, struct{ path, text string }{path, text})
}

func (s source) String() string {
	var b strings.Builder
	for _, f := range s {
		fmt.Fprintf(&b, "-- %s --\n%s", f.path, f.text)
	}
	return b.String()
}

// tryNames writes the output for a package, unless it is refused because a
// name that users call is taken.
func tryNames(w *world, files source) (refused spec.Errors, err error) {
	m := w.module("example.com/names")
	for _, f := range files {
		if err := m.add(f.path, []byte(f.text)); err != nil {
			return nil, fmt.Errorf("the package: %w", err)
		}
	}
	if err := m.checkTests("jobs"); err != nil {
		return nil, fmt.Errorf("the package: %w", err)
	}
	s, err := m.spec(config)
	if errors.As(err, &refused) {
		return refused, nil
	} else if err != nil {
		return nil, err
	}
	out, err := gogen.Emit(s, migrations(s), upsertSQL)
	if err != nil {
		return nil, fmt.Errorf("not written: %w", err)
	}
	return nil, errors.Join(compiles(m, out), keeps(w, files, out))
}

// compiles type-checks a package with its output.
func compiles(m *memory, out []gogen.File) error {
	var written source
	for _, f := range out {
		written.add(f.Path, string(f.Data))
		if err := m.add(f.Path, f.Data); err != nil {
			return err
		}
	}
	if _, err := m.check("jobs", nil); err != nil {
		return fmt.Errorf("the wrappers: %w\n%s", err, written)
	}
	if err := m.checkTests("jobs"); err != nil {
		return fmt.Errorf("the tests: %w\n%s", err, written)
	}
	return nil
}

// keeps writes the output again, as if the fixtures were the developer's.
func keeps(w *world, files source, out []gogen.File) error {
	m := w.module("example.com/names")
	for _, f := range files {
		_ = m.add(f.path, []byte(f.text))
	}
	var want []gogen.File
	for _, f := range out {
		if f.Once {
			_ = m.add(f.Path, f.Data)
		} else {
			want = append(want, f)
		}
	}
	s, err := m.spec(config)
	if err != nil {
		return fmt.Errorf("with fixtures: %w", err)
	}
	again, err := gogen.Emit(s, migrations(s), upsertSQL)
	if err != nil {
		return fmt.Errorf("with fixtures: %w", err)
	}
	if !reflect.DeepEqual(want, again) {
		return fmt.Errorf("with fixtures (-want +got):\n%s", cmp.Diff(want, again))
	}
	return nil
}

// shopPackages are packages of others: two of one name, some that are called
// as those of the output, one in a directory of another name.
var shopPackages = []struct{ dir, name string }{
	{"event", "event"}, {"b/event", "event"}, {"context", "context"}, {"idem", "idem"}, {"time", "time"},
	{"run", "run"}, {"testing", "testing"}, {"fmt", "fmt"}, {"go-order", "order"}, {"runtime", "runtime"},
	{"key/v2", "key"}, {"t", "t"}, {"über", "über"}, {"spec", "notifySpec"},
}

const shopPath = "example.com/shop"

// shopNames are what each of them declares.
var shopNames = []string{"ID", "Day", "Sub", "Event", "Source", "Box"}

func shops(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	m := w.module(shopPath)
	for _, p := range shopPackages {
		text := "package " + p.name + `

import clock "time"

type ID string

type Day clock.Time

func (d Day) MarshalJSON() ([]byte, error) { return clock.Time(d).MarshalJSON() }

func (d *Day) UnmarshalJSON(data []byte) error { return (*clock.Time)(d).UnmarshalJSON(data) }

type Sub struct{ N int }

type Event struct {
	ID  string
	At  clock.Time
	Day *Day
	Sub *Sub
}

func (e *Event) GetSub() *Sub { return e.Sub }

type Source interface{ ID() string }

type Box[T any] struct {
	ID string
	Of T
}
`
		if err := m.add(path.Join(p.dir, "shop.go"), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	return &world{fset: w.fset, compiled: m}
}
