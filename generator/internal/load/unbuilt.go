package load

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// unbuilt reports, at their imports, the packages that the go command does not
// build: whose files it leaves out, or does not take for one package. Handlers
// there have been told of already.
func (l *loader) unbuilt(p *pkg) error {
	var failed error
	for _, f := range p.files {
		f.eachImport(func(path string, at token.Pos) {
			q := l.graph.byPath[path]
			if q == nil || !q.refused() {
				return
			}
			q.reported = true
			if l.annotated(q.dir) {
				return
			}
			why, cure, err := l.refusal(q)
			if err != nil {
				failed = err
			}
			l.errs.Add(f.pos(at), fmt.Sprintf("the go command does not build %s: %s", path, why), cure)
		})
	}
	return failed
}

// refused reports whether the go command does not build a package for what
// lies in its directory. What it has to say of a line there is told there.
func (p *pkg) refused() bool {
	switch {
	case len(p.files) == 0:
		return true
	case p.Error == nil || p.Invalid == nil:
		return false
	}
	for _, f := range p.files {
		if f.errs != nil {
			return false
		}
	}
	file, _, _ := strings.Cut(filepath.ToSlash(p.Error.Pos), ":")
	return file == "" || path.Dir(file) != p.dir
}

// refusal says why the go command does not build a package, and how to mend
// it.
func (l *loader) refusal(p *pkg) (why, cure string, err error) {
	if p.Error == nil {
		return "no Go files but tests and output of idemgen lie in " + shown(p.dir), "write a Go file there, or import another package", nil
	}
	why = strings.ReplaceAll(oneLine(p.Error.Err), p.Dir, shown(p.dir))
	switch {
	case strings.HasPrefix(why, "found packages"):
		return why, onePackageCure, nil
	case p.Invalid != nil:
		return why, "mend that file in " + shown(p.dir), nil
	case p.Ignored == nil:
		return why, "go build " + p.ImportPath + " has to take it", nil
	}
	f, err := l.files.read(l.files.relative(p.Dir, p.Ignored[0]))
	if err != nil {
		return why, "", err
	}
	reason, _ := f.leftOut()
	return fmt.Sprintf("%s (%s, %s)", why, f.path, reason), "import it only in files that are built as it is, or run with GOOS, GOARCH, CGO_ENABLED or GOFLAGS=-tags=... set so that it is built", nil
}

const onePackageCure = "keep the files of one package in a directory"

var (
	noImport    = regexp.MustCompile(`^could not import (\S+) \((.*)\)$`)
	twoPackages = regexp.MustCompile(`^package \S+; expected package \S+$`)
	newerGo     = regexp.MustCompile(`^package requires newer Go version (\S+) `)
)

// typeCure says how to mend what the type-checker says, where it is not the
// code that is there that is wrong.
func typeCure(msg string) string {
	if m := newerGo.FindStringSubmatch(msg); m != nil {
		return "update idemgen, or build it with " + m[1]
	}
	if twoPackages.MatchString(msg) {
		return onePackageCure
	}
	m := noImport.FindStringSubmatch(msg)
	switch {
	case m == nil:
		return ""
	case strings.Contains(m[2], "module providing package"), strings.Contains(m[2], "module provides package"):
		return "run go get " + m[1] + ", or mend the import"
	case strings.Contains(m[2], "is not in std"), strings.Contains(m[2], "malformed import path"):
		return "mend the import: there is no such package"
	}
	return "go build " + m[1] + " has to take it"
}
