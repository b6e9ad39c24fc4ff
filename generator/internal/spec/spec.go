package spec

import (
	"go/types"
	"path"
	"time"
)

// Spec is what package load makes and every emitter reads: plain data,
// validated before an emitter sees it.
type Spec struct {
	Config Config
	Files  []*File // sorted by Path; each has at least one handler or upsert
}

// Config is idemgen.yaml, or the defaults where there is none.
type Config struct {
	File       string // "idemgen.yaml", or empty when there is none
	Schema     string // the JSON Schema that its first line names, slash-separated, relative to the root; empty if none of ours
	Dialects   []Dialect
	Table      string // of the runs; may be schema-qualified
	TablePos   Pos    // where it is given; zero for a default
	Migrations Migrations
	AuditDir   string        // slash-separated, relative to the root
	Redelivery time.Duration // the broker's longest; 0 when nobody says
	Defaults   Defaults
	Handlers   []Declaration // in the order of the file
	Upserts    []UpsertDeclaration
}

// Folder returns a directory for a dialect's files: with several dialects,
// each has its own below.
func (c Config) Folder(dir string, d Dialect) string {
	if len(c.Dialects) == 1 {
		return dir
	}
	return path.Join(dir, string(d))
}

// Declaration is a handler as idemgen.yaml declares it: what stands above the
// function in the other front end.
type Declaration struct {
	Pos        Pos    // of the entry
	Func       string // as written: ./jobs.Notify, example.com/shop/jobs.(*Service).Notify
	FuncPos    Pos
	Directives []Directive // all with YAML set
}

// UpsertDeclaration is an upsert as idemgen.yaml declares it.
type UpsertDeclaration struct {
	Pos  Pos  // of the entry
	Type Word // as written: ./jobs.Recipient
	Args UpsertArgs
}

// Dialect is a kind of database.
type Dialect string

// The dialects.
const (
	Postgres Dialect = "postgres"
	SQLite   Dialect = "sqlite"
)

// DialectNames returns the names of all dialects.
func DialectNames() []string { return []string{string(Postgres), string(SQLite)} }

// The tools that run migrations, in the order of the reference.
const (
	ToolPlain         = "plain"
	ToolGoose         = "goose"
	ToolGolangMigrate = "golang-migrate"
	ToolTern          = "tern"
	ToolDbmate        = "dbmate"
	ToolAtlas         = "atlas"
)

// Tools returns the names of all tools.
func Tools() []string {
	return []string{ToolPlain, ToolGoose, ToolGolangMigrate, ToolTern, ToolDbmate, ToolAtlas}
}

// Migrations says where migrations go and for which tool.
type Migrations struct {
	Dir  string // slash-separated, relative to the root
	Tool string // one of Tools

	ToolPos Pos // where it is given; zero for a default
}

// Defaults hold where a handler says nothing.
type Defaults struct {
	Lease    time.Duration
	Retain   time.Duration // 0 is for ever
	Attempts int
}

// File is a source file with handlers or upserts. Its outputs lie beside it.
type File struct {
	Path       string // slash-separated, relative to the root: jobs/notify.go
	Package    *Package
	Constraint string // the //go:build expression that the outputs need, from the file's own line and its name; may be empty
	Handlers   []*Handler
	Upserts    []*Upsert
}

// Package is the Go package of a source file.
type Package struct {
	Path  string // import path
	Name  string
	Dir   string // slash-separated, relative to the root; "." is the root
	Types *types.Package

	// What hand-written files say, for whichever build, tests included.
	Names    map[string]Pos // every name declared at package level; and T.Name of every method and field of a type T
	Imported map[string]Pos // every name that an import gives a file: none of the package can have it
}

// Handler is one annotated function or method.
type Handler struct {
	Pos       Pos // of the function's name
	Declared  Pos // of what makes it a handler: its first directive, or its entry in idemgen.yaml
	File      *File
	Func      string // the function's name
	Recv      *Recv  // nil for a function
	Params    []Param
	Result    types.Type // of the one result before error; nil if there is none
	Namespace string     // unique in the project; the row's handler column
	Key       KeyTemplate
	Lease     time.Duration
	Retain    time.Duration // 0 is for ever
	Attempts  int
	Audit     *Audit // nil if there is none
	Order     *Order // nil if there is none
	Payload   bool   // the run keeps the event

	Fingerprint []KeyPart // placeholders only; empty if there is none
	Allowed     []Allowed

	form  form // how messages write its directives
	named Pos  // where the namespace is given; zero where the key has it
}

// Allowed is a value that a key normally refuses, and why it is fit all the
// same.
type Allowed struct {
	Pos    Pos
	Path   string // as in a placeholder: event.Attempt
	Reason string
}

// Recv is a method's receiver.
type Recv struct {
	Name    string // as written; may be empty or _
	Type    string // name of the receiver's named type
	Pointer bool
}

// Param is one parameter.
type Param struct {
	Name     string     // as written; may be empty or _
	Type     types.Type // for a variadic one the slice type
	Variadic bool
	Kind     ParamKind
}

// ParamKind is what the wrapper does with a parameter.
type ParamKind int

// The kinds of parameters.
const (
	PassParam     ParamKind = iota // the wrapper has it too and passes it on
	ContextParam                   // the first one: the wrapper passes the run's context
	KeyParam                       // of type idem.Key: the wrapper has none and passes the run's key
	DeliveryParam                  // of type idem.Delivery: the wrapper has none and passes what its context says
	TxParam                        // of a type of transactions: the wrapper has none and passes the one it claims in
)

// Audit is what the audit SQL counts: rows of the handler's own table that
// stand for one piece of work.
type Audit struct {
	Pos     Pos
	Table   string // may be schema-qualified
	Columns []string
	Since   time.Duration // window; 0 is the whole table
	Time    string        // column for the window and the order; empty if there is none
}

// Order says which events of a handler are of one entity, and which of them are
// newer than others.
type Order struct {
	Pos     Pos
	Entity  KeyTemplate
	Version KeyPart
}

// String writes an order as a directive would.
func (o *Order) String() string { return o.Entity.Text + " at " + o.Version.Placeholder() }

// KeyTemplate is a checked key template.
type KeyTemplate struct {
	Text  string // as written
	Parts []KeyPart
}

// KeyPart is a literal, or a placeholder.
type KeyPart struct {
	Literal  string // set for a literal, all else for a placeholder
	Text     string // the placeholder's path as written, without braces, ? and verbs: event.ID
	Verbs    []Verb // that change the encoded text, in their order; those for times are encoders
	Param    int    // index into Handler.Params
	Steps    []Step
	Optional bool
	Encoder  Encoder
	Deref    bool // the leaf is a pointer (in a key only with Optional): nil is absent, else the encoder gets what it points to
	AddrOf   bool // the encoder gets the leaf's address, because the method it needs has a pointer receiver
	Convert  bool // the leaf is of a type defined over time.Time, and the encoder gets it as a time.Time
}

// Verb is what stands after | in a placeholder, and names the function of
// package runtime that changes the part: lower, Lower.
type Verb string

// The verbs that are no encoders.
const (
	VerbLower Verb = "lower"
	VerbTrim  Verb = "trim"
	VerbHash  Verb = "hash"
)

// Step is one selector on the way from the parameter to the leaf.
type Step struct {
	Name   string
	Method bool // a call without arguments
	// NilCheck says that the value before this step is a pointer that has
	// to be looked at before the step is taken.
	NilCheck bool
	Type     types.Type // after the step
}

// Encoder names the function of package runtime that makes the part.
type Encoder string

// The encoders.
const (
	EncodeString    Encoder = "String"
	EncodeInt       Encoder = "Int"
	EncodeUint      Encoder = "Uint"
	EncodeBool      Encoder = "Bool"
	EncodeBytes     Encoder = "Bytes"
	EncodeByteArray Encoder = "ByteArray" // gets a slice of the array
	EncodeText      Encoder = "Text"
	EncodeStringer  Encoder = "Stringer"

	EncodeDate Encoder = "Date" // {path|date}
	EncodeHour Encoder = "Hour" // {path|hour}
	EncodeUnix Encoder = "Unix" // {path|unix}

	EncodeAt     Encoder = "At"     // of the version in an order: an integer
	EncodeAtTime Encoder = "AtTime" // a time

	EncodeValue Encoder = "Value" // in fingerprints only: whatever JSON holds
	EncodeJSON  Encoder = "JSON"  // in fingerprints only, {path|json}: text or bytes that are JSON already
)

// Wrapper returns the name of the generated wrapper: NotifyOnce. It is a
// method when the handler is one.
func (h *Handler) Wrapper() string { return h.Func + "Once" }

// KeyFunc returns the name of the generated key function, NotifyKey; for a
// method, ServiceNotifyKey or serviceNotifyKey, exported as the method is.
func (h *Handler) KeyFunc() string { return h.qualified() + "Key" }
