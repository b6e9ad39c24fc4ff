package load

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// found is what the files below the root are, before any is parsed. Paths
// are slash-separated and relative to the root.
type found struct {
	hand    map[string][]string // hand-written files, by directory
	outputs map[string]bool     // files of ours
	dirty   map[string]bool     // directories with a file of ours
	mention map[string][]byte   // hand-written files that spec.Mentions finds something in
}

// scan reads every Go file of the project once.
func scan(root string) (*found, error) {
	paths, err := goFiles(root)
	if err != nil {
		return nil, err
	}
	texts, err := readAll(root, paths)
	if err != nil {
		return nil, err
	}
	f := &found{hand: map[string][]string{}, outputs: map[string]bool{}, dirty: map[string]bool{}, mention: map[string][]byte{}}
	for i, p := range paths {
		dir := path.Dir(p)
		if texts[i].output {
			f.outputs[p], f.dirty[dir] = true, true
			continue
		}
		f.hand[dir] = append(f.hand[dir], p)
		if texts[i].data != nil {
			f.mention[p] = texts[i].data
		}
	}
	return f, nil
}

// goFiles returns the Go files below the root, sorted.
func goFiles(root string) ([]string, error) {
	var files []string
	err := Walk(os.DirFS(root), func(p string, d fs.DirEntry) error {
		if isGoFile(d.Name()) && (d.Type().IsRegular() || isFile(filepath.Join(root, p))) {
			files = append(files, p)
		}
		return nil
	})
	return files, err
}

func isGoFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// text is what of a file is kept.
type text struct {
	output bool
	data   []byte // nil unless spec.Mentions finds something in it
}

// readAll reads files side by side: it is most of what a project without
// handlers costs.
func readAll(root string, paths []string) ([]text, error) {
	texts := make([]text, len(paths))
	errs := make([]error, len(paths))
	var workers sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		workers.Go(func() {
			for i := w; i < len(paths); i += n {
				texts[i], errs[i] = readText(filepath.Join(root, paths[i]))
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return texts, nil
}

func readText(name string) (text, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return text{}, err
	}
	if _, ok := spec.SourceOf(name); ok && IsOutput(data) {
		return text{output: true}, nil
	}
	if !spec.Mentions(data) {
		return text{}, nil
	}
	return text{data: data}, nil
}
