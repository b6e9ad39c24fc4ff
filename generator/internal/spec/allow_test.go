package spec

import (
	"strings"
	"testing"
)

const allowTypes = `
type (
	Dated struct { Seat string; time.Time }
	PDay struct { *time.Time }
	Stamp time.Time
	Msg struct {
		ID string; Attempt int; Score float64; Tags map[string]string; Any any; Reply nats.Msg
		At, Timestamp time.Time; Own Stamp; Dated Dated; PDay PDay; Pair struct { uuid.UUID; Line int }; Order *pb.Order
	}
)
`

func allowSource(directives, params string) string {
	return allowTypes + directives + "\nfunc Notify(ctx context.Context, " + params + ") error { return nil }"
}

func TestAllow(t *testing.T) {
	for path, want := range map[string]string{
		"v.Attempt": "v.Attempt Int", "v.Reply.Reply": "v.Reply.Reply String", "v.Timestamp|date": "v.Timestamp Date",
		"v.At": "v.At Text", "v.Timestamp": "v.Timestamp Text", "v.Dated": "v.Dated Text", "v.Pair": "v.Pair Text",
		"v.At.UnixNano": "v.At.UnixNano() Int", "v.Dated.Unix": "v.Dated.Unix() Int", "attempt": "attempt Uint", "at?": "at Text optional deref",
	} {
		t.Run(path, func(t *testing.T) {
			bare := barePath(path)
			h := one(t, allowSource("//idem:allow "+bare+" \t the sender's   own\n//idem:key a:{"+path+"}", "v Msg, attempt uint, at *time.Time"))
			if got := show(h, h.Key.Parts[1]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if len(h.Allowed) != 1 || h.Allowed[0] != (Allowed{Pos: h.Allowed[0].Pos, Path: bare, Reason: "the sender's own"}) {
				t.Errorf("allowed %+v", h.Allowed)
			}
		})
	}
	h := one(t, allowSource("//idem:key a:{v.Attempt}:{v.At}\n//idem:allow v.Attempt one\n//idem:allow v.At two", "v Msg"))
	if len(h.Allowed) != 2 || h.Allowed[0].Reason != "one" || h.Allowed[1].Reason != "two" || h.Allowed[0].Pos.Line+1 != h.Allowed[1].Pos.Line || h.Allowed[0].Pos.Col != 14 {
		t.Errorf("allowed %+v", h.Allowed)
	}
}

func TestAllowErrors(t *testing.T) {
	const key = "//idem:key a:{v.Attempt}\n"
	const reason = "; add the reason: //idem:allow v.Attempt REASON"
	const mend = "; remove it, and mend the placeholder"
	const unfit = "looks like a count of attempts"
	for _, c := range []struct {
		name, directives string
		want             []string
	}{
		{"nothing", "//idem:key a:{v.ID}\n//idem:allow§", []string{"//idem:allow has no argument; write //idem:allow FIELD REASON, such as //idem:allow event.Attempt the sender counts it, not the broker"}},
		{"no reason", "//idem:key a:§{v.Attempt}\n//idem:allow v.Attempt§", []string{unfitError("{v.Attempt}", unfit, "v.Attempt"), "//idem:allow says nothing of why v.Attempt is fit" + reason}},
		{"braces", "//idem:key a:§{v.Attempt}\n//idem:allow §{v.Attempt} ours", []string{unfitError("{v.Attempt}", unfit, "v.Attempt"), `"{v.Attempt}" is more than a path; write the path alone: //idem:allow v.Attempt REASON`}},
		{"? and verbs", "//idem:key a:{v.ID}\n//idem:allow §v.Attempt?|hash ours", []string{`"v.Attempt?|hash" is more than a path; write the path alone: //idem:allow v.Attempt REASON`}},
		{"a colon", "//idem:key a:{v.ID}\n//idem:allow §v.ID(): ours", []string{`"v.ID():" is more than a path; write the path alone: //idem:allow v.ID REASON`}},
		{"no path", "//idem:key a:{v.ID}\n//idem:allow §v..Attempt ours", []string{`"" in {v..Attempt} is not a name; write a parameter, then fields and methods, with a dot before each: {event.ID}`}},
		{"twice", key + "//idem:allow v.Attempt one\n//idem:allow §v.Attempt two", []string{"v.Attempt is allowed twice, first at jobs/notify.go:42:14; remove one of the two"}},
		{"not refused", "//idem:key a:{v.ID}\n//idem:allow §v.ID ours", []string{"v.ID is allowed, and nothing refuses it; remove it"}},
		{"not used", "//idem:key a:{v.ID}\n//idem:allow §v.Timestamp ours", []string{"v.Timestamp is allowed, and no placeholder has it; remove it"}},
		{"not used, near", "//idem:key a:§{v.Attempt}\n//idem:allow §v.Atempt ours", []string{unfitError("{v.Attempt}", unfit, "v.Attempt"), "v.Atempt is allowed, and no placeholder has it; did you mean v.Attempt?"}},
		{"of a path that is wrong", "//idem:key a:§{v.Attemptt}\n//idem:allow v.Attemptt ours", []string{"Msg has no field or method Attemptt; did you mean v.Attempt?"}},
		{"of a key that does not parse", "//idem:key a:{v.ID}§}\n//idem:allow v.ID ours", []string{`"}" closes nothing; open the placeholder with "{"`}},
		{"without a key", "§//idem:allow v.ID ours", []string{"Notify has no //idem:key; add one, such as //idem:key notify:{event.ID}: without it the function is not a handler"}},

		{"a float", "//idem:key a:§{v.Score}\n//idem:allow §v.Score ours", []string{
			"{v.Score} is of type float64: a number that was rounded is not the same on every delivery; use an integer, in the smallest unit, or a string",
			"v.Score cannot be allowed: a number that was rounded is not the same on every delivery" + mend}},
		{"a map", "//idem:key a:§{v.Tags}\n//idem:allow §v.Tags ours", []string{
			"{v.Tags} is of type map[string]string: a map has no order; name a field or a method that identifies it", "v.Tags cannot be allowed: a map has no order" + mend}},
		{"an interface", "//idem:key a:§{v.Any}\n//idem:allow §v.Any ours", []string{
			"{v.Any} is of type any: an interface may hold any type; name a method of it, or take a concrete type", "v.Any cannot be allowed: an interface may hold any type" + mend}},
		{"a type over a time, which has no text", "//idem:key a:§{v.Own}\n//idem:allow §v.Own ours", []string{
			"{v.Own} is of type Stamp: the same moment can be written in many ways, and a time that nobody set would give a key too; " + whichTime("v.Own"),
			"v.Own cannot be allowed: the same moment can be written in many ways, and a time that nobody set would give a key too" + mend}},
		{"a time that may be nil", "//idem:key a:§{v.PDay}\n//idem:allow §v.PDay ours", []string{
			"{v.PDay} is of type PDay: the same moment can be written in many ways, and a time that nobody set would give a key too; " + whichTime("v.PDay.Time?"),
			"v.PDay cannot be allowed: the same moment can be written in many ways, and a time that nobody set would give a key too" + mend}},
		{"a protobuf message", "//idem:key a:§{v.Order?}\n//idem:allow §v.Order ours", []string{
			"{v.Order?} is of type *pb.Order: the text of a protobuf message differs from build to build; name one of its fields",
			"v.Order cannot be allowed: the text of a protobuf message differs from build to build" + mend}},
		{"a method of a time that takes arguments", "//idem:key a:§{v.At.Format}\n//idem:allow v.At.Format ours", []string{
			"the method Format of time.Time takes arguments; name a field, or a method without arguments"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			runErrorCases(t, []errorCase{{"of Notify", allowSource(strings.TrimRight(c.directives, "\n"), "v Msg"), c.want}})
		})
	}
}
