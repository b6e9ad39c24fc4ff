package generator

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Whenever the caller gives up, the next stage does not begin.
func TestGenerateCancelled(t *testing.T) {
	root := writeTree(t, map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26\n",
		"a.go":   "package app\n",
	})
	for _, last := range []string{"config", "types", "sql", "go"} {
		ctx, cancel := context.WithCancel(t.Context())
		var after []string
		_, err := Generate(ctx, Config{Dir: root, Stage: func(name string, _ time.Duration) {
			if ctx.Err() != nil {
				after = append(after, name)
			}
			if name == last {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) || after != nil {
			t.Errorf("cancelled after %s: error %v, and then %q", last, err, after)
		}
	}
}
