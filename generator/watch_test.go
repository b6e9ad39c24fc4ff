package generator

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A watched project is watched by looks that the test allows one by one.
type watched struct {
	root string
	rest chan struct{} // from the watcher, when it has looked
	look chan struct{} // to the watcher
	end  context.CancelFunc
	runs chan string // what x.go says at each run
	done chan error
}

// watchTree watches a tree. Each run does what the function says.
func watchTree(t *testing.T, tree map[string]string, run func(root string) Result) *watched {
	t.Helper()
	return watchRoot(t, writeTree(t, tree), run)
}

func watchRoot(t *testing.T, root string, run func(root string) Result) *watched {
	t.Helper()
	w := &watched{
		root: root, rest: make(chan struct{}), look: make(chan struct{}),
		runs: make(chan string), done: make(chan error, 1),
	}
	ctx, cancel := context.WithCancel(t.Context())
	w.end = cancel
	watcher := watcher{root: w.root, pause: func(context.Context, time.Duration) {
		if send(ctx, w.rest, struct{}{}) {
			select {
			case <-w.look:
			case <-ctx.Done():
			}
		}
	}}
	go func() {
		w.done <- watcher.watch(ctx, func() Result {
			data, err := os.ReadFile(filepath.Join(w.root, "x.go"))
			if err != nil {
				data = []byte(err.Error())
			}
			result := run(w.root)
			send(ctx, w.runs, string(data))
			return result
		})
	}()
	return w
}

// send sends, unless the test ends before anyone receives.
func send[T any](ctx context.Context, to chan<- T, value T) bool {
	select {
	case to <- value:
		return true
	case <-ctx.Done():
		return false
	}
}

// enough looks start a run that is due: the first one may have begun before
// the change, the second sees it, and the third that the files are at rest.
const enough = 3

// looked waits until the watcher has looked, and found nothing to run for.
func (w *watched) looked(t *testing.T) {
	t.Helper()
	select {
	case <-w.rest:
	case text := <-w.runs:
		t.Fatalf("a run that nothing asked for sees %q", text)
	}
}

// idle lets the watcher look a few times, which must not start a run.
func (w *watched) idle(t *testing.T) {
	t.Helper()
	for range 3 {
		w.looked(t)
		w.look <- struct{}{}
	}
}

// ran lets the watcher look until there is a run.
func (w *watched) ran(t *testing.T, want string) {
	t.Helper()
	for looks := 0; ; looks++ {
		select {
		case <-w.rest:
			if looks == enough {
				t.Fatalf("no run after %d looks, want one that sees %q", looks, want)
			}
			w.look <- struct{}{}
		case text := <-w.runs:
			if text != want {
				t.Errorf("a run sees %q, want %q", text, want)
			}
			return
		}
	}
}

func (w *watched) ends(t *testing.T) {
	t.Helper()
	w.looked(t)
	w.end()
	if err := <-w.done; err != nil {
		t.Error(err)
	}
}

func (w *watched) write(t *testing.T, name, text string) {
	t.Helper()
	full := filepath.Join(w.root, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func nothing(string) Result { return Result{} }

var smallProject = map[string]string{"m/go.mod": "module m\n", "x.go": "1", "_sql/1.up.sql": "", "idemgen.yaml": "# yaml-language-server: $schema=docs/x.json\nversion: 1\nmigrations: {dir: _sql}\n"}

// What generating reads or writes starts a run, whatever happens to it. All
// else does not.
func TestWatchFiles(t *testing.T) {
	w := watchTree(t, smallProject, nothing)
	w.ran(t, "1")
	w.idle(t)
	for _, name := range []string{
		"x_test.go", "new/dir/y.go", "go.mod", "go.sum", "go.work", "../go.work", "../go.mod", "idemgen.lock",
		"docs/x.json", "audit/job_runs.sql", "_sql/2.up.sql", "_sql/1.up.sql",
	} {
		w.write(t, name, "new")
		w.ran(t, "1")
		w.idle(t)
		if err := os.Remove(filepath.Join(w.root, name)); err != nil {
			t.Fatal(err)
		}
		w.ran(t, "1")
	}
	for _, name := range []string{"README.md", "idemgen.schema.json", "m/x.go", "_x/x.go", ".git/x.go", "vendor/v/x.go", "testdata/x.go", ".idemgen-ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"} {
		w.write(t, name, "new")
		w.idle(t)
	}
	w.write(t, "idemgen.yaml", "version: 1\n")
	w.ran(t, "1")
	w.ends(t)
}

// A file of the same size is another one by its time, or by being one.
func TestWatchSameSize(t *testing.T) {
	w := watchTree(t, smallProject, nothing)
	w.ran(t, "1")
	w.write(t, "x.go", "2")
	w.ran(t, "2")
	info, err := os.Stat(filepath.Join(w.root, "x.go"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "y.txt", "3")
	if err := os.Chtimes(filepath.Join(w.root, "y.txt"), time.Time{}, info.ModTime()); err != nil {
		t.Fatal(err)
	}
	w.idle(t)
	if err := os.Rename(filepath.Join(w.root, "y.txt"), filepath.Join(w.root, "x.go")); err != nil {
		t.Fatal(err)
	}
	w.ran(t, "3")
	w.ends(t)
}

// A burst of saves is one run: it begins when a look finds what the one
// before it found.
func TestWatchBurst(t *testing.T) {
	w := watchTree(t, smallProject, nothing)
	w.ran(t, "1")
	for _, text := range []string{"22", "333", "4444"} {
		w.looked(t)
		w.write(t, "x.go", text)
		w.look <- struct{}{}
	}
	w.ran(t, "4444")
	w.idle(t)
	w.ends(t)
}

// What a run writes and removes starts none, and what somebody else does
// meanwhile does.
func TestWatchOwnWrites(t *testing.T) {
	var result Result
	run := func(root string) Result {
		if result.Wrote == nil {
			return Result{}
		}
		result.Removed = []string{"old_idem.go"}
		for _, name := range result.Wrote {
			if err := os.WriteFile(filepath.Join(root, name), []byte("own"), 0o644); err != nil {
				t.Error(err)
			}
		}
		if err := os.Remove(filepath.Join(root, "old_idem.go")); err != nil {
			t.Error(err)
		}
		if len(result.Wrote) > 1 {
			if err := os.WriteFile(filepath.Join(root, "y.go"), []byte("theirs"), 0o644); err != nil {
				t.Error(err)
			}
		}
		done := result
		result = Result{}
		return done
	}
	for _, wrote := range [][]string{{"x_idem.go"}, {"x_idem.go", "new_idem.go"}} {
		tree := map[string]string{"x_idem.go": "before", "old_idem.go": "before"}
		for name, text := range smallProject {
			tree[name] = text
		}
		result.Wrote = wrote
		w := watchTree(t, tree, run)
		w.ran(t, "1")
		if len(wrote) > 1 {
			w.ran(t, "1")
		}
		w.idle(t)
		w.ends(t)
	}
}

// It ends when the root is gone, and says so.
func TestWatchWithoutRoot(t *testing.T) {
	w := watchTree(t, smallProject, nothing)
	w.ran(t, "1")
	if err := os.RemoveAll(w.root); err != nil {
		t.Fatal(err)
	}
	for range enough {
		select {
		case <-w.rest:
			w.look <- struct{}{}
		case err := <-w.done:
			if err == nil {
				t.Error("no error")
			}
			return
		}
	}
	t.Errorf("it goes on after %d looks", enough)
}

// Without a test's hand on it, it looks by itself, and ends with its context.
func TestWatchPauses(t *testing.T) {
	root := writeTree(t, smallProject)
	ctx, cancel := context.WithCancel(t.Context())
	var seen []string
	looks := 0
	w := watcher{root: root, pause: func(ctx context.Context, looked time.Duration) {
		if looks++; looks > enough {
			cancel()
		}
		pause(ctx, looked)
	}}
	err := w.watch(ctx, func() Result {
		data, err := os.ReadFile(filepath.Join(root, "x.go"))
		if err != nil {
			t.Error(err)
		}
		seen = append(seen, string(data))
		if len(seen) == 2 {
			cancel()
			return Result{}
		}
		if err := os.WriteFile(filepath.Join(root, "x.go"), []byte("2"), 0o644); err != nil {
			t.Error(err)
		}
		return Result{}
	})
	if diff := cmp.Diff([]string{"1", "2"}, seen); err != nil || diff != "" {
		t.Errorf("error %v, runs (-want +got):\n%s", err, diff)
	}
}
