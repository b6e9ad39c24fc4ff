package pgtest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// holderEnv makes the test binary, run again, one that opens a database and
// waits to be killed.
const holderEnv = "IDEMTEST_HOLDER"

func TestMain(m *testing.M) {
	if os.Getenv(holderEnv) == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	s, err := shared()
	if err != nil {
		panic(err)
	}
	conn, err := s.clone(ctx, Config{})
	if err != nil {
		panic(err)
	}
	fmt.Println(conn)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// holder starts a test binary that holds a database on a server, or on a
// cluster of its own, and returns the connection string.
func holder(t *testing.T, server string) (conn string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holderEnv+"=1", URLEnv+"="+server)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), kill
}

func serverOrSkip(t *testing.T) *server {
	t.Helper()
	Open(Config{})(t) // skips where there is none
	s, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestKilledBinaryTakesItsClusterAlong(t *testing.T) {
	serverOrSkip(t)
	conn, kill := holder(t, "")
	dir := directory(t, conn)
	if dir == "" {
		t.Skip(URLEnv + " is set")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	kill()
	eventually(t, dir+" removed", func() bool {
		_, err := os.Stat(dir)
		return os.IsNotExist(err)
	})
}

// Two binaries on one server: what a killed one left goes when another
// starts; what a live one uses stays.
func TestAbandonedDatabases(t *testing.T) {
	s := serverOrSkip(t)
	live, _ := holder(t, s.url)
	dead, kill := holder(t, s.url)
	kill()
	eventually(t, "the killed binary's session ended", func() bool {
		return !locked(t, s, dead)
	})
	if !exists(t, s, dead) {
		t.Fatal("the killed binary left no database")
	}
	next, _ := holder(t, s.url)
	if exists(t, s, dead) {
		t.Error("the killed binary's database is still there")
	}
	for _, conn := range []string{live, next} {
		if !exists(t, s, conn) {
			t.Errorf("the live database %s is gone", conn)
		}
	}
	Open(Config{})(t) // and so is this binary's template
}

func TestRoleThatMayNotCreateDatabases(t *testing.T) {
	s := serverOrSkip(t)
	ctx := context.Background()
	if _, err := s.admin.Exec(ctx, "CREATE ROLE idemtest_poor LOGIN PASSWORD 'poor'"); err != nil {
		t.Skipf("on a server that is not this test's own: %v", err)
	}
	t.Cleanup(func() { _, _ = s.admin.Exec(ctx, "DROP ROLE idemtest_poor") })
	u, err := url.Parse(s.url)
	if err != nil {
		t.Skip(URLEnv + " is no URL")
	}
	q := u.Query()
	q.Set("user", "idemtest_poor")
	q.Set("password", "poor")
	u.RawQuery = q.Encode()
	poor, err := attach(ctx, u.String())
	if err != nil {
		t.Fatal(err)
	}
	defer poor.close(ctx)
	_, err = poor.clone(ctx, Config{})
	if err == nil || !strings.Contains(err.Error(), `ALTER ROLE "idemtest_poor" CREATEDB`) {
		t.Errorf("got %v; want the cure", err)
	}
}

func (s *server) close(ctx context.Context) {
	_ = s.lock.Close(ctx)
	s.admin.Close()
}

func directory(t *testing.T, conn string) string {
	t.Helper()
	u, err := url.Parse(conn)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get("host")
}

func databaseOf(t *testing.T, conn string) string {
	t.Helper()
	config, err := pgx.ParseConfig(conn)
	if err != nil {
		t.Fatal(err)
	}
	return config.Database
}

func exists(t *testing.T, s *server, conn string) bool {
	t.Helper()
	var yes bool
	row := s.admin.QueryRow(context.Background(), "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", databaseOf(t, conn))
	if err := row.Scan(&yes); err != nil {
		t.Fatal(err)
	}
	return yes
}

// locked reports whether the binary that made a database still lives.
func locked(t *testing.T, s *server, conn string) bool {
	t.Helper()
	id, _, _ := strings.Cut(strings.TrimPrefix(databaseOf(t, conn), s.prefix), "_")
	var yes bool
	row := s.admin.QueryRow(context.Background(),
		"SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objid::text = $2)", lockClass, id)
	if err := row.Scan(&yes); err != nil {
		t.Fatal(err)
	}
	return yes
}

// eventually asks until the answer is yes, and fails when it stays no for
// far longer than it can take.
func eventually(t *testing.T, what string, yes func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !yes() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not in a minute: %s", what)
		}
	}
}
