package sqlgen

import (
	"path"
	"strings"

	"github.com/idemgen/idemgen/generator/internal/spec"
)

// upsertAudit is the data of audit_upsert.sql.
type upsertAudit struct {
	naturalKey
	Header, File string
	Unsaid       bool // nobody says what a NULL in the key means
}

// UpsertAuditPath returns the path of an upsert's audit queries, slash-separated
// and relative to the root. Namespaces of handlers have no + in them.
func UpsertAuditPath(cfg spec.Config, d spec.Dialect, u *spec.Upsert) string {
	name := strings.Join(append([]string{u.Table}, u.By...), "+")
	return path.Join(cfg.Folder(cfg.AuditDir, d), name+".sql")
}

// upsertAudits returns the audit queries of all upserts. Several types may be
// rows of one table.
func upsertAudits(s *spec.Spec, d spec.Dialect) ([]File, error) {
	var files []File
	seen := map[string]bool{}
	for _, u := range upsertsOf(s) {
		file := UpsertAuditPath(s.Config, d, u)
		if seen[file] {
			continue
		}
		seen[file] = true
		data := upsertAudit{naturalKey: keyOf(d, u), Header: header(file, u.File.Path), File: clean(file), Unsaid: u.Nulls == spec.NullsUnsaid}
		text, err := renderSQL(d, data, "audit_upsert.sql")
		if err != nil {
			return nil, err
		}
		files = append(files, File{Path: file, Data: text})
	}
	return files, nil
}

// upsertsOf returns all upserts, in the order of their files.
func upsertsOf(s *spec.Spec) []*spec.Upsert {
	var all []*spec.Upsert
	for _, f := range s.Files {
		all = append(all, f.Upserts...)
	}
	return all
}
