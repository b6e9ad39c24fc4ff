//go:build unix

package cluster

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/idemgen/idemgen/runtime/internal/poll"
)

// endEnv makes the test binary, run again, a process that starts a cluster
// and then ends as the variable says.
const endEnv = "IDEMTEST_CLUSTER_END"

func TestMain(m *testing.M) {
	if end := os.Getenv(endEnv); end != "" {
		holdCluster(end)
	}
	os.Exit(m.Run())
}

func holdCluster(end string) {
	bin, err := Find()
	if err != nil {
		panic(err)
	}
	c, err := Start(bin, 20)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Dir)
	_, _ = io.Copy(io.Discard, os.Stdin) // until the parent says so
	switch end {
	case "panic":
		panic("on purpose")
	case "exit":
		os.Exit(0)
	}
	select {} // until killed
}

func TestClusterEndsWithItsProcess(t *testing.T) {
	ends := []struct {
		name string
		kill func(*testing.T, *exec.Cmd, io.Closer)
	}{
		{"exit", func(_ *testing.T, _ *exec.Cmd, stdin io.Closer) { _ = stdin.Close() }},
		{"panic", func(_ *testing.T, _ *exec.Cmd, stdin io.Closer) { _ = stdin.Close() }},
		{"kill -9", func(t *testing.T, cmd *exec.Cmd, _ io.Closer) { kill(t, cmd.Process.Pid, syscall.SIGKILL) }},
		{"interrupt the process group", func(t *testing.T, cmd *exec.Cmd, _ io.Closer) { kill(t, -cmd.Process.Pid, syscall.SIGINT) }},
		{"terminate the watchdog", terminateWatchdog},
		{"terminate both", func(t *testing.T, cmd *exec.Cmd, stdin io.Closer) {
			terminateWatchdog(t, cmd, stdin)
			kill(t, cmd.Process.Pid, syscall.SIGTERM)
		}},
		{"kill -9 the process group", func(t *testing.T, cmd *exec.Cmd, _ io.Closer) { kill(t, -cmd.Process.Pid, syscall.SIGKILL) }},
	}
	for _, end := range ends {
		t.Run(end.name, func(t *testing.T) {
			t.Parallel()
			cmd, stdin, stdout := runAgain(t, end.name, "")
			dir := readLine(t, stdout)
			server := serverPID(t, dir)
			if !alive(server) {
				t.Fatalf("server %d does not run", server)
			}
			end.kill(t, cmd, stdin)
			poll.Until(t, fmt.Sprintf("server %d gone", server), func() bool { return !alive(server) })
			poll.Until(t, dir+" removed", func() bool { return missing(dir) })
		})
	}
}

func terminateWatchdog(t *testing.T, cmd *exec.Cmd, _ io.Closer) {
	t.Helper()
	for _, pid := range children(t, cmd.Process.Pid) {
		kill(t, pid, syscall.SIGTERM)
	}
}

// children returns the children of a process: of a holder, the watchdog.
func children(t *testing.T, parent int) []int {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "pid=,ppid=").Output()
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		var pid, ppid int
		if _, err := fmt.Sscan(line, &pid, &ppid); err == nil && ppid == parent {
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatalf("process %d has no children", parent)
	}
	return pids
}

func TestKilledWhileTheClusterStarts(t *testing.T) {
	ends := map[string]func(*testing.T, *exec.Cmd, io.Closer){
		"kill -9":                func(t *testing.T, cmd *exec.Cmd, _ io.Closer) { kill(t, cmd.Process.Pid, syscall.SIGKILL) },
		"terminate the watchdog": terminateWatchdog,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			parent := sharedDir(t)
			cmd, stdin, _ := runAgain(t, "kill -9", parent)
			poll.Until(t, "initdb at work", func() bool {
				files, _ := filepath.Glob(parent + "/*/data/*")
				return len(files) > 0
			})
			end(t, cmd, stdin)
			poll.Until(t, "directory removed", func() bool {
				entries, err := os.ReadDir(parent)
				return err == nil && len(entries) == 0
			})
		})
	}
}

// sharedDir makes a directory for temporary files that every user may use.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "idm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestServerThatDoesNotStart(t *testing.T) {
	bin := t.TempDir()
	program(t, filepath.Join(bin, "initdb"))
	script := "#!/bin/sh\necho 'FATAL: no memory today' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bin, "postgres"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := bin; dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Start(bin, 20)
	if err == nil || !strings.Contains(err.Error(), "no memory today") {
		t.Fatalf("got %v; want what the server said", err)
	}
}

func TestStop(t *testing.T) {
	bin, err := Find()
	if err != nil {
		t.Skip(err)
	}
	c, err := Start(bin, 20)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(c.Dir + "/.s.PGSQL.5432"); n >= 100 {
		t.Errorf("socket path of %d bytes", n)
	}
	server := serverPID(t, c.Dir)
	c.Stop()
	poll.Until(t, "server gone", func() bool { return !alive(server) })
	poll.Until(t, "directory removed", func() bool { return missing(c.Dir) })
}

// runAgain runs this binary as a holder of a cluster, in a process group of
// its own.
func runAgain(t *testing.T, end, tmp string) (*exec.Cmd, io.WriteCloser, io.Reader) {
	t.Helper()
	if _, err := Find(); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), endEnv+"="+end)
	if tmp != "" {
		cmd.Env = append(cmd.Env, "TMPDIR="+tmp)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // its status is the test's own doing
	})
	return cmd, stdin, stdout
}

func readLine(t *testing.T, r io.Reader) string {
	t.Helper()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatalf("the process that starts the cluster: %v", err)
	}
	return strings.TrimSpace(line)
}

func serverPID(t *testing.T, dir string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(data), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func kill(t *testing.T, pid int, sig syscall.Signal) {
	t.Helper()
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatalf("kill %d: %v", pid, err)
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

func missing(path string) bool {
	_, err := os.Lstat(path)
	return os.IsNotExist(err)
}
