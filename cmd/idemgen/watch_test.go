package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// watchOf runs a command with --watch in a project with one handler, in
// process. What it prints comes through a pipe, so that whoever reads on knows
// what it has done.
type watchOf struct {
	dir    string
	out    *io.PipeReader
	stdout *bufio.Scanner
	stderr *bufio.Scanner
	cancel context.CancelFunc
	done   chan error
}

func startWatch(t *testing.T, args ...string) *watchOf {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	w := &watchOf{dir: t.TempDir(), done: make(chan error, 1)}
	if err := writeModule(w.dir, root); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(w.dir, "jobs", "notify.go"), notifySource)
	ctx, cancel := context.WithCancel(t.Context())
	w.cancel = cancel
	out, outWriter := io.Pipe()
	errs, errsWriter := io.Pipe()
	w.out, w.stdout, w.stderr = out, bufio.NewScanner(out), bufio.NewScanner(errs)
	cmd := rootCommand()
	cmd.SetArgs(append(args, "--watch", "-C", w.dir))
	cmd.SetOut(outWriter)
	cmd.SetErr(errsWriter)
	go func() {
		w.done <- cmd.ExecuteContext(ctx)
		outWriter.Close()
		errsWriter.Close()
	}()
	t.Chdir(w.dir)
	return w
}

func (w *watchOf) edit(t *testing.T, text string) {
	t.Helper()
	writeFile(t, filepath.Join(w.dir, "jobs", "notify.go"), text)
}

// says reads lines and compares them.
func says(t *testing.T, from *bufio.Scanner, want ...string) {
	t.Helper()
	for _, line := range want {
		if from.Scan(); from.Text() != line {
			t.Fatalf("got %q, want %q", from.Text(), line)
		}
	}
}

// ends ends it, and checks that there is nothing more to read.
func (w *watchOf) ends(t *testing.T) {
	t.Helper()
	w.cancel()
	for name, from := range map[string]*bufio.Scanner{"output": w.stdout, "error": w.stderr} {
		if from.Scan() {
			t.Errorf("more on standard %s: %q", name, from.Text())
		}
	}
	if err := <-w.done; err != nil {
		t.Error(err)
	}
}

const watching = "idemgen: watching; Ctrl-C ends it"

// generate --watch writes at once and after every change. Errors are told and
// do not end it.
func TestGenerateWatch(t *testing.T) {
	w := startWatch(t, "generate")
	says(t, w.stdout,
		"wrote audit/job_runs.sql",
		"wrote idemgen.lock",
		"wrote jobs/idem_specs.go",
		"wrote jobs/notify_idem.go",
		"wrote jobs/notify_idem_fixture_test.go",
		"wrote jobs/notify_idem_test.go",
		"wrote migrations/0001_idemgen_job_runs.down.sql",
		"wrote migrations/0001_idemgen_job_runs.up.sql",
	)
	says(t, w.stderr, watching)
	w.edit(t, strings.Replace(notifySource, "{id}", "{nobody}", 1))
	says(t, w.stderr, "jobs/notify.go:5:19: Notify has no parameter nobody; its parameters are id", watching)
	w.edit(t, strings.Replace(notifySource, "notify:", "text:", 1))
	says(t, w.stdout, "wrote audit/job_runs.sql", "wrote jobs/notify_idem.go")
	says(t, w.stderr, watching)
	w.ends(t)
}

// check --watch writes nothing, and tells of each run; in JSON in a line.
func TestCheckWatch(t *testing.T) {
	w := startWatch(t, "check", "--format", "json")
	next := func() (doc document) {
		t.Helper()
		w.stdout.Scan()
		if err := json.Unmarshal(w.stdout.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %q", err, w.stdout.Text())
		}
		return doc
	}
	if doc := next(); doc.findings() != 8 || len(doc.Errors) != 0 {
		t.Errorf("at first: %+v", doc)
	}
	w.edit(t, "package jobs\n")
	want := problem{Message: "no handler in .", Cure: "write a directive above one, such as //idem:key notify:{event.ID}, or name it under handlers in idemgen.yaml"}
	if diff := cmp.Diff(document{Version: 1, Errors: []problem{}, Notices: []problem{want}, Files: []file{}}, next()); diff != "" {
		t.Errorf("without a handler (-want +got):\n%s", diff)
	}
	w.ends(t)
	if names, err := filepath.Glob(filepath.Join(w.dir, "*", "*")); err != nil || len(names) != 1 {
		t.Errorf("files %v, %v", names, err)
	}
}

// It ends when nobody reads any more what it prints.
func TestWatchUnread(t *testing.T) {
	w := startWatch(t, "check", "--format", "json")
	w.out.CloseWithError(io.ErrClosedPipe)
	if err := <-w.done; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("ended with %v", err)
	}
}

// Ctrl-C is how one ends it, and no error.
func TestWatchInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes are sent no signals here")
	}
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "go.mod"), "module example.com/app\n\ngo 1.26\n")
	cmd := exec.Command("idemgen", "generate", "--watch")
	cmd.Dir = root
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	says(t, lines, "idemgen: no handler in .; write a directive above one, such as //idem:key notify:{event.ID}, or name it under handlers in idemgen.yaml", watching)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if lines.Scan() {
		t.Errorf("more on standard error: %q", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
