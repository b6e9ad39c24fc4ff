package generator

import (
	"path"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// output is what the emitters read and fill.
type output struct {
	root  string
	spec  *spec.Spec
	up    map[spec.Dialect][]string // migrations, in their order
	index map[*spec.Upsert]map[spec.Dialect][]string
	files []File
}

func (o *output) add(f File) { o.files = append(o.files, f) }

// goFiles returns the Go files by path.
func (o *output) goFiles() map[string][]byte {
	files := map[string][]byte{}
	for _, f := range o.files {
		if path.Ext(f.Path) == ".go" {
			files[f.Path] = f.Data
		}
	}
	return files
}
