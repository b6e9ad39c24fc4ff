package gogen_test

import (
	"fmt"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// called are names that the output uses, or could use in another's place.
var called = strings.Fields(`
	ctx callerCtx runCtx err runErr handleErr ok replayed run idemRun key runKey store runs handle handler
	result outcome arg rest recv receiver value t tb n nth db database delivery runDelivery
	context time fmt testing idem idemtest pgtest sqlitetest stdcontext stdtime runtime
	nil true false string error any int byte len panic new print iota
	event order box sub id day at x über 日本 _x X Event Receipt ID Sub Box
	notifySpec notifyArgs notifyReal notifyOnceWith notifyFingerprint notifyOrder notifyOnceBatchWith TestNotifyOnce
	events batch opts numbers ns`)

var handlerNames = strings.Fields(`
	Notify Import Select Range Func Type Ctx Err Run Key Store Handle Idem Test TestNotify Über URLFetch N T Nil
	String Error Len Spec Args notify run key store idem context fmt err ok handle ßig 日本 _x x len TestNotifyOnce`)

// maker makes a package that calls its things as the output calls its own.
type maker struct {
	*rand.Rand
	taken    map[string]bool // package-level names
	called   []string        // for whatever is not in a function
	locals   []string
	types    []string          // structs with a field ID and another
	fields   map[string]string // that other one, by type
	handlers int
	out      source
}

func newMaker(seed uint64) *maker {
	return &maker{
		Rand: rand.New(rand.NewPCG(seed, 1)), called: called, locals: called,
		taken: map[string]bool{"init": true, "main": true}, fields: map[string]string{},
	}
}

func (m *maker) pick(names []string) string { return names[m.IntN(len(names))] }

// fresh takes a name for the package level. The output is refused where a
// predeclared one that it needs is declared there.
func (m *maker) fresh(names []string) string {
	for {
		name := m.pick(names)
		_, builtin := types.Universe.Lookup(name).(*types.Builtin)
		if predeclared := types.Universe.Lookup(name) != nil; predeclared && (!builtin || name == "panic") {
			continue
		}
		if m.IntN(4) == 0 {
			name += string(rune('A' + m.IntN(26)))
		}
		if !m.taken[name] {
			m.taken[name] = true
			return name
		}
	}
}

func (m *maker) files() source {
	pkg := m.pick(strings.Fields("jobs main idem context event time testing run fmt jobs"))
	functions := [][]string{m.functions()}
	if m.IntN(2) == 0 {
		functions = append(functions, m.functions())
	}
	m.out.add("jobs/a.go", "package "+pkg+"\n"+m.declarations(false))
	m.out.add("jobs/a_test.go", "package "+pkg+"\n"+m.declarations(true))
	for i, names := range functions {
		f := &makerFile{maker: m, imports: map[string]string{}, lines: map[string]string{}, names: map[string]bool{}}
		for _, name := range names {
			f.handler(name)
		}
		m.out.add(fmt.Sprintf("jobs/h%d.go", i), "package "+pkg+"\n"+f.importLines()+f.body.String())
	}
	return m.out
}

// functions takes names for handlers: those of methods have a dot before them.
func (m *maker) functions() (names []string) {
	for range 1 + m.IntN(3) {
		if m.IntN(3) == 0 {
			names = append(names, "."+m.pick(handlerNames)+fmt.Sprint(len(names)))
		} else {
			name := m.fresh(handlerNames)
			names = append(names, name)
			m.know(name)
		}
	}
	return names
}

// know adds what the output calls things of a function to the names in use. Of
// the key function and the wrapper only parameters may have the names.
func (m *maker) know(function string) {
	base := spec.LowerFirst(function)
	m.called = append(slices.Clone(m.called), "Test"+spec.UpperFirst(base)+"Once",
		base+"Spec", base+"OnceWith", base+"Fingerprint", base+"Args", base+"Real", base+"Order", base+"OnceBatchWith")
	m.locals = slices.Concat(m.locals, m.called[len(m.called)-8:], []string{function, function + "Key", function + "Once"})
}

func (m *maker) declarations(inTest bool) string {
	var b strings.Builder
	for range m.IntN(6) {
		name := m.fresh(m.called)
		if inTest && (strings.HasSuffix(name, "Args") || strings.HasSuffix(name, "Real")) {
			continue // which would be what the fixture scaffolds, moved
		}
		switch m.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "\nvar %s int\n", name)
		case 1:
			fmt.Fprintf(&b, "\nfunc %s() {}\n", name)
		case 2:
			fmt.Fprintf(&b, "\nconst %s = 1\n", name)
		case 3:
			b.WriteString(m.structType(name, inTest))
		}
	}
	if len(m.types) == 0 {
		b.WriteString(m.structType(m.fresh(m.called), inTest))
	}
	return b.String()
}

func (m *maker) structType(name string, inTest bool) string {
	field := "ID"
	for field == "ID" {
		field = m.pick(m.called)
	}
	if !inTest {
		m.types = append(m.types, name)
		m.fields[name] = field
	}
	return fmt.Sprintf("\ntype %s struct {\n\tID string\n\t%s *string\n}\n", name, field)
}
