package spec

import (
	_ "embed" // for the reference texts
	"strconv"
	"time"
)

// Directive is one //idem: comment above a function, or one field of a handler
// in idemgen.yaml, as it was written.
type Directive struct {
	Name, Args   string // Args without the space around it
	Pos, ArgsPos Pos
	YAML         bool // a field of idemgen.yaml
	// Fixed says that a byte of Args need not lie as far behind ArgsPos in
	// the file as in Args: a text in YAML with escapes, or over several lines.
	Fixed bool
	// Uncut is what Args may be the end of: in a list without quotes, a comma ends
	// a text. It is empty where none has.
	Uncut string
	// Unread is a field of idemgen.yaml whose value could not be read, which has
	// been told. There are no Args then, and nothing that depends on them is.
	Unread bool
}

// Field is what the table says of a directive. Each is a field of a handler in
// idemgen.yaml, too.
type Field struct {
	Name    string
	Args    string // syntax of the argument
	Default string // in words; what holds without the directive
	Doc     string // in a line
	Example string // an argument
	Integer bool   // idemgen.yaml takes a number for it
	Many    bool   // may be given more than once; in idemgen.yaml, as a list
}

// Fields returns what a handler can have, in the order of the reference.
func Fields() []Field {
	var fields []Field
	for _, def := range directiveTable {
		if !def.onType {
			fields = append(fields, def.Field)
		}
	}
	return fields
}

// directiveDef defines a directive.
type directiveDef struct {
	Field
	Long  string // in Markdown, for the reference
	prose bool   // most sentences would do as its argument: a near miss has a path with a dot
	// onType says that it stands above a struct type, and not above a function. In
	// idemgen.yaml it has a list of its own.
	onType bool

	// parse checks the argument and sets the handler's field.
	parse func(*builder, Directive)
}

// Standard holds where neither a directive nor the project's config says.
var Standard = Defaults{Lease: 5 * time.Minute, Retain: 30 * day, Attempts: 20}

// directiveTable is every directive there is, in the order of the reference. The
// grammar, the reference and the suggestions all come from here.
var directiveTable = []directiveDef{
	{
		Field: Field{
			Name: "key", Args: "TEMPLATE", Default: "required",
			Doc:     "makes the function a handler and says which event values name one piece of work",
			Example: "notify:{event.ID}",
		},
		Long: keyText + verbReference() + keyEndText, parse: (*builder).parseKey,
	},
	{
		Field: Field{
			Name: "lease", Args: "DURATION", Default: FormatDuration(Standard.Lease),
			Doc:     "how long a claim holds: the longest reasonable duration of the job",
			Example: "2m",
		},
		Long: leaseText, parse: (*builder).parseLease,
	},
	{
		Field: Field{
			Name: "retain", Args: "DURATION | forever", Default: FormatDuration(Standard.Retain),
			Doc:     "how long a finished run answers duplicates",
			Example: "30d",
		},
		Long: retainText, parse: (*builder).parseRetain,
	},
	{
		Field: Field{
			Name: "attempts", Args: "NUMBER", Default: strconv.Itoa(Standard.Attempts),
			Doc:     "how many attempts a run has before it is dead",
			Example: "20", Integer: true,
		},
		Long: attemptsText, parse: (*builder).parseAttempts,
	},
	{
		Field: Field{
			Name: "name", Args: "NAMESPACE", Default: "first literal of the key, up to `:`",
			Doc:     "the handler's namespace, where the key does not begin with it",
			Example: "notify",
		},
		Long: nameText, parse: (*builder).parseName,
	},
	{
		Field: Field{
			Name: "fingerprint", Args: fingerprintSyntax, Default: "none",
			Doc:     "what a duplicate has to agree on, so that a key that is used again for other work is told",
			Example: "{order.Cents} {order.Currency|lower}",
		},
		Long: fingerprintText, parse: (*builder).parseFingerprint,
	},
	{
		Field: Field{
			Name: "audit", Args: auditSyntax, Default: "none",
			Doc:     "the handler's own table, for the SQL that finds work that ran twice",
			Example: "notifications by external_event_id",
		},
		Long: auditText, parse: (*builder).parseAudit,
	},
	{
		Field: Field{
			Name: "order", Args: orderSyntax, Default: "none",
			Doc:     "which events are of one entity, and which are newer: what is older than the newest applied is not run",
			Example: orderExample,
		},
		Long: orderText, parse: (*builder).parseOrder,
	},
	{
		Field: Field{
			Name: "payload", Args: PayloadKeep, Default: "off",
			Doc:     "keeps the event with the run, to run it again without the broker",
			Example: PayloadKeep,
		},
		Long: payloadText, parse: (*builder).parsePayload,
	},
	{
		Field: Field{
			Name: "allow", Args: "FIELD REASON", Default: "none",
			Doc:     "why a value that a key normally refuses is fit",
			Example: "event.Attempt the sender counts it, not the broker", Many: true,
		},
		Long: allowText, prose: true, parse: (*builder).parseAllow,
	},
	{
		Field: Field{
			Name: "upsert", Args: upsertSyntax, Default: "none",
			Doc:     "makes the values of a struct type rows of a table, each there once",
			Example: "recipients by list_id, phone",
		},
		Long: upsertText, onType: true, parse: (*builder).parseUpsert,
	},
}

var (
	//go:embed reference/key.md
	keyText string
	//go:embed reference/keyend.md
	keyEndText string
	//go:embed reference/lease.md
	leaseText string
	//go:embed reference/retain.md
	retainText string
	//go:embed reference/attempts.md
	attemptsText string
	//go:embed reference/name.md
	nameText string
	//go:embed reference/fingerprint.md
	fingerprintText string
	//go:embed reference/audit.md
	auditText string
	//go:embed reference/order.md
	orderText string
	//go:embed reference/payload.md
	payloadText string
	//go:embed reference/allow.md
	allowText string
	//go:embed reference/upsert.md
	upsertText string
)

func lookupDirective(name string) (directiveDef, bool) {
	for _, def := range directiveTable {
		if def.Name == name {
			return def, true
		}
	}
	return directiveDef{}, false
}

func directiveNames() []string {
	names := make([]string, len(directiveTable))
	for i, def := range directiveTable {
		names[i] = def.Name
	}
	return names
}

// OnType reports whether a directive of this name stands above a type, and not
// above a function.
func OnType(name string) bool {
	def, _ := lookupDirective(name)
	return def.onType
}
