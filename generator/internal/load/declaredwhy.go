package load

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// absences says of the functions that no file of a package has what there is
// in their place.
func (r *typesRun) absences(p *pkg) {
	for _, w := range r.wanted[p.dir] {
		if w.absent {
			why := &absence{typesRun: r, wanted: w, pkg: r.done[p.ImportPath], dir: p.dir}
			wrong := why.tell()
			r.errs.Add(wrong.Pos, wrong.Msg, wrong.Cure)
		}
	}
}

// absence is a function that is not there.
type absence struct {
	*typesRun
	*wanted
	pkg *types.Package
	dir string
}

func (a *absence) tell() *spec.Error {
	if a.name.recv == "" {
		return a.noFunction()
	}
	return a.noMethod()
}

func (a *absence) noFunction() *spec.Error {
	name := a.name.name
	switch obj := a.pkg.Scope().Lookup(name).(type) {
	case *types.Var:
		return a.refuse(fmt.Sprintf("%s at %s is a variable, and what it calls may change", a.name.in(a.dir), a.files.at(obj.Pos())), wrapperCure)
	case *types.Const, *types.TypeName:
		return a.refuse(fmt.Sprintf("%s at %s is no function", a.name.in(a.dir), a.files.at(obj.Pos())), "name a function or a method")
	}
	msg := fmt.Sprintf("there is no function %s in %s", name, shown(a.dir))
	for _, m := range a.methods() {
		if m.name.name == name {
			return a.refuse(msg, fmt.Sprintf("%s is a method: write %s", name, m.spelled))
		}
	}
	return a.refuse(msg, a.nearest())
}

func (a *absence) noMethod() *spec.Error {
	obj := a.pkg.Scope().Lookup(a.name.recv)
	t, ok := obj.(*types.TypeName)
	switch {
	case obj == nil:
		return a.noType()
	case !ok:
		return a.refuse(fmt.Sprintf("%s at %s is no type", a.name.recv, a.files.at(obj.Pos())), a.nearest())
	case types.IsInterface(t.Type()):
		return a.refuse(fmt.Sprintf("%s at %s is an interface, which does no work", a.name.recv, a.files.at(obj.Pos())), "name the method of a type that implements it")
	}
	return a.noMethodOf(t)
}

// noType says what was meant by a receiver that there is not: perhaps a
// directory, or a package of elsewhere.
func (a *absence) noType() *spec.Error {
	if a.name.pkg == "" && !a.name.exact {
		if wrong := a.misnamed(funcName{pkg: a.name.recv, name: a.name.name}); wrong != nil {
			return a.refuse(wrong.Msg, wrong.Cure)
		}
	}
	msg := fmt.Sprintf("there is no type %s in %s", a.name.recv, shown(a.dir))
	if a.pkg.Scope().Lookup(a.name.name) != nil {
		return a.refuse(msg, "write "+spelled(a.dir, "", false, a.name.name))
	}
	return a.refuse(msg, a.nearest())
}

// noMethodOf says what there is of a method that the type does not declare.
func (a *absence) noMethodOf(t *types.TypeName) *spec.Error {
	obj, index, _ := types.LookupFieldOrMethod(types.NewPointer(t.Type()), true, a.pkg, a.name.name)
	msg := fmt.Sprintf("%s at %s has no method %s", t.Name(), a.files.at(t.Pos()), a.name.name)
	switch m := obj.(type) {
	case *types.Var:
		return a.refuse(fmt.Sprintf("%s at %s is a field, and what it calls may change", a.name.in(a.dir), a.files.at(m.Pos())), wrapperCure)
	case *types.Func:
		return a.promoted(t, m, len(index) > 1)
	}
	if _, ok := a.pkg.Scope().Lookup(a.name.name).(*types.Func); ok {
		return a.refuse(msg, fmt.Sprintf("%s is a function: write %s", a.name.name, spelled(a.dir, "", false, a.name.name)))
	}
	return a.refuse(msg, a.nearest())
}

// promoted says whose a method is that a type has from another: from an
// embedded field, or as its other name.
func (a *absence) promoted(t *types.TypeName, m *types.Func, embedded bool) *spec.Error {
	recv := m.Signature().Recv().Type()
	declaring, pointer := types.Unalias(spec.Deref(recv)), types.Unalias(recv) != types.Unalias(spec.Deref(recv))
	named, ok := declaring.(*types.Named)
	how := fmt.Sprintf("%s at %s is another name of a type", t.Name(), a.files.at(t.Pos()))
	if embedded {
		how = fmt.Sprintf("%s at %s has %s from an embedded field", t.Name(), a.files.at(t.Pos()), m.Name())
	}
	switch {
	case !ok || types.IsInterface(declaring):
		return a.refuse(how, wrapperCure)
	case named.Obj() == t:
		return a.refuse(fmt.Sprintf("%s at %s is declared with another name of %s", m.Name(), a.files.at(m.Pos()), t.Name()), "name the receiver as it is written there")
	}
	in, ok := a.dirOf(named.Obj().Pkg())
	if !ok {
		return a.refuse(fmt.Sprintf("%s, of package %s", how, named.Obj().Pkg().Path()), wrapperCure)
	}
	return a.refuse(how, "name the type that declares it: "+spelled(in, named.Obj().Name(), pointer, m.Name()))
}

// dirOf returns the directory of a package if it is the project's.
func (a *absence) dirOf(pkg *types.Package) (string, bool) {
	dir, ok := a.packageDir(pkg.Path())
	return dir, ok && a.found.hand[dir] != nil
}

// method is a method that a package declares.
type method struct {
	name    funcName
	spelled string
}

// methods returns the methods of a package's types, sorted.
func (a *absence) methods() []method {
	var all []method
	scope := a.pkg.Scope()
	for _, name := range scope.Names() {
		t, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		named, ok := t.Type().(*types.Named)
		for i := 0; ok && i < named.NumMethods(); i++ {
			m := named.Method(i)
			_, pointer := types.Unalias(m.Signature().Recv().Type()).(*types.Pointer)
			all = append(all, method{funcName{recv: name, name: m.Name()}, spelled(a.dir, name, pointer, m.Name())})
		}
	}
	return all
}

// nearest says which function was meant: the one that an output's name is made
// of, or one of a similar name.
func (a *absence) nearest() string {
	names := map[string]string{} // how to write it, by what it is compared by
	for _, name := range a.pkg.Scope().Names() {
		if _, ok := a.pkg.Scope().Lookup(name).(*types.Func); ok {
			names[name] = spelled(a.dir, "", false, name)
		}
	}
	for _, m := range a.methods() {
		names[m.name.recv+"."+m.name.name] = m.spelled
	}
	wanted := strings.TrimPrefix(a.name.recv+"."+a.name.name, ".")
	for _, suffix := range []string{"Once", "Key"} {
		if source, ok := strings.CutSuffix(wanted, suffix); ok && names[source] != "" {
			return fmt.Sprintf("idemgen makes %s of %s: name that, %s", a.name.name, strings.TrimSuffix(a.name.name, suffix), names[source])
		}
	}
	if near := spec.Suggest(wanted, slices.Sorted(maps.Keys(names))); near != "" {
		return "did you mean " + names[near] + "?"
	}
	return "write it, or name another"
}
