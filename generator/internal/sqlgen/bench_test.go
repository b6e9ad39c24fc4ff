package sqlgen

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// thousand is a project of 1,000 handlers that has its migrations.
func thousand(b *testing.B, audited bool) (*spec.Spec, fstest.MapFS) {
	b.Helper()
	var handlers []*spec.Handler
	for i := range 1000 {
		audit := &spec.Audit{Table: fmt.Sprintf("effects_%d", i), Columns: []string{"tenant", "event_id"}, Time: "at"}
		if !audited {
			audit = nil
		}
		handlers = append(handlers, handler(fmt.Sprintf("notify_%04d", i), audit, placeholder("event.Tenant", spec.EncodeString), placeholder("event.ID", spec.EncodeText)))
	}
	s := project(spec.Postgres, handlers...)
	both(&s.Config)
	out, err := emit(s, fstest.MapFS{})
	if err != nil {
		b.Fatal(err)
	}
	return s, write(nil, out)
}

// BenchmarkEmit is what check costs in SQL.
func BenchmarkEmit(b *testing.B) {
	for _, audited := range []bool{false, true} {
		b.Run(fmt.Sprintf("handlers=1000/audited=%t", audited), func(b *testing.B) {
			s, root := thousand(b, audited)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := emit(s, root); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
