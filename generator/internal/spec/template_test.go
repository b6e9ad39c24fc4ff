package spec

import "testing"

// templateCases are keys with what is wrong with them.
func templateCases() []argCase {
	const form = "; write a parameter, then fields and methods, with a dot before each: {event.ID}"
	const empty = "the placeholder is empty; name a parameter, or a field or method of one, such as {event.ID}"
	const literal = `; use a-z, 0-9, "_", ".", "-" and ":"`
	const unclosed = `"{" is not closed; close the placeholder with "}"`
	return []argCase{
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
		{"a call of what is not there", "a:§{event.GetID()}", []string{"Event has no field or method GetID; it has Channel, ID, N"}},
		{"a call of a field", "a:§{event.ID()|hash}", []string{"{event.ID()} has parentheses; write {event.ID|hash}"}},
		{"a call with an argument", "a:§{event.ID(1)}", []string{"{event.ID(1)} has parentheses; name a field, or a method that takes nothing, without them: {event.ID}"}},
		{"an index", "a:§{event.IDs[0]}", []string{`"IDs[0]" in {event.IDs[0]} is not a name` + form}},
		{"a keyword", "a:§{event.type}", []string{`"type" in {event.type} is not a name` + form}},
		{"side by side", "a:{event.ID}§{event.Channel?}", []string{`no colon separates {event.ID} from {event.Channel?}: different values would give one key; put ":" between them`}},
		{"separated by less than a colon", "a:{event.ID}-x-§{event.N}:{event.Channel}", []string{`no colon separates {event.ID} from {event.N}: different values would give one key; put ":" between them`}},
		{"several", "§A:§{}:{event.ID}§{event.N}§}", []string{
			`"A" is in upper case; write the key's literal text in lower case`, empty,
			`no colon separates {event.ID} from {event.N}: different values would give one key; put ":" between them`,
			`"}" closes nothing; open the placeholder with "{"`,
		}},
	}
}

func TestTemplateErrors(t *testing.T) {
	for _, c := range templateCases() {
		t.Run(c.name, func(t *testing.T) {
			runErrorCases(t, []errorCase{{"of Notify", "//idem:key " + c.text + "\n" + notify, c.want}})
		})
	}
}
