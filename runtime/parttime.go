package runtime

import (
	"strconv"
	"time"
)

// Date is a part of a day in UTC: 2006-01-02. A zero time is missing.
func Date(name string, t time.Time) Part { return timePart(dateKind, name, t, time.DateOnly) }

// Hour is a part of an hour in UTC: 2006-01-02T15. A zero time is missing.
func Hour(name string, t time.Time) Part { return timePart(hourKind, name, t, "2006-01-02T15") }

// Unix is a part of a time in seconds since 1970, in decimal. A zero time is
// missing; the time 0 is a value.
func Unix(name string, t time.Time) Part {
	return Part{kind: unixKind, name: name, text: strconv.FormatInt(t.Unix(), 10), missing: t.IsZero()}
}

// timePart writes a time in UTC, whatever its zone, so that a sender that
// tells the same moment in another zone the next time gives the same text.
func timePart(kind kind, name string, t time.Time, layout string) Part {
	return Part{kind: kind, name: name, text: t.UTC().Format(layout), missing: t.IsZero()}
}
