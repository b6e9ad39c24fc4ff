package spec

import (
	"strings"
	"testing"
)

// nearMisses are comments that were meant as directives, and their cures.
var nearMisses = map[string]string{
	"// idem:key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//\tidem:lease 5m":                    "write //idem:lease 5m",
	"// idem:key":                          "write //idem:key notify:{event.ID}, or remove the comment",
	"//Idem:key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//IDEM:KEY notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem:Key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem :key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//idem: key notify:{event.ID":         "write //idem:key notify:{event.ID",
	"//idemgen:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"/*idem:key*/":                         "write //idem:key notify:{event.ID}, or remove the comment",
	"/* idem:key notify:{event.ID} */":     "write //idem:key notify:{event.ID}",
	"/*\n * Notify.\n * idem:lease 5m\n*/": "write //idem:lease 5m",
	"// idem:kee notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"// idem : key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"// idem: lease 2m":                    "write //idem:lease 2m",
	"//  Idem:Attempts 3\r":                "write //idem:attempts 3",
	"//idem key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem-key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem.lease 5m":                      "write //idem:lease 5m",
	"//idemattempts 3":                     "write //idem:attempts 3",
	"//idem:":                              "write //idem:key notify:{event.ID}, or remove the comment",
	"//idemgen: \r":                        "write //idem:key notify:{event.ID}, or remove the comment",
	"// idemgen\t:\tkey notify:{event.ID}": "write //idem:key notify:{event.ID}",
	"//Idem:key says what":                 "write //idem:key says what",
	"// idem:allow event.Attempt is ours":  "write //idem:allow event.Attempt is ours",
	"//idem allow event.Attempt ours":      "write //idem:allow event.Attempt ours",
	"// idem:fingerprint {order.Cents}":    "write //idem:fingerprint {order.Cents}",
	"// idem:order a:{e.A} at {e.V}":       "write //idem:order a:{e.A} at {e.V}",
	"//Idem:fingerprnt {order.Cents}":      "write //idem:fingerprint {order.Cents}",
	"//idem::key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"///idem:key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//// idem:lease 5m":                   "write //idem:lease 5m",
	"// @idem:key notify:{event.ID}":       "write //idem:key notify:{event.ID}",
	"//@idem:retain":                       "write //idem:retain 30d, or remove the comment",
	"// +idem:key notify:{event.ID}":       "write //idem:key notify:{event.ID}",
	"// - idem:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"//#idem:key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//\u00a0idem:key notify:{event.ID}":   "write //idem:key notify:{event.ID}",
	"//idem;key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem;key":                           "write //idem:key notify:{event.ID}, or remove the comment",
	"//idem：key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//ídem:key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//i\u0301dem:key notify:{event.ID}":   "write //idem:key notify:{event.ID}",
	"//iden:key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idme:attempts 3":                    "write //idem:attempts 3",
	"// ideem:lease 5m":                    "write //idem:lease 5m",
	"//idmegen:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"//idempotent:key notify:{event.ID}":   "write //idem:key notify:{event.ID}",
	"// idempotency:key Notify:{event.ID}": "write //idem:key Notify:{event.ID}",
	"/* idempotent:lease 5m */":            "write //idem:lease 5m",
	"//go:idem:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"//go:iden:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"// idem key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"// @idem.lease 5m":                    "write //idem:lease 5m",
	"// idemlease 5m":                      "write //idem:lease 5m",
	"//idemKey: notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"// idem:key=notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"// @idem:key(notify:{event.ID})":      "write //idem:key notify:{event.ID}",
	"// idem:lease: 5m":                    "write //idem:lease 5m",
	"// idem: key Notify:{event.ID}":       "write //idem:key Notify:{event.ID}",
	"/***idem:key a:{e.ID}***/":            "write //idem:key a:{e.ID}",
	"/**\n ** idem:lease 5m **\n **/":      "write //idem:lease 5m",
	"/*\n * Notify.\n * idem-lease 5m\n*/": "write //idem:lease 5m",
	"/* a /* b\n ** idemlease 5m":          "write //idem:lease 5m",
	"/*idem key a:{b}*/":                   "write //idem:key a:{b}",
	"/* idemlease 5m */":                   "write //idem:lease 5m",
	"//nolint:errcheck //idem:key a:{id}":  "write //idem:key a:{id} in a line of its own",
	"//go:noinline // idem:lease 5m":       "write //idem:lease 5m in a line of its own",
}

func TestNearMiss(t *testing.T) {
	for comment, want := range nearMisses {
		if got := NearMisses([]string{comment}, false); len(got) != 1 || got[0].Cure != want {
			t.Errorf("%q: got %+v, want %q", comment, got, want)
		}
		if src := "package p\n\n" + comment + "\nfunc F() {}\n"; !Mentions([]byte(src)) {
			t.Errorf("%q does not survive the scan", comment)
		}
	}
	for _, comment := range []string{
		"//idem:key notify:{event.ID}", "//idem:kee notify:{event.ID}", "//idem:lease", // directives, not near ones
		"// idem: see docs", "// idem:see docs", "// the idem: prefix", "//nolint:idem", "//nolint:idem // idem:key",
		"// idem: key parts are escaped", "// idem: name is short", "// idem is a tool", "// idem", "//", "/**/", "/* idem */",
		"// idem:", "//idem:key:x", "// idempotent:key x", "//go:generate go tool idemgen generate",
		"// See //idem:key for more.", "//idem:keynote speech", "//idemgen:ignore", "// idem: audit", "// idem.Key is a key", "/* see idem:key */",
		"//idem key says what", "//idemkey", "//idem lease", "//idem.Key is a key", "//idempotent lease 5m",
		"// idem: allow duplicates to pass", "// idem: order matters at times", "// idem:order is kept at {event.Version}", "//idem allow duplicates", "// idem:allow says. why", "// idem:fingerprint values are compared", "// idem:name1 x", "// idem:keys are text",
		"// idempotent: see below", "// idempotent: name is enough", "// idem key", "// idem name generator.", "// Idem - name generator", "// idem: name generator", "//idempotent key notify:{event.ID}",
		"// item:name foo", "/*dem:A 0", "//dem   :", "//iden:", "//item:name foo", "//iden:key", "//idle:lease 5m", "// index:key user:{id}", "// Idea: key {id}", "// idem — name of it", "// `idem:key` makes it a handler", "// idem:key, idem:lease",
		"//idem := key", "//idem.Name(x)", "//idem.attempts(3)", "//idemAttempts = 3", "//idem: key,", "//item: key,", "// note:idem", "// See idem:key", "// (idem:key)", "// idem: key {event.ID} must be set", "// idem:name: is short",
		"// idem:key says what {event.ID} names.", "// idem:name is the namespace", "/* idem:key says what it says. */", "// idem:lease isn't known.",
		"// idem:key notify:{event.ID} # why", "// idem:key {event.ID says what", "// idem:lease 5m or so", "// idem:key says", "// idem:lease 5m is the default here.", "// idem:retain forever would be better.",
		"// //idem:key a:{id}", "////idem:key a:{id}", "//\t//idem:key a:{id}", "/*\n//idem:key a:{id}\nfunc A(id string)\n*/", "/*\n * //idem:lease 5m\n */",
		"// `idem:key a:{id}`", "// `idem:key a:{id}` is how.", "// \"idem:key a:{id}\" names the key", "// (idem:key a:{id})", "// [idem:lease 5m]", "// > idem:lease 5m", "// “idem:lease 5m”", "// Example: idem:key a:{id}", "// Example:idem:key a:{id}", "// 1. //idem:key a:{id}",
		"// idem:key:{id}", "//\tidempotency:key:{tenant}", "// idempotency:name:order_1", "// idem:lock:{id}", "// idem:lease:30s   its lease", "// idemkey:{id}", "// idem:upsert recipients by phone",
		"//nolint:errcheck //idem:key", "//nolint:errcheck //idem:kee a:{id}", "//nolint:errcheck // see //idem:key a:{id} and b", "//idem:key a:{id} //idem:lease 5m",
	} {
		if near := NearMisses([]string{comment}, false); near != nil {
			t.Errorf("%q: %+v", comment, near)
		}
	}
}

// Code in a doc comment is indented more than its text, and none is meant.
func TestNearMissesInDoc(t *testing.T) {
	for doc, want := range map[string]string{
		"// Keys:\n//\n//\tidem:key a:{id}":                                  "",
		"// Keys:\n//   idem:key a:{id}\n//idem:key b:{id}":                  "",
		"/*\nKeys:\n\n\tidem:key a:{id}\n*/":                                 "",
		"/*\n * Keys:\n *\n *\tidem:key a:{id}\n */":                         "",
		"// F is idempotent.\n// idem:key a:{id}":                            "// idem:key a:{id}",
		"//idem:key b:{id}\n//\tidem:lease 5m":                               "//\tidem:lease 5m",
		"/*\n\tKeys.\n\n\tidem:key a:{id}\n*/":                               "idem:key a:{id}",
		"//idem:key b:{id}\n//idem lease 5m\n/* idem:retain 3d */\n// idem:": "//idem lease 5m, /* idem:retain 3d */",
	} {
		var got []string
		comments := strings.Split(doc, "\n")
		if strings.HasPrefix(doc, "/*") {
			comments = []string{doc}
		}
		for _, near := range NearMisses(comments, false) {
			got = append(got, near.Text)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q: got %q", doc, got)
		}
	}
	if got := NearMisses([]string{"// Rows.", "// idem:upsert recipients by phone", "// idem:key a:{id}"}, true); len(got) != 1 || got[0].Comment != 1 {
		t.Errorf("of a type: %+v", got)
	}
}

// In a comment of several lines the line is told.
func TestNearMissLine(t *testing.T) {
	for comment, want := range map[string]Near{
		"//Idem:lease 5m \r":                        {Text: "//Idem:lease 5m", Cure: "write //idem:lease 5m"},
		"/*  idem:lease 5m\n*/":                     {Text: "/*  idem:lease 5m", Cure: "write //idem:lease 5m"},
		"/*\n\t * Notify.\r\n\t * idem:lease 5m */": {Line: 2, Col: 2, Text: "* idem:lease 5m */", Cure: "write //idem:lease 5m"},
	} {
		if got := NearMisses([]string{comment}, false); len(got) != 1 || got[0] != want {
			t.Errorf("%q: got %+v", comment, got)
		}
	}
}

// What no directive and no near miss can be in is not parsed.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"//idem:key x": true, "// IDEM : key x": true, "/* idem\t:key */": true, "//idemgen:key x": true, "//idemkey x": true, "x := 1 //idem:": true, "a: b //idem:": true, "// @idem": true, "//iden:x": true, "iden: x": true, "//idem；x": true, "//go:idem;x": true, "/*\n idempotent:x": true, "/*\n * x\n * idem x": true,
		"": false, ":": false, "idem": false, "idem.Key": false, "ide:": true, "id:": false, "idemgen": false, "x: 1": false, "idem; :": false, "// idempotent x": false, "// iden x": false, "iden : x": false, "//go:x": false, "// x\n// y": false, "//": false, "//idx:": false, "/* x\n */\nidem x": false, "/* x\ny idem x */": false,
	} {
		if got := Mentions([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"kee", "key"}, {"kye", "key"}, {"ky", "key"}, {"Key", "key"}, {"leese", "lease"}, {"retian", "retain"}, {"atempts", "attempts"},
		{"nam", "name"}, {"names", "name"}, {"odit", "audit"}, {"key", "key"}, {"see", ""}, {"x", ""}, {"", ""}, {"order", "order"}, {"odrer", "order"}, {"ordered", "order"}, {"fingreprint", "fingerprint"}, {"alow", "allow"}, {"allowed", "allow"},
	} {
		if got := Suggest(c.name, directiveNames()); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Suggest("x", []string{"y", "N"}); got != "" {
		t.Errorf("another letter is no near miss: %q", got)
	}
}
