package sqlgen

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

func checkErrors(t *testing.T, err error, want []string) {
	t.Helper()
	var lines []string
	if err != nil {
		lines = strings.Split(err.Error(), "\n")
	}
	ok := len(lines) == len(want)
	for i := 0; ok && i < len(want); i++ {
		ok = strings.HasPrefix(lines[i], want[i])
	}
	if !ok {
		t.Errorf("errors:\n%s\nwant lines that begin with:\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// checkFrozen: what is on disk is passed on as it is.
func checkFrozen(t *testing.T, root fstest.MapFS, out Output) {
	t.Helper()
	for _, f := range out.Files {
		if old, there := root[f.Path]; there && f.Frozen && !bytes.Equal(old.Data, f.Data) {
			t.Errorf("%s is given other bytes than it has", f.Path)
		}
	}
}

func remove(path string) func(fstest.MapFS) {
	return func(root fstest.MapFS) { delete(root, path) }
}

func edit(path, old, instead string, after ...func(string) string) func(fstest.MapFS) {
	return func(root fstest.MapFS) {
		text := string(root[path].Data)
		edited := strings.Replace(text, old, instead, 1)
		if strings.Contains(old, "/") && path == LockName {
			edited = strings.ReplaceAll(text, old, instead)
		}
		if edited == text {
			panic(fmt.Sprintf("%s has no %q", path, old))
		}
		for _, f := range after {
			edited = f(edited)
		}
		root[path] = &fstest.MapFile{Data: []byte(edited)}
	}
}

func removeLine(i int) func(fstest.MapFS) {
	return lockLines(func(l []string) []string { return slices.Delete(l, i, i+1) })
}

func lockLines(change func([]string) []string) func(fstest.MapFS) {
	return func(root fstest.MapFS) {
		lines := change(strings.Split(strings.TrimSuffix(string(root[LockName].Data), "\n"), "\n"))
		root[LockName] = &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
	}
}

// trim keeps a hash that was edited at its length.
func trim(lock string) string {
	i := strings.Index(lock, " chain:")
	return lock[:i-1] + lock[i:]
}

// rechain mends the chain of an edited lock, as idemgen would have written it.
func rechain(lock string) string {
	before := ""
	var lines []string
	for _, line := range strings.Split(lock, "\n") {
		if f := lockLine.FindStringSubmatch(line); f != nil {
			e := entry{need: need{spec.Dialect(f[1]), f[2], f[3]}, sum: f[4], path: f[6]}
			e.chain = e.chained(before)
			before, line = e.chain, e.String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// reissue makes the project one whose up migration another version of
// idemgen wrote.
func reissue(root fstest.MapFS, text string) {
	old := hash(root[upFile].Data)
	root[upFile] = &fstest.MapFile{Data: []byte(text)}
	lock := strings.Replace(string(root[LockName].Data), old, hash([]byte(text)), 1)
	root[LockName] = &fstest.MapFile{Data: []byte(rechain(lock))}
}

func crlf(root fstest.MapFS) {
	for path, f := range maps.All(root) {
		if !strings.HasPrefix(path, "audit/") { // those are written anew
			root[path] = &fstest.MapFile{Data: bytes.ReplaceAll(f.Data, []byte("\n"), []byte("\r\n"))}
		}
	}
}
