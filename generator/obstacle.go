package generator

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// readable returns what stands in the way where the emitters read: at the
// lock, and at the directories of the configuration.
func (o *output) readable() error {
	if len(o.spec.Files) == 0 {
		return nil // and nothing to write there
	}
	dir, err := os.OpenRoot(o.root)
	if err != nil {
		return err
	}
	defer dir.Close()
	var errs Errors
	for _, name := range sqlgen.Folders(o.spec.Config) {
		found, err := obstacle(dir, name)
		if err != nil {
			return err
		}
		errs = append(errs, found...)
	}
	if info, err := dir.Lstat(sqlgen.LockName); err == nil && !info.Mode().IsRegular() {
		errs = append(errs, irregular(sqlgen.LockName))
	}
	return errs.Err()
}

// obstacle returns what keeps a directory of outputs from being one, if
// anything does: a file, or a link to nothing, to itself, or out of the
// project. What is missing can be made.
func obstacle(dir *os.Root, name string) (Errors, error) {
	for _, part := range ancestry(name) {
		info, err := dir.Lstat(part)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		what := "this is not a directory"
		if info.Mode()&fs.ModeSymlink != 0 {
			what = "this link does not lead, by a relative path, to a directory of the project"
			if info, err = dir.Stat(part); err != nil {
				return blocked(part, what), nil
			}
		}
		if !info.IsDir() {
			return blocked(part, what), nil
		}
	}
	return nil, nil
}

func blocked(name, what string) Errors {
	return Errors{{
		Pos:  Pos{File: name, Line: 1, Col: 1},
		Msg:  what + ", and output is to lie below it",
		Cure: "put a directory in its place, or name another one in idemgen.yaml",
	}}
}

// ancestry returns a directory and all those that it lies in, outermost
// first, but not the root.
func ancestry(name string) []string {
	var parts []string
	for ; name != "."; name = path.Dir(name) {
		parts = append(parts, name)
	}
	slices.Reverse(parts)
	return parts
}
