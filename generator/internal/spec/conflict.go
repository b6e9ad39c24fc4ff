package spec

import "regexp"

var conflictMarker = regexp.MustCompile(`^(<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)( |$)`)

// IsConflictMarker reports whether a line is one that a merge leaves where two
// sides disagree.
func IsConflictMarker(line string) bool { return conflictMarker.MatchString(line) }
