package spec

import (
	"fmt"
	"slices"
)

const auditSyntax = "TABLE by COL[, COL] [since DURATION] [time COL]"

// auditParser reads the argument of audit word by word.
type auditParser struct {
	argWords
	audit Audit
	since int // offset of the word since
}

func (b *builder) parseAudit(d Directive) {
	p := &auditParser{argWords: newArgWords(d, auditSyntax)}
	p.audit.Pos = d.ArgsPos
	p.parse()
	if p.errs == nil {
		b.h.Audit = &p.audit
	}
	b.errs = append(b.errs, p.errs...)
}

// parse stops at the first word that does not fit; names that are wrong in
// themselves are all reported.
func (p *auditParser) parse() {
	if p.peek() == "by" {
		p.unexpected("a table")
		return
	}
	p.audit.Table = p.name(func(name string) *Error { return CheckTable(name) })
	if !p.keyword("by") || !p.columns() {
		return
	}
	for len(p.words) > 0 {
		if !p.clause() {
			return
		}
	}
	if p.audit.Since != 0 && p.audit.Time == "" {
		p.errs.Add(p.args.at(p.since), "since has no column to look at",
			`add "time COL", the column that says when the row was written`)
	}
}

// columns reads COL[, COL].
func (p *auditParser) columns() bool {
	for {
		if next := p.peek(); next == "" || next == "," {
			return p.unexpected("a column")
		}
		at := p.pos()
		column := p.name(CheckColumn)
		if slices.Contains(p.audit.Columns, column) {
			p.errs.Add(at, fmt.Sprintf("the column %s is named twice", column), "name it once")
		}
		p.audit.Columns = append(p.audit.Columns, column)
		if p.peek() != "," {
			return true
		}
		p.next()
	}
}

// clause reads since DURATION or time COL, each at most once.
func (p *auditParser) clause() bool {
	start := p.words[0][0]
	switch word := p.peek(); {
	case word == "since" && p.audit.Since == 0:
		p.next()
		return p.sinceClause(start)
	case word == "time" && p.audit.Time == "":
		p.next()
		if len(p.words) == 0 {
			return p.unexpected("a column")
		}
		p.audit.Time = p.name(CheckColumn)
		return true
	}
	return p.unexpected("a comma and a column, since, or time")
}

func (p *auditParser) sinceClause(start int) bool {
	if len(p.words) == 0 {
		return p.unexpected("a duration")
	}
	at := p.pos()
	since, err := ParseDuration(p.next())
	if err != nil {
		p.errs.Add(at, err.Msg, err.Cure)
		return false
	}
	p.audit.Since, p.since = since, start
	return true
}

// name reads a name and reports what is wrong with it.
func (p *auditParser) name(check func(string) *Error) string {
	at, name := p.pos(), p.next()
	if err := check(name); err != nil {
		p.errs.Add(at, err.Msg, err.Cure)
	}
	return name
}
