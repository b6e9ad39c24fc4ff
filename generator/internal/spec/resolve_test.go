package spec

import (
	"strings"
	"testing"
)

// types of the tests of placeholders, by what they have.
const paths = `
type Text struct { a int }
func (Text) MarshalText() ([]byte, error) { return nil, nil }
type PText struct { a int }
func (*PText) MarshalText() ([]byte, error) { return nil, nil }
type Named struct { a int }
func (Named) String() string { return "" }
type PNamed struct { a int }
func (*PNamed) String() string { return "" }
type Both string
func (Both) MarshalText() ([]byte, error) { return nil, nil }
type Kind int
func (Kind) String() string { return "" }
type List []string
func (List) String() string { return "" }
type Celsius float64
func (Celsius) String() string { return "" }
type ( Str string; Num int16; Raw []byte; Hash [32]byte; Alias = Str; MyByte byte )
type Customer struct { ID string; Parent *Customer }
func (c Customer) Code() string { return "" }
func (c *Customer) Slug() string { return "" }
type Message interface { MessageID() string }
type Base struct { Seq int; Owner *Customer }
func (b Base) Tag() string { return "" }
func (b *Base) PTag() string { return "" }
type Order struct {
	Base
	*Customer
	Message
	Buyer Customer
	Kin *Customer
	Text Text; PText PText; Named Named; PNamed PNamed; Both Both; Kind Kind; List List; Celsius Celsius
	S Str; N Num; U uint8; P uintptr; B bool; R rune; D time.Duration
	Raw Raw; Hash Hash; Bytes []byte; A16 [16]byte; A Alias; J json.RawMessage
	UUID uuid.UUID; Big big.Int
	PS *string; PN *int; PBig *big.Int; PUUID *uuid.UUID; PNamedP *Named; PHash *Hash
	hidden string
	Msg Message
	Fn func() string
}
func (o Order) Key() string { return o.hidden }
func (o *Order) PKey() Num { return 0 }
func (o Order) First() *Customer { return nil }
func (o Order) Value() Customer { return Customer{} }
func (o Order) ValuePText() PText { return PText{} }
func (o Order) Next() *Order { return nil }
func (o Order) Wrap() Wrapper { return Wrapper{} }
func (o Order) Sum() [4]byte { return [4]byte{} }
type Ptr *Order
type Wrapper struct { *Order }
type holder struct { Order }
type Holder struct { holder }
`

func TestPlaceholders(t *testing.T) {
	for path, want := range map[string]string{
		"s": "s String", "ids": "ids Bytes", "u": "u Text", "p?": "p String optional deref",
		"o.Buyer.ID": "o.Buyer.ID String", "po.Buyer.ID": "po?.Buyer.ID String",
		"o.Kin.ID": "o.Kin?.ID String", "po.Kin.Parent.ID?": "po?.Kin?.Parent?.ID String optional",
		"named.Buyer.ID": "named?.Buyer.ID String",
		"o.hidden":       "o.hidden String", "o.Msg.MessageID": "o.Msg?.MessageID() String",
		"m.MessageID": "m?.MessageID() String", "m.MessageID?": "m?.MessageID() String optional",

		// Promoted: only what may be nil is spelt out.
		"o.Seq": "o.Seq Int", "o.Base.Seq": "o.Base.Seq Int", "o.ID": "o.Customer?.ID String",
		"po.ID": "po?.Customer?.ID String", "o.Tag": "o.Tag() String", "o.PTag": "o.PTag() String",
		"o.Owner.ID": "o.Owner?.ID String", "o.Code": "o.Customer?.Code() String", "o.Slug": "o.Customer?.Slug() String",
		"o.MessageID": "o.Message?.MessageID() String", "h.Seq": "h.Seq Int", "h.ID": "h.holder.Order.Customer?.ID String",
		"e.ID": "e.ID String", "w.Ref": "w.Public?.Ref String",

		// Methods.
		"o.Key": "o.Key() String", "o.PKey": "o.PKey() Int", "po.Key": "po?.Key() String", "po.PKey": "po?.PKey() Int",
		"o.First.ID": "o.First()?.ID String", "o.First.Slug": "o.First()?.Slug() String",
		"o.Value.ID": "o.Value().ID String", "o.Value.Code": "o.Value().Code() String", "o.Sum": "o.Sum() ByteArray",
		"o.Value.Parent.Slug": "o.Value().Parent?.Slug() String",

		"o.Next.PText": "o.Next()?.PText Text addr", "o.Wrap.PText": "o.Wrap().Order?.PText Text addr",

		// The leaf's encoder, in the order of the rules.
		"o.Text": "o.Text Text", "o.PText": "o.PText Text addr", "o.Named": "o.Named Stringer", "o.PNamed": "o.PNamed Stringer addr",
		"o.Both": "o.Both Text", "o.Kind": "o.Kind Int", "o.List": "o.List Stringer", "o.Celsius": "o.Celsius Stringer",
		"o.S": "o.S String", "o.N": "o.N Int", "o.U": "o.U Uint", "o.P": "o.P Uint", "o.B": "o.B Bool", "o.R": "o.R Int", "o.D": "o.D Int",
		"o.Raw": "o.Raw Bytes", "o.Hash": "o.Hash ByteArray", "o.Bytes": "o.Bytes Bytes", "o.A16": "o.A16 ByteArray", "o.A": "o.A String",
		"o.J": "o.J Bytes", "o.UUID": "o.UUID Text", "o.Big": "o.Big Text addr", "po.PText": "po?.PText Text addr",

		// Optional.
		"o.S?": "o.S String optional", "o.Raw?": "o.Raw Bytes optional", "o.UUID?": "o.UUID Text optional",
		"o.PS?": "o.PS String optional deref", "o.PN?": "o.PN Int optional deref", "o.PBig?": "o.PBig Text optional deref addr",
		"o.PUUID?": "o.PUUID Text optional deref", "o.PNamedP?": "o.PNamedP Stringer optional deref", "o.PHash?": "o.PHash ByteArray optional deref",
		"po.N?": "po?.N Int optional", "o.First.Parent.ID?": "o.First()?.Parent?.ID String optional",
	} {
		t.Run(path, func(t *testing.T) {
			h := one(t, paths+"//idem:key a:{"+path+"}:z\n"+
				`func Notify(ctx context.Context, s string, n int, ids []byte, u uuid.UUID, p *string, o Order, po *Order,
				named Ptr, m Message, h Holder, e ext.Holding, w ext.Wrapped) error { return nil }`)
			var parts []string
			for _, p := range h.Key.Parts {
				parts = append(parts, show(h, p))
			}
			if got := strings.Join(parts, " "); got != `"a:" `+want+` ":z"` {
				t.Errorf("got %s, want %s", got, want)
			}
			if p := h.Key.Parts[1]; p.Text != strings.TrimSuffix(path, "?") {
				t.Errorf("text %s", p.Text)
			}
		})
	}
}

func TestPlaceholderOfVariadic(t *testing.T) {
	h := one(t, "//idem:key a:{id}\nfunc Notify(ctx context.Context, id ...byte) error { return nil }")
	if got := show(h, h.Key.Parts[1]); got != "id Bytes" {
		t.Errorf("got %s", got)
	}
}

func TestStepTypes(t *testing.T) {
	h := one(t, paths+"//idem:key a:{o.Kin.Parent.Slug}\nfunc Notify(ctx context.Context, o *Order) error { return nil }")
	want := []string{"*example.com/jobs.Customer", "*example.com/jobs.Customer", "string"}
	for i, s := range h.Key.Parts[1].Steps {
		if s.Type.String() != want[i] {
			t.Errorf("step %s is of type %s, want %s", s.Name, s.Type, want[i])
		}
	}
}

func TestRootErrors(t *testing.T) {
	runErrorCases(t, []errorCase{
		{"near", "//idem:key a:§{evnt.ID}\n" + notify, []string{"Notify has no parameter evnt; did you mean event?"}},
		{"far", "//idem:key a:§{x}\nfunc Notify(ctx context.Context, event Event, tenant string) error { return nil }", []string{
			"Notify has no parameter x; its parameters are event, tenant"}},
		{"unnamed", "//idem:key a:§{event}\nfunc Notify(context.Context, Event) error { return nil }", []string{
			"Notify has no parameter event; give the parameter that holds the event a name"}},
		{"blank", "//idem:key a:§{event}:§{_.ID}\nfunc Notify(_ context.Context, _ Event) error { return nil }", []string{
			"Notify has no parameter event; give the parameter that holds the event a name",
			"a parameter called _ cannot be used in the key; give the parameter a name"}},
		{"context", "//idem:key a:§{ctx.Err}\n" + notify, []string{
			"{ctx.Err} holds the context ctx, which differs on every delivery; name a parameter that holds the event"}},
		{"key", "//idem:key a:§{key}\nfunc Notify(ctx context.Context, key idem.Key, event Event) error { return nil }", []string{
			"{key} holds the key parameter key, which the key's template itself makes; name a parameter that holds the event"}},
		{"receiver", "type S struct { ID string }\n//idem:key a:§{s.ID}\nfunc (s S) Notify(ctx context.Context, event Event) error { return nil }", []string{
			"{s.ID} begins with the receiver s, which is not part of the event; name a parameter that holds the event"}},
		{"two placeholders, both wrong", "//idem:key a:§{evnt.ID}:§{event.ID2}\n" + notify, []string{
			"Notify has no parameter evnt; did you mean event?",
			"Event has no field or method ID2; did you mean event.ID?"}},
	})
}

func TestStepErrors(t *testing.T) {
	const extra = paths + `
type Both1 struct { Base; Other }
type Other struct { Seq int }
type Wide struct { Aa, Bb, Cc, Dd, Ee, Ff, Gg, Hh, Ii string }
type Asks struct { ext.Pointing; At time.Time; PP **Customer; IDs []string }
func (Asks) With(n int) string { return "" }
func (Asks) Maybe() (string, error) { return "", nil }
func (Asks) Nothing() {}
func (Asks) Opts(o ...int) string { return "" }
type Stamp time.Time
func (Stamp) Day() string { return "" }
`
	for _, c := range []struct{ name, typ, path, want string }{
		{"no such field, near", "Order", "v.Buyer.Id2", "Customer has no field or method Id2; did you mean v.Buyer.ID?"},
		{"case", "Event", "v.id", "Event has no field or method id; did you mean v.ID?"},
		{"a promoted name is near", "*Order", "v.seqq", "*Order has no field or method seqq; did you mean v.Seq?"},
		{"a method is near", "*Order", "v.PKeyy", "*Order has no field or method PKeyy; did you mean v.PKey?"},
		{"an unexported one is near", "Order", "v.hiden", "Order has no field or method hiden; did you mean v.hidden?"},
		{"far", "Event", "v.Whatever", "Event has no field or method Whatever; it has Channel, ID, N"},
		{"far, of many", "Wide", "v.Whatever", "Wide has no field or method Whatever; it has Aa, Bb, Cc, Dd, Ee, Ff, Gg, Hh, …"},
		{"beyond a leaf", "Event", "v.ID.Length", "string has no field or method Length; end the placeholder at {v.ID}"},
		{"through a slice", "Asks", "v.IDs.First", "[]string has no field or method First; take another path: it can pass through structs, interfaces and types with methods"},
		{"through a pointer to a pointer", "Asks", "v.PP.ID", "**Customer has no field or method ID; take another path: it can pass through structs, interfaces and types with methods"},
		{"unexported, of another package", "Asks", "v.secret", "secret of Asks is not exported; name an exported field or method"},
		{"ambiguous", "Both1", "v.Seq", "Seq is ambiguous in Both1: more than one embedded field has it; write the embedded field in the path too"},
		{"through a pointer that cannot be looked at", "Asks", "v.ID", "{v.ID} passes through base, an embedded field of ext.Pointing that may be nil and that this package cannot look at; take the value as a parameter of its own"},
		{"no address", "Order", "v.Value.Slug", "the method Slug needs a pointer, and the Customer that v.Value returns has no address; let v.Value return a pointer, or give Slug a value receiver"},
		{"arguments", "Asks", "v.With", "the method With of Asks takes arguments; name a field, or a method without arguments"},
		{"variadic arguments", "Asks", "v.Opts", "the method Opts of Asks takes arguments; name a field, or a method without arguments"},
		{"two results", "Asks", "v.Maybe", "the method Maybe of Asks returns 2 results; name a field, or a method that returns one value"},
		{"no result", "Asks", "v.Nothing", "the method Nothing of Asks returns 0 results; name a field, or a method that returns one value"},
		{"a method of a time", "Asks", "v.At.Unix", "{v.At.Unix} is taken of a time.Time, and a time that nobody set would give a key too; write {v.At|unix}"},
		{"a promoted method of a time", "struct{ *time.Time }", "v.String", "{v.String} is taken of a time.Time, and a time that nobody set would give a key too; " + whichTime("v.Time?")},
		{"one's own method of a time", "Stamp", "v.Day", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			runPathCase(t, extra, c.typ, c.path, c.want)
		})
	}
}

// runPathCase resolves one placeholder of a parameter v.
func runPathCase(t *testing.T, decls, typ, path, want string) {
	t.Helper()
	c := errorCase{"v", decls + "\n//idem:key a:§{" + path + "}\nfunc Notify(ctx context.Context, v " + typ + ") error { return nil }", []string{want}}
	if want == "" {
		c.src, c.want = strings.ReplaceAll(c.src, "§", ""), nil
	}
	runErrorCases(t, []errorCase{c})
}
