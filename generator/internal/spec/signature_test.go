package spec

import (
	"fmt"
	"strings"
	"testing"
)

func TestSignatures(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"function", `func Notify(ctx context.Context, event Event) (Receipt, error) { return Receipt{}, nil }`,
			"Notify(ctx=context event=pass) Receipt"},
		{"no result", `func Notify(ctx context.Context, event Event) error { return nil }`, "Notify(ctx=context event=pass)"},
		{"pointer receiver", `type Service struct{}
			//idem:key notify:{event.ID}
			func (s *Service) Notify(ctx context.Context, event Event) error { return nil }`,
			"(s *Service) Notify(ctx=context event=pass)"},
		{"value receiver without a name", `type Service struct{}
			//idem:key notify:{event.ID}
			func (Service) Notify(ctx context.Context, event Event) error { return nil }`,
			"( Service) Notify(ctx=context event=pass)"},
		{"receiver by an alias", `type service struct{}; type S = service
			//idem:key notify:{event.ID}
			func (_ *S) Notify(ctx context.Context, event Event) error { return nil }`,
			"(_ *service) Notify(ctx=context event=pass)"},
		{"aliases of context.Context and error", `type Ctx = context.Context; type E = error
			//idem:key notify:{event.ID}
			func Notify(c Ctx, event Event) (Receipt, E) { return Receipt{}, nil }`,
			"Notify(c=context event=pass) Receipt"},
		{"named results", `func Notify(ctx context.Context, event Event) (_ int, err error) { return }`,
			"Notify(ctx=context event=pass) int"},
		{"a variadic parameter", `func Notify(ctx context.Context, event Event, tags ...string) error { return nil }`,
			"Notify(ctx=context event=pass tags...=pass)"},
		{"unnamed by blanks", `func Notify(_ context.Context, event Event, _ int, _ ...bool) error { return nil }`,
			"Notify(_=context event=pass _=pass _...=pass)"},
		{"the key, twice", `func Notify(ctx context.Context, key idem.Key, event Event, again idem.Key) error { return nil }`,
			"Notify(ctx=context key=key event=pass again=key)"},
		{"the delivery, and aliases of both", `type K = idem.Key; type D = idem.Delivery
			//idem:key notify:{event.ID}
			func Notify(ctx context.Context, k K, event Event, d D, _ idem.Delivery) error { return nil }`,
			"Notify(ctx=context k=key event=pass d=delivery _=delivery)"},
		{"an alias of a type that has another name", `type hidden struct { ID string }; type Shown = hidden
			//idem:key notify:{event.ID}
			func Notify(ctx context.Context, event Shown) (*Shown, error) { return nil, nil }`,
			"Notify(ctx=context event=pass) Shown"},
		{"a parameter called as its package", `func Notify(context context.Context, event Event, time time.Time) error { return nil }`,
			"Notify(context=context event=pass time=pass)"},
		{"a context that is passed on", `func Notify(ctx context.Context, event Event, parent context.Context) error { return nil }`,
			"Notify(ctx=context event=pass parent=pass)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := c.src
			if !strings.Contains(src, "//idem:") {
				src = "//idem:key notify:{event.ID}\n" + src
			}
			if got := showSignature(one(t, src)); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestUnnamedParameters(t *testing.T) {
	h := one(t, "type S string\n//idem:key a:{n}\nfunc Notify(ctx context.Context, n int, _, _ string) error { return nil }")
	if len(h.Params) != 4 || h.Params[2].Name != "_" || h.Params[3].Name != "_" {
		t.Errorf("params %v", h.Params)
	}
}

func showSignature(h *Handler) string {
	var b strings.Builder
	if h.Recv != nil {
		fmt.Fprintf(&b, "(%s %s%s) ", h.Recv.Name, map[bool]string{true: "*"}[h.Recv.Pointer], h.Recv.Type)
	}
	var params []string
	for _, p := range h.Params {
		params = append(params, p.Name+map[bool]string{true: "..."}[p.Variadic]+"="+[]string{"pass", "context", "key", "delivery"}[p.Kind])
	}
	fmt.Fprintf(&b, "%s(%s)", h.Func, strings.Join(params, " "))
	if h.Result != nil {
		b.WriteString(" " + h.Result.String()[strings.LastIndexByte(h.Result.String(), '.')+1:])
	}
	return b.String()
}

func TestSignatureErrors(t *testing.T) {
	const key = "//idem:key a:{event.ID}\n"
	const runsOfOneType = " has type parameters, and runs of one type would answer duplicates of another; " +
		"annotate a function without type parameters that calls it, one for each type"
	const move = "; move its work into a function with another name, which takes the event, and annotate that one"
	const alone = "init is called by Go alone, when the program starts, and not for an event" + move
	runErrorCases(t, []errorCase{
		{"no parameters", "//idem:key a:§{event.ID}\nfunc §Notify() error { return nil }", []string{
			"Notify has no parameter event; add one that holds the event",
			"Notify has no parameter context.Context; make ctx context.Context the first parameter",
		}},
		{"no context", key + "func Notify(§event Event) error { return nil }", []string{
			"the first parameter of Notify is of type Event, not context.Context; make ctx context.Context the first parameter",
		}},
		{"context last", key + "func Notify(§event Event, ctx context.Context) error { return nil }", []string{
			"the first parameter of Notify is of type Event, not context.Context; move the context to the front",
		}},
		{"a type defined over context", "type Ctx context.Context\n" + key + "func Notify(§c Ctx, event Event) error { return nil }", []string{
			"the first parameter of Notify is of type Ctx, not context.Context; make ctx context.Context the first parameter",
		}},
		{"generic function", "//idem:key a:{v.ID}\nfunc Notify[§T any](ctx context.Context, v T) error { return nil }", []string{
			"the function of Notify" + runsOfOneType,
		}},
		{"generic result", "//idem:key a:{event.ID}\nfunc Notify[§T interface{ M() }](ctx context.Context, event Event) (T, error) { panic(0) }", []string{
			"the function of Notify" + runsOfOneType,
		}},
		{"generic receiver", "type S[T any] struct{}\n" + key + "func (s *S[§P]) Notify(ctx context.Context, event Event) error { return nil }", []string{
			"the receiver of S.Notify" + runsOfOneType,
		}},
		// It declares a type parameter that is called int.
		{"receiver that looks instantiated", "type S[T any] struct{}\n" + key + "func (s S[§int]) Notify(ctx context.Context, event Event) error { return nil }", []string{
			"the receiver of S.Notify has type parameters (int is the name of one there, not the type), and runs of one type would answer duplicates of another; " +
				"annotate a function without type parameters that calls it, one for each type",
		}},
		{"blank function", key + "func §_(ctx context.Context, event Event) error { return nil }", []string{
			"a function called _ cannot be called" + move,
		}},
		{"a function that Go calls", key + "func §init() {}", []string{alone}},
		{"an error that hides Go's", "type error int\n" + key + "func Notify(ctx context.Context, event Event) §error { return 0 }", []string{
			"the last result of Notify is of type jobs.error, not error; give the error that is declared at jobs/notify.go:31:6 another name: it hides Go's",
		}},
		{"another type where one hides Go's", "type error = interface{ Error() string }\ntype MyErr struct{}\n" + key + "func Notify(ctx context.Context, event Event) §*MyErr { return nil }", []string{
			"the last result of Notify is of type *jobs.MyErr, not error; return error after it",
		}},
		{"another type that hides Go's", "type string struct { a int }\n//idem:key a:§{s}\nfunc Notify(ctx context.Context, s string) error { return nil }", []string{
			"{s} is of type jobs.string: it has neither MarshalText nor String; name one of its fields, or give it one of these methods",
		}},
		{"no results", key + "func §Notify(ctx context.Context, event Event) {}", []string{
			"Notify returns nothing, so that no failure can be told; make it return error",
		}},
		{"no error", key + "func Notify(ctx context.Context, event Event) (_ int, §r Receipt) { return }", []string{
			"the last result of Notify is of type Receipt, not error; return error after it",
		}},
		{"a type defined over error", "type E error\n" + key + "func Notify(ctx context.Context, event Event) §E { return nil }", []string{
			"the last result of Notify is of type E, not error; return error after it",
		}},
		{"two results before error", key + "func Notify(ctx context.Context, event Event) (a Receipt, §b int, err error) { return }", []string{
			"Notify returns 2 results before error, and one can be stored; put them in a struct",
		}},
		{"transactions of no store", key + "func Notify(ctx context.Context, event Event, §p *pgxpool.Tx, §_ *sql.Tx) error { return nil }", []string{
			"Notify takes a transaction of type *pgxpool.Tx, and runs are claimed in one of another type: the dialect is postgres; take pgx.Tx of github.com/jackc/pgx/v5",
			"Notify takes two transactions, and there is one, in which its run is claimed; take it once",
		}},
		{"a transaction of another dialect", key + "func Notify(ctx context.Context, event Event, §tx *sql.Tx) error { return nil }", []string{
			"Notify takes a transaction of type *sql.Tx, and runs are claimed in one of another type: the dialect is postgres; take pgx.Tx of github.com/jackc/pgx/v5",
		}},
		{"two transactions, one by an alias", "type Tx = pgx.Tx\n" + key + "func Notify(ctx context.Context, event Event, _ pgx.Tx, §tx Tx) error { return nil }", []string{
			"Notify takes two transactions, and there is one, in which its run is claimed; take it once",
		}},
		{"a key of the transaction", "//idem:key notify:§{tx}\nfunc Notify(ctx context.Context, event Event, tx pgx.Tx) error { return nil }", []string{
			"{tx} holds the transaction tx, which differs on every delivery; name a parameter that holds the event",
		}},
		{"variadic transactions", key + "func Notify(ctx context.Context, event Event, §tx ...pgx.Tx) error { return nil }", []string{
			"a variadic parameter cannot take the transaction; make it pgx.Tx, without the dots",
		}},
		{"variadic keys", key + "func Notify(ctx context.Context, event Event, §keys ...idem.Key) error { return nil }", []string{
			"a variadic parameter cannot take the run's key; make it idem.Key, without the dots",
		}},
		{"variadic deliveries", key + "func Notify(ctx context.Context, event Event, §ds ...idem.Delivery) error { return nil }", []string{
			"a variadic parameter cannot take the delivery; make it idem.Delivery, without the dots",
		}},
		{"type arguments that do not compile", "type Box[T any] struct { ID string }\n//idem:key a:§{box.ID}\nfunc Notify(ctx context.Context, §box Box[[]Undefined]) error { return nil }", []string{
			"the type of box does not compile; mend the type first",
			"the type of a parameter of Notify does not compile; mend the type first",
		}},
		{"types that do not compile", key + "func Notify(ctx context.Context, event Event, §u []Undefined) (§r *Undefined, err error) { return }", []string{
			"the type of a parameter of Notify does not compile; mend the type first",
			"the type of the result of Notify does not compile; mend the type first",
		}},
	})
}

func TestResultErrors(t *testing.T) {
	const cannot = "the result of Notify cannot be stored as JSON: "
	const cure = "; return another type, or leave the field out with the tag `json:\"-\"`"
	const nothing = "the result of Notify is stored as JSON, which keeps no field of R: duplicates would get an empty one; export its fields, or give it a MarshalJSON and an UnmarshalJSON method"
	for _, c := range []struct{ name, decls, result, want string }{
		{"channel", "", "chan int", cannot + "chan int is a channel" + cure},
		{"func", "", "func()", cannot + "func() is a func" + cure},
		{"complex", "type C complex64", "C", cannot + "C is a complex64" + cure},
		{"in a field", "type R struct { A int; Done chan bool }", "R", cannot + "R.Done is a channel" + cure},
		{"in elements", "type R struct { M map[string][]*[2]func() }", "*R", cannot + "*R.M[][][] is a func" + cure},
		{"in an embedded unexported struct", "type base struct { F func() }; type R struct { *base }", "R", cannot + "R.base.F is a func" + cure},
		{"in a recursive type", "type R struct { Next *R; Kids []R; C complex128 }", "R", cannot + "R.C is a complex128" + cure},
		{"keys of a map", "type K struct{ A int }", "map[K]int", cannot + "map[K]int is a map whose keys are of type K" + cure},
		{"keys of type bool", "", "map[bool]int", cannot + "map[bool]int is a map whose keys are of type bool" + cure},
		{"a method that JSON does not see", "type R struct { F func() }; func (*R) MarshalJSON() ([]byte, error) { return nil, nil }", "map[string]R", cannot + "map[string]R[].F is a func" + cure},
		{"a method that JSON sees by the address", "type R struct { F func() }; func (*R) MarshalJSON() ([]byte, error) { return nil, nil }; func (*R) UnmarshalJSON([]byte) error { return nil }", "R", ""},
		{"its own JSON of unexported fields", "type R struct { n int }; func (R) MarshalJSON() ([]byte, error) { return nil, nil }; func (*R) UnmarshalJSON([]byte) error { return nil }", "R", ""},
		{"a method that JSON sees in one of two places", "type M struct { n int }; func (*M) MarshalJSON() ([]byte, error) { return nil, nil }; func (*M) UnmarshalJSON([]byte) error { return nil }; type R struct { A M; B map[string]M }",
			"R", cannot + "no field of M reaches JSON: R.B[]" + cure},
		{"nothing of a field", "type M struct { cents int }; type R struct { A int; Price M }", "R", cannot + "no field of M reaches JSON: R.Price" + cure},
		{"nothing of an element", "type M struct { cents int }; type R struct { Prices map[string][]M }", "*R", cannot + "no field of M reaches JSON: *R.Prices[][]" + cure},
		{"one of two fields", "type A struct { ID int }; type B struct { N int `json:\"ID\"` }; type R struct { A; *B }", "R", cannot + "two fields of R are called ID in JSON, which leaves one out: R" + cure},
		{"two fields that a tag tells apart", "type A struct { ID int }; type R struct { A; ID int `json:\"id\"` }", "R", ""},
		{"another method of the name", "type R struct { F func() }; func (R) MarshalJSON() string { return `` }", "R", cannot + "R.F is a func" + cure},
		{"interface", "type R interface { Sum() int }", "R", "the result of Notify is an interface, R, and JSON cannot tell which type to read back; return a concrete type"},
		{"error", "", "error", "the result of Notify is an interface, error, and JSON cannot tell which type to read back; return a concrete type"},

		{"any", "", "any", ""},
		{"nothing but unexported fields", "type R struct { c chan int; f func() }", "R", nothing},
		{"nothing but fields left out", "type R struct { C chan int `json:\"-\"` }", "*R", nothing},
		{"a field left out", "type R struct { A int; C chan int `json:\"-\"` }", "R", ""},
		{"no field at all", "", "struct{}", ""},
		{"a field of an embedded struct", "type base struct { A int }; type R struct { base }", "R", ""},
		{"a field called -", "type R struct { C chan int `json:\"-,\"` }", "R", cannot + "R.C is a channel" + cure},
		{"its own JSON", "type R struct { F func() }; func (R) MarshalJSON() ([]byte, error) { return nil, nil }; func (*R) UnmarshalJSON([]byte) error { return nil }", "R", ""},
		{"its own JSON, by a pointer", "type R struct { F func() }; func (*R) MarshalJSON() ([]byte, error) { return nil, nil }; func (*R) UnmarshalJSON([]byte) error { return nil }", "[]R", ""},
		{"JSON that nothing reads", "type R struct { N int }; func (R) MarshalJSON() ([]byte, error) { return nil, nil }", "[]R", cannot + "[]R[] has MarshalJSON and no UnmarshalJSON to read it back" + cure},
		{"text that nothing reads", "type R struct { N int }; func (R) MarshalText() ([]byte, error) { return nil, nil }", "*R", cannot + "*R has MarshalText and no UnmarshalText to read it back" + cure},
		{"JSON of an embedded field", "type R struct { time.Time; Seat int }", "*R", cannot + "*R has the MarshalJSON of its field Time, which leaves the other fields out" + cure},
		{"JSON of the only field", "type R struct { time.Time }", "R", ""},

		{"its own text", "type R struct { F func() }; func (R) MarshalText() ([]byte, error) { return nil, nil }; func (*R) UnmarshalText([]byte) error { return nil }", "map[string]R", ""},
		{"raw JSON", "", "json.RawMessage", ""},
		{"a time, a number, an URL", "type R struct { T time.Time; B *big.Int; U url.URL; I uuid.UUID }", "*R", ""},
		{"keys of a map with text", "", "map[uuid.UUID]int", ""},
		{"recursive", "type R struct { Next *R; M map[string]R }", "R", ""},
		{"recursive without a struct", "type R []R", "R", ""},
		{"mutually recursive", "type A struct { B *B }; type B struct { As []A }", "B", ""},
		{"recursive by type arguments", "type L[T any] struct { Next *L[T]; V T }", "L[int]", ""},
		{"a type that has itself in it for ever", "type G[T any] struct { V T; N *G[[]T] }", "G[int]", ""},
		{"bad by type arguments", "type L[T any] struct { Next *L[T]; V T }", "L[chan int]", cannot + "L[chan int].V is a channel" + cure},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, mark := c.decls+"\n//idem:key a:{event.ID}\nfunc Notify(ctx context.Context, event Event) (", "§"
			if c.want == "" {
				mark = ""
			}
			src, marks := unmark("jobs/notify.go", header+src+mark+c.result+", error) { panic(0) }")
			_, errs := load(t, "jobs/notify.go", src)
			var want []string
			if c.want != "" {
				want = []string{c.want}
			}
			wantErrors(t, errs, marks, want)
		})
	}
}
