package sqlgen

import (
	"bytes"
	"fmt"
	"path"
	"slices"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// verify checks a locked file and passes it on as it is. One that is missing
// is written again, if it comes out the same.
func (m *migrator) verify(e *entry) error {
	data, err := m.read(e.path)
	if err != nil {
		return err
	}
	e.piece = m.pieceOf(*e, data)
	want, known := e.render(e.piece)
	if !known {
		m.errs.Add(e.pos(), fmt.Sprintf("%s was written by a newer idemgen, for %s", e.path, e.name), "update idemgen")
		return nil
	}
	same := hash(want) == e.sum
	switch {
	case data == nil && !same:
		m.errs.Add(e.pos(), fmt.Sprintf("%s is missing, and this idemgen would write it otherwise", e.path), "put it back with git checkout "+e.path)
	case data == nil:
		m.files = append(m.files, File{Path: e.path, Data: want, Frozen: true})
	case hash(data) != e.sum:
		at := spec.Pos{File: e.path, Line: 1, Col: 1}
		if same {
			at.Line = firstDifference(data, want)
		}
		m.errs.Add(at, "the migration was edited after it was written, and a migration is frozen",
			"put it back with git checkout "+e.path+", and make the change in a migration of your own")
	default:
		m.files = append(m.files, File{Path: e.path, Data: data, Frozen: true})
	}
	return nil
}

// firstDifference returns the first line that two texts do not share.
func firstDifference(a, b []byte) int {
	as, bs := bytes.Split(toLF(a), []byte("\n")), bytes.Split(toLF(b), []byte("\n"))
	line := 0
	for line < len(as) && line < len(bs) && bytes.Equal(as[line], bs[line]) {
		line++
	}
	return line + 1
}

// orphan returns the number of a migration that serves the need and is not
// in the lock: the lock was deleted, or a merge took the other side's lines.
// It is empty if there is none.
func (m *migrator) orphan(n need, dir string, want []piece, names []string) (string, error) {
	for _, name := range names {
		number, suffix := n.matches(name)
		if suffix != want[0].suffix || m.lock.has(path.Join(dir, name)) {
			continue
		}
		same, err := m.same(n, dir, number, want)
		if err != nil {
			return "", err
		}
		if same {
			return number, nil
		}
	}
	return "", nil
}

// same reports whether the files with a number are what would be written for
// a need, those that are missing aside.
func (m *migrator) same(n need, dir, number string, want []piece) (bool, error) {
	for _, p := range want {
		data, err := m.read(path.Join(dir, number+n.stem()+p.suffix))
		if err != nil {
			return false, err
		}
		wanted, _ := n.render(p)
		if data != nil && !bytes.Equal(toLF(data), wanted) {
			return false, nil
		}
	}
	return true, nil
}

// strays reports files that look like the need's migration and are not in
// the lock.
func (m *migrator) strays(n need, dir string) error {
	names, err := m.names(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		file := path.Join(dir, name)
		if _, suffix := n.matches(name); suffix == "" || m.lock.has(file) {
			continue
		}
		m.errs.Add(spec.Pos{File: file, Line: 1, Col: 1},
			fmt.Sprintf("%s is not in %s, where %s serves the same need", name, LockName, path.Base(m.lock.of(n)[0].path)),
			fmt.Sprintf("if it was applied anywhere, put the lock back with git checkout %s; otherwise delete it", LockName))
	}
	return nil
}

// matches takes a file's name apart, if it is one that the need's migration
// may have; the suffix is empty if it is not.
func (n need) matches(name string) (number, suffix string) {
	_, width, ok := numbered(name)
	fits := func(p piece) bool { return name[width:] == n.stem()+p.suffix }
	if i := slices.IndexFunc(pieces, fits); ok && i >= 0 {
		return name[:width], pieces[i].suffix
	}
	return "", ""
}
