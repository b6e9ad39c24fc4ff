package cluster

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// ErrNoServer says that this machine has no server binaries.
var ErrNoServer = errors.New("no Postgres server binaries (initdb, postgres) on PATH or in the standard places")

// places are where packagers put the server binaries that they keep off PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin", // Debian, Ubuntu
	"/usr/pgsql-*/bin",          // Fedora, RHEL: the PostgreSQL project's packages
	"/usr/bin",                  // Fedora's own packages, Arch
	"/opt/homebrew/opt/postgresql*/bin",
	"/usr/local/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
	"/usr/local/pgsql/bin", // make install
}

// Find returns the directory of initdb and postgres: the one on PATH, else
// the newest of the first standard place that has any.
func Find() (string, error) {
	return find(filepath.SplitList(os.Getenv("PATH")), places)
}

func find(path, globs []string) (string, error) {
	for _, dir := range path {
		if filepath.IsAbs(dir) && hasServer(dir) {
			return dir, nil
		}
	}
	for _, glob := range globs {
		dirs, _ := filepath.Glob(glob) // the patterns are well-formed
		slices.SortFunc(dirs, func(a, b string) int {
			return cmp.Or(cmp.Compare(version(b), version(a)), cmp.Compare(a, b))
		})
		if i := slices.IndexFunc(dirs, hasServer); i >= 0 {
			return dirs[i], nil
		}
	}
	return "", ErrNoServer
}

func hasServer(dir string) bool {
	for _, name := range []string{"initdb", "postgres"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			return false
		}
	}
	return true
}

var versionPattern = regexp.MustCompile(`(\d+(?:\.\d+)?)/bin$`)

// version is the number in …/16/bin, postgresql@16/bin or pgsql-9.6/bin, and
// 0 where there is none.
func version(dir string) float64 {
	m := versionPattern.FindStringSubmatch(filepath.ToSlash(dir))
	if m == nil {
		return 0
	}
	v, _ := strconv.ParseFloat(m[1], 64) // the pattern lets only numbers through
	return v
}
