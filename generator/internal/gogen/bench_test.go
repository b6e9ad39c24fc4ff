package gogen_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/generator/internal/gogen"
)

// BenchmarkEmit writes the output of 1,000 handlers in 100 packages, for the
// first time and when the fixtures are there.
func BenchmarkEmit(b *testing.B) {
	m := newWorld(b).module("example.com/bench")
	for p := range 100 {
		if err := m.add(fmt.Sprintf("jobs%d/jobs.go", p), tenHandlers(p)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("first", func(b *testing.B) { benchmarkEmit(b, m) })
	for p := range 100 {
		if err := m.add(fmt.Sprintf("jobs%d/fixtures_test.go", p), tenFixtures(p)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("again", func(b *testing.B) { benchmarkEmit(b, m) })
}

func benchmarkEmit(b *testing.B, m *memory) {
	s, err := m.spec(config)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gogen.Emit(s, migrations(s), upsertSQL); err != nil {
			b.Fatal(err)
		}
	}
}

func tenHandlers(pkg int) []byte {
	var text strings.Builder
	fmt.Fprintf(&text, `package jobs%d

import "context"

type Event struct {
	ID, Tenant string
	Channel    *string
}

type Receipt struct{ MessageID string }
`, pkg)
	for h := range 10 {
		fmt.Fprintf(&text, `
//idem:key p%d.n%d:{event.Tenant}:{event.ID}:{event.Channel?}
func Notify%d(ctx context.Context, event Event, retries int) (Receipt, error) { return Receipt{}, nil }
`, pkg, h, h)
	}
	return []byte(text.String())
}

func tenFixtures(pkg int) []byte {
	var text strings.Builder
	fmt.Fprintf(&text, "package jobs%d\n", pkg)
	for h := range 10 {
		fmt.Fprintf(&text, "\nfunc notify%dArgs(n int) (event Event, retries int) { return }\n\nfunc notify%dReal() {}\n", h, h)
	}
	return []byte(text.String())
}
