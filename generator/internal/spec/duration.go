package spec

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"
)

const (
	day = 24 * time.Hour
	// maxLease: a key whose worker died is stuck for the rest of its lease.
	maxLease = 30 * day
	// maxDuration is the days that a time.Duration has room for.
	maxDuration = math.MaxInt64 / day * day
	// minDuration is how finely the stores keep time.
	minDuration = time.Millisecond

	durationCure = "write numbers with their units, such as 90s, 5m, 1h30m or 30d"
)

// The forms of a duration and of a namespace. They hold in every dialect of
// regular expressions.
const (
	number        = `([0-9]+\.?[0-9]*|\.[0-9]+)`
	clock         = number + `(ns|us|µs|μs|ms|s|m|h)`
	DurationForm  = number + `d(` + clock + `)*|(` + clock + `)+`
	NamespaceForm = `[a-z0-9_][a-z0-9_.-]*`
)

var wholeDuration = regexp.MustCompile(`^(` + DurationForm + `)$`)

// ParseDuration reads a duration: what Go writes, and d for days of 24 hours,
// which come first. It is at least a millisecond. The error has no place.
func ParseDuration(s string) (time.Duration, *Error) {
	const least = "write one of at least a millisecond"
	switch d, ok := scanDuration(s); {
	case tooLong(s):
		return 0, &Error{Msg: fmt.Sprintf("the duration %s is longer than can be kept", s), Cure: "write " + FormatDuration(maxDuration) + " or less"}
	case !ok:
		return 0, &Error{Msg: fmt.Sprintf("%q is not a duration", s), Cure: durationCure}
	case d <= 0:
		return 0, &Error{Msg: fmt.Sprintf("the duration %s is not positive", s), Cure: least}
	case d < minDuration:
		return 0, &Error{Msg: fmt.Sprintf("the duration %s is shorter than a millisecond, which is as finely as time is kept", s), Cure: least}
	default:
		return d, nil
	}
}

// tooLong reports whether a text is a duration, but one that a time.Duration
// has no room for.
func tooLong(s string) bool {
	_, ok := scanDuration(s)
	return !ok && wholeDuration.MatchString(s)
}

// scanDuration adds up the days and the rest.
func scanDuration(s string) (time.Duration, bool) {
	if strings.HasPrefix(s, "+") {
		return 0, false
	}
	number, rest, ok := strings.Cut(s, "d")
	if !ok {
		d, err := time.ParseDuration(s)
		return d, err == nil
	}
	if strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	// Go has no unit of a day: read hours, and check what 24 times as many
	// come to.
	hours, err := time.ParseDuration(number + "h")
	days := 24 * hours
	if err != nil || days/24 != hours {
		return 0, false
	}
	if rest == "" {
		return days, true
	}
	d, err := time.ParseDuration(rest)
	// Go takes a sign, and a 0 without a unit.
	if err != nil || strings.ContainsAny(rest[:1], "+-") || rest == "0" || days+d < days {
		return 0, false
	}
	return days + d, true
}

// ParseLease reads a lease. The error has no place.
func ParseLease(s string) (time.Duration, *Error) {
	d, err := ParseDuration(s)
	if err == nil && d > maxLease || tooLong(s) {
		return 0, &Error{
			Msg:  fmt.Sprintf("a lease of %s is too long: the key of a worker that dies is stuck until it is over", s),
			Cure: fmt.Sprintf("write the longest reasonable duration of the job, at most %s", FormatDuration(maxLease)),
		}
	}
	return d, err
}

// ParseRetain reads a retention; 0 is for ever. The error has no place.
func ParseRetain(s string) (time.Duration, *Error) {
	if s == "forever" {
		return 0, nil
	}
	d, err := ParseDuration(s)
	if err != nil {
		err.Cure += `, or "forever"`
	}
	return d, err
}
