package spec

import "fmt"

const upsertSyntax = "TABLE by COL[, COL] [version COL] [nulls same | distinct]"

// Word is a piece of what a front end says, and its place.
type Word struct {
	Text string
	Pos  Pos
}

// UpsertArgs is what a front end says of an upsert: the words of a directive, or
// the fields of an entry in idemgen.yaml.
type UpsertArgs struct {
	YAML    bool
	Table   Word
	By      []Word
	Version Word // empty if there is none
	Nulls   Word // empty if nothing is said

	errs Errors
}

// Check looks at the names, which are then fit for SQL or reported.
func (a *UpsertArgs) Check() {
	check := func(word Word, err *Error) {
		if err != nil {
			a.errs.Add(word.Pos, err.Msg, err.Cure)
		}
	}
	check(a.Table, CheckTable(a.Table.Text))
	seen := map[string]bool{}
	for _, word := range a.By {
		check(word, CheckColumn(word.Text))
		if seen[word.Text] {
			a.errs.Add(word.Pos, fmt.Sprintf("the column %s is named twice", word.Text), "name it once")
		}
		seen[word.Text] = true
	}
	if a.Version.Text != "" {
		check(a.Version, CheckColumn(a.Version.Text))
	}
}

// ParseUpsert reads the argument of //idem:upsert. What is wrong is reported by
// [NewUpsert].
func ParseUpsert(d Directive) UpsertArgs {
	p := &upsertParser{argWords: newArgWords(d, upsertSyntax)}
	if d.Args == "" {
		p.errs.Add(d.ArgsPos, d.written()+" has no argument", "write "+d.form().line(d.Name, upsertSyntax))
	} else if p.parse() {
		p.args.Check()
	}
	p.args.errs = append(p.errs, p.args.errs...)
	return p.args
}

// parseUpsert checks an argument in a comment that may be meant as a directive: above
// a function there is none.
func (b *builder) parseUpsert(d Directive) { b.errs = append(b.errs, ParseUpsert(d).errs...) }

// upsertParser reads the argument word by word.
type upsertParser struct {
	argWords
	args UpsertArgs
}

func (p *upsertParser) parse() bool {
	if p.peek() == "by" {
		return p.unexpected("a table")
	}
	p.args.Table = p.word()
	if !p.keyword("by") || !p.columns() {
		return false
	}
	for len(p.words) > 0 {
		if !p.clause() {
			return false
		}
	}
	return true
}

func (p *upsertParser) columns() bool {
	for {
		if next := p.peek(); next == "" || next == "," {
			return p.unexpected("a column")
		}
		p.args.By = append(p.args.By, p.word())
		if p.peek() != "," {
			return true
		}
		p.next()
	}
}

// clause reads version COL, or nulls same or distinct, each at most once.
func (p *upsertParser) clause() bool {
	switch word := p.peek(); {
	case word == "version" && p.args.Version.Text == "":
		p.next()
		if next := p.peek(); next == "" || next == "," {
			return p.unexpected("a column")
		}
		p.args.Version = p.word()
		return true
	case word == "nulls" && p.args.Nulls.Text == "":
		p.next()
		if next := Nulls(p.peek()); next != NullsSame && next != NullsDistinct {
			return p.unexpected("same or distinct")
		}
		p.args.Nulls = p.word()
		return true
	}
	return p.unexpected("a comma and a column, version, or nulls")
}

func (p *upsertParser) word() Word {
	at := p.pos()
	return Word{p.next(), at}
}
