package spec

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"
)

// yamlField is a field of an entry in idemgen.yaml, on a line of its own.
type yamlField struct {
	name, args string
	fixed      bool
}

// unreadArgs are those of a field that could not be read.
const unreadArgs = "\x00"

// loadYAML makes a handler of the function Notify in a source, as an entry of
// idemgen.yaml declares it that begins at 10:5: its fields stand below each
// other from line 11 on, their values at column 20.
// What uncut holds stands before the first that is to be allowed.
func loadYAML(t *testing.T, src string, fields []yamlField, uncut ...string) (*Handler, Errors) {
	t.Helper()
	s := check(t, "jobs/notify.go", header+src)
	from := Source{File: s.file, Declared: Pos{"idemgen.yaml", 10, 5}, At: s.at}
	for i, f := range fields {
		from.Directives = append(from.Directives, Directive{Name: f.name, Args: f.args, YAML: true, Fixed: f.fixed,
			Pos: Pos{"idemgen.yaml", 11 + i, 7}, ArgsPos: Pos{"idemgen.yaml", 11 + i, 20}})
		last := &from.Directives[i]
		if f.args == unreadArgs {
			last.Args, last.Unread = "", true
		}
		if f.name == "allow" && len(uncut) > 0 {
			last.Uncut, uncut = uncut[0], uncut[1:]
		}
	}
	for _, decl := range s.syntax.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Name.Name == "Notify" {
			from.Func = s.info.Defs[fn.Name].(*types.Func)
		}
	}
	return NewHandler(from, Config{Defaults: Standard, Redelivery: 3 * day})
}

// The fields of a handler in idemgen.yaml are what the directives are.
func TestYAML(t *testing.T) {
	h, errs := loadYAML(t, notify, []yamlField{
		{"key", "notify:{event.ID}", false}, {"lease", "90s", false}, {"retain", "7d", true}, {"attempts", "3", false}, {"name", "told", false},
		{"fingerprint", "{event.N}\n{event.Channel|lower}", true}, {"audit", "notices by tenant,\nid time at", true},
		{"order", "channel:{event.Channel}\nat\n{event.N}", true},
	})
	if errs != nil {
		t.Fatal(errs)
	}
	if h.Key.Text != "notify:{event.ID}" || h.Lease.Seconds() != 90 || h.Retain != 7*day || h.Attempts != 3 || h.Namespace != "told" ||
		len(h.Fingerprint) != 2 || len(h.Audit.Columns) != 2 || h.Order.String() != "channel:{event.Channel} at {event.N}" || h.Declared.Line != 10 || h.Pos.File != "jobs/notify.go" {
		t.Errorf("got %+v", h)
	}
}

// What is wrong is told in the form in which it was written.
func TestYAMLErrors(t *testing.T) {
	const notify = "type M struct { ID string; Attempt, RetryCount int }\nfunc Notify(ctx context.Context, m M) error { return nil }"
	const form = "write a parameter, then fields and methods, with a dot before each: {event.ID}"
	ours := func(at, path string) string {
		return at + strings.Replace(unfitError("{"+path+"}", "looks like a count of attempts", path), "//idem:allow "+path+" REASON", "allow: ["+path+" REASON]", 1)
	}
	for _, c := range []struct {
		name   string
		fields []yamlField
		want   []string
	}{
		{"no key", []yamlField{{"lease", "2m", false}}, []string{`10:5: Notify has no key; add one, such as key: "notify:{event.ID}": without it the function is not a handler`}},
		{"empty", []yamlField{{"key", "", false}, {"attempts", "", false}, {"allow", "", false}}, []string{
			`11:20: key has no argument; write key: TEMPLATE, such as key: "notify:{event.ID}"`,
			"12:20: attempts has no argument; write attempts: NUMBER, such as attempts: 20",
			"13:20: allow has no argument; write allow: [FIELD REASON], such as allow: [\"event.Attempt the sender counts it, not the broker\"]"}},
		{"offsets", []yamlField{{"key", "a:{m.ID}:{m.RetriCount|x}", false}, {"lease", "2m or so", false}, {"audit", "a by b c", false}, {"fingerprint", "{m.ID} {m..X}", false}}, []string{
			"11:29: M has no field or method RetriCount; did you mean m.RetryCount?", `11:43: unknown verb "x"; the verbs are date, hour, unix, lower, trim, hash`,
			`12:23: lease takes one argument, and "or so" is left over; remove it; a comment goes on a line of its own`,
			`13:27: "c" stands where a comma and a column, since, or time is expected; write audit: "TABLE by COL[, COL] [since DURATION] [time COL]"`,
			"14:20: {m.ID} is in the key as it is, so that it is the same for all deliveries of one piece of work; remove it: it adds nothing",
			`14:27: "" in {m..X} is not a name; ` + form}},
		{"no offsets", []yamlField{{"key", "a:{m.ID}:{m.RetriCount|x}", true}, {"lease", "2m or so", true}, {"audit", "a by b c", true}, {"fingerprint", "{m..X} x", true}, {"allow", "m.ID", true}}, []string{
			"11:20: M has no field or method RetriCount; did you mean m.RetryCount?", `11:20: unknown verb "x"; the verbs are date, hour, unix, lower, trim, hash`,
			`12:20: lease takes one argument, and "or so" is left over; remove it; a comment goes on a line of its own`,
			`13:20: "c" stands where a comma and a column, since, or time is expected; write audit: "TABLE by COL[, COL] [since DURATION] [time COL]"`,
			`14:20: "" in {m..X} is not a name; ` + form,
			`14:20: "x" cannot stand in a fingerprint; write placeholders only, such as {order.Cents}; a comment goes on a line of its own`,
			"15:20: allow says nothing of why m.ID is fit; add the reason: allow: [m.ID REASON]"}},
		{"order", []yamlField{{"key", "a:{m.ID}", false}, {"order", "{m.Kin} by {m.At}", false}}, []string{
			"12:20: M has no field or method Kin; it has Attempt, ID, RetryCount",
			`12:28: "by" stands where "at" is expected; write the entity, at, and its version: order: "account:{event.AccountID} at {event.Version}"`}},
		{"lines", []yamlField{{"key", "a:\nb", true}}, []string{`11:20: "b" follows a space, and a key has none; remove it; a comment goes on a line of its own`,
			`11:20: the key a:\nb has no placeholder: all events would be one piece of work; add one, such as {event.ID}`}},
		{"allowed", []yamlField{{"key", "a:{m.Attempt}:{m.RetryCount}", false}, {"allow", "m.Attempt ours", false}, {"allow", "{m.RetryCount} ours", false}}, []string{
			ours("11:34: ", "m.RetryCount"), `13:20: "{m.RetryCount}" is more than a path; write the path alone: allow: [m.RetryCount REASON]`}},
		{"namespace", []yamlField{{"key", "{m.ID}", false}}, []string{
			"11:20: the key {m.ID} does not begin with a namespace; begin it with one and a colon, such as notify:, or add name: notify"}},
		{"a bad namespace", []yamlField{{"key", "-:{m.ID}", false}}, []string{
			`11:20: "-", before the key's first colon, is not a namespace; use a-z, 0-9, "_", "." and "-", and begin with a letter, a digit or "_"; or add name`}},
		{"retain", []yamlField{{"key", "a:{m.ID}", false}, {"retain", "1d", false}}, []string{
			"12:20: retain 1d is shorter than the broker's redelivery, 3d: a delivery that comes after the purge would run again; write retain: 3d or more"}},
		{"twice", []yamlField{{"key", "a:{m.ID}", false}, {"lease", "1m", false}, {"lease", "2m", false}}, []string{
			"13:7: lease is given twice, first at idemgen.yaml:12:7; remove one of the two"}},
		{"unknown, which the reader tells", []yamlField{{"key", "a:{m.ID}", false}, {"leese", "1m", false}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs := loadYAML(t, notify, c.fields)
			got := ""
			if err := errs.Err(); err != nil {
				got = "\n" + err.Error()
			}
			want := ""
			for _, line := range c.want {
				want += "\nidemgen.yaml:" + line
			}
			if got != want {
				t.Errorf("got%s\nwant%s", got, want)
			}
		})
	}
}

// What depends on a field that could not be read is not told; all else is.
func TestYAMLUnread(t *testing.T) {
	const source = "type M struct { ID, Kind string; Attempt int }\nfunc Notify(ctx context.Context, m M) error { return nil }"
	for _, c := range []struct {
		unread string
		fields []yamlField
		want   []string
	}{
		{"key", []yamlField{{"lease", "soon", false}, {"allow", "m.ID ours", false}, {"fingerprint", "{m.Kin}", false}}, []string{
			`11:20: "soon" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d`,
			"13:20: M has no field or method Kin; did you mean m.Kind?"}},
		{"lease", []yamlField{{"key", "a:{m.ID}", false}, {"retain", "4d", false}, {"attempts", "x", false}}, []string{
			`13:20: "x" is not a number of attempts; write a whole number from 1 to 1000000`}},
		{"retain", []yamlField{{"key", "a:{m.ID}", false}, {"lease", "29d", false}}, nil},
		{"name", []yamlField{{"key", "{m.ID}", false}}, nil},
		{"fingerprint", []yamlField{{"key", "a:{m.ID}", false}, {"allow", "m.Attempt ours", false}}, nil},
		{"order", []yamlField{{"key", "a:{m.ID}", false}, {"allow", "m.Attempt ours", false}}, nil},
		{"allow", []yamlField{{"key", "a:{m.Attempt}:{m.Idd}", false}}, []string{"11:34: M has no field or method Idd; did you mean m.ID?"}},
		{"audit", []yamlField{{"key", "a:{m.Idd}", false}}, []string{"11:22: M has no field or method Idd; did you mean m.ID?"}},
	} {
		t.Run(c.unread, func(t *testing.T) {
			_, errs := loadYAML(t, source, append(c.fields, yamlField{c.unread, unreadArgs, false}))
			got := ""
			if err := errs.Err(); err != nil {
				got = err.Error()
			}
			want := strings.Join(c.want, "\nidemgen.yaml:")
			if want != "" {
				want = "idemgen.yaml:" + want
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// A comma has cut a reason, if what follows it is no item of its own.
func TestYAMLCut(t *testing.T) {
	const source = "type M struct { ID string; Attempt, Retries int }\nfunc Notify(ctx context.Context, m M) error { return nil }"
	for args, want := range map[string]string{
		"yes":             `idemgen.yaml:12:20: the comma before "yes" ends the text before it; quote the whole: "m.Attempt since, yes"`,
		"not of ours":     `idemgen.yaml:12:20: the comma before "not of ours" ends the text before it; quote the whole: "m.Attempt since, yes"`,
		"m.Retries is so": "",
	} {
		s, from := source, []yamlField{{"key", "a:{m.Attempt}:{m.Retries}", false}, {"allow", args, false}, {"allow", "m.Attempt since", false}, {"allow", "m.Retries too", false}}
		if want == "" {
			from = from[:3]
		}
		_, errs := loadYAML(t, s, from, "m.Attempt since, yes")
		if got := fmt.Sprint(errs.Err()); got != want && (want != "" || errs != nil) {
			t.Errorf("%s: got %s, want %s", args, got, want)
		}
	}
}

// Handlers of both front ends meet.
func TestYAMLAndDirectives(t *testing.T) {
	file, errs := load(t, "jobs/other.go", header+"//idem:key a:{event.ID}\nfunc Other(ctx context.Context, event Event) error { return nil }")
	h, es := loadYAML(t, notify, []yamlField{{"key", "a:{event.N}", false}})
	if errs = append(errs, es...); errs != nil {
		t.Fatal(errs)
	}
	both := &Spec{Files: []*File{file, {Package: &Package{}, Handlers: []*Handler{h}}}}
	wantErrors(t, Validate(both), []Pos{h.Declared}, []string{
		"Notify has the namespace a, which is that of Other at jobs/other.go:31:1; begin one of the two keys with another name, or add name"})
	both.Files[0], both.Files[1] = both.Files[1], both.Files[0]
	wantErrors(t, Validate(both), []Pos{file.Handlers[0].Declared}, []string{
		"Other has the namespace a, which is that of Notify at idemgen.yaml:10:5; begin one of the two keys with another name, or add //idem:name"})
}
