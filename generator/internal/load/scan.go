package load

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/parallel"
	"github.com/idemgen/idemgen/generator/internal/spec"
)

// found is what the files below the root are, before any is parsed. Paths
// are slash-separated and relative to the root.
type found struct {
	hand    map[string][]string // hand-written files, by directory
	outputs map[string]bool     // files of ours
	dirty   map[string]bool     // directories with a file of ours
	mention []string            // hand-written files that spec.Mentions finds something in
	texts   map[string][]byte   // of the hand-written files beside these
	links   []string            // to directories
	passed  passed
	others  []string // directories of projects below
}

// scan reads every Go file of the project once.
func scan(root string) (*found, error) {
	f := &found{hand: map[string][]string{}, outputs: map[string]bool{}, dirty: map[string]bool{}, texts: map[string][]byte{}, passed: passedBelow(root)}
	paths, err := f.goFiles(root)
	if err != nil {
		return nil, err
	}
	byDir := map[string][]string{}
	for _, p := range paths {
		byDir[path.Dir(p)] = append(byDir[path.Dir(p)], p)
	}
	dirs := slices.Sorted(maps.Keys(byDir))
	texts := make([][]text, len(dirs))
	err = parallel.Do(len(dirs), func(i int) (err error) {
		texts[i], err = readDir(root, byDir[dirs[i]])
		return err
	})
	if err != nil {
		return nil, err
	}
	for i, dir := range dirs {
		for _, t := range texts[i] {
			f.add(dir, t)
		}
	}
	return f, nil
}

func (f *found) add(dir string, t text) {
	if t.output {
		f.outputs[t.path], f.dirty[dir] = true, true
		return
	}
	f.hand[dir] = append(f.hand[dir], t.path)
	if t.data != nil {
		f.texts[t.path] = t.data
	}
	if t.mention {
		f.mention = append(f.mention, t.path)
	}
}

// goFiles returns the Go files below the root, sorted, and notes what else there
// is.
func (f *found) goFiles(root string) (files []string, err error) {
	err = walk(root, os.DirFS(root), func(p string, d fs.DirEntry) error {
		switch {
		case isDirLink(root, p, d) && !f.passed.over(p):
			f.links = append(f.links, p)
		case isGoFile(d.Name()) && (d.Type().IsRegular() || isFile(filepath.Join(root, p))):
			files = append(files, p)
		}
		return nil
	}, func(dir string) { f.others = append(f.others, dir) })
	return files, err
}

func isGoFile(name string) bool {
	return strings.HasSuffix(name, ".go") && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// text is what of a file is kept.
type text struct {
	path    string
	output  bool
	mention bool // spec.Mentions finds something in it
	data    []byte
}

// readDir reads the files of a directory. Their texts are wanted again where
// one of them mentions us, and nowhere else.
func readDir(root string, paths []string) ([]text, error) {
	texts := make([]text, len(paths))
	for i, p := range paths {
		var err error
		if texts[i], err = readText(filepath.Join(root, p)); err != nil {
			return nil, err
		}
		texts[i].path = p
	}
	if !slices.ContainsFunc(texts, func(t text) bool { return t.mention }) {
		for i := range texts {
			texts[i].data = nil
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
	return text{mention: spec.Mentions(data), data: data}, nil
}
