package upsert

import (
	"encoding/json"
	"time"
)

// Pointer returns a pointer to a value, nil if that is not valid.
func Pointer[T any](v T, valid bool) *T {
	if valid {
		return &v
	}
	return nil
}

// Text returns a time as the upserts write it on SQLite, which knows no times:
// in UTC, with nine digits of the second, so that texts compare as their times do. Drivers
// read it back as a time from a column that is declared TIMESTAMP or DATETIME.
func Text(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000000+00:00") }

// TextOrNil is [Text], and nil of nil.
func TextOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return Text(*t)
}

// JSONText returns JSON as a text, which is what SQLite's functions take it
// for, and nil of nil.
func JSONText(j json.RawMessage) any {
	if j == nil {
		return nil
	}
	return string(j)
}

// Bytes returns bytes, and nil of nil.
func Bytes(b []byte) any {
	if b == nil {
		return nil
	}
	return b
}

// Bytes16 returns the bytes of a UUID, and nil of nil.
func Bytes16(id *[16]byte) any {
	if id == nil {
		return nil
	}
	return id[:]
}
