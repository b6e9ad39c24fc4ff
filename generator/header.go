package generator

import (
	"bytes"
	"path"

	"github.com/idemgen/idemgen/generator/internal/gogen"
	"github.com/idemgen/idemgen/generator/internal/load"
	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/generator/internal/sqlgen"
)

// ownedName reports whether files of this name are ours if their header says
// so, even where nothing names them. A schema that idemgen.yaml does not name
// may be the developer's, by idemgen schema: its header cannot tell.
func ownedName(name string) bool {
	_, isGo := spec.SourceOf(name)
	return isGo || path.Ext(name) == ".sql"
}

// owned reports whether a file is ours: to be rewritten, and removed when it
// is left over. Its header has to say that it belongs where it lies, so that
// a copy is its maker's; only a schema's cannot, which may have any name. A
// checkout with CRLF and an unresolved merge change nothing, and neither does a
// source file whose name changed its case.
func owned(name string, data []byte) bool {
	if path.Ext(name) == ".sql" {
		return sqlgen.IsOutput(name, data)
	}
	if source, ok := spec.SourceOf(name); ok {
		return load.IsOutput(data) && bytes.Contains(bytes.ToLower(data), bytes.ToLower([]byte(gogen.Header(source))))
	}
	return isSchema(data)
}
