package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idemgen/idemgen/runtime/internal/cluster"
)

// server is where this test binary makes its databases. They are called
// idemtest_<database>_<id>_<number>, after the oid of the database that url
// names. In there, the advisory lock (lockClass, id), held by a session that
// ends with the process, says that they are in use.
type server struct {
	admin  *pgxpool.Pool
	url    string
	prefix string // idemtest_<database>_
	id     int32
	lock   *pgx.Conn
	// strategy of CREATE DATABASE. Copying files is faster by far than the
	// default, but it takes checkpoints, which a server of one's own may
	// have to wait for.
	strategy string
	// cluster, if the server is our own, has to stay reachable: it ends
	// when the garbage collector finds it.
	cluster *cluster.Cluster

	made      atomic.Int32
	mu        sync.Mutex        // held while a template is made, too
	templates map[string]string // name of the database by what is in it
}

const lockClass = 0x1de3

// shared is the server of this test binary, looked for at the first use.
var shared = sync.OnceValues(func() (*server, error) {
	ctx := context.Background()
	if given := os.Getenv(URLEnv); given != "" {
		s, err := attach(ctx, given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", URLEnv, err)
		}
		return s, nil
	}
	bin, err := cluster.Find()
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(bin, connections())
	if err != nil {
		return nil, fmt.Errorf("with the programs in %s: %w", bin, err)
	}
	s, err := attach(ctx, c.URL)
	if err != nil {
		c.Stop()
		return nil, err
	}
	s.cluster = c
	const strategy = "SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 THEN 'STRATEGY file_copy' ELSE '' END"
	return s, s.lock.QueryRow(ctx, strategy).Scan(&s.strategy)
})

// connections is how many a server of our own allows: the pools of as many
// tests as run in parallel, two each, and some for what the tests start.
func connections() int { return 200 + 2*poolConns*runtime.GOMAXPROCS(0) }

// attach connects to a server and removes the databases of test binaries that
// have ended.
func attach(ctx context.Context, url string) (*server, error) {
	admin, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	s := &server{admin: admin, url: url, id: rand.Int32(), templates: make(map[string]string)}
	if s.lock, err = pgx.ConnectConfig(ctx, admin.Config().ConnConfig); err != nil {
		return nil, err
	}
	if _, err := s.lock.Exec(ctx, "SELECT pg_advisory_lock($1, $2)", lockClass, s.id); err != nil {
		return nil, err
	}
	const oid = "SELECT 'idemtest_' || oid || '_' FROM pg_database WHERE datname = current_database()"
	if err := s.lock.QueryRow(ctx, oid).Scan(&s.prefix); err != nil {
		return nil, err
	}
	return s, s.dropAbandoned(ctx)
}

// dropAbandoned drops the databases whose lock nobody holds.
func (s *server) dropAbandoned(ctx context.Context) error {
	const mine = "SELECT datname FROM pg_database WHERE starts_with(datname, $1) AND pg_get_userbyid(datdba) = current_user"
	rows, err := s.admin.Query(ctx, mine, s.prefix)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, name := range names {
		// One that stays, because somebody made a template of it, say, takes
		// room but harms no test.
		_ = s.dropIfAbandoned(ctx, name)
	}
	return nil
}

func (s *server) dropIfAbandoned(ctx context.Context, name string) error {
	var id, number int32
	if _, err := fmt.Sscanf(strings.TrimPrefix(name, s.prefix), "%d_%d", &id, &number); err != nil {
		return nil // no name that this package gives
	}
	var abandoned bool
	err := s.lock.QueryRow(ctx, "SELECT pg_try_advisory_lock($1, $2)", lockClass, id).Scan(&abandoned)
	if err != nil || !abandoned {
		return err
	}
	err = s.drop(ctx, name)
	_, unlockErr := s.lock.Exec(ctx, "SELECT pg_advisory_unlock($1, $2)", lockClass, id)
	return errors.Join(err, unlockErr)
}

// clone makes a database for one test and returns its connection string.
func (s *server) clone(ctx context.Context, c Config) (string, error) {
	template, err := s.template(ctx, c)
	if err != nil {
		return "", err
	}
	name := s.newName()
	if err := s.create(ctx, name, template); err != nil {
		return "", err
	}
	return withDatabase(s.url, name), nil
}

func (s *server) newName() string {
	return fmt.Sprintf("%s%d_%d", s.prefix, s.id, s.made.Add(1))
}

func (s *server) create(ctx context.Context, name, template string) error {
	_, err := s.admin.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template+" "+s.strategy)
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) && pgErr.Code == "42501" { // insufficient_privilege
		role := s.admin.Config().ConnConfig.User
		return fmt.Errorf("each test has a database of its own, and the role %q of %s may not create any; ALTER ROLE %q CREATEDB: %w", role, URLEnv, role, err)
	}
	return err
}

func (s *server) drop(ctx context.Context, name string) error {
	_, err := s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	return err
}

// withDatabase returns a connection string, in either of its forms, for
// another database of the same server.
func withDatabase(conn, name string) string {
	if !strings.HasPrefix(conn, "postgres://") && !strings.HasPrefix(conn, "postgresql://") {
		return conn + " dbname=" + name
	}
	u, err := url.Parse(conn)
	if err != nil {
		return conn // cannot be: pgx has parsed it
	}
	u.Path = "/" + name
	q := u.Query()
	q.Del("dbname")
	q.Del("database")
	u.RawQuery = q.Encode()
	return u.String()
}
