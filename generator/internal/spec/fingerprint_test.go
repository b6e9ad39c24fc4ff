package spec

import (
	"strings"
	"testing"
)

const printTypes = `
type (
	base struct { F func() }
	Opaque struct { n int }
	Once struct { n int }
	Money struct { cents int64 }
	Buyer struct { Name string }
	Payer struct { Name string }
	Both struct { Buyer; Payer *Payer; Price []Money; Prices map[string]Opaque; Parties struct { Buyer; Payer }; Outer struct { Buyer; Name string } }
	PDay struct { *time.Time }
	Line struct { SKU string; Count int }
	Meta struct { Source string; Attempt int }
	Retry struct { Count int }
	Order struct {
		ID, Currency string; Cents int64; Rate float64; At time.Time; PAt *time.Time; Lines []Line; Line *Line; Tags map[string]any; Note *string
		Raw json.RawMessage; Body []byte; Any any; Parent *Order; Done chan int; Fn func(); Opaque Opaque; Once Once; Reply nats.Msg; Attempt int; Day PDay; TID trace.TraceID
	}
	Item struct { Attempt int }
	Shy struct { Attempt int }
	Tally struct { Count int }
	Tallies struct { Policy Tally; Delivery Tally }
	Slices []Slices
	Maps map[string]*Maps
	Loop *Loop
	Holder struct { S Slices }
	Sent struct { Order string; Meta Meta; Retries []*Retry; Items []*Item; Hidden Meta ` + "`json:\"-\"`" + ` }
	Wide struct { Meta; Trace map[string][2]trace.TraceID; Nats nats.Msg }
)
func (Shy) MarshalJSON() ([]byte, error) { return nil, nil }
func (Once) MarshalJSON() ([]byte, error) { return nil, nil }
func (*Opaque) MarshalJSON() ([]byte, error) { return nil, nil }
`

func printSource(directives string) string {
	return printTypes + directives + `
func Notify(ctx context.Context, order Order, po *Order, body []byte, text string, key idem.Key, d idem.Delivery, sent *Sent, wide Wide, both Both, shy Shy, tallies Tallies, slices Slices, maps Maps, loop Loop, holder Holder, _ int) error { return nil }`
}

func TestFingerprint(t *testing.T) {
	for args, want := range map[string]string{
		"{order.Cents}": "order.Cents Value", "{order.Rate} {order.At}": "order.Rate Value, order.At Value", "{order.Lines}\t{order.Tags}": "order.Lines Value, order.Tags Value",
		"{order.Note}": "order.Note Value", "{order.Any}": "order.Any Value", "{order.Raw}": "order.Raw Value", "{order.Once}": "order.Once Value", "{order.Opaque}": "order.Opaque Value", "{both.Payer}": "both.Payer Value", "{shy}": "shy Value", "{slices} {maps} {loop} {holder}": "slices Value, maps Value, loop Value, holder Value",
		"{po.Parent.Cents}": "po?.Parent?.Cents Value", "{order.Line}": "order.Line Value", "{order.At.UnixNano}": "order.At.UnixNano() Value",
		"{order.Currency|lower}": "order.Currency String|lower", "{order.Currency|trim|lower}": "order.Currency String|trim|lower",
		"{order.Note|trim}": "order.Note String|trim deref", "{order.At|date} {order.PAt|unix}": "order.At Date, order.PAt Unix deref",
		"{body|json}": "body JSON", "{text|json}  {order.Raw|json}": "text JSON, order.Raw JSON", "{order.Note|json}": "order.Note JSON deref",
	} {
		t.Run(args, func(t *testing.T) {
			h := one(t, printSource("//idem:key a:{order.ID}\n//idem:fingerprint "+args))
			var parts []string
			for _, p := range h.Fingerprint {
				parts = append(parts, show(h, p))
			}
			if got := strings.Join(parts, ", "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if path, _, _ := strings.Cut(strings.Trim(args, "{}"), "|"); len(parts) == 1 && h.Fingerprint[0].Text != path {
				t.Errorf("text %s", h.Fingerprint[0].Text)
			}
		})
	}
	if h := one(t, printSource("//idem:key a:{order.ID|lower}:{order.At|date}\n//idem:fingerprint {order.ID} {order.At}")); len(h.Fingerprint) != 2 {
		t.Errorf("what the key has only a part of: %+v", h.Fingerprint)
	}
}

// fingerprintCases are fingerprints with what is wrong with them.
func fingerprintCases() []argCase {
	const comment = "; write placeholders only, such as {order.Cents}; a comment goes on a line of its own"
	const inKey = " is in the key as it is, so that it is the same for all deliveries of one piece of work; remove it: it adds nothing"
	const named = "; name what JSON can hold of it, or leave the field out with the tag `json:\"-\"`"
	refused := func(subject, what, path string) string {
		return strings.Replace(unfitError(subject, what, path), "two deliveries would be two pieces of work", "every duplicate would be refused (ErrKeyReuse)", 1)
	}
	return []argCase{
		{"nothing", "§", []string{"//idem:fingerprint has no argument; write //idem:fingerprint {PATH} {PATH|verb}, such as //idem:fingerprint {order.Cents} {order.Currency|lower}"}},
		{"text", "§amount {order.Cents} §// so", []string{`"amount" cannot stand in a fingerprint` + comment, `"// so" cannot stand in a fingerprint` + comment}},
		{"commas", "{order.Cents}§, {order.Rate} §; {order.At}", []string{
			`"," cannot stand in a fingerprint; separate the placeholders by spaces`, `";" cannot stand in a fingerprint; separate the placeholders by spaces`}},
		{"no braces", "§order.Cents", []string{`"order.Cents" cannot stand in a fingerprint; write {order.Cents}`}},
		{"no spaces", "{order.Cents}§{order.Rate}", []string{"no space separates the placeholders; write one between them"}},
		{"braces", "{order.Cents}§} §{order.Rate", []string{`"}" closes nothing; open the placeholder with "{"`, `"{" is not closed; close the placeholder with "}"`}},
		{"?", "§{order.Note?} §{order.Currency?|lower}", []string{
			`{order.Note?} has a "?", and in a fingerprint what is not there is compared as such; write {order.Note}`,
			`{order.Currency?|lower} has a "?", and in a fingerprint what is not there is compared as such; write {order.Currency|lower}`}},
		{"hash", "{order.Currency|§hash}", []string{"hash is for keys: of a fingerprint only hashes are stored; remove it"}},
		{"an unknown verb", "{order.Currency|§jsn}", []string{`unknown verb "jsn"; did you mean json?`}},
		{"json and another", "{text|json|§lower}", []string{"lower changes nothing in what json writes; remove it"}},
		{"json of a struct", "{order.Lines|§json} {order.Cents|§json}", []string{
			"json takes text or bytes that are JSON already, and order.Lines is of type []Line; write {order.Lines}, which is compared as JSON anyway",
			"json takes text or bytes that are JSON already, and order.Cents is of type int64; write {order.Cents}, which is compared as JSON anyway"}},
		{"a verb of another type", "{order.Cents|§lower} {order.Currency|§date}", []string{
			"lower changes nothing in a value of type int64; write {order.Cents}", "date takes a time.Time, and order.Currency is of type string; name a time.Time, or write {order.Currency}"}},
		{"an embedded time", "§{order.Day|date}", []string{"{order.Day|date} is of type PDay, which only embeds a time.Time; name the embedded time: {order.Day.Time|date}"}},
		{"twice", "{order.Cents} §{order.Cents} {order.Currency} §{order.Currency|lower}", []string{
			"order.Cents is in the fingerprint twice; keep one of the two", "order.Currency is in the fingerprint twice; keep one of the two"}},
		{"of the key", "§{order.ID} {order.Cents} §{text|lower}", []string{"{order.ID}" + inKey, "{text|lower}" + inKey}},
		{"paths", "§{order.Centss} §{ordr.Cents} §{_.X}", []string{
			"Order has no field or method Centss; did you mean order.Cents?", "Notify has no parameter ordr; did you mean order?", "a parameter called _ cannot be used in the fingerprint; give the parameter a name"}},
		{"special parameters", "§{ctx} §{key} §{d.Source}", []string{
			"{ctx} holds the context ctx, which differs on every delivery; name a parameter that holds the event",
			"{key} holds the key parameter key, which the key's template itself makes; name a parameter that holds the event",
			"{d.Source} holds the delivery d, which differs on every delivery; take the event's id as a parameter, and name that"}},
		{"lost in JSON", "§{both} §{both.Price} §{both.Prices} §{both.Parties} §{both.Outer}", []string{
			"{both} cannot be compared as JSON: no field of Money reaches JSON: both.Price[]" + named,
			"{both.Price} cannot be compared as JSON: no field of Money reaches JSON: both.Price[]" + named,
			"{both.Prices} cannot be compared as JSON: no field of Opaque reaches JSON: both.Prices[]" + named,
			"{both.Parties} cannot be compared as JSON: two fields of struct{Buyer; Payer} are called Name in JSON, which leaves one out: both.Parties" + named,
			"{both.Outer} cannot be compared as JSON: two fields of struct{Buyer; Name string} are called Name in JSON, which leaves one out: both.Outer" + named}},
		{"not JSON", "§{order} §{po.Fn}", []string{
			"{order} cannot be compared as JSON: order.Done is a channel" + named, "{po.Fn} cannot be compared as JSON: po.Fn is a func" + named}},
		{"unfit", "§{order.Attempt} §{order.Reply.Reply} §{sent.Meta.Attempt}", []string{
			refused("{order.Attempt}", "looks like a count of attempts", "order.Attempt"), refused("{order.Reply.Reply}", "is Reply of nats.Msg", "order.Reply.Reply"),
			refused("{sent.Meta.Attempt}", "looks like a count of attempts", "sent.Meta.Attempt")}},
		{"unfit as a whole", "§{order.TID}", []string{refused("{order.TID}", "is made from trace.TraceID", "order.TID")}},
		{"unfit under one of two names", "§{tallies}", []string{refused("tallies.Delivery.Count in {tallies}", "looks like a count of deliveries", "tallies.Delivery.Count")}},
		{"unfit within", "§§§{sent} §§§{wide}", []string{
			refused("sent.Items.Attempt in {sent}", "looks like a count of attempts", "sent.Items.Attempt"),
			refused("sent.Meta.Attempt in {sent}", "looks like a count of attempts", "sent.Meta.Attempt"), refused("sent.Retries in {sent}", "looks like a count of attempts", "sent.Retries"),
			refused("wide.Attempt in {wide}", "looks like a count of attempts", "wide.Attempt"), refused("wide.Nats.Reply in {wide}", "is Reply of nats.Msg", "wide.Nats.Reply"),
			refused("wide.Trace in {wide}", "is made from trace.TraceID", "wide.Trace")}},
	}
}

func TestFingerprintErrors(t *testing.T) {
	for _, c := range fingerprintCases() {
		t.Run(c.name, func(t *testing.T) {
			space := " "
			if strings.Trim(c.text, "§") == "" {
				space = ""
			}
			runErrorCases(t, []errorCase{{"of Notify", printSource("//idem:key a:{order.ID}:{text|hash}\n//idem:fingerprint" + space + c.text), c.want}})
		})
	}
}

// What is allowed in a fingerprint is so wherever it lies in a value.
func TestFingerprintAllow(t *testing.T) {
	h := one(t, printSource(`//idem:key a:{order.ID}
//idem:fingerprint {order.Attempt} {sent}
//idem:allow sent.Meta.Attempt the sender's
//idem:allow sent.Retries the sender's
//idem:allow sent.Items.Attempt the sender's
//idem:allow order.Attempt the sender's`))
	if len(h.Fingerprint) != 2 || len(h.Allowed) != 4 {
		t.Errorf("got %+v, %+v", h.Fingerprint, h.Allowed)
	}
}
