package spec

import (
	"strings"
	"testing"
)

// times are types of the tests of verbs.
const times = paths + `
type (
	Stamp time.Time
	Later Stamp
	When = time.Time
	PWhen *time.Time
	Day struct { time.Time }
	Deep struct { Day }
	PDay struct { *time.Time }
	Dated struct { Day string; time.Time }
	Wally struct { wall uint64; ID string }
	Event2 struct { At time.Time; PAt *time.Time; Own Stamp; POwn *Stamp; Text Text; Kind Kind; M map[string]int }
)
func (Event2) Sent() time.Time { return time.Time{} }
func (Event2) Due() *time.Time { return nil }
`

func TestVerbs(t *testing.T) {
	for path, want := range map[string]string{
		"e.At|date": "e.At Date", "e.At|hour": "e.At Hour", "e.At|unix": "e.At Unix", "e.At?|date": "e.At Date optional",
		"e.At|date|hash": "e.At Date|hash", "e.PAt?|unix": "e.PAt Unix optional deref", "e.PAt?|unix|hash": "e.PAt Unix|hash optional deref",
		"e.Own|date": "e.Own Date convert", "e.POwn?|hour": "e.POwn Hour optional deref convert", "later|date": "later Date convert",
		"when|date": "when Date", "pwhen?|date": "pwhen Date optional deref", "day.Time|date": "day.Time Date", "deep.Time|date": "deep.Time Date",
		"pday.Time?|date": "pday.Time Date optional deref", "dated.Time|hour": "dated.Time Hour", "dated.Day": "dated.Day String",
		"e.Sent|date": "e.Sent() Date", "e.Due?|date": "e.Due() Date optional deref",

		"s|lower": "s String|lower", "s|trim": "s String|trim", "s|trim|lower|hash": "s String|trim|lower|hash", "s?|lower": "s String|lower optional",
		"p?|lower|hash": "p String|lower|hash optional deref", "e.Text|lower": "e.Text Text|lower", "list|trim": "list Stringer|trim",
		"s|hash": "s String|hash", "n|hash": "n Int|hash", "u|hash": "u Text|hash", "raw|hash": "raw Bytes|hash", "raw?|hash": "raw Bytes|hash optional",
		"b|hash": "b Bool|hash", "pn?|hash": "pn Int|hash optional deref", "po.N?|hash": "po?.N Int|hash optional",
	} {
		t.Run(path, func(t *testing.T) {
			h := one(t, times+"//idem:key a:{"+path+"}:z\n"+`func Notify(ctx context.Context, e Event2, later Later, when When, pwhen PWhen, day Day, deep Deep, pday PDay,
				dated Dated, s string, p *string, n int, pn *int, b bool, u uuid.UUID, raw []byte, list List, po *Order) error { return nil }`)
			if got := show(h, h.Key.Parts[1]); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got, _, _ := strings.Cut(strings.ReplaceAll(path, "?", ""), "|"); h.Key.Parts[1].Text != got {
				t.Errorf("text %s", h.Key.Parts[1].Text)
			}
		})
	}
}

// verbCases are keys with what is wrong with their verbs.
func verbCases() []argCase {
	const verbs = "date, hour, unix, lower, trim, hash"
	return []argCase{
		{"near", "a:{e.At|§dates}:{s|§Lower}:{e.At?|§unx}", []string{
			`unknown verb "dates"; did you mean date?`, `unknown verb "Lower"; did you mean lower?`, `unknown verb "unx"; did you mean unix?`}},
		{"far", "a:{s|§frobnicate}", []string{`unknown verb "frobnicate"; the verbs are ` + verbs}},
		{"none", "a:{s|§}:{s?|lower|§}", []string{
			`no verb follows "|"; remove the "|", or write a verb: ` + verbs, `no verb follows "|"; remove the "|", or write a verb: ` + verbs}},
		{"a ? behind it", "a:{s|§lower?}:{s|trim|§hash?}", []string{
			`"?" stands behind the verb lower; write it after the path: {s?|lower}`, `"?" stands behind the verb hash; write it after the path: {s?|trim|hash}`}},
		{"spaces", "a:{s|§ lower}:{s|§trim |hash}", []string{
			"there is a space beside the verb lower; remove it", "there is a space beside the verb trim; remove it"}},
		{"a space before the |", "a:§{s |lower}", []string{`"s " in {s } is not a name; write a parameter, then fields and methods, with a dot before each: {event.ID}`}},
		{"of fingerprints", "a:{s|§json}", []string{"json is for fingerprints: a key names one value; take the event as a struct, and name a field"}},
		{"twice", "a:{s|lower|§lower}:{s|hash|§hash}", []string{"{s|lower|lower} has the verb lower twice; write it once", "{s|hash|hash} has the verb hash twice; write it once"}},
		{"hash not last", "a:{s|hash|§lower}:{e.At|hash|§date}", []string{
			"lower stands behind hash, which leaves nothing to change; write hash last: {s|lower|hash}",
			"date stands behind hash, which leaves nothing to change; write hash last: {e.At|date|hash}"}},
		{"two for times", "a:{e.At|date|§hour}", []string{"date and hour are two ways to write one value; keep one of the two"}},
		{"a text's and a time's", "a:{e.At|date|§lower}:{e.At|§trim|date|hash}", []string{
			"lower changes nothing in what date writes; remove it", "trim changes nothing in what date writes; remove it"}},
		{"several of one placeholder", "a:{s|§x|trim|§trim|hash|§lower}", []string{
			`unknown verb "x"; the verbs are ` + verbs, "{s|trim|trim|hash|lower} has the verb trim twice; write it once",
			"lower stands behind hash, which leaves nothing to change; write hash last: {s|trim|lower|hash}"}},
		{"and the path is wrong too", "a:§{e.Att|§dat}", []string{"Event2 has no field or method Att; did you mean e.At?", `unknown verb "dat"; did you mean date?`}},

		{"a time's on a string", "a:{s|§date}:{s?|§hour|hash}", []string{
			"date takes a time.Time, and s is of type string; name a time.Time, or write {s}",
			"hour takes a time.Time, and s is of type string; name a time.Time, or write {s?|hash}"}},
		{"a time's on other types", "a:{n|§unix}:{e|§date}:{e.M|§date}:{u|§hour}:{wally|§date}", []string{
			"unix takes a time.Time, and n is of type int; name a time.Time, or write {n}",
			"date takes a time.Time, and e is of type Event2; name a time.Time",
			"date takes a time.Time, and e.M is of type map[string]int; name a time.Time",
			"hour takes a time.Time, and u is of type uuid.UUID; name a time.Time, or write {u}",
			"date takes a time.Time, and wally is of type Wally; name a time.Time"}},
		{"a time's on what embeds one", "a:§{day|date}:§{deep|hour|hash}:§{pday|unix}:§{dated?|date}", []string{
			"{day|date} is of type Day, which only embeds a time.Time; name the embedded time: {day.Time|date}",
			"{deep|hour|hash} is of type Deep, which only embeds a time.Time; name the embedded time: {deep.Day.Time|hour|hash}",
			"{pday|unix} is of type PDay, which only embeds a time.Time; name the embedded time: {pday.Time?|unix}",
			"{dated?|date} is of type Dated, which only embeds a time.Time; name the embedded time: {dated.Time?|date}"}},
		{"a time's on a pointer", "a:§{e.PAt|date}:§{pday.Time|hour|hash}", []string{
			"{e.PAt|date} is a pointer, *time.Time, and without it there is no key; write {e.PAt?|date} if it may be absent, or make it a value",
			"{pday.Time|hour|hash} is a pointer, *time.Time, and without it there is no key; write {pday.Time?|hour|hash} if it may be absent, or make it a value"}},
		{"a text's where there is nothing to change", "a:{n|§trim}:{b?|§lower}:{raw|§lower|hash}:{e.Kind|§trim|§lower}:{arr|§trim}", []string{
			"trim changes nothing in a value of type int; write {n}", "lower changes nothing in a value of type bool; write {b}",
			"lower changes nothing in a value of type []byte; write {raw|hash}",
			"trim changes nothing in a value of type Kind; write {e.Kind}", "lower changes nothing in a value of type Kind; write {e.Kind}",
			"trim changes nothing in a value of type [4]byte; write {arr}"}},
		{"never absent", "a:§{n?|hash}:§{b?|hash}", []string{
			"{n?|hash} is never absent: zero and false are values; write {n|hash}", "{b?|hash} is never absent: zero and false are values; write {b|hash}"}},
		{"a pointer", "a:§{p|lower}", []string{"{p|lower} is a pointer, *string, and without it there is no key; write {p?|lower} if it may be absent, or make it a value"}},
		{"of a type without a text", "a:§{e.M|hash}", []string{"{e.M|hash} is of type map[string]int: a map has no order; name a field or a method that identifies it"}},
		{"a time and hash", "a:§{e.At|hash}", []string{
			"{e.At|hash} is of type time.Time: the same moment can be written in many ways, and a time that nobody set would give a key too; " +
				"say which business time it is, in UTC: {e.At|date|hash}, {e.At|hour|hash} or {e.At|unix|hash}"}},
		{"a method of a time", "a:§{e.At.Unix}:§{e.PAt.UnixNano}:§{e.At.UTC|date}:§{day.Unix}:§{e.Sent.Unix|hash}", []string{
			taken("e.At.Unix", "write {e.At|unix}"), taken("e.PAt.UnixNano", whichTime("e.PAt?")), taken("e.At.UTC|date", "write {e.At|date}"),
			taken("day.Unix", "name the embedded time: {day.Time|unix}"), taken("e.Sent.Unix|hash", "write {e.Sent|unix|hash}")}},
	}
}

// Errors of verbs stand at the verb.
func TestVerbErrors(t *testing.T) {
	for _, c := range verbCases() {
		t.Run(c.name, func(t *testing.T) {
			runErrorCases(t, []errorCase{{"of Notify", times + "//idem:key " + c.text + "\n" + `func Notify(ctx context.Context, e Event2, day Day, deep Deep, pday PDay,
				dated Dated, wally Wally, s string, p *string, n int, b bool, u uuid.UUID, raw []byte, arr [4]byte) error { return nil }`, c.want}})
		})
	}
}

// taken is what is wrong with a method of a time.
func taken(path, cure string) string {
	return "{" + path + "} is taken of a time.Time, and a time that nobody set would give a key too; " + cure
}

func TestPlaceholder(t *testing.T) {
	h := one(t, times+"//idem:key a:{e.At?|date|hash}:{s|trim|lower}:{n}\n//idem:fingerprint {e.Text} {raw|json}\nfunc Notify(ctx context.Context, e Event2, s string, n int, raw []byte) error { return nil }")
	var texts []string
	for _, p := range h.Key.Parts {
		if p.Literal == "" {
			texts = append(texts, p.Placeholder())
		}
	}
	texts = append(texts, Placeholders(h.Fingerprint))
	if verbs := (KeyPart{Literal: "a"}).AllVerbs(); verbs != nil {
		t.Errorf("a literal with %v", verbs)
	}
	if got, want := strings.Join(texts, " "), "{e.At?|date|hash} {s|trim|lower} {n} {e.Text} {raw|json}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSuggestSynonyms(t *testing.T) {
	names := []string{"key", "lease", "retain", "attempts", "name"}
	for name, want := range map[string]string{"retries": "attempts", "Timeout": "lease", "ttl": "retain", "namespace": "name", "function": "", "leese": "lease"} {
		if got := Suggest(name, names); got != want {
			t.Errorf("Suggest(%s) = %q, want %q", name, got, want)
		}
	}
}
