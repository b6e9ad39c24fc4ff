package generator

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/go/packages"
)

// yardstickEnv makes the test binary a process that does nothing but load the
// packages that the variable names.
const yardstickEnv = "IDEMGEN_BENCH_LOAD"

func TestMain(m *testing.M) {
	if patterns := os.Getenv(yardstickEnv); patterns != "" {
		yardstick(strings.Fields(patterns))
		return
	}
	os.Exit(m.Run())
}

// yardstick prints how long packages.Load with LoadSyntax takes, in
// nanoseconds.
func yardstick(patterns []string) {
	start := time.Now()
	loaded, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax}, patterns...)
	took := time.Since(start)
	if err != nil || len(loaded) == 0 || packages.PrintErrors(loaded) > 0 {
		fmt.Fprintln(os.Stderr, "packages.Load:", err)
		os.Exit(1)
	}
	fmt.Println(took.Nanoseconds())
}

// benchRunner runs commands in a tree as processes of their own.
type benchRunner struct {
	root    string
	idemgen string
	memory  bool // to be measured, which costs time
}

func newBenchRunner(b *testing.B, root string) *benchRunner {
	b.Helper()
	r := &benchRunner{root: root, idemgen: filepath.Join(b.TempDir(), "idemgen")}
	if out, err := exec.Command("go", "build", "-o", r.idemgen, "../cmd/idemgen").CombinedOutput(); err != nil {
		b.Fatalf("go build: %v\n%s", err, out)
	}
	return r
}

// usage is what a process took.
type usage struct {
	time      time.Duration
	own, kids int // the most memory that it had and that any process below it had, in bytes
}

// run runs a command that has to succeed, and returns what it printed.
func (r *benchRunner) run(b *testing.B, env string, name string, args ...string) (string, usage) {
	b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off", env)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var used usage
	ended, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		if r.memory {
			used.watch(cmd.Process.Pid, ended)
		}
	}()
	err := cmd.Wait()
	took := time.Since(start)
	close(ended)
	<-watched
	if err != nil {
		b.Fatalf("%s %v: %v\n%s%s", name, args, err, &stdout, &stderr)
	}
	used.time = took
	return stdout.String(), used
}

// watch looks at the memory of a process and of those below it until it has
// ended. The system counts each one's peak, so that what is missed is what
// the last moments add. The peak that it tells of an ended process is of no
// use: it includes its children, and its parent at the time of the fork.
func (u *usage) watch(pid int, ended <-chan struct{}) {
	for {
		u.own = max(u.own, peak(pid))
		for _, child := range descendants(pid) {
			if !sameProgram(pid, child) {
				u.kids = max(u.kids, peak(child))
			}
		}
		select {
		case <-ended:
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// peak returns the most memory that a process had so far; 0 where the system
// does not tell.
func peak(pid int) int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := bytes.Cut(status, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(string(fields[0]))
	return kb << 10
}

// sameProgram reports whether a process has yet to become the program that it
// is to run: until then it has its parent's memory.
func sameProgram(parent, child int) bool {
	a, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", parent))
	b, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", child))
	return a == b
}

func descendants(pid int) []int {
	var all []int
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, child)
				all = append(all, descendants(child)...)
			}
		}
	}
	return all
}

// load is the yardstick: packages.Load with LoadSyntax of the patterns.
func (r *benchRunner) load(b *testing.B, patterns string) time.Duration {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	out, _ := r.run(b, yardstickEnv+"="+patterns, self)
	ns, err := strconv.ParseInt(strings.TrimSpace(out), 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(ns)
}

// generate runs in a tree that is current, and may write nothing.
func (r *benchRunner) generate(b *testing.B) usage {
	b.Helper()
	out, used := r.run(b, "", r.idemgen, "generate")
	if out != "" {
		b.Fatalf("generate in a current tree:\n%s", out)
	}
	return used
}

func (r *benchRunner) check(b *testing.B) usage {
	b.Helper()
	_, used := r.run(b, "", r.idemgen, "check")
	return used
}

func median(times []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(times))[len(times)/2]
}
