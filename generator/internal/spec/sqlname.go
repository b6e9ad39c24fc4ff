package spec

import (
	"fmt"
	"regexp"
	"strings"
)

// maxNameBytes is the length at which Postgres cuts a name off.
const maxNameBytes = 63

var sqlNamePattern = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// CheckColumn returns what is wrong with the name of a column, or nil. The
// error has no place.
func CheckColumn(name string) *Error { return checkSQLName(name, 0) }

// CheckTable returns what is wrong with the name of a table, which may be
// qualified by a schema, or nil. Suffixes are what the names of its indexes
// and companions add. The error has no place.
func CheckTable(name string, suffixes ...string) *Error {
	longest := 0
	for _, suffix := range suffixes {
		longest = max(longest, len(suffix))
	}
	if schema, table, ok := strings.Cut(name, "."); ok {
		if err := checkSQLName(schema, 0); err != nil {
			return err
		}
		name = table
	}
	return checkSQLName(name, longest)
}

// checkSQLName keeps to the names that every database takes unquoted, so
// that nothing that reaches SQL can be anything but a name.
func checkSQLName(name string, suffix int) *Error {
	if !sqlNamePattern.MatchString(name) {
		cure := "use a-z, 0-9 and _, and begin with a letter or _"
		if lower := strings.ToLower(name); sqlNamePattern.MatchString(lower) {
			cure = "write it in lower case, " + lower
		}
		return &Error{Msg: fmt.Sprintf("%q is not a name for SQL", name), Cure: cure}
	}
	if len(name)+suffix > maxNameBytes {
		return &Error{
			Msg:  fmt.Sprintf("the name %s is %d bytes too long", name, len(name)+suffix-maxNameBytes),
			Cure: fmt.Sprintf("shorten it to %d bytes", maxNameBytes-suffix),
		}
	}
	return nil
}
