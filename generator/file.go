package generator

// File is a file that a project should have. Nothing is written before
// [Write] gets it.
type File struct {
	Path string // slash-separated, relative to the root
	Data []byte
	Kind Kind
}

// Kind says whose a file is, once it is there.
type Kind int

// The kinds of files.
const (
	Owned    Kind = iota // ours, by its header: rewritten when it differs, removed when it is left over
	Scaffold             // the developer's: written if it is missing, never looked at again
	Frozen               // a migration: written if it is missing; idemgen.lock holds it to its bytes
	Lock                 // idemgen.lock: ours, without a header
)

// once reports whether a file of the kind is left alone as soon as it exists.
func (k Kind) once() bool { return k == Scaffold || k == Frozen }
