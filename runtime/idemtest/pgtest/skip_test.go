package pgtest

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/cluster"
)

// standIn is a test that is skipped or failed.
type standIn struct {
	testing.TB
	skipped, failed string
}

func (s *standIn) Helper() {}

func (s *standIn) Skip(args ...any) {
	s.skipped = fmt.Sprint(args...)
	runtime.Goexit()
}

func (s *standIn) Fatal(args ...any) {
	s.failed = fmt.Sprint(args...)
	runtime.Goexit()
}

func TestSkip(t *testing.T) {
	for ci, want := range map[string]string{
		"": "skipped", "false": "skipped", "False": "skipped", "0": "skipped",
		"true": "failed", "1": "failed", "yes": "failed", "woodpecker": "failed",
	} {
		t.Run("CI="+ci, func(t *testing.T) {
			t.Setenv("CI", ci)
			warn = sync.Once{}
			var s standIn
			var stderr bytes.Buffer
			done := make(chan struct{})
			go func() {
				defer close(done)
				skip(&s, &stderr, cluster.ErrNoServer)
			}()
			<-done
			if loud := strings.Contains(stderr.String(), "SKIPPING the tests on Postgres"); loud != (want == "skipped") {
				t.Errorf("stderr: %q", &stderr)
			}
			said := map[string]string{"skipped": s.skipped, "failed": s.failed}
			for how, text := range said {
				if got := strings.Contains(text, URLEnv); got != (how == want) {
					t.Errorf("%s: %q; want the test %s with the cure", how, text, want)
				}
			}
		})
	}
}

func TestWithDatabase(t *testing.T) {
	for conn, want := range map[string]string{
		"postgres://u:p@h:5432/app":                        "postgres://u:p@h:5432/x",
		"postgresql://h?sslmode=disable&dbname=app":        "postgresql://h/x?sslmode=disable",
		"postgres:///app?host=%2Frun%2Fpg&port=5433":       "postgres:///x?host=%2Frun%2Fpg&port=5433",
		"host=/run/pg dbname=app user='somebody or other'": "host=/run/pg dbname=app user='somebody or other' dbname=x",
	} {
		if got := withDatabase(conn, "x"); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", conn, got, want)
		}
	}
}
