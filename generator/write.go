package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Result tells what [Write] did: paths relative to the root, sorted.
type Result struct {
	Wrote     []string
	Removed   []string
	Unchanged []string
}

// Write makes the tree under root hold the files: new and changed ones are
// written, owned ones that are not in the list are removed, unchanged ones
// keep inode and modification time. A hand-written file in the way of an
// owned one is an error and stays.
//
// Nothing is replaced before every new content lies beside its target, so
// that an error leaves the tree as it was; each file is replaced by a rename,
// so that no reader ever sees half of one.
func Write(root string, files []File) (Result, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return Result{}, err
	}
	defer dir.Close()
	changes, err := plan(dir, files)
	if err != nil {
		return Result{}, err
	}
	done, err := apply(dir, changes)
	if err != nil {
		return done, err
	}
	temps, err := removeTemps(dir, files)
	done.Removed = slices.Sorted(slices.Values(append(done.Removed, temps...)))
	return done, err
}

func apply(dir *os.Root, changes []change) (Result, error) {
	staged := staging{dir: dir}
	for _, c := range changes {
		if err := staged.add(c); err != nil {
			return Result{}, errors.Join(fmt.Errorf("%s: %w", c.path, err), staged.discard())
		}
	}
	return staged.commit(changes)
}

// staging holds the new contents beside their targets.
type staging struct {
	dir   *os.Root
	temps map[string]string // by target
	made  []string          // directories that were not there, parents first
}

func (s *staging) add(c change) error {
	if !c.writes() {
		return nil
	}
	if err := s.mkdirAll(path.Dir(c.path)); err != nil {
		return err
	}
	temp := tempName(c.path)
	f, err := s.dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newPerm)
	if err != nil {
		return err
	}
	if s.temps == nil {
		s.temps = map[string]string{}
	}
	s.temps[c.path] = temp
	_, err = f.Write(c.after)
	if err == nil && c.perm != 0 {
		err = f.Chmod(c.perm)
	}
	return errors.Join(err, f.Close())
}

// newPerm is for files that were not there, less the umask; others keep
// their permissions.
const newPerm fs.FileMode = 0o644

// mkdirAll makes a directory and those that it lies in, where they are not
// there.
func (s *staging) mkdirAll(name string) error {
	for _, part := range ancestry(name) {
		err := s.dir.Mkdir(part, 0o755)
		if err == nil {
			s.made = append(s.made, part)
		} else if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// discard takes back what was staged.
func (s *staging) discard() error {
	var errs []error
	for _, temp := range s.temps {
		errs = append(errs, s.dir.Remove(temp))
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		errs = append(errs, s.dir.Remove(s.made[i]))
	}
	return errors.Join(errs...)
}

// commit moves the staged contents to their targets and removes what is left
// over. What fails here is told, and the rest is done all the same.
func (s *staging) commit(changes []change) (Result, error) {
	var done Result
	var errs []error
	for _, c := range changes {
		var err error
		switch {
		case c.unchanged():
			done.Unchanged = append(done.Unchanged, c.path)
		case c.removes():
			if err = s.dir.Remove(c.path); err == nil {
				done.Removed = append(done.Removed, c.path)
			}
		default:
			if err = s.dir.Rename(s.temps[c.path], c.path); err == nil {
				done.Wrote = append(done.Wrote, c.path)
			} else {
				err = errors.Join(err, s.dir.Remove(s.temps[c.path]))
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.path, err))
		}
	}
	return done, errors.Join(errs...)
}
