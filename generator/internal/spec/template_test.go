package spec

import (
	"strings"
	"testing"
)

func TestTemplateErrors(t *testing.T) {
	const form = "; write a parameter, then fields and methods, with a dot before each: {event.ID}"
	const empty = "the placeholder is empty; name a parameter, or a field or method of one, such as {event.ID}"
	const literal = `; use a-z, 0-9, "_", ".", "-" and ":"`
	const unclosed = `"{" is not closed; close the placeholder with "}"`
	for _, c := range []struct {
		name, template string
		want           []string
	}{
		{"no placeholder", "§a:b", []string{"the key a:b has no placeholder: all events would be one piece of work; add one, such as {event.ID}"}},
		{"upper case", "§Notify:{event.ID}", []string{`"N" is in upper case; write the key's literal text in lower case`}},
		{"other bytes", "a§/b§é!:{event.ID}", []string{`"/" cannot stand in the literal text of a key` + literal, `"é!" cannot stand in the literal text of a key` + literal}},
		{"spaces", "a:{event.ID} §{event.N}", []string{`"{event.N}" follows a space, and a key has none; remove it; a comment goes on a line of its own`}},
		{"quotes", "§\"a:{event.ID}§\"", []string{`"\"" cannot stand in the literal text of a key` + literal, `"\"" cannot stand in the literal text of a key` + literal}},
		{"not closed", "a:§{event.ID", []string{unclosed}},
		{"not closed before the next", "a:§{event.ID:{event.N}", []string{unclosed}},
		{"not opened", "a:event.id§}:{event.N}", []string{`"}" closes nothing; open the placeholder with "{"`}},
		{"empty", "a:§{}", []string{empty}},
		{"nothing but a question mark", "a:§{?}", []string{empty}},
		{"dots", "a:§{.ID}:§{event.}:§{event..ID}", []string{
			`"" in {.ID} is not a name` + form, `"" in {event.} is not a name` + form, `"" in {event..ID} is not a name` + form,
		}},
		{"spaces within", "a:§{ event.ID }", []string{`" event" in { event.ID } is not a name` + form}},
		{"a call", "a:§{event.GetID()}", []string{"{event.GetID()} has parentheses; name a method without them: {event.GetID}"}},
		{"an index", "a:§{event.IDs[0]}", []string{`"IDs[0]" in {event.IDs[0]} is not a name` + form}},
		{"a keyword", "a:§{event.type}", []string{`"type" in {event.type} is not a name` + form}},
		{"a verb", "a:{event.ID|§date}", []string{`unknown verb "date"; this version has no verbs: name a field or a method that is fit for a key as it is`}},
		{"a verb after ?", "a:{event.Channel?|§}", []string{
			`unknown verb ""; this version has no verbs: name a field or a method that is fit for a key as it is`,
		}},
		{"side by side", "a:{event.ID}§{event.Channel?}", []string{`no colon separates {event.ID} from {event.Channel?}: different values would give one key; put ":" between them`}},
		{"separated by less than a colon", "a:{event.ID}-x-§{event.N}:{event.Channel}", []string{`no colon separates {event.ID} from {event.N}: different values would give one key; put ":" between them`}},
		{"several", "§A:§{}:{event.ID}§{event.N}§}", []string{
			`"A" is in upper case; write the key's literal text in lower case`, empty,
			`no colon separates {event.ID} from {event.N}: different values would give one key; put ":" between them`,
			`"}" closes nothing; open the placeholder with "{"`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			runErrorCases(t, []errorCase{{"of Notify", "//idem:key " + c.template + "\n" + notify, c.want}})
		})
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

func FuzzParseKey(f *testing.F) {
	for _, s := range []string{
		"notify:{event.ID}", "a:{b?}:c{d.e.f}", "{a}:{b}", "a:{b}{c}", "a:{b", "}", "{}", "{a|b}", "A:{ä.ö}", "a:{a} // c",
		"{{a}}", "a\x00:{b}", "\xff{a}", "{a?|b?}", "a:{_}", "::::", "{a}:",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var errs Errors
		tmpl := parseTemplate(text, Pos{"f.go", 1, 1}, &errs)
		for _, e := range errs {
			if e.Pos.Col < 1 || e.Pos.Col > len(text)+1 || e.Msg == "" || e.Cure == "" {
				t.Errorf("%q: %v", text, e)
			}
		}
		if len(errs) == 0 {
			checkTemplate(t, text, tmpl)
		}
	})
}

// checkTemplate holds a template that was taken against the grammar, by
// other means than the parser's.
func checkTemplate(t *testing.T, text string, tmpl template) {
	t.Helper()
	if got := printTemplate(tmpl); got != text {
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
	}
	if placeholders == 0 || strings.ContainsAny(text, " \t\n|") {
		t.Errorf("%q is taken", text)
	}
}
