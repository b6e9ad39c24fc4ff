package spec

import "testing"

func TestPayloadErrors(t *testing.T) {
	const cannot = " of Notify cannot be kept as JSON: "
	const cure = "; take another type, or leave the field out with the tag `json:\"-\"`"
	const kept = "//idem:key a:{event.ID}\n//idem:payload keep\n"
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"fine", kept + "func Notify(ctx context.Context, key idem.Key, event Event, _ *int, d idem.Delivery, rest ...string) error { return nil }", nil},
		{"without the directive", "//idem:key a:{event.ID}\nfunc Notify(ctx context.Context, event Event, done chan int) error { return nil }", nil},
		{"another word", "//idem:key a:{event.ID}\n//idem:payload §drop\nfunc Notify(ctx context.Context, event Event) error { return nil }",
			[]string{`"drop" is nothing that can be done with a payload; write //idem:payload keep`}},
		{"what JSON loses", "type hidden struct{ n int }\ntype R struct { F func() }\n" + kept +
			"func Notify(ctx context.Context, event Event, §a chan int, §b *hidden, §c []R, §d any) error { return nil }", []string{
			"the parameter a" + cannot + "chan int is a channel" + cure,
			"the parameter b" + cannot + "JSON keeps no field of hidden; export its fields, or give it a MarshalJSON and an UnmarshalJSON method",
			"the parameter c" + cannot + "[]R[].F is a func" + cure,
			"the parameter d" + cannot + "it is an interface, any, and JSON cannot tell which type to read back; take a concrete type",
		}},
		{"a method of the name", "type S struct{}\nfunc (S) RedriveNotify() {}\n" + kept + "func (S) §Notify(ctx context.Context, event Event) error { return nil }",
			[]string{"S.RedriveNotify, which is generated for S.Notify, is declared at jobs/notify.go:32:10; rename one of the two"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, marks := unmark("jobs/notify.go", header+c.src)
			_, errs := load(t, "jobs/notify.go", src)
			wantErrors(t, errs, marks, c.want)
		})
	}
}
