package idemtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

type color int

var colors = []string{"red", "green"}

func (c color) MarshalText() ([]byte, error) { return []byte(colors[c]), nil } // panics beyond

func (c *color) UnmarshalText(text []byte) error {
	for i, name := range colors {
		if name == string(text) {
			*c = color(i)
			return nil
		}
	}
	return errors.New("no such color")
}

// opaque reads back nothing but its zero value.
type opaque [4]byte

func (o opaque) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", o[:]), nil }

func (o *opaque) UnmarshalText(text []byte) error {
	if string(text) != "00000000" {
		return errors.New("not made by this package")
	}
	return nil
}

type tree struct {
	Name     string
	Children []*tree
}

type everything struct {
	ID      string `json:"id"`
	Count   int8
	Big     uint64
	Rate    float32
	OK      bool
	Raw     json.RawMessage
	Bytes   []byte
	At      time.Time
	Took    time.Duration
	Link    *url.URL
	Labels  map[string]int
	ByName  map[color]string
	Nested  []struct{ A, B *string }
	Color   color
	Opaque  opaque
	Addr    netip.Addr
	Any     any
	Err     error
	Tree    tree
	Skipped string `json:"-"`
	private string //nolint:unused // a field that no result has
}

func TestSampleTellsResultsApart(t *testing.T) {
	got := different[everything](t)
	for _, want := range []string{
		`"id":"sample 1"`, `"Count":2`, `"OK":true`, `"Raw":{"sample":1}`, `"At":"2001-02-03T04:05:01Z"`,
		`"Labels":{"sample 1":2}`, `"A":"sample 1"`, `"Color":"red"`, `"Opaque":"00000000"`, `"Name":"sample 1"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	different[string](t)
	different[*string](t)
	different[[]int](t)
	different[map[int]bool](t)
	different[*everything](t)
	different[tree](t)
	different[time.Time](t)
}

// What has no room for a number, or does not survive JSON, is its zero value.
func TestSampleFallsBackToZero(t *testing.T) {
	same[struct{}](t, `{}`)
	same[color](t, `"red"`)
	same[error](t, `null`)
	same[struct{ C chan int }](t, ``)
	same[netip.Addr](t, `""`)
}

func different[R any](t *testing.T) string {
	t.Helper()
	var zero R
	one, two, none := text(sample[R](1)), text(sample[R](2)), text(zero)
	if one == two || one == none || two == none {
		t.Errorf("%T: samples %s and %s, zero %s", zero, one, two, none)
	}
	return one
}

func same[R any](t *testing.T, want string) {
	t.Helper()
	if got := text(sample[R](1)); got != want {
		t.Errorf("%T: got %s; want %s", *new(R), got, want)
	}
}

func text(v any) string {
	data, _ := json.Marshal(v) // a type without JSON is no text
	return string(data)
}
