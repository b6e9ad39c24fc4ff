package spec

import (
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// fuzzTypes are those of the handler that the fuzzed directives stand above.
const fuzzTypes = printTypes + `
type Fuzzed struct { ID, Channel string; N int; B bool; At time.Time; PAt *time.Time; Attempt int; Body []byte; UUID uuid.UUID; Day struct { time.Time }; Any any; F float64 }
func Notify(ctx context.Context, event Fuzzed, order *Order, s string, key idem.Key, d idem.Delivery) (Receipt, error) { panic(0) }
`

// FuzzDirectives reads the comments of a text as directives of a handler, as
// well as their arguments as fields of an entry in idemgen.yaml.
func FuzzDirectives(f *testing.F) {
	for _, c := range directiveCases() {
		f.Add(strings.ReplaceAll(c.text, "§", ""))
	}
	for _, c := range fingerprintCases() {
		f.Add("//idem:key a:{event.ID}\n//idem:fingerprint " + strings.ReplaceAll(c.text, "§", ""))
	}
	for _, c := range orderCases() {
		f.Add("//idem:key a:{event.ID}\n//idem:order " + strings.ReplaceAll(c.text, "§", ""))
	}
	for _, c := range slices.Concat(templateCases(), verbCases()) {
		f.Add("//idem:key " + strings.ReplaceAll(c.text, "§", ""))
	}
	for comment := range nearMisses {
		f.Add(comment)
	}
	f.Add("//idem:key a:{event.Attempt}:{event.At}\n//idem:allow event.Attempt ours\n//idem:allow event.At ours\n//idem:fingerprint {order.Sent} {s|json}")
	f.Add("//idem:key a:{event.At|date|hash}\n/*idem:key\n*idem:allow x.y z\n*/\n//idem:retain forever\n//idem:audit a.b by c, d since 1d time e")
	f.Add("//idem:key a:{event.ID}\n//idem:order acc\x89o\x8fu\xebnt:{event.ID}at{") // with what is no UTF-8
	handler := fuzzedHandler(f)
	f.Fuzz(func(t *testing.T, text string) {
		directives := fuzzedComments(t, text)
		checkFuzzed(t, handler, directives, func(e *Error) bool { return inText(e.Pos, text) })
		// The reader of idemgen.yaml keeps unknown fields to itself.
		directives = slices.DeleteFunc(directives, func(d Directive) bool {
			_, known := lookupDirective(d.Name)
			return !known
		})
		for i, d := range directives {
			directives[i].YAML, directives[i].Fixed = true, d.Pos.Col%2 == 0
		}
		checkFuzzed(t, handler, directives, func(e *Error) bool {
			return slices.ContainsFunc(directives, func(d Directive) bool {
				return e.Pos == d.Pos || e.Pos == d.ArgsPos || !d.Fixed && inText(e.Pos, text)
			})
		})
	})
}

// fuzzedHandler returns the function whose directives are fuzzed.
func fuzzedHandler(f *testing.F) Source {
	s := check(f, "jobs/notify.go", header+fuzzTypes)
	fn := s.file.Package.Types.Scope().Lookup("Notify").(*types.Func)
	return Source{File: s.file, Func: fn, At: s.at}
}

// fuzzedComments returns the directives among the comments of a text, and
// looks at the near misses.
func fuzzedComments(t *testing.T, text string) (directives []Directive) {
	fset := token.NewFileSet()
	file := fset.AddFile("f.go", -1, len(text))
	at := func(pos token.Pos) Pos {
		p := fset.PositionFor(pos, false)
		return Pos{"f.go", p.Line, p.Column}
	}
	var s scanner.Scanner
	s.Init(file, []byte(text), nil, scanner.ScanComments)
	for {
		pos, tok, comment := s.Scan()
		if tok == token.EOF {
			return directives
		}
		if tok != token.COMMENT || strings.Contains(comment, "\r") || strings.Contains(text, "\r") {
			continue // what the scanner takes out of a comment moves what follows
		}
		for _, near := range NearMisses([]string{comment}, false) {
			if near.Cure == "" || strings.ContainsAny(near.Cure+near.Text, "\r\n") || !Mentions([]byte(comment)) {
				t.Errorf("%q: %+v", comment, near)
			}
		}
		if d, ok := ast.ParseDirective(pos, comment); ok && d.Tool == "idem" {
			directives = append(directives, Directive{Name: d.Name, Args: d.Args, Pos: at(d.Slash), ArgsPos: at(d.ArgsPos)})
		}
	}
}

// inText reports whether a place lies in a text, or at the end of a line.
func inText(pos Pos, text string) bool {
	lines := strings.Split(text, "\n")
	return pos.Line >= 1 && pos.Line <= len(lines) && pos.Col >= 1 && pos.Col <= len(lines[pos.Line-1])+1
}

// checkFuzzed makes a handler of directives, and looks at its errors, or at
// what has none.
func checkFuzzed(t *testing.T, src Source, directives []Directive, placed func(*Error) bool) {
	t.Helper()
	if len(directives) == 0 {
		return
	}
	src.Directives, src.Declared = directives, directives[0].Pos
	h, errs := NewHandler(src, Config{Defaults: Standard, Redelivery: 2 * day})
	for _, e := range errs {
		if !placed(e) || e.Msg == "" || e.Cure == "" || strings.ContainsAny(e.Error(), "\r\n") {
			t.Errorf("%+v: %v", directives, e)
		}
	}
	if len(errs) == 0 {
		checkTaken(t, h)
	}
}

// checkTaken checks what holds for every handler without errors.
func checkTaken(t *testing.T, h *Handler) {
	t.Helper()
	if a := h.Audit; a != nil && (CheckTable(a.Table) != nil || len(a.Columns) == 0 || a.Since != 0 && a.Time == "") {
		t.Errorf("audit %+v", a)
	}
	if h.Lease <= 0 || h.Retain < 0 || h.Attempts < 1 || h.Retain != 0 && (h.Retain < h.Lease || h.Retain < 2*day) {
		t.Errorf("%+v", h)
	}
	if key := h.ExampleKey(); len(key) > maxKeyBytes || len(h.Key.Parts) == 0 || h.Namespace == "" {
		t.Errorf("%s: %s of %s", key, h.Namespace, h.Key.Text)
	}
	for _, p := range h.Fingerprint {
		if p.Text == "" || p.Encoder == "" || p.Optional {
			t.Errorf("%+v", p)
		}
	}
	for _, a := range h.Allowed {
		if a.Reason == "" || strings.ContainsAny(a.Reason, "\r\n") {
			t.Errorf("%+v", a)
		}
	}
}
