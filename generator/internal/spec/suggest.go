package spec

import (
	"slices"
	"strings"
)

// Suggest returns the candidate that a misspelt name most likely stands for,
// or nothing when none is near: a third of the letters may be wrong. The
// first of equally near ones wins. Case does not count.
//
// A few names are of other tools, and mean what one of ours does.
func Suggest(name string, candidates []string) string {
	if meant := synonyms[strings.ToLower(name)]; meant != "" && slices.Contains(candidates, meant) {
		return meant
	}
	best, nearest := "", (len(name)+2)/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < nearest && d < max(len(name), len(c)) {
			best, nearest = c, d
		}
	}
	return best
}

var synonyms = map[string]string{
	"retries": "attempts", "retry": "attempts", "max_retries": "attempts", "max_attempts": "attempts", "maxattempts": "attempts", "tries": "attempts",
	"timeout": "lease", "visibility_timeout": "lease", "lock": "lease", "ttl": "retain", "retention": "retain", "expire": "retain", "expires": "retain",
	"namespace": "name", "id": "key", "idempotency_key": "key", "function": "func", "handler": "func", "hash": "fingerprint",
}

// distance counts the bytes to insert, remove, replace, or swap with their
// neighbour (Levenshtein, with swaps) to make one text of the other.
func distance(a, b string) int {
	before, last, row := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replaced := last[j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			row[j] = min(replaced, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, make([]int, len(b)+1)
	}
	return last[len(b)]
}
