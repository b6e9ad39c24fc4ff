package spec

import "testing"

func TestNearMiss(t *testing.T) {
	for comment, want := range map[string]string{
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
	} {
		if got, ok := NearMiss(comment); !ok || got != want {
			t.Errorf("%q: got %q, %v, want %q", comment, got, ok, want)
		}
	}
	for _, comment := range []string{
		"//idem:key notify:{event.ID}", "//idem:kee notify:{event.ID}", "//idem:lease", // directives, not near ones
		"// idem: see docs", "// idem:see docs", "// the idem: prefix", "//nolint:idem", "//nolint:idem // idem:key",
		"// idem: key parts are escaped", "// idem: name is short", "// idem is a tool", "// idem", "//", "/**/", "/* idem */",
		"// idem:", "//idem:", "//idem:key:x", "// idempotent:key x", "//go:generate go tool idemgen generate",
		"// See //idem:key for more.", "//idem:keynote speech", "//idemgen:ignore", "// idem: audit", "// idem.Key is a key", "/* see idem:key */",
		"// idem:name1 x", "// idem:keys are text",
	} {
		if cure, ok := NearMiss(comment); ok {
			t.Errorf("%q: %s", comment, cure)
		}
	}
}

func TestSuggest(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"kee", "key"}, {"kye", "key"}, {"ky", "key"}, {"Key", "key"}, {"leese", "lease"}, {"retian", "retain"}, {"atempts", "attempts"},
		{"nam", "name"}, {"names", "name"}, {"odit", "audit"}, {"key", "key"}, {"see", ""}, {"x", ""}, {"", ""}, {"order", ""}, {"fingerprint", ""},
	} {
		if got := Suggest(c.name, directiveNames()); got != c.want {
			t.Errorf("%q: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Suggest("x", []string{"y", "N"}); got != "" {
		t.Errorf("another letter is no near miss: %q", got)
	}
}
