package spec

import (
	"fmt"
	"go/types"
)

// Validate checks what no handler can tell alone: that no two share a
// namespace, and that the names they give are free.
func Validate(s *Spec) Errors {
	var errs Errors
	namespaces := map[string]*Handler{}
	names := map[[2]string]*Handler{} // by package directory and name
	for _, file := range s.Files {
		for _, h := range file.Handlers {
			h.uniqueNamespace(namespaces, &errs)
			h.freeNames(names, &errs)
		}
	}
	return errs
}

func (h *Handler) uniqueNamespace(taken map[string]*Handler, errs *Errors) {
	if h.Namespace == "" {
		return
	}
	if first, ok := taken[h.Namespace]; ok {
		errs.Add(h.Pos, fmt.Sprintf("%s has the namespace %s, which is that of %s at %s", h.display(), h.Namespace, first.display(), first.Pos),
			"begin one of the two keys with another name, or add //idem:name")
		return
	}
	taken[h.Namespace] = h
}

// freeNames checks the names that the output declares in the package, and
// the name of the fixture file. A method's wrapper lies with its type, where
// NewHandler has looked.
func (h *Handler) freeNames(taken map[[2]string]*Handler, errs *Errors) {
	pkg := h.File.Package
	names := []string{h.KeyFunc()}
	if h.Recv == nil {
		names = append(names, h.Wrapper())
	}
	for _, name := range names {
		if at, ok := pkg.Names[name]; ok {
			errs.Add(h.Pos, fmt.Sprintf("%s, which is generated for %s, is declared at %s", name, h.display(), at), "rename one of the two")
		}
	}
	names = append(names, h.SnakeBase()+fixtureSuffix)
	for _, name := range names {
		key := [2]string{pkg.Dir, name}
		if first, ok := taken[key]; ok {
			errs.Add(h.Pos, fmt.Sprintf("%s would be generated for both %s and %s at %s", name, h.display(), first.display(), first.Pos), "rename one of the two")
			return
		}
		taken[key] = h
	}
}

// wrapperMethod checks that the handler's type has no field or method of the
// wrapper's name yet. One that an embedded field promotes is no obstacle.
func (b *builder) wrapperMethod() {
	if b.h.Recv == nil {
		return
	}
	recv := b.src.Func.Signature().Recv().Type()
	obj, index, _ := types.LookupFieldOrMethod(recv, true, b.src.Func.Pkg(), b.h.Wrapper())
	if obj == nil || len(index) != 1 {
		return
	}
	b.errs.Add(b.h.Pos, fmt.Sprintf("%s.%s, which is generated for %s, is declared at %s",
		b.h.Recv.Type, b.h.Wrapper(), b.display(), b.src.At(obj.Pos())), "rename one of the two")
}
