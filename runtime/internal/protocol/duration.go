package protocol

import "time"

// longest is the longest duration that reaches a database, and a worker: more
// would overflow their times, so that a lease or a retention without end
// would be over at once.
const longest = 100 * 365 * 24 * time.Hour

// clamp makes a duration one that times can count with.
func clamp(d time.Duration) time.Duration { return max(-longest, min(d, longest)) }

// Units is a duration in the units that a column counts, rounded up: no lease
// is shorter than what was asked for, no run is purged sooner.
func Units(d, unit time.Duration) int64 {
	d = clamp(d)
	units := d / unit
	if d%unit > 0 {
		units++
	}
	return int64(units)
}

// Duration is so many units of a column.
func Duration(units int64, unit time.Duration) time.Duration {
	most := int64(longest / unit)
	return time.Duration(max(-most, min(units, most))) * unit
}
