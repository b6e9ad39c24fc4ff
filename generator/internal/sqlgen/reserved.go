package sqlgen

import "strings"

// reserved holds the words that cannot be a column's name without quotes, in
// either dialect.
var reserved = wordSet(`
	add all alter analyse analyze and any array as asc asymmetric
	authorization autoincrement between binary both case cast check collate
	collation column commit concurrently constraint create cross
	current_catalog current_date current_role current_schema current_time
	current_timestamp current_user default deferrable delete desc distinct do
	drop else end escape except exists false fetch for foreign freeze from
	full grant group having ilike in index initially inner insert intersect
	into is isnull join lateral leading left like limit localtime
	localtimestamp natural not nothing notnull null offset on only or order
	outer overlaps placing primary raise references returning right select
	session_user set similar some symmetric system_user table tablesample then
	to trailing transaction true union unique update user using values
	variadic verbose when where window with`)

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}
