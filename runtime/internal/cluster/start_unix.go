//go:build unix

package cluster

import (
	"bufio"
	_ "embed"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"syscall"
)

// settings trade what a throwaway cluster does not need for speed.
var settings = []string{
	"-p", "5432", // names the socket; no TCP port is opened
	"-c", "listen_addresses=",
	"-c", "fsync=off",
	"-c", "synchronous_commit=off",
	"-c", "full_page_writes=off",
	"-c", "wal_level=minimal",
	"-c", "max_wal_senders=0",
	"-c", "max_wal_size=96MB", // the directory may be in memory
	"-c", "min_wal_size=32MB",
	"-c", "shared_buffers=32MB",
	// Of what lies in the directory nothing is left when that is removed.
	"-c", "dynamic_shared_memory_type=mmap",
	// Readiness is read from standard error, where some packagers' defaults
	// do not log.
	"-c", "logging_collector=off",
	"-c", "log_destination=stderr",
	"-c", "log_min_messages=warning",
}

//go:embed watchdog.sh
var watchdog string

// Cluster is a running throwaway server.
type Cluster struct {
	URL   string // of its maintenance database
	Dir   string // of its data and its socket; removed when it ends
	bin   string
	owner *syscall.Credential
	// lifeline is held open as long as the cluster is to live.
	lifeline *os.File
}

// Start makes a cluster with the binaries of a directory, for as many
// connections, and returns when it takes them. It ends when Stop is called or
// when this process ends. Clusters that were killed before they could clean up
// are removed. More settings are name=value, without spaces.
func Start(bin string, connections int, more ...string) (*Cluster, error) {
	owner, err := serverUser()
	if err != nil {
		return nil, err
	}
	parent := parentDir(owner)
	removeAbandoned(parent, uid(owner))
	dir, err := makeDir(parent, owner)
	if err != nil {
		return nil, err
	}
	log, lifeline, err := startWatchdog(bin, dir, owner, append(more, "max_connections="+strconv.Itoa(connections)))
	if err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if err := waitReady(log); err != nil {
		_ = lifeline.Close()
		return nil, err
	}
	return &Cluster{URL: socketURL(dir), Dir: dir, bin: bin, owner: owner, lifeline: lifeline}, nil
}

// Stop ends the cluster; its directory goes soon after.
func (c *Cluster) Stop() { _ = c.lifeline.Close() }

// startWatchdog runs the script that starts the server, in a session of its
// own, so that signals to the tests' process group do not reach it. It hands
// them the lock on the directory, and returns the standard error of both and
// the lifeline.
func startWatchdog(bin, dir string, owner *syscall.Credential, more []string) (log io.Reader, lifeline *os.File, err error) {
	cmd := exec.Command("/bin/sh", append([]string{"-c", watchdog, "sh", bin, dir}, settings...)...)
	for _, setting := range more {
		cmd.Args = append(cmd.Args, "-c", setting)
	}
	cmd.Dir = "/" // whatever the tests' directory is, the owner may not be let in
	cmd.Env = environ()
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: owner}
	reader, lifeline, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer reader.Close()
	cmd.Stdin = reader
	// Without a lock, on a file system that has none, nothing is removed.
	if lock, err := lockDir(dir); err == nil {
		defer lock.Close()
		cmd.ExtraFiles = []*os.File{lock}
	}
	if log, err = cmd.StderrPipe(); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		_ = lifeline.Close()
		return nil, nil, fmt.Errorf("start the cluster's watchdog: %w", err)
	}
	return log, lifeline, nil
}

// waitReady reads the server's log until it takes connections, and goes on
// reading it in the background, so that the server never waits for a reader.
func waitReady(log io.Reader) error {
	lines := bufio.NewScanner(log)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.Contains(lines.Text(), "database system is ready to accept connections") {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			return nil
		}
	}
	return fmt.Errorf("the Postgres server did not start; it said:\n%s", strings.Join(said, "\n"))
}

// serverUser is who runs the server: nil for this process's own user, and
// another user for root, as whom Postgres refuses to run.
func serverUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(u.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(u.Gid, 10, 32)
		if errUID == nil && errGID == nil {
			return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
		}
	}
	return nil, fmt.Errorf("postgres does not run as root, and there is no user postgres or nobody to run it; run the tests as another user or create one")
}

// uid is the number of the user who runs the server.
func uid(owner *syscall.Credential) int {
	if owner == nil {
		return os.Geteuid()
	}
	return int(owner.Uid)
}

// environ is this process's environment without what would change the server
// or the language it speaks.
func environ() []string {
	env := []string{"LC_ALL=C"}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "PG") && !strings.HasPrefix(kv, "LC_") && !strings.HasPrefix(kv, "LANG") {
			env = append(env, kv)
		}
	}
	return env
}

func socketURL(dir string) string {
	q := url.Values{"host": {dir}, "port": {"5432"}, "user": {"idemtest"}, "sslmode": {"disable"}}
	return "postgres:///postgres?" + q.Encode()
}
