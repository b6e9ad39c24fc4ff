package sqlgen

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/idemgen/idemgen/generator/internal/spec"
	idem "github.com/idemgen/idemgen/runtime"
)

// handlerAudit is the data of a handler's audit queries. Names of the user's
// are quoted where they have to be.
type handlerAudit struct {
	Header, File, Handler, KeyFunc, Namespace string
	Runs, Table, Time                         string
	Columns                                   auditColumns
	NotNull                                   auditColumns // those where NULL is a finding
	Since, Retain                             span

	// Where rows can be matched with runs by key:
	Shown   []shownColumn // the columns, and the time
	Parts   []keyColumn
	Key     string // joins the parts
	Mapping string // which column is which placeholder, in words

	WhyNot string // where they cannot
}

// Window is the shorter one of Since and Retain, of those that are set.
func (a handlerAudit) Window() span {
	if a.Since == 0 || (a.Retain != 0 && a.Retain < a.Since) {
		return a.Retain
	}
	return a.Since
}

// Margin is by how much the window of the runs is shorter than that of the
// rows, so that clocks that differ make no findings.
func (a handlerAudit) Margin() span { return min(span(time.Hour), a.Since/2) }

// MaxBytes is the length of the longest key.
func (handlerAudit) MaxBytes() int { return idem.MaxKeyBytes }

// KeptBytes is how much of its beginning a longer key keeps, at most.
func (handlerAudit) KeptBytes() int { return idem.MaxKeyBytes - len("%sha256-") - 64 }

// handlerSQL returns a handler's audit queries in a dialect.
func handlerSQL(h *spec.Handler, d spec.Dialect, runs, file string) ([]byte, error) {
	a := handlerAudit{
		Header:    header(file, h.File.Path),
		File:      clean(file),
		Handler:   h.Func,
		KeyFunc:   h.KeyFunc(),
		Namespace: h.Namespace,
		Runs:      quote(d, runs),
		Table:     quote(d, h.Audit.Table),
		Time:      quote(d, h.Audit.Time),
		Since:     span(h.Audit.Since),
		Retain:    span(h.Retain),
	}
	parts, whyNot := matchColumns(h)
	if whyNot == "" {
		whyNot = inexact(d, parts)
	}
	if err := a.setColumns(h.Audit.Columns, d, parts); err != nil {
		return nil, err
	}
	second := "audit_by_key.sql"
	switch {
	case whyNot == "":
		if err := a.setKey(d, parts); err != nil {
			return nil, err
		}
	case a.Time != "":
		second = "audit_by_day.sql"
	default:
		second = "audit_by_total.sql"
	}
	a.WhyNot = whyNot
	return renderSQL(d, a, "audit_handler.sql", second)
}

// checkNames is the last gate before SQL; the front end has checked them
// with better words.
func checkNames(a *spec.Audit, errs *spec.Errors) bool {
	before := len(*errs)
	names := slices.Clone(a.Columns)
	if a.Time != "" {
		names = append(names, a.Time)
	}
	for _, name := range names {
		if err := spec.CheckColumn(name); err != nil {
			errs.Add(a.Pos, err.Msg, err.Cure)
		}
	}
	if err := spec.CheckTable(a.Table); err != nil {
		errs.Add(a.Pos, err.Msg, err.Cure)
	}
	return len(*errs) == before
}

// setKey fills in what the queries by key need.
func (a *handlerAudit) setKey(d spec.Dialect, parts []matched) error {
	a.show()
	var key, mapping []string
	for _, m := range parts {
		if m.column == "" {
			key = append(key, literal(m.part.Literal))
			continue
		}
		column, err := m.keyColumn(d, len(a.Parts)+1)
		if err != nil {
			return err
		}
		a.Parts = append(a.Parts, column)
		key = append(key, m.inKey(column.Name))
		mapping = append(mapping, m.words())
	}
	a.Key = strings.Join(key, " || ")
	a.Mapping = strings.Join(mapping, " and ")
	return nil
}

// show lists what the queries by key show of a row.
func (a *handlerAudit) show() {
	var names []string
	for _, c := range a.Columns {
		names = append(names, c.Name)
	}
	if a.Time != "" && !slices.Contains(names, a.Time) {
		names = append(names, a.Time)
	}
	for i, name := range names {
		a.Shown = append(a.Shown, shownColumn{Name: name, Alias: fmt.Sprintf("column_%d", i+1)})
	}
}

// shownColumn is a column of the user's, and what the queries by key call it
// until they show it.
type shownColumn struct{ Name, Alias string }
