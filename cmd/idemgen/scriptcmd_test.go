package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var scriptCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":     exits,
	"snapshot":  snapshot,
	"unchanged": unchanged,
	"readonly":  readonly,
	"edit":      edit,
	"crlf":      crlf,
}

func goEnv(names ...string) ([]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n"), nil
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec(args[1], args[2:]...)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("%s ended with exit code %d, want %d", args[1], code, want)
	}
}

// A tree is what snapshot notes, by path.
type tree map[string]node

type node struct {
	info   fs.FileInfo
	digest [sha256.Size]byte
}

func (n node) String() string {
	if n.info == nil {
		return "not there"
	}
	return fmt.Sprintf("%v %v %x", n.info.Mode(), n.info.ModTime().UnixNano(), n.digest[:4])
}

func (n node) same(other node) bool {
	if n.info == nil || other.info == nil {
		return n.info == nil && other.info == nil
	}
	return n.digest == other.digest && n.info.Mode() == other.info.Mode() &&
		n.info.ModTime().Equal(other.info.ModTime()) && os.SameFile(n.info, other.info)
}

type snapshotKey struct{}

func snapshot(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: snapshot")
	}
	taken, err := look(ts.Getenv("WORK"))
	ts.Check(err)
	*ts.Value(snapshotKey{}).(*tree) = taken
}

func unchanged(ts *testscript.TestScript, neg bool, args []string) {
	before := *ts.Value(snapshotKey{}).(*tree)
	if len(args) > 0 || before == nil {
		ts.Fatalf("usage: [!] unchanged, after snapshot")
	}
	now, err := look(ts.Getenv("WORK"))
	ts.Check(err)
	all := maps.Clone(before)
	maps.Copy(all, now)
	var differ []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !before[name].same(now[name]) {
			differ = append(differ, fmt.Sprintf("%s: was %v, is %v", name, before[name], now[name]))
		}
	}
	switch {
	case !neg && len(differ) > 0:
		ts.Fatalf("changed since the snapshot:\n%s", strings.Join(differ, "\n"))
	case neg && len(differ) == 0:
		ts.Fatalf("nothing changed since the snapshot")
	}
}

// look notes every file and directory, so that whatever is done to one
// shows; a temporary file that came and went shows in its directory's time.
// Only the place for temporary files is left out.
func look(dir string) (tree, error) {
	found := tree{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.Name() == ".tmp" {
			return fs.SkipDir
		}
		var n node
		if n.info, err = entry.Info(); err != nil {
			return err
		}
		if n.info.Mode().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			n.digest = sha256.Sum256(data)
		}
		found[name] = n
		return nil
	})
	return found, err
}

func readonly(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: readonly")
	}
	var names []string
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == ".tmp" {
			return fs.SkipDir
		}
		names = append(names, name)
		return err
	}))
	// The deepest first, while the directories above can still be searched.
	for _, name := range slices.Backward(names) {
		info, err := os.Lstat(name)
		ts.Check(err)
		ts.Check(os.Chmod(name, info.Mode().Perm()&^0o222))
	}
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o644))
}

func crlf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: crlf FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}
