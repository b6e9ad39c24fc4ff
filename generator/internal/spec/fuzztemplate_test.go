package spec

import (
	"hash/fnv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/idemgen/idemgen/runtime"
)

// FuzzTemplate reads templates, and makes keys of values by those that are
// taken: no two lists of values have one key.
func FuzzTemplate(f *testing.F) {
	for _, c := range slices.Concat(templateCases(), verbCases()) {
		f.Add(strings.ReplaceAll(c.text, "§", ""), "a:b,c", "a,b:c")
	}
	for _, text := range []string{
		"notify:{event.ID}", "a:{b?}:c{d.e.f}", "{a}:{b}", "a:{b?|trim}:{c|lower}:{d|hash}", "a:{b|date}:{c|unix|hash}:{d?|hour}", "{a|lower}:-:{b}",
		"{{a}}", "a\x00:{b}", "\xff{a}", "{a?|b?}", "a:{_}", "::::", "{a}:", "{ä.ö}",
	} {
		for _, values := range [][2]string{{"a,b", "A, b"}, {"-,%2D", ",-"}, {"\xff,\xfe", "\xfe,\xff"}, {" ,x", "\u00a0,x"}, {"İ,ſ", "i̇,s"}, {"%,:", "%25,%3A"}} {
			f.Add(text, values[0], values[1])
		}
	}
	f.Fuzz(func(t *testing.T, text, a, b string) {
		var errs Errors
		tmpl := parseTemplate(Directive{Name: "key", Args: text, ArgsPos: Pos{"f.go", 1, 1}}, &errs)
		for _, e := range errs {
			wantPlaced(t, e, text)
		}
		if len(errs) == 0 {
			checkTemplate(t, text, tmpl)
			checkInjective(t, tmpl, strings.Split(a, ","), strings.Split(b, ","))
		}
	})
}

// wantPlaced checks an error about an argument that begins at 1:1.
func wantPlaced(t *testing.T, e *Error, text string) {
	t.Helper()
	if e.Pos.Line != 1 || e.Pos.Col < 1 || e.Pos.Col > len(text)+1 || e.Msg == "" || e.Cure == "" || strings.ContainsAny(e.Error(), "\r\n") {
		t.Errorf("%q: %v", text, e)
	}
}

// checkTemplate holds a template that was taken against the grammar, by
// other means than the parser's.
func checkTemplate(t *testing.T, text string, tmpl template) {
	t.Helper()
	called := func(p templatePart) bool { return p.called != "" }
	if got := printTemplate(tmpl); got != text && !slices.ContainsFunc(tmpl.parts, called) {
		t.Errorf("%q is printed as %q", text, got)
	}
	placeholders := 0
	for i, p := range tmpl.parts {
		if !strings.HasPrefix(text[p.offset:], p.literal) || (p.path == nil) == (p.literal == "") {
			t.Errorf("%q: part %+v", text, p)
		}
		if p.path != nil {
			placeholders++
		}
		if p.path == nil && i > 0 && i < len(tmpl.parts)-1 && !strings.Contains(p.literal, ":") {
			t.Errorf("%q: only %q between placeholders", text, p.literal)
		}
		if i > 0 && (p.path == nil) == (tmpl.parts[i-1].path == nil) {
			t.Errorf("%q: two parts of a kind in a row", text)
		}
		checkVerbs(t, text, p)
	}
	if placeholders == 0 || strings.ContainsAny(text, " \t\n") {
		t.Errorf("%q is taken", text)
	}
}

// checkVerbs knows all lists of verbs that a key may have.
func checkVerbs(t *testing.T, text string, p templatePart) {
	t.Helper()
	list := strings.TrimSuffix(strings.Join(p.verbNames(), "|"), "hash")
	if !slices.Contains([]string{"", "date|", "hour|", "unix|", "lower|", "trim|", "lower|trim|", "trim|lower|", "date", "hour", "unix", "lower", "trim", "lower|trim", "trim|lower"}, list) {
		t.Errorf("%q: verbs %q", text, list)
	}
	for _, v := range p.verbs {
		if !strings.HasPrefix(text[v.offset:], v.name) {
			t.Errorf("%q: %s is not at %d", text, v.name, v.offset)
		}
	}
}

// printTemplate writes a template back from its parts.
func printTemplate(tmpl template) string {
	var b strings.Builder
	for _, p := range tmpl.parts {
		if p.path == nil {
			b.WriteString(p.literal)
		} else {
			b.WriteString(p.written())
		}
	}
	return b.String()
}

// checkInjective makes the keys of two lists of values. If they are the same,
// each part is, too.
func checkInjective(t *testing.T, tmpl template, a, b []string) {
	t.Helper()
	keyA, errA := runtime.Spec{}.Key(keyParts(tmpl, a)...)
	keyB, errB := runtime.Spec{}.Key(keyParts(tmpl, b)...)
	if errA != nil || errB != nil || keyA != keyB {
		return
	}
	for i, part := range keyParts(tmpl, a) {
		alone, _ := runtime.Spec{}.Key(part)
		other, _ := runtime.Spec{}.Key(keyParts(tmpl, b)[i])
		same := len(tmpl.parts[i].verbs) > 0 || tmpl.parts[i].path == nil || a[i%len(a)] == b[i%len(b)]
		if alone != other || !same {
			t.Errorf("%q: %q and %q give the key %q", tmpl.Args, a, b, keyA)
		}
	}
}

// keyParts makes parts of a list of values as generated code does. Those of
// verbs for times are times.
func keyParts(tmpl template, values []string) []runtime.Part {
	var parts []runtime.Part
	for i, p := range tmpl.parts {
		if p.path == nil {
			parts = append(parts, runtime.Literal(p.literal))
			continue
		}
		part := valuePart(p, values[i%len(values)])
		if p.optional {
			part = runtime.Optional(part)
		}
		parts = append(parts, part)
	}
	return parts
}

func valuePart(p templatePart, value string) runtime.Part {
	part := runtime.String(p.name(), value)
	for _, v := range p.verbs {
		switch v.name {
		case "date":
			part = runtime.Date(p.name(), timeOfText(value))
		case "hour":
			part = runtime.Hour(p.name(), timeOfText(value))
		case "unix":
			part = runtime.Unix(p.name(), timeOfText(value))
		case "lower":
			part = runtime.Lower(part)
		case "trim":
			part = runtime.Trim(part)
		case "hash":
			part = runtime.Hash(part)
		}
	}
	return part
}

// timeOfText makes another time of nearly every text, and none of "".
func timeOfText(text string) time.Time {
	if text == "" {
		return time.Time{}
	}
	sum := fnv.New32a()
	sum.Write([]byte(text))
	return time.Unix(int64(sum.Sum32()), 0)
}
