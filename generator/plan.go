package generator

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// change is the step from a file as it is to the file as it should be.
type change struct {
	path   string
	before []byte      // nil when there is no file
	after  []byte      // nil when there should be none
	perm   fs.FileMode // of the file that is there
}

func (c change) unchanged() bool {
	return c.before != nil && c.after != nil && bytes.Equal(c.before, c.after)
}
func (c change) removes() bool { return c.after == nil }
func (c change) writes() bool  { return !c.unchanged() && !c.removes() }

// plan compares the tree with the files that it should hold. It only reads.
func plan(dir *os.Root, files []File) ([]change, error) {
	var changes []change
	var errs Errors
	wanted := map[string]bool{}
	for _, f := range files {
		if err := placeable(f.Path); err != nil {
			return nil, err
		}
		if wanted[f.Path] {
			return nil, fmt.Errorf("%s: two outputs have this path", f.Path)
		}
		wanted[f.Path] = true
		c, found, err := compare(dir, f)
		if err != nil {
			return nil, err
		}
		errs = append(errs, found...)
		changes = append(changes, c)
	}
	if errs != nil {
		return nil, errs.Err()
	}
	left, err := leftOver(dir, wanted)
	if err != nil {
		return nil, err
	}
	changes = append(changes, left...)
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.path, b.path) })
	return changes, nil
}

// placeable refuses a path that could lead out of the root on any system.
func placeable(name string) error {
	if name == "." || name != path.Clean(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("%q: an output must lie inside the project", name)
	}
	return nil
}

// compare looks at one file. What it finds is in the way: a file of the
// developer's where an owned one or its directory has to go.
func compare(dir *os.Root, f File) (c change, found Errors, err error) {
	c = change{path: f.Path, after: append([]byte{}, f.Data...)}
	if found, err := obstacle(dir, path.Dir(f.Path)); found != nil || err != nil {
		return c, found, err
	}
	info, err := dir.Lstat(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil, nil
	}
	if err != nil {
		return c, nil, err
	}
	if !info.Mode().IsRegular() {
		return c, Errors{irregular(f.Path)}, nil
	}
	c.perm = info.Mode().Perm()
	if c.before, err = readFile(dir, f.Path); err != nil {
		return c, nil, err
	}
	if f.Kind.once() {
		c.after = c.before
	}
	if f.Kind == Owned && !owned(f.Path, c.before) {
		return c, Errors{inTheWay(f.Path, "this file is in the way of generated output, and its header does not say that idemgen wrote it here")}, nil
	}
	return c, nil, nil
}

func irregular(name string) *Error {
	return inTheWay(name, "this is not a regular file and is in the way of generated output")
}

func inTheWay(name, what string) *Error {
	return &Error{Pos: Pos{File: name, Line: 1, Col: 1}, Msg: what, Cure: "move it to another name, or delete it"}
}

// readFile tells an empty file from none: it never returns nil for a file.
func readFile(dir *os.Root, name string) ([]byte, error) {
	data, err := dir.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return append([]byte{}, data...), nil
}
