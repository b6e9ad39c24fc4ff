package generator

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// Handler is what [Explain] tells of a handler. Paths are slash-separated and
// relative to the root.
type Handler struct {
	Name     string // Notify; of a method with the receiver's type, Service.Notify
	Package  string // import path
	Dir      string // of the package; "." is the root
	Pos      Pos    // of the function's name
	Declared Pos    // of what makes it a handler: its first directive, or its entry in idemgen.yaml

	Key         string // the template
	ExampleKey  string
	Namespace   string
	Fingerprint string // its placeholders; empty if there is none
	Allowed     []Allowed

	Mode     string // where the work is done: external, between the claim and the completion, or transactional, in theirs
	Lease    Duration
	Retain   Duration // 0 is for ever
	Attempts int
	Audit    string // as //idem:audit has it; empty if there is none
	Order    string // as //idem:order has it; empty if there is none
	Payload  string // as //idem:payload has it; empty if no event is kept

	Wrapper string   // NotifyOnce; a method, if the handler is one
	KeyFunc string   // NotifyKey
	Files   []string // that belong to the handler or its source file, whether they are there or not
}

// Allowed is a value in a key that keys normally refuse, and why it is fit all
// the same.
type Allowed struct{ Path, Reason string }

// Duration is a time.Duration that is written as in a directive: 30d, 5m.
type Duration time.Duration

func (d Duration) String() string { return spec.FormatDuration(time.Duration(d)) }

// The modes.
const (
	external      = "external"
	transactional = "transactional"
)

// Explain returns the project's handlers, in the order of their source files
// and places. It needs none of the files that [Generate] computes, and writes
// nothing. What the developer has to mend comes all at once, as [Errors].
func Explain(ctx context.Context, cfg Config) ([]Handler, error) {
	told, err := ExplainAll(ctx, cfg)
	return told.Handlers, err
}

// DirectiveHelp returns what can stand above a handler, or in its entry in
// idemgen.yaml: a table for people.
func DirectiveHelp() string { return spec.Help() }

func (o *output) explain(h *spec.Handler) Handler {
	told := Handler{
		Name: h.Func, Package: h.File.Package.Path, Dir: h.File.Package.Dir, Pos: h.Pos, Declared: h.Declared,
		Key: h.Key.Text, ExampleKey: h.ExampleKey(), Namespace: h.Namespace, Fingerprint: spec.Placeholders(h.Fingerprint),
		Mode: external, Lease: Duration(h.Lease), Retain: Duration(h.Retain), Attempts: h.Attempts, Audit: auditText(h.Audit),
		Wrapper: h.Wrapper(), KeyFunc: h.KeyFunc(), Files: o.filesOf(h),
	}
	if h.Recv != nil {
		told.Name = h.Recv.Type + "." + h.Func
	}
	if h.Transactional() {
		told.Mode = transactional
	}
	if h.Order != nil {
		told.Order = h.Order.String()
	}
	if h.Payload {
		told.Payload = spec.PayloadKeep
	}
	for _, a := range h.Allowed {
		told.Allowed = append(told.Allowed, Allowed{a.Path, a.Reason})
	}
	return told
}

// auditText writes an audit as a directive would.
func auditText(a *spec.Audit) string {
	if a == nil {
		return ""
	}
	text := a.Table + " by " + strings.Join(a.Columns, ", ")
	if a.Since != 0 {
		text += " since " + spec.FormatDuration(a.Since)
	}
	if a.Time != "" {
		text += " time " + a.Time
	}
	return text
}

// filesOf returns the files that belong to a handler: those beside its source
// file, which its neighbours share, the specs of its package, its fixture, unless
// the developer moved what is in it, and its audit.
func (o *output) filesOf(h *spec.Handler) []string {
	var files []string
	fixture := path.Join(h.File.Package.Dir, h.SnakeBase()+spec.FixtureSuffix)
	specs := path.Join(h.File.Package.Dir, spec.SpecsFile)
	for _, f := range o.files {
		if source, ok := spec.SourceOf(f.Path); ok && source == h.File.Path || f.Path == fixture || f.Path == specs {
			files = append(files, f.Path)
		}
	}
	if !slices.Contains(files, fixture) && exists(o.root, fixture) {
		files = append(files, fixture)
	}
	if h.Audit != nil {
		for _, d := range o.spec.Config.Dialects {
			files = append(files, sqlgen.AuditPath(o.spec.Config, d, h))
		}
	}
	slices.Sort(files)
	return files
}
