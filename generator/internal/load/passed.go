package load

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// passed are the directories below a root that the go command's ./... passes
// over, there: hidden ones, testdata, what lies below a vendor, and what
// go.mod says to ignore.
type passed struct {
	root              string // from the module, as in /services/mail/
	anchored, floated []string
}

// passedBelow reads the go.mod that a root belongs to. A root that is itself
// ignored is somebody's project all the same, and nothing in it is ignored.
func passedBelow(root string) passed {
	root, err := filepath.Abs(root)
	if err != nil {
		return passed{}
	}
	module := ModuleDir(root)
	data, err := os.ReadFile(filepath.Join(module, moduleName))
	if module == "" || err != nil {
		return passed{}
	}
	p := passed{root: slashed(filepath.ToSlash(relativeTo(module, root)))}
	for _, pattern := range ignoreDirectives(string(data)) {
		if anchored, ok := strings.CutPrefix(pattern, "./"); ok {
			p.anchored = append(p.anchored, slashed(anchored))
		} else {
			p.floated = append(p.floated, slashed(pattern))
		}
	}
	if p.ignored(".") {
		return passed{}
	}
	return p
}

// over reports whether a directory, by its path relative to the root, is
// passed over with all below it.
func (p passed) over(dir string) bool {
	name := path.Base(dir)
	return dir != "." && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" ||
		path.Base(path.Dir(dir)) == "vendor" || p.ignored(dir))
}

// ignored reports whether go.mod says to ignore a directory, or one that it
// lies in.
func (p passed) ignored(dir string) bool {
	from := slashed(path.Join(p.root, dir))
	return slices.ContainsFunc(p.anchored, func(pattern string) bool { return strings.HasPrefix(from, pattern) }) ||
		slices.ContainsFunc(p.floated, func(pattern string) bool { return strings.Contains(from, pattern) })
}

// slashed is a directory from its module with a slash on either side, so that
// whole names are compared.
func slashed(dir string) string {
	if dir = strings.Trim(dir, "/"); dir == "." || dir == "" {
		return "/"
	}
	return "/" + dir + "/"
}

var (
	ignoreLine = regexp.MustCompile(`^ignore[ \t]+([^\s(].*)$`)
	ignoreList = regexp.MustCompile(`^ignore[ \t]*\($`)
)

// ignoreDirectives returns what the directives of that name in a go.mod say.
// One that is broken, the go command tells.
func ignoreDirectives(mod string) (paths []string) {
	inList := false
	for line := range strings.Lines(mod) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		m := ignoreLine.FindStringSubmatch(line)
		switch {
		case ignoreList.MatchString(line):
			inList = true
		case m != nil:
			paths = append(paths, unquoted(m[1]))
		case inList && line == ")":
			inList = false
		case inList && line != "":
			paths = append(paths, unquoted(line))
		}
	}
	return paths
}

func unquoted(text string) string {
	if plain, err := strconv.Unquote(text); err == nil {
		return plain
	}
	return text
}
