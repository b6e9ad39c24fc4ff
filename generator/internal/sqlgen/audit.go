package sqlgen

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/parallel"
	"github.com/idemgen/idemgen/generator/internal/spec"
	"github.com/idemgen/idemgen/templates"
)

// auditFiles returns the audit queries: a file about the table of runs, and
// one for each handler with //idem:audit. It adds to errs what is wrong.
func auditFiles(s *spec.Spec, errs *spec.Errors) ([]File, error) {
	var files []File
	for _, d := range s.Config.Dialects {
		for _, emit := range []func() ([]File, error){
			func() ([]File, error) { return auditFolder(s, d, errs) },
			func() ([]File, error) { return upsertAudits(s, d) },
		} {
			made, err := emit()
			if err != nil {
				return nil, err
			}
			files = append(files, made...)
		}
	}
	return files, nil
}

// auditFolder returns one dialect's audit queries.
func auditFolder(s *spec.Spec, d spec.Dialect, errs *spec.Errors) ([]File, error) {
	handlers := handlersOf(s)
	if len(handlers) == 0 {
		return nil, nil
	}
	runs, err := templates.ParseTable(s.Config.Table)
	if err != nil {
		return nil, err
	}
	file := path.Join(s.Config.Folder(s.Config.AuditDir, d), runsName+".sql")
	about := runsAudit{Table: runs, File: clean(file), Kept: kept(handlers), Ordered: orders(handlers)}
	names := []string{"audit_runs.sql"}
	if about.Ordered != nil {
		names = append(names, "audit_order.sql")
	}
	text, err := renderSQL(d, about, names...)
	if err != nil {
		return nil, err
	}
	files := []File{{Path: file, Data: text}}
	audited := slices.DeleteFunc(handlers, func(h *spec.Handler) bool { return h.Audit == nil || !checkNames(h.Audit, errs) })
	for _, h := range audited {
		files = append(files, File{Path: AuditPath(s.Config, d, h)})
	}
	return files, parallel.Do(len(audited), func(i int) (err error) {
		f := &files[1+i]
		f.Data, err = handlerSQL(audited[i], d, s.Config.Table, f.Path)
		return err
	})
}

// handlersOf returns all handlers, sorted by namespace.
func handlersOf(s *spec.Spec) []*spec.Handler {
	var handlers []*spec.Handler
	for _, f := range s.Files {
		handlers = append(handlers, f.Handlers...)
	}
	slices.SortStableFunc(handlers, func(a, b *spec.Handler) int { return strings.Compare(a.Namespace, b.Namespace) })
	return handlers
}

// runsName is the name of the file about the table of runs, whatever the table
// is called.
const runsName = "job_runs"

// AuditPath returns the path of a handler's audit queries, slash-separated and
// relative to the root. Namespaces are unique and fit for file names; only
// the file about the runs can be in the way, and none has a +.
func AuditPath(cfg spec.Config, d spec.Dialect, h *spec.Handler) string {
	name := h.Namespace
	if name == runsName {
		name += "+handler"
	}
	return path.Join(cfg.Folder(cfg.AuditDir, d), name+".sql")
}

// runsAudit is the data of audit_runs.sql and audit_order.sql.
type runsAudit struct {
	templates.Table
	File    string // its path
	Kept    []retention
	Ordered []lease
}

// OrderNumber is that of the finding about entities, behind all others.
func (a runsAudit) OrderNumber() int {
	if a.Kept == nil {
		return 7
	}
	return 8
}

// Header is the file's first line.
func (a runsAudit) Header() string { return header(a.File, "") }

// Runs is the table's name.
func (a runsAudit) Runs() string { return a.Table.Table() }

// lease is how long a run of a handler holds its entity.
type lease struct {
	Namespace string
	Lease     span
}

// orders lists the handlers that have an order.
func orders(handlers []*spec.Handler) []lease {
	var list []lease
	for _, h := range handlers {
		if h.Order != nil {
			list = append(list, lease{h.Namespace, span(h.Lease)})
		}
	}
	return list
}

// retention is how long a handler's runs are kept.
type retention struct {
	Namespace string
	Retain    span
}

// kept lists the handlers whose runs are not kept for ever.
func kept(handlers []*spec.Handler) []retention {
	var list []retention
	for _, h := range handlers {
		if h.Retain > 0 {
			list = append(list, retention{h.Namespace, span(h.Retain)})
		}
	}
	return list
}

// renderSQL renders templates one below the other.
func renderSQL(d spec.Dialect, data any, names ...string) ([]byte, error) {
	var texts strings.Builder
	for i, name := range names {
		text, err := templates.Render(string(d), name, data)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			texts.WriteByte('\n')
		}
		texts.WriteString(strings.TrimSpace(text))
		texts.WriteByte('\n')
	}
	return wrapComments(texts.String()), nil
}

// span is a duration as the dialects write it. Zero is none.
type span time.Duration

// String writes it as a directive would: 30d, 2h.
func (s span) String() string { return spec.FormatDuration(time.Duration(s)) }

// Interval writes it for Postgres, in hours rather than days, which are 23
// or 25 hours long where clocks are changed.
func (s span) Interval() string {
	switch d := time.Duration(s); {
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	case d%time.Second == 0:
		return fmt.Sprintf("%d seconds", d/time.Second)
	default:
		return fmt.Sprintf("%d milliseconds", d.Milliseconds())
	}
}

// Seconds rounds it up.
func (s span) Seconds() int64 { return int64((time.Duration(s) + time.Second - 1) / time.Second) }

// Milliseconds is how SQLite's table of runs counts.
func (s span) Milliseconds() int64 { return time.Duration(s).Milliseconds() }
