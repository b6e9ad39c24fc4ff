package generator

import (
	"bytes"
	"encoding/json"
	"sync"

	"github.com/idemgen/idemgen/generator/internal/load"
)

// schemaName is what Init calls the JSON Schema of idemgen.yaml. Another name
// in the first line of idemgen.yaml holds as well.
const schemaName = "idemgen.schema.json"

// Schema returns the JSON Schema of idemgen.yaml, by which editors complete
// and check it.
func Schema() []byte { return load.Schema() }

// emitSchema keeps the schema current that idemgen.yaml names.
func emitSchema(out *output) error {
	if name := out.spec.Config.Schema; name != "" {
		out.add(File{Path: name, Data: load.Schema()})
	}
	return nil
}

// schemaHeader is the comment by which a schema is ours: the JSON text that
// stands there for it.
var schemaHeader = sync.OnceValue(func() []byte {
	var schema struct {
		Comment json.RawMessage `json:"$comment"`
	}
	if err := json.Unmarshal(load.Schema(), &schema); err != nil {
		panic(err)
	}
	return schema.Comment
})

// isSchema reports whether a file is a schema of ours, of whatever version.
func isSchema(data []byte) bool { return bytes.Contains(data, schemaHeader()) }
