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

	"github.com/jackc/pgx/v5"

	"github.com/idemgen/idemgen/runtime/internal/cluster"
	"github.com/idemgen/idemgen/runtime/internal/poll"
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
func holder(t *testing.T, server string, env ...string) (conn string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), holderEnv+"=1", URLEnv+"="+server), env...)
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

// binariesOrSkip is for tests of this package's own cluster, with which a
// server that is given has nothing to do.
func binariesOrSkip(t *testing.T) {
	t.Helper()
	if _, err := cluster.Find(); err != nil {
		t.Skip(err)
	}
}

func TestKilledBinaryTakesItsClusterAlong(t *testing.T) {
	binariesOrSkip(t)
	conn, kill := holder(t, "")
	dir := directory(t, conn)
	if _, err := os.Stat(dir); err != nil {
		t.Fatal(err)
	}
	kill()
	poll.Until(t, dir+" removed", func() bool {
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
	poll.Until(t, "the killed binary's session ended", func() bool {
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

// One leftover that this role cannot drop is no reason to run no test.
func TestLeftoverThatCannotBeDropped(t *testing.T) {
	s := serverOrSkip(t)
	ctx := context.Background()
	stuck, next := s.prefix+"1_1", s.prefix+"2_1"
	for _, name := range []string{stuck, next} {
		if err := s.create(ctx, name, "template0"); err != nil {
			t.Fatal(err)
		}
	}
	setTemplate := func(yes string) {
		if _, err := s.admin.Exec(ctx, "ALTER DATABASE "+stuck+" IS_TEMPLATE "+yes); err != nil {
			t.Fatal(err)
		}
	}
	setTemplate("true") // which nobody may drop
	t.Cleanup(func() {
		setTemplate("false")
		if err := s.drop(ctx, stuck); err != nil {
			t.Error(err)
		}
	})
	other, err := attach(ctx, s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close(ctx)
	if !exists(t, s, withDatabase(s.url, stuck)) {
		t.Error("the leftover went; the test needs one that cannot")
	}
	if exists(t, s, withDatabase(s.url, next)) {
		t.Error("the leftover after it is still there")
	}
}

// Tests that run in parallel have the connections that their pools ask for.
func TestConnectionsOnALargeMachine(t *testing.T) {
	binariesOrSkip(t)
	const parallel = 64
	conn, _ := holder(t, "", fmt.Sprintf("GOMAXPROCS=%d", parallel))
	ctx := context.Background()
	pool, err := connect(ctx, conn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	var limit int
	if err := pool.QueryRow(ctx, "SELECT current_setting('max_connections')::int").Scan(&limit); err != nil {
		t.Fatal(err)
	}
	if need := parallel * int(pool.Config().MaxConns); limit < need {
		t.Errorf("%d connections for %d tests that take %d", limit, parallel, need)
	}
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
