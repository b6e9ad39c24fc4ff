package chaos

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime/internal/cluster"
)

// bouncer is pgbouncer in transaction mode in front of the server. The
// connections that it keeps are few, so that sessions do change hands.
const bouncer = `[databases]
* = host=%[1]s port=5432 user=idemtest
[pgbouncer]
pool_mode = transaction
auth_type = any
listen_port = 6432
unix_socket_dir = %[1]s
default_pool_size = 6
max_client_conn = 500
server_login_retry = 0.1
ignore_startup_parameters = extra_float_digits
`

// leashed runs a program until standard input ends, as it does with this process;
// meanwhile each line of it is a signal to send. The program's own end is seen by
// the end of its log.
const leashed = `"$@" & exec 2>/dev/null; while read -r signal; do kill -s "$signal" $!; done; kill -INT $!; wait $!`

// pgbouncer returns the socket of the pooler of this test binary.
func pgbouncer(t testing.TB) string {
	t.Helper()
	c := theServer(t)
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		program, err = exec.LookPath("/usr/sbin/pgbouncer") // where users do not look
	}
	if err != nil {
		missing(t, "pgbouncer, for which .ci/pgbouncer looks")
	}
	pooler.Do(func() { poolerErr = startBouncer(c, program) })
	if poolerErr != nil {
		t.Fatal(poolerErr)
	}
	return filepath.Join(c.Dir, ".s.PGSQL.6432")
}

var (
	pooler    sync.Once
	poolerErr error
	poolerNow leash
)

// leash is what holds the pooler that runs now.
type leash struct {
	mu    sync.Mutex
	hold  io.Writer
	since time.Time // when it was up
}

func (l *leash) holds(hold io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hold, l.since = hold, time.Now()
}

// send sends the pooler a signal, and reports whether it did. One that was started
// after a time is left alone.
func (l *leash) send(signal string, startedBefore time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hold == nil || l.since.After(startedBefore) {
		return false
	}
	_, err := fmt.Fprintln(l.hold, signal)
	return err == nil
}

// startBouncer keeps a pooler running, as long as this process does: one that
// ends is told of and started again, as a service is.
func startBouncer(c *cluster.Cluster, program string) error {
	config := filepath.Join(c.Dir, "pgbouncer.ini")
	if err := os.WriteFile(config, fmt.Appendf(nil, bouncer, c.Dir), 0o644); err != nil {
		return err
	}
	up, failed := make(chan struct{}), make(chan error)
	go func() {
		for first := true; ; first = false {
			isUp := func() {}
			if first {
				isUp = func() { close(up) }
			}
			err := runBouncer(c.Command("/bin/sh", "-c", leashed, "sh", program, config), isUp)
			select {
			case <-up:
				fmt.Fprintln(os.Stderr, err)
				time.Sleep(time.Second / 10) // as a service is started again
			case failed <- err:
				return
			}
		}
	}()
	select {
	case <-up:
		return nil
	case err := <-failed:
		return err
	}
}

// runBouncer runs a pooler until it ends, and returns what it said in the end.
func runBouncer(cmd *exec.Cmd, isUp func()) error {
	leash, err := cmd.StdinPipe() // open as long as it is to run
	if err != nil {
		return err
	}
	defer func() { _ = leash.Close() }()
	log, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	const kept = 30
	var said []string
	for lines := bufio.NewScanner(log); lines.Scan(); {
		said = append(said, lines.Text())
		said = said[max(0, len(said)-kept):]
		if strings.Contains(lines.Text(), "process up") {
			poolerNow.holds(leash)
			isUp()
		}
	}
	return fmt.Errorf("pgbouncer has ended; it said:\n%s", strings.Join(said, "\n"))
}
