package spec

import "testing"

// nearMisses are comments that were meant as directives, and their cures.
var nearMisses = map[string]string{
	"// idem:key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//\tidem:lease 5m":                    "write //idem:lease 5m",
	"// idem:key":                          "write //idem:key",
	"//Idem:key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//IDEM:KEY notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem:Key notify:{event.ID}":         "write //idem:key notify:{event.ID}",
	"//idem :key notify:{event.ID}":        "write //idem:key notify:{event.ID}",
	"//idem: key notify:{event.ID":         "write //idem:key notify:{event.ID",
	"//idemgen:key notify:{event.ID}":      "write //idem:key notify:{event.ID}",
	"/*idem:key*/":                         "write //idem:key",
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
	"// idem:key notify:{event.ID} # why":  "write //idem:key notify:{event.ID} # why",
	"// idem:key {event.ID says what":      "write //idem:key {event.ID says what",
	"// idem:lease 5m or so":               "write //idem:lease 5m or so",
	"// idem:key says":                     "write //idem:key says",
	"// idem:allow event.Attempt is ours":  "write //idem:allow event.Attempt is ours",
	"//idem allow event.Attempt ours":      "write //idem:allow event.Attempt ours",
	"// idem:fingerprint {order.Cents}":    "write //idem:fingerprint {order.Cents}",
	"//Idem:fingerprnt {order.Cents}":      "write //idem:fingerprint {order.Cents}",
}

func TestNearMiss(t *testing.T) {
	for comment, want := range nearMisses {
		if got, ok := NearMiss(comment); !ok || got != want {
			t.Errorf("%q: got %q, %v, want %q", comment, got, ok, want)
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
		"//idem key says what", "//idemkey", "/*idem key a:{b}*/", "/* idemlease 5m */", "//idem lease", "//idem.Key is a key", "//idempotent lease 5m",
		"// idem: allow duplicates to pass", "//idem allow duplicates", "// idem:allow says. why", "// idem:fingerprint values are compared", "// idem:name1 x", "// idem:keys are text",
		"// idem:key says what {event.ID} names.", "// idem:name is the namespace", "/* idem:key says what it says. */", "// idem:lease isn't known.",
	} {
		if cure, ok := NearMiss(comment); ok {
			t.Errorf("%q: %s", comment, cure)
		}
	}
}

// What no directive and no near miss can be in is not parsed.
func TestMentions(t *testing.T) {
	for text, want := range map[string]bool{
		"//idem:key x": true, "// IDEM : key x": true, "/* idem\t:key */": true, "//idemgen:key x": true, "//idemkey x": true, "x := 1 //idem:": true, "a: b //idem:": true,
		"": false, ":": false, "idem": false, "idem.Key": false, "dem:": false, "idemgen": false, "x: 1": false, "idem; :": false,
	} {
		if got := Mentions([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"kee", "key"}, {"kye", "key"}, {"ky", "key"}, {"Key", "key"}, {"leese", "lease"}, {"retian", "retain"}, {"atempts", "attempts"},
		{"nam", "name"}, {"names", "name"}, {"odit", "audit"}, {"key", "key"}, {"see", ""}, {"x", ""}, {"", ""}, {"order", ""}, {"fingreprint", "fingerprint"}, {"alow", "allow"}, {"allowed", "allow"},
	} {
		if got := Suggest(c.name, directiveNames()); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Suggest("x", []string{"y", "N"}); got != "" {
		t.Errorf("another letter is no near miss: %q", got)
	}
}
