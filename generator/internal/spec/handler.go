package spec

import (
	"go/token"
	"go/types"
	"slices"
)

// Source is what package load found: a function, and what stands above it.
type Source struct {
	File       *File
	Func       *types.Func
	Declared   Pos // see Handler
	Directives []Directive
	At         func(token.Pos) Pos
}

// NewHandler checks a function and its directives against the rules, and
// makes the handler of them. The errors are all there are, in no order. With
// errors the handler is as far as it could be filled, good enough for
// [Validate] to find more of them and for nothing else.
func NewHandler(src Source, cfg Config) (*Handler, Errors) {
	b := newBuilder(src)
	b.dialects = cfg.Dialects
	b.h.Lease, b.h.Retain, b.h.Attempts = cfg.Defaults.Lease, cfg.Defaults.Retain, cfg.Defaults.Attempts
	b.signature()
	b.freeMethod(b.h.Wrapper())
	b.directives()
	b.retention(cfg.Redelivery)
	b.namespace()
	b.resolveKey()
	b.resolveOrder()
	if b.h.Batched() {
		b.freeMethod(b.h.Batch())
	}
	b.resolveFingerprint()
	b.checkAllowed()
	b.payload()
	return b.h, b.errs
}

// CheckArguments returns what can be told of a handler's directives without
// its function.
func CheckArguments(directives []Directive) Errors {
	b := newBuilder(Source{Directives: directives})
	b.directives()
	b.namespace()
	return b.errs
}

// builder fills one handler.
type builder struct {
	src           Source
	form          form
	dialects      []Dialect
	h             *Handler
	errs          Errors
	given         map[string]Directive // the first of each name
	key           template
	keyOK         bool     // the template parses
	fingerprint   template // placeholders only
	fingerprintOK bool     // it parses, or there is none
	entity        template // the halves of the order
	version       template // one placeholder
	orderOK       bool     // they parse, or there is none
	allowed       []*allowance
	allowUnread   bool     // there may be others
	broken        []string // the paths of placeholders that have an error
	generic       bool     // the function has type parameters, or cannot be called, which leaves nothing to look up
}

func newBuilder(src Source) *builder {
	b := &builder{src: src, form: src.form(), given: map[string]Directive{}, fingerprintOK: true, orderOK: true}
	b.h = &Handler{File: src.File, Declared: src.Declared, form: b.form}
	if src.Func != nil {
		b.h.Pos = src.At(src.Func.Pos())
		b.h.Func = src.Func.Name()
	}
	return b
}

// display is the handler's name in messages: Notify, Service.Notify.
func (b *builder) display() string { return b.h.display() }

func (h *Handler) display() string {
	if h.Recv == nil {
		return h.Func
	}
	return h.Recv.Type + "." + h.Func
}

// typeName is a type as the handler's package would write it, but for one that
// would pass for Go's own, error say.
func (b *builder) typeName(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		switch {
		case pkg == b.src.Func.Pkg() && !hidesType(pkg):
			return ""
		case pkg.Path() == RuntimePath:
			return "idem"
		}
		return pkg.Name()
	})
}

// hidesType reports whether a package has a type of the name of one of Go's own.
func hidesType(pkg *types.Package) bool {
	return slices.ContainsFunc(types.Universe.Names(), func(name string) bool {
		_, own := pkg.Scope().Lookup(name).(*types.TypeName)
		return own
	})
}
