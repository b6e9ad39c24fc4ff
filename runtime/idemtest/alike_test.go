package idemtest

import (
	"encoding/json"
	"math/big"
	"reflect"
	"testing"
	"time"
)

type stored struct {
	ID      string
	Skipped string `json:"-"`
	hidden  int
	Any     any
	Nested  []*stored
	Named   map[string]stored
	At      time.Time
	Amount  *big.Int
	Do      func() `json:"-"`
}

// What JSON does not bring back is named by its path.
func TestDifference(t *testing.T) {
	now := time.Now() // its monotonic reading is not stored, and does not count
	for _, tt := range []struct {
		value stored
		want  string
	}{
		{stored{}, ""},
		{stored{ID: "1", Any: "text", At: now, Amount: big.NewInt(7)}, ""},
		{stored{Nested: []*stored{nil, {ID: "2"}}, Named: map[string]stored{"a": {At: now}}}, ""},
		{stored{Skipped: "x"}, "r.Skipped"},
		{stored{hidden: 1}, "r.hidden"},
		{stored{Any: 7}, "r.Any"},
		{stored{Do: func() {}}, "r.Do"},
		{stored{Nested: []*stored{nil, {Skipped: "x"}}}, "r.Nested[1].Skipped"},
		{stored{Named: map[string]stored{"a": {hidden: 2}}}, "r.Named[a].hidden"},
	} {
		data, err := json.Marshal(tt.value)
		if err != nil {
			t.Fatal(err)
		}
		var back stored
		if err := json.Unmarshal(data, &back); err != nil {
			t.Fatal(err)
		}
		if got := difference("r", reflect.ValueOf(back), reflect.ValueOf(tt.value)); got != tt.want {
			t.Errorf("%+v: the difference is at %q; want %q", tt.value, got, tt.want)
		}
	}
	loop := &stored{}
	loop.Nested = []*stored{loop}
	if got := difference("r", reflect.ValueOf(loop), reflect.ValueOf(loop)); got != "" {
		t.Errorf("a value that refers to itself: %q", got)
	}
}
