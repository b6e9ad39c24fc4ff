package chaos

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// A pooler that hangs is ended and started again, so that what waits for it goes on.
func TestGuard(t *testing.T) {
	db, socket := newPostgres(t), pgbouncer(t)
	w := newWire(t, "unix", socket)
	url := fmt.Sprintf("postgres://idemtest@%s/%s?sslmode=disable&default_query_exec_mode=exec", w.listener.Addr(), db.name)
	through := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(ctx) }()
		_, err = conn.Exec(ctx, "SELECT 1")
		return err
	}
	poll.Until(t, "the pooler", func() bool { return through() == nil })
	if !poolerNow.send("STOP", time.Now()) {
		t.Fatal("the pooler is not held")
	}
	poll.Until(t, "the pooler hang", func() bool { return through() != nil })
	stop, hangs := make(chan struct{}), 0
	var guard sync.WaitGroup
	guard.Go(func() { hangs = guardPooler(t, stop, func() int { return 0 }, 2*time.Second) })
	poll.Until(t, "the pooler again", func() bool { return through() == nil })
	close(stop)
	guard.Wait()
	if hangs == 0 {
		t.Error("nobody has ended the pooler")
	}
}
