package spec

import (
	"fmt"
	"regexp"
	"slices"
)

const auditSyntax = "TABLE by COL[, COL] [since DURATION] [time COL]"

// auditWord is a piece of the argument: a comma, or anything else between
// spaces and commas.
var auditWord = regexp.MustCompile(`,|[^\s,]+`)

// auditParser reads the argument of audit word by word.
type auditParser struct {
	errs  *Errors
	args  Directive
	words [][]int // start and end of each
	audit Audit
	since int // offset of the word since
}

func (b *builder) parseAudit(d Directive) {
	p := &auditParser{errs: &b.errs, args: d, words: auditWord.FindAllStringIndex(d.Args, -1)}
	p.audit.Pos = d.ArgsPos
	before := len(b.errs)
	p.parse()
	if len(b.errs) == before {
		b.h.Audit = &p.audit
	}
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

func (p *auditParser) keyword(word string) bool {
	if p.peek() != word {
		return p.unexpected(fmt.Sprintf("%q", word))
	}
	p.next()
	return true
}

// unexpected reports the next word, or the end, and returns false.
func (p *auditParser) unexpected(want string) bool {
	msg := fmt.Sprintf("%s is missing at the end", want)
	if word := p.peek(); word != "" {
		msg = fmt.Sprintf("%q stands where %s is expected", word, want)
	}
	p.errs.Add(p.pos(), msg, "write "+p.args.form().line("audit", auditSyntax))
	return false
}

// peek returns the next word; it is empty at the end.
func (p *auditParser) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.args.Args[p.words[0][0]:p.words[0][1]]
}

func (p *auditParser) next() string {
	word := p.peek()
	p.words = p.words[min(1, len(p.words)):]
	return word
}

// pos is the place of the next word, or of the end.
func (p *auditParser) pos() Pos {
	if len(p.words) == 0 {
		return p.args.at(len(p.args.Args))
	}
	return p.args.at(p.words[0][0])
}
