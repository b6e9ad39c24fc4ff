package spec

import (
	"strings"
	"testing"
)

const accountTypes = `
type (
	Seq uint32
	Stamp time.Time
	Day struct { time.Time }
	Meta struct { Seq int64 }
	Account struct {
		ID, AccountID, Tenant, Text string; Version int64; Big uint64; Seq Seq; At time.Time; PAt *time.Time; Stamp Stamp; Day Day
		Rate float64; Ptr *int64; Meta *Meta; Attempt int; Flag bool; Word uintptr; Raw []byte; Tags map[string]any; Timestamp int64; Note *string
	}
)
func (Seq) String() string { return "" }
func (Account) Number() int64 { return 0 }
func (Account) Moment() time.Time { return time.Time{} }
`

func accountSource(directives string) string {
	return accountTypes + directives + `
func Deposit(ctx context.Context, event Account, pe *Account) error { return nil }`
}

func TestOrder(t *testing.T) {
	for args, want := range map[string]string{
		"account:{event.AccountID} at {event.Version}":     `"account:" event.AccountID String at event.Version At`,
		"{event.AccountID}  at\t{event.Seq}":               "event.AccountID String at event.Seq At",
		"a:{event.Tenant?}:{event.ID|lower} at {event.At}": `"a:" event.Tenant String optional ":" event.ID String|lower at event.At AtTime`,
		"at:{event.ID} at {event.Big}":                     `"at:" event.ID String at event.Big At`,
		"a:{event.At|date} at {event.At}":                  `"a:" event.At Date at event.At AtTime`,
		"a:{pe.AccountID} at {pe.Meta.Seq}":                `"a:" pe?.AccountID String at pe?.Meta?.Seq At`,
		"a:{event.ID} at {event.Stamp}":                    `"a:" event.ID String at event.Stamp AtTime convert`,
		"a:{event.ID} at {event.Day.Time}":                 `"a:" event.ID String at event.Day.Time AtTime`,
		"a:{event.ID} at {event.Number}":                   `"a:" event.ID String at event.Number() At`,
		"a:{event.ID} at {event.Moment}":                   `"a:" event.ID String at event.Moment() AtTime`,
	} {
		h := one(t, accountSource("//idem:key a:{event.ID}:{event.Text}\n//idem:order "+args))
		var entity []string
		for _, p := range h.Order.Entity.Parts {
			entity = append(entity, show(h, p))
		}
		if got := strings.Join(entity, " ") + " at " + show(h, h.Order.Version); got != want {
			t.Errorf("%s\n got %s\nwant %s", args, got, want)
		}
		if got, want := h.Order.String(), strings.Join(strings.Fields(args), " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if h.Batched() {
			t.Errorf("%s has a batch", args)
		}
	}
}

// orderCases are orders with what is wrong with them.
func orderCases() []argCase {
	const cure = "; write the entity, at, and its version: //idem:order account:{event.AccountID} at {event.Version}"
	const left = "; remove it; a comment goes on a line of its own"
	const grows = "it is neither an integer nor a time; name an integer or a time.Time that grows with every change of the entity"
	return []argCase{
		{"nothing", "§", []string{"//idem:order has no argument; write //idem:order ENTITY at {VERSION}, such as //idem:order account:{event.AccountID} at {event.Version}"}},
		{"no at", "account:{event.AccountID}§", []string{`"at" and the version are missing at the end` + cure}},
		{"another word", "account:{event.AccountID} §by {event.Version}", []string{`"by" stands where "at" is expected` + cure}},
		{"the version alone behind the entity", "account:{event.AccountID} §{event.Version}", []string{`"{event.Version}" stands where "at" is expected` + cure}},
		{"and more", "account:{event.AccountID} §{event.Version} more", []string{`"{event.Version}" stands where "at" is expected` + cure}},
		{"upper case", "account:{event.AccountID} §AT {event.Version}", []string{`"AT" is not in lower case; write at`}},
		{"no entity", "§at {event.Version}", []string{`no entity stands before "at"` + cure}},
		{"nothing but at", "§at§", []string{`no entity stands before "at"` + cure, `no version stands behind "at"` + cure}},
		{"no version", "account:{event.AccountID} at§", []string{`no version stands behind "at"` + cure}},
		{"no braces", "account:{event.AccountID} at §event.Version", []string{`the version "event.Version" is no placeholder; write {event.Version}`}},
		{"a text as the version", "account:{event.AccountID} at §v:{event.Version}", []string{`the version "v:" is no placeholder; write {event.Version}`}},
		{"a word before the version", "account:{event.AccountID} at §v{event.Version?}", []string{`the version "v" is no placeholder; write {event.Version}`}},
		{"a word before a verb", "account:{event.AccountID} at §v{event.Version|hash}", []string{`the version "v" is no placeholder; write {event.Version}`}},
		{"a word before nothing", "account:{event.AccountID} at §v{}", []string{`the version "v" is no placeholder` + cure}},
		{"two versions", "account:{event.AccountID} at {event.Version} §{event.Seq}", []string{`an order has one version, and "{event.Seq}" is left over` + left}},
		{"two ats", "account:{event.AccountID} at {event.Version} §at {event.Seq}", []string{`an order has one version, and "at {event.Seq}" is left over` + left}},
		{"a comment", "account:{event.AccountID} at {event.Version} §// the ledger's", []string{`an order has one version, and "// the ledger's" is left over` + left}},
		{"no spaces", "account:{event.AccountID}§at{event.Version}", []string{`no spaces are around "at"; write one before it, and one behind it`}},
		{"no space behind", "account:{event.AccountID} at§{event.Version}", []string{`no space separates "at" from the version; write one between them`}},
		{"a verb", "account:{event.AccountID} at {event.At|§unix}", []string{"a version has no verb: it is compared as it is; write {event.At}"}},
		{"optional", "account:{event.AccountID} at §{event.Version?}", []string{`{event.Version?} has a "?", and without a version there is no order; write {event.Version}`}},
		{"the entity's template", "§Account:{event.AccountID}§{event.ID} at {event.Version}", []string{
			`"A" is in upper case; write the entity's literal text in lower case`,
			`no colon separates {event.AccountID} from {event.ID}: different values would give one entity; put ":" between them`}},
		{"other text in the entity", "account§/{event.AccountID} at {event.Version}", []string{`"/" cannot stand in the literal text of an entity; use a-z, 0-9, "_", ".", "-" and ":"`}},
		{"one entity", "§ledger at {event.Version}", []string{"the entity ledger has no placeholder: all events would be of one entity, and none would run beside another; add one, such as {event.ID}"}},
		{"unknown fields", "account:§{event.AcountID} at §{event.Vresion}", []string{
			"Account has no field or method AcountID; did you mean event.AccountID?", "Account has no field or method Vresion; did you mean event.Version?"}},
		{"a verb that the entity cannot have", "account:{event.AccountID|§json} at {event.Version}", []string{"json is for fingerprints: a key names one value; take the event as a struct, and name a field"}},
		{"a pointer in the entity", "account:§{event.Note} at {event.Version}", []string{"{event.Note} is a pointer, *string, and without it there is no entity; write {event.Note?} if it may be absent, or make it a value"}},
		{"a bare time in the entity", "account:§{event.At} at {event.Version}", []string{"{event.At} is of type time.Time: the same moment can be written in many ways, and a time that nobody set would give an entity too; say which business time it is, in UTC: {event.At|date}, {event.At|hour} or {event.At|unix}"}},
		{"context", "account:§{ctx} at §{ctx}", []string{
			"{ctx} holds the context ctx, which differs on every delivery; name a parameter that holds the event",
			"{ctx} holds the context ctx, which differs on every delivery; name a parameter that holds the event"}},
		{"text", "account:{event.AccountID} at §{event.Text}", []string{"{event.Text} is of type string: as text 10 is before 9; name an integer or a time.Time, or a method of your own that makes one of it"}},
		{"float", "account:{event.AccountID} at §{event.Rate}", []string{"{event.Rate} is of type float64: two versions could be rounded to one number; use an integer, in the smallest unit, or a time.Time"}},
		{"bool", "account:{event.AccountID} at §{event.Flag}", []string{"{event.Flag} is of type bool: " + grows}},
		{"uintptr", "account:{event.AccountID} at §{event.Word}", []string{"{event.Word} is of type uintptr: " + grows}},
		{"map", "account:{event.AccountID} at §{event.Tags}", []string{"{event.Tags} is of type map[string]any: " + grows}},
		{"pointer", "account:{event.AccountID} at §{event.Ptr}", []string{"{event.Ptr} is a pointer, *int64, and without it there is no version; make it a value, or name a method that returns one"}},
		{"pointer to a time", "account:{event.AccountID} at §{event.PAt}", []string{"{event.PAt} is a pointer, *time.Time, and without it there is no version; make it a value, or name a method that returns one"}},
		{"embeds a time", "account:{event.AccountID} at §{event.Day}", []string{"{event.Day} is of type Day, which only embeds a time.Time; name the embedded time: {event.Day.Time}"}},
		{"a time's method", "account:{event.AccountID} at §{event.At.UnixNano}", []string{"{event.At.UnixNano} is taken of a time.Time, and a time that nobody set would give a version too; write {event.At}"}},
		{"parentheses", "account:{event.AccountID} at §{event.Number()}", []string{"{event.Number()} has parentheses; write {event.Number}"}},
		{"unfit", "account:§{event.Attempt} at §{event.Timestamp}", []string{
			"{event.Attempt} looks like a count of attempts, which differs on every delivery: two deliveries would be of two entities; name what the sender says, such as the event's id; or, if the value is the sender's own, add //idem:allow event.Attempt REASON",
			"{event.Timestamp} looks like the time of a delivery, which differs on every delivery: an old event that is delivered again would be the newest; name a number or a time that the sender raises with every change; or, if the value is the sender's own, add //idem:allow event.Timestamp REASON"}},
		{"a version of attempts", "account:{event.AccountID} at §{event.Attempt}", []string{
			"{event.Attempt} looks like a count of attempts, which differs on every delivery: an old event that is delivered again would be the newest; name a number or a time that the sender raises with every change; or, if the value is the sender's own, add //idem:allow event.Attempt REASON"}},
		{"the version in the entity", "§account:{event.AccountID}:{event.Version|hash} at {event.Version}", []string{"{event.Version} is in the entity, and is its version: each version would be an entity of its own; take it out of the entity"}},
	}
}

func TestOrderErrors(t *testing.T) {
	for _, c := range orderCases() {
		t.Run(c.name, func(t *testing.T) {
			space := " "
			if strings.Trim(c.text, "§") == "" {
				space = ""
			}
			src := accountSource("//idem:key a:{event.ID}\n//idem:order" + space + c.text)
			runErrorCases(t, []errorCase{{"of Deposit", src, c.want}})
		})
	}
}

// All versions of an entity need keys of their own.
func TestOrderKey(t *testing.T) {
	const all = " has nothing that the entity a:{event.AccountID}:{event.ID|lower} has not: all versions of an entity would be one piece of work; " +
		"add to the key what tells them apart, such as :{event.Version}, or take something out of the entity"
	const order = "\n//idem:order a:{event.AccountID}:{event.ID|lower} at {event.Version}"
	for key, want := range map[string][]string{
		"§a:{event.AccountID}": {"the key a:{event.AccountID}" + all}, "§a:{event.AccountID|hash}:{event.ID|lower}": {"the key a:{event.AccountID|hash}:{event.ID|lower}" + all},
		"a:{event.ID}": nil, "a:{event.AccountID}:{event.Version}": nil,
	} {
		src := accountSource("//idem:key " + key + order)
		runErrorCases(t, []errorCase{{key, src, want}})
	}
}

// What is allowed may stand in an order, and there only.
func TestOrderAllow(t *testing.T) {
	src := accountSource(`//idem:key a:{event.ID}
//idem:order a:{event.Attempt} at {event.Timestamp}
//idem:allow event.Attempt the sender's
//idem:allow event.Timestamp the sender's`)
	if h := one(t, src); len(h.Allowed) != 2 || h.Order.Version.Text != "event.Timestamp" {
		t.Errorf("got %+v", h)
	}
}

// A type that does not compile is the compiler's to tell.
func TestOrderOfABrokenType(t *testing.T) {
	runErrorCases(t, []errorCase{{"version", `
type Half struct { ID string; X Undefined }
//idem:key §a:{v.ID}
//idem:order a:{v.ID} at §{v.X}
func Notify(ctx context.Context, v Half) error { return nil }`, []string{
		"the key a:{v.ID} has nothing that the entity a:{v.ID} has not: all versions of an entity would be one piece of work; add to the key what tells them apart, or take something out of the entity",
		"the type of v.X does not compile; mend the type first"}}})
}

// What is allowed without need is told, and what is near is offered, of orders too.
func TestOrderAllowedInVain(t *testing.T) {
	runErrorCases(t, []errorCase{{"of Deposit", accountSource(`//idem:key a:{event.ID}
//idem:order a:{event.AccountID} at {event.Version}
//idem:allow §event.Version the sender's
//idem:allow §event.Accountid the sender's`), []string{
		"event.Version is allowed, and nothing refuses it; remove it",
		"event.Accountid is allowed, and no placeholder has it; did you mean event.AccountID?",
	}}})
}
