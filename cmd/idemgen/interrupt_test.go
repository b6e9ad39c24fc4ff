package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// fakeGo is a go command that never ends by itself. It tells the test when
// it has begun and when it is asked to end, and then does, or waits until the
// test lets go.
func fakeGo() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, os.Interrupt)
	conn, err := net.Dial("unix", os.Getenv("FAKEGO_SOCKET"))
	if err != nil {
		log.Fatal(err)
	}
	say(conn, "started")
	<-asked
	say(conn, "asked")
	if os.Getenv("FAKEGO_STUBBORN") != "" {
		_, _ = io.Copy(io.Discard, conn) // until the test closes it, however
	}
	os.Exit(1)
}

func say(to net.Conn, what string) {
	if _, err := fmt.Fprintln(to, what); err != nil {
		log.Fatal(err)
	}
}

const notifySource = `package jobs

import "context"

//idem:key notify:{id}
func Notify(ctx context.Context, id string) error { return nil }
`

// An interrupted is a running idemgen whose go command does not come back.
type interrupted struct {
	*exec.Cmd
	root   string
	stderr bytes.Buffer
	conn   net.Conn
	lines  *bufio.Scanner
}

func startInterrupted(t *testing.T, stubborn string, args ...string) *interrupted {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("processes are sent no signals here")
	}
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	writeFile(t, filepath.Join(root, "jobs", "notify.go"), notifySource)
	bin := t.TempDir()
	writeFile(t, filepath.Join(bin, "go"), "#!/bin/sh\nexec fakego \"$@\"\n")
	if err := os.Chmod(filepath.Join(bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(bin, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	p := &interrupted{Cmd: exec.Command("idemgen", args...), root: root}
	p.Dir, p.Stderr = root, &p.stderr
	p.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"FAKEGO_SOCKET="+socket, "FAKEGO_STUBBORN="+stubborn)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	if p.conn, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.conn.Close() })
	p.lines = bufio.NewScanner(p.conn)
	p.says(t, "started")
	return p
}

// says waits for what the go command says next.
func (p *interrupted) says(t *testing.T, want string) {
	t.Helper()
	if p.lines.Scan(); p.lines.Text() != want {
		t.Fatalf("the go command says %q, want %q", p.lines.Text(), want)
	}
}

func (p *interrupted) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := p.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// ends waits for the end, and checks that nothing was written.
func (p *interrupted) ends(t *testing.T, code int, stderr string) {
	t.Helper()
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) {
		t.Fatalf("ended with %v", err)
	}
	if p.ProcessState.ExitCode() != code || p.stderr.String() != stderr {
		t.Errorf("%v, %q on standard error, want exit code %d and %q", p.ProcessState, &p.stderr, code, stderr)
	}
	names, err := filepath.Glob(filepath.Join(p.root, "*", "*"))
	if err != nil || len(names) != 1 {
		t.Errorf("files %v, %v", names, err)
	}
}

// Ctrl-C and SIGTERM ask the go command to end, and idemgen ends with it.
func TestInterrupt(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := startInterrupted(t, "", "generate")
		p.signal(t, sig)
		p.says(t, "asked")
		p.ends(t, exitTrouble, "idemgen: interrupted\n")
	}
}

// A canceller cancels when it is told the time of the last stage, and keeps
// what comes after.
type canceller struct {
	cancel context.CancelFunc
	after  *bytes.Buffer
}

func (c canceller) Write(text []byte) (int, error) {
	if c.after.Len() > 0 {
		return c.after.Write(text)
	}
	if bytes.HasPrefix(text, []byte("check ")) {
		c.cancel()
		c.after.WriteString("cancelled\n")
	}
	return len(text), nil
}

// Between the last stage and the first file nothing is written either. Who
// watches ends it so, and is not told.
func TestInterruptBeforeWriting(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeModule(dir, root); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "jobs", "notify.go"), notifySource)
	for _, tt := range []struct {
		args   []string
		err    error
		stderr string
	}{
		{[]string{"generate"}, ended(exitTrouble), "cancelled\nidemgen: interrupted\n"},
		{[]string{"generate", "--watch"}, nil, "cancelled\n"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var stderr bytes.Buffer
		cmd := rootCommand()
		cmd.SetArgs(append(tt.args, "--verbose", "-C", dir))
		cmd.SetOut(io.Discard)
		cmd.SetErr(canceller{cancel, &stderr})
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, tt.err) || stderr.String() != tt.stderr {
			t.Errorf("%v: error %v, %q on standard error", tt.args, err, &stderr)
		}
		cancel()
		if names, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(names) != 1 {
			t.Errorf("%v: files %v, %v", tt.args, names, err)
		}
	}
}

// A go command that does not end when it is asked to is ended.
func TestInterruptStubborn(t *testing.T) {
	p := startInterrupted(t, "yes", "check")
	p.signal(t, os.Interrupt)
	p.says(t, "asked")
	p.ends(t, exitTrouble, "idemgen: interrupted\n")
}

// A second signal ends idemgen at once.
func TestInterruptTwice(t *testing.T) {
	p := startInterrupted(t, "yes", "generate")
	p.signal(t, os.Interrupt)
	p.says(t, "asked")
	p.signal(t, os.Interrupt)
	p.ends(t, -1, "")
}
