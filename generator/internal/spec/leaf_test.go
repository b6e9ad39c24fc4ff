package spec

import (
	"fmt"
	"testing"
)

// whichTime is the cure for a time without a verb.
func whichTime(path string) string {
	return fmt.Sprintf("say which business time it is, in UTC: {%s|date}, {%[1]s|hour} or {%[1]s|unix}", path)
}

func TestLeafErrors(t *testing.T) {
	const decls = paths + `
type (
	Stamp time.Time
	Day struct { time.Time }
	Deep struct { Day }
	PDay struct { *time.Time }
	When = time.Time
	Dated struct { time.Time }
	Loop struct { *Loop; N int }
	Maybe struct { *big.Int }
	Carries struct { Message }
	Asked struct { Named string }
	Short []MyByte
)
func (Dated) MarshalText() ([]byte, error) { return nil, nil }
func (m Message2) Foo() {}
type Message2 struct { Fail interface{ MarshalText() ([]byte, error) } }
`
	const isTime = "the same moment can be written in many ways, and a time that nobody set would give a key too; "
	const rounded = "a number that was rounded is not the same on every delivery; use an integer, in the smallest unit, or a string"
	const anyType = "an interface may hold any type; name a method of it, or take a concrete type"
	const elements = "of these only bytes have a text; name a method of your own that makes one string of the elements"
	const noText = "it has neither MarshalText nor String; name one of its fields, or give it one of these methods"
	const differs = "it is not the same on every delivery; name a value that identifies the event"
	for _, c := range []struct{ typ, path, want string }{
		{"time.Time", "v", "{v} is of type time.Time: " + isTime + whichTime("v")},
		{"*time.Time", "v?", "{v?} is of type *time.Time: " + isTime + whichTime("v?")},
		{"*time.Time", "v", "{v} is of type *time.Time: " + isTime + whichTime("v?")},
		{"Stamp", "v", "{v} is of type Stamp: " + isTime + whichTime("v")},
		{"Day", "v", "{v} is of type Day: " + isTime + whichTime("v.Time")},
		{"Deep", "v", "{v} is of type Deep: " + isTime + whichTime("v.Day.Time")},
		{"PDay", "v", "{v} is of type PDay: " + isTime + whichTime("v.Time?")},
		{"When", "v", "{v} is of type When: " + isTime + whichTime("v")},
		{"Dated", "v", "{v} is of type Dated: " + isTime + whichTime("v.Time")},
		{"float64", "v", "{v} is of type float64: " + rounded},
		{"*float32", "v?", "{v?} is of type *float32: " + rounded},
		{"big.Float", "v", "{v} is of type big.Float: " + rounded},
		{"*big.Float", "v?", "{v?} is of type *big.Float: " + rounded},
		{"struct{ big.Float }", "v", "{v} is of type struct{big.Float}: " + rounded},
		{"big.Rat", "v", ""},
		{"complex128", "v", "{v} is of type complex128: " + rounded},
		{"map[string]int", "v", "{v} is of type map[string]int: a map has no order; name a field or a method that identifies it"},
		{"url.Values", "v", "{v} is of type url.Values: a map has no order; name a field or a method that identifies it"},
		{"[]string", "v", "{v} is of type []string: " + elements},
		{"...string", "v", "{v} is of type []string: " + elements},
		{"[4]int", "v", "{v} is of type [4]int: " + elements},
		{"[0]byte", "v", "{v} is of type [0]byte: " + elements},
		{"Short", "v", "{v} is of type Short: " + elements},
		{"[4]MyByte", "v", "{v} is of type [4]MyByte: " + elements},
		{"any", "v", "{v} is of type any: " + anyType},
		{"Message", "v", "{v} is of type Message: " + anyType},
		{"Message2", "v.Fail?", "{v.Fail?} is of type interface{MarshalText() ([]byte, error)}: " + anyType},
		{"func() string", "v", "{v} is of type func() string: " + differs},
		{"Order", "v.Fn", "{v.Fn} is of type func() string: " + differs},
		{"chan int", "v", "{v} is of type chan int: " + differs},
		{"Event", "v", "{v} is of type Event: " + noText},
		{"Loop", "v", "{v} is of type Loop: " + noText},
		{"Carries", "v", "{v} is of type Carries: " + noText},
		{"Order", "v.ValuePText", "{v.ValuePText} is of type PText: its method MarshalText needs a pointer, and what a method returns has no address; give MarshalText a value receiver"},
		{"**string", "v?", "{v?} is of type **string: a pointer to a pointer identifies nothing; use a value"},
		{"struct{ uuid.UUID; Line int }", "v", "{v} is of type struct{uuid.UUID; Line int}: its method MarshalText is that of the embedded field UUID, which leaves the other fields out; name the embedded field UUID in the path too, and the others that tell two events apart"},
		{"struct{ uuid.UUID; Line int }", "v.UUID", ""},
		{"struct{ uuid.UUID }", "v", ""},
		{"Maybe", "v", "{v} is of type Maybe: its method MarshalText is that of the embedded field Int, which may be nil; name the embedded field Int in the path too"},

		{"*string", "v", "{v} is a pointer, *string, and without it there is no key; write {v?} if it may be absent, or make it a value"},
		{"*uuid.UUID", "v", "{v} is a pointer, *uuid.UUID, and without it there is no key; write {v?} if it may be absent, or make it a value"},
		{"Order", "v.PBig", "{v.PBig} is a pointer, *big.Int, and without it there is no key; write {v.PBig?} if it may be absent, or make it a value"},
		{"Order", "v.First", "{v.First} is of type *Customer: " + noText},

		{"int", "v?", "{v?} is never absent: zero and false are values; write {v}"},
		{"Order", "v.B?", "{v.B?} is never absent: zero and false are values; write {v.B}"},
		{"Order", "v.Value.Code?", ""},
		{"*Order", "v.U?", ""},
	} {
		t.Run(c.typ+" "+c.path, func(t *testing.T) {
			runPathCase(t, decls, c.typ, c.path, c.want)
		})
	}
}

func TestInvalidLeaf(t *testing.T) {
	runPathCase(t, "type Half struct { X Undefined; Y *Undefined }", "Half", "v.X", "the type of v.X does not compile; mend the type first")
	runPathCase(t, "type Half struct { X Undefined; Y *Undefined }", "*Half", "v.Y?", "the type of v.Y does not compile; mend the type first")
	runPathCase(t, "type Bad Undefined; type Half struct { X Bad }", "Half", "v.X", "the type of v.X does not compile; mend the type first")
	runPathCase(t, "type Half struct { X Undefined }", "Half", "v.X.ID", "the type of v.X does not compile; mend the type first")
}
