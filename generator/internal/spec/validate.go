package spec

import (
	"cmp"
	"fmt"
	"go/types"
	"regexp"
)

// Validate checks what no handler can tell alone: that no two share a
// namespace or keys, and that the names they give are free.
func Validate(s *Spec) Errors {
	var errs Errors
	namespaces, skeletons := map[string]*Handler{}, map[string]*Handler{}
	names := map[[2]string]place{} // by package directory and name
	for _, file := range s.Files {
		for _, h := range file.Handlers {
			h.uniqueNamespace(namespaces, &errs)
			h.uniqueSkeleton(skeletons, &errs)
			h.freeNames(names, &errs)
			if h.Audit != nil && h.Audit.Table == s.Config.Table {
				errs.Add(h.Audit.Pos, h.Audit.Table+" is the table of runs, which has an audit of its own", "name the table that the handler writes to")
			}
		}
	}
	upsertsTogether(s, names, &errs)
	return errs
}

func (h *Handler) uniqueNamespace(taken map[string]*Handler, errs *Errors) {
	if h.Namespace == "" {
		return
	}
	first, ok := taken[h.Namespace]
	if !ok {
		taken[h.Namespace] = h
		return
	}
	cure := "begin one of the two keys with another name, or add " + h.form.name("name")
	switch none := (Pos{}); {
	case h.named != none:
		cure = "give one of the two another name"
	case first.named != none:
		cure = "begin the key with another name, or give one of the two another with " + h.form.name("name")
	}
	errs.Add(h.namespaceAt(), fmt.Sprintf("%s has the namespace %s, which is that of %s at %s", h.display(), h.Namespace, first.display(), first.namespaceAt()), cure)
}

// namespaceAt is the place of the namespace, or of the handler whose key has
// it.
func (h *Handler) namespaceAt() Pos { return cmp.Or(h.named, h.Declared) }

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// uniqueSkeleton checks that the key differs from other handlers' in its
// literal text: where only the placeholders differ, a name of its own makes two
// namespaces, but the same values still make one key.
func (h *Handler) uniqueSkeleton(taken map[string]*Handler, errs *Errors) {
	if h.Key.Text == "" {
		return
	}
	skeleton := placeholder.ReplaceAllLiteralString(h.Key.Text, "{}")
	first, ok := taken[skeleton]
	if !ok {
		taken[skeleton] = h
		return
	}
	if first.Namespace == h.Namespace {
		return // which has been told
	}
	errs.Add(h.Declared, fmt.Sprintf("the key %s of %s has the literal text of %s, the key of %s at %s: the same values give both one key", h.Key.Text, h.display(), first.Key.Text, first.display(), first.Declared),
		"give one of the two another literal text, or their deliveries meet in one run (ErrKeyReuse)")
}

// freeNames checks the names that the output declares in the package, and
// the name of the fixture file. A method's wrapper lies with its type, where
// NewHandler has looked.
func (h *Handler) freeNames(taken map[[2]string]place, errs *Errors) {
	pkg := h.File.Package
	names := []string{h.KeyFunc()}
	if h.Recv == nil {
		names = append(names, h.Wrapper())
	}
	if h.Recv == nil && h.Batched() {
		names = append(names, h.Batch())
	}
	if h.Recv == nil && h.Payload {
		names = append(names, h.Redrive())
	}
	for _, name := range names {
		pkg.free(name, h.display(), h.Pos, errs)
	}
	names = append(names, h.SnakeBase()+FixtureSuffix)
	for _, name := range names {
		key := [2]string{pkg.Dir, name}
		if first, ok := taken[key]; ok {
			errs.Add(h.Declared, fmt.Sprintf("%s would be generated for both %s and %s at %s", name, h.display(), first.name, first.at), "rename one of the two")
			return
		}
		taken[key] = place{h.display(), h.Declared}
	}
}

// renameCure knows the names of our own files, of which one has lost its first
// line.
func renameCure(at Pos) string {
	if _, ours := SourceOf(at.File); ours {
		return "rename one of the two; or, if idemgen wrote " + at.File + " and its first line was lost, remove the file"
	}
	return "rename one of the two"
}

// freeMethod checks that the handler's type has no field or method of a
// generated one's name yet, in the build at hand or in another. One that an
// embedded field promotes is no obstacle.
func (b *builder) freeMethod(method string) {
	if b.h.Recv == nil {
		return
	}
	name := b.h.Recv.Type + "." + method
	recv := b.src.Func.Signature().Recv().Type()
	obj, index, _ := types.LookupFieldOrMethod(recv, true, b.src.Func.Pkg(), method)
	at, ok := b.src.File.Package.Names[name]
	if obj != nil && len(index) == 1 {
		at, ok = b.src.At(obj.Pos()), true
	}
	if ok {
		b.errs.Add(b.h.Pos, fmt.Sprintf("%s, which is generated for %s, is declared at %s", name, b.display(), at), renameCure(at))
	}
}
