package spec

import "testing"

const generics = paths + `
type (
	Envelope[T any] struct { Meta; ID string; Body T; Next *Envelope[T]; When time.Time }
	Meta struct { Source string; At *Stamp }
	Stamp time.Time
	Page[K comparable, V any] struct { Key K; Items []V; First V; Of Envelope[V] }
	Job[T any] struct { *Envelope[T]; Args T }
	Env[T any] = Envelope[T]
	Shipped = Envelope[Event]
	Ring[T any] struct { *Ring[T]; V T }
	Named2[T any] struct { ID string; V T }
	Opt[T any] struct { V *T; Set bool }
	ID[T any] string
)
func (e Envelope[T]) Name() string { return "" }
func (e *Envelope[T]) Inner() *T { return nil }
func (e Envelope[T]) Get() T { return e.Body }
func (e Envelope[T]) Map(func(T) T) T { return e.Body }
func (p Page[K, V]) String() string { return "" }
func (i ID[T]) MarshalText() ([]byte, error) { return nil, nil }
`

func TestGenericParameters(t *testing.T) {
	for _, c := range []struct{ typ, path, want string }{
		{"Envelope[Event]", "v.Body.ID", "v.Body.ID String"},
		{"*Envelope[Event]", "v.Body.N", "v?.Body.N Int"},
		{"Envelope[*Event]", "v.Body.ID", "v.Body?.ID String"},
		{"Envelope[Event]", "v.Next.Next.Body.ID?", "v.Next?.Next?.Body.ID String optional"},
		{"Envelope[Event]", "v.ID", "v.ID String"},
		{"Envelope[Event]", "v.Source", "v.Source String"},
		{"Envelope[string]", "v.Body|lower", "v.Body String|lower"},
		{"Envelope[uuid.UUID]", "v.Body", "v.Body Text"},
		{"Envelope[[16]byte]", "v.Get", "v.Get() ByteArray"},
		{"Envelope[PText]", "v.Body", "v.Body Text addr"},
		{"Envelope[PText]", "v.Inner?", "v.Inner() Text optional deref addr"},
		{"Envelope[Event]", "v.Name", "v.Name() String"},
		{"Envelope[Event]", "v.Inner.ID", "v.Inner()?.ID String"},
		{"*Envelope[Event]", "v.Get.ID", "v?.Get().ID String"},
		{"Envelope[Envelope[Event]]", "v.Body.Body.ID", "v.Body.Body.ID String"},
		{"Envelope[Page[string, Event]]", "v.Body.First.ID", "v.Body.First.ID String"},
		{"Envelope[Page[ID[Event], Event]]", "v.Body.Key", "v.Body.Key Text"},
		{"Page[int, Event]", "v", "v Stringer"},
		{"Page[string, Envelope[int]]", "v.Of.Body.Body", "v.Of.Body.Body Int"},
		{"Page[string, *Order]", "v.First.Kin.ID", "v.First?.Kin?.ID String"},
		{"Job[Event]", "v.Args.ID", "v.Args.ID String"},
		{"Job[Event]", "v.Body.ID", "v.Envelope?.Body.ID String"},
		{"*Job[Event]", "v.Get.ID", "v?.Envelope?.Get().ID String"},
		{"*Job[Event]", "v.Source", "v?.Envelope?.Source String"},
		{"*Job[Event]", "v.Envelope.Source", "v?.Envelope?.Source String"},
		{"Env[Event]", "v.Body.ID", "v.Body.ID String"},
		{"*Shipped", "v.Body.ID", "v?.Body.ID String"},
		{"Opt[int]", "v.V?|hash", "v.V Int|hash optional deref"},
		{"Ring[int]", "v.V", "v.V Int"},
		{"struct { Envelope[Order] }", "v.Body.Buyer.Code", "v.Body.Buyer.Code() String"},
		{"Envelope[Event]", "v.When|hour", "v.When Hour"},
		{"Job[Event]", "v.At?|date", "v.Envelope?.At Date optional deref convert"},
		{"interface { Body() Envelope[Event] }", "v.Body.Body.ID", "v?.Body().Body.ID String"},
	} {
		t.Run(c.typ+" "+c.path, func(t *testing.T) {
			h := one(t, generics+"//idem:key a:{"+c.path+"}\nfunc Notify(ctx context.Context, v "+c.typ+") error { return nil }")
			if got := show(h, h.Key.Parts[1]); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestGenericParameterErrors(t *testing.T) {
	for _, c := range []struct{ typ, path, want string }{
		{"Envelope[Event]", "v.Body.IDD", "Event has no field or method IDD; did you mean v.Body.ID?"},
		{"Envelope[Event]", "v.Bodi", "Envelope[Event] has no field or method Bodi; did you mean v.Body?"},
		{"*Job[uuid.UUID]", "v.Frobnicate", "*Job[uuid.UUID] has no field or method Frobnicate; it has Args, At, Body, Envelope, Get, ID, Inner, Map, …"},
		{"Ring[int]", "v.Frobnicate", "Ring[int] has no field or method Frobnicate; it has Ring, V"},
		{"Envelope[Event]", "v.Map", "the method Map of Envelope[Event] takes arguments; name a field, or a method without arguments"},
		{"Envelope[Event]", "v.Body", "{v.Body} is of type Event: it has neither MarshalText nor String; name one of its fields, or give it one of these methods"},
		{"Envelope[time.Time]", "v.Body", "{v.Body} is of type time.Time: the same moment can be written in many ways, and a time that nobody set would give a key too; " + whichTime("v.Body")},
		{"Envelope[float64]", "v.Get", "{v.Get} is of type float64: a number that was rounded is not the same on every delivery; use an integer, in the smallest unit, or a string"},
		{"Envelope[any]", "v.Body", "{v.Body} is of type any: an interface may hold any type; name a method of it, or take a concrete type"},
		{"struct { Envelope[int]; Named2[int] }", "v.ID", "ID is ambiguous in struct{Envelope[int]; Named2[int]}: more than one embedded field has it; write the embedded field in the path too"},
		{"struct { Envelope[int]; Named2[int] }", "v.Named2.ID", ""},
	} {
		t.Run(c.typ+" "+c.path, func(t *testing.T) {
			runPathCase(t, generics, c.typ, c.path, c.want)
		})
	}
}
