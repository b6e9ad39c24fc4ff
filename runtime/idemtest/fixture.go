package idemtest

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
)

// args is the fixture's arguments, for messages: with the name of their function,
// and of the file that it is in, where the suite has a function of that file.
func (s Suite[R]) args() string {
	const args = "the fixture's arguments"
	if name, file := s.fixture(); file != "" {
		return fmt.Sprintf("%s (%s in %s)", args, name, file)
	}
	return args
}

// renewed says what else mends the arguments of an ordered handler, whose fixture
// may be from before its order.
func (s Suite[R]) renewed() string {
	if _, file := s.fixture(); file != "" {
		return "; or, if " + file + " is older than the order, remove it, and idemgen generate writes another"
	}
	return ""
}

// fixture finds the function of the arguments by that of the real handler, which
// is generated with it: notifyArgs stands by notifyReal.
func (s Suite[R]) fixture() (name, file string) {
	if s.Real == nil {
		return "", ""
	}
	f := runtime.FuncForPC(reflect.ValueOf(s.Real).Pointer())
	stem, ok := strings.CutSuffix(f.Name()[strings.LastIndex(f.Name(), ".")+1:], "Real")
	if !ok {
		return "", "" // one that was written by hand
	}
	path, _ := f.FileLine(f.Entry())
	return stem + "Args", filepath.Base(path)
}
