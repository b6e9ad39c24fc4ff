package generator

import (
	"bytes"
	"os"

	"github.com/rogpeppe/go-internal/diff"
)

// Difference is a file that is not as it should be.
type Difference struct {
	Path string // slash-separated, relative to the root
	Kind DifferenceKind
	Diff string // unified; git apply takes it at the root
}

// DifferenceKind says what is wrong with a file.
type DifferenceKind string

// The kinds of differences.
const (
	Drifted  DifferenceKind = "drifted"   // its content is another one
	Missing  DifferenceKind = "missing"   // it is not there
	LeftOver DifferenceKind = "left over" // nothing generates it any more
)

// Compare returns what [Write] would change, and changes nothing.
func Compare(root string, files []File) ([]Difference, error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	changes, err := plan(dir, files)
	if err != nil {
		return nil, err
	}
	var found []Difference
	for _, c := range changes {
		if !c.unchanged() {
			found = append(found, c.difference())
		}
	}
	return found, nil
}

func (c change) difference() Difference {
	kind, before, after := Drifted, "a/"+c.path, "b/"+c.path
	switch {
	case c.before == nil:
		kind, before = Missing, devNull
	case c.after == nil:
		kind, after = LeftOver, devNull
	case bytes.Equal(bytes.ReplaceAll(c.before, crlf, lf), c.after):
		return Difference{Path: c.path, Kind: kind, Diff: "the lines end in CRLF, generated ones in LF; keep git from changing them by `* text=auto eol=lf` in .gitattributes\n"}
	}
	return Difference{Path: c.path, Kind: kind, Diff: unified(before, c.before, after, c.after)}
}

// devNull is what patch and git apply call a file that is not there.
const devNull = "/dev/null"

var crlf, lf = []byte("\r\n"), []byte("\n")

// unified drops the library's first line, which names a command that nobody
// ran.
func unified(beforeName string, before []byte, afterName string, after []byte) string {
	text := diff.Diff(beforeName, before, afterName, after)
	_, body, _ := bytes.Cut(text, lf)
	return string(body)
}
