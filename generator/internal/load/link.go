package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// maxBehindLink is how many files and directories behind a link are looked
// at: enough for packages, and nothing beside a disk full of data.
const maxBehindLink = 1000

const linkCure = "move what it leads to into the project, or make that a project of its own"

// isDirLink reports whether an entry of a directory is a link to another one.
// What lies behind one called vendor is other people's.
func isDirLink(root, name string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 || entry.Name() == "vendor" {
		return false
	}
	info, err := os.Stat(filepath.Join(root, name))
	return err == nil && info.IsDir()
}

// behindLinks reports the directives in directories that the project has
// links to: the go command builds the packages there for those who import
// them, and finds none itself.
func (l *loader) behindLinks() error {
	for _, link := range l.found.links {
		files, err := l.linked(link)
		if err != nil {
			return err
		}
		for _, name := range files {
			f, err := l.files.read(name)
			if err != nil {
				return err
			}
			funcs, _ := f.directives()
			for _, a := range funcs {
				l.errs.Add(a.declared, fmt.Sprintf("//idem:%s stands behind %s", a.directives[0].Name, linkText(link)), linkCure)
			}
		}
	}
	return nil
}

func linkText(link string) string {
	return link + ", which is a link to a directory: the go command's ./... does not follow it"
}

var errEnough = errors.New("enough")

// linked returns the Go files behind a link that mention us and are nobody's:
// neither in the project, by their own names, nor in another.
func (l *loader) linked(link string) ([]string, error) {
	var names []string
	target := l.files.absolute(link)
	if isProject(os.DirFS(target), ".") {
		return nil, nil
	}
	count := 0
	err := Walk(target, os.DirFS(target), func(name string, entry fs.DirEntry) error {
		if count++; count > maxBehindLink {
			return errEnough
		}
		if isGoFile(entry.Name()) && !strings.HasSuffix(name, "_test.go") && isFile(filepath.Join(target, name)) {
			names = append(names, path.Join(link, name))
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	var mention []string
	for _, name := range names {
		text, err := readText(l.files.absolute(name))
		if err != nil {
			return nil, err
		}
		if text.mention && !l.owned(name) {
			mention = append(mention, name)
		}
	}
	return mention, nil
}

// owned reports whether the file that lies behind a link is one of a project,
// where it is told what is wrong with it.
func (l *loader) owned(name string) bool {
	real, rel, err := l.real(name)
	if err != nil || slices.Contains(l.found.hand[path.Dir(rel)], rel) {
		return true
	}
	other, err := FindRoot(filepath.Dir(real))
	return err == nil && !sameDir(other, l.files.root)
}

func sameDir(a, b string) bool {
	first, err := os.Stat(a)
	second, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(first, second)
}

// real returns where a file or directory lies, without links, also from the
// root.
func (l *loader) real(name string) (full, rel string, err error) {
	root, err := filepath.EvalSymlinks(l.files.root)
	if err != nil {
		return "", "", err
	}
	full, err = filepath.EvalSymlinks(l.files.absolute(name))
	return full, filepath.ToSlash(relativeTo(root, full)), err
}

// linkTo says that the directory of a function lies behind a link, if it does.
func (l *loader) linkTo(dir string, name funcName) *spec.Error {
	for _, link := range l.found.links {
		if dir != link && !strings.HasPrefix(dir, link+"/") {
			continue
		}
		wrong := &spec.Error{Msg: shown(dir) + " lies behind " + linkText(link), Cure: linkCure}
		if _, own, err := l.real(dir); err == nil && l.found.hand[own] != nil {
			wrong.Cure = "write " + name.in(own)
		}
		return wrong
	}
	return nil
}
