package spec

import (
	"fmt"
	"regexp"
)

// argWord is a piece of an argument: a comma, or anything else between spaces
// and commas.
var argWord = regexp.MustCompile(`,|[^\s,]+`)

// argWords reads an argument word by word.
type argWords struct {
	args   Directive
	syntax string
	words  [][]int // start and end of each that is left
	errs   Errors
}

func newArgWords(d Directive, syntax string) argWords {
	return argWords{args: d, syntax: syntax, words: argWord.FindAllStringIndex(d.Args, -1)}
}

func (p *argWords) keyword(word string) bool {
	if p.peek() != word {
		return p.unexpected(fmt.Sprintf("%q", word))
	}
	p.next()
	return true
}

// unexpected reports the next word, or the end, and returns false.
func (p *argWords) unexpected(want string) bool {
	msg := fmt.Sprintf("%s is missing at the end", want)
	if word := p.peek(); word != "" {
		msg = fmt.Sprintf("%q stands where %s is expected", word, want)
	}
	p.errs.Add(p.pos(), msg, "write "+p.args.form().line(p.args.Name, p.syntax))
	return false
}

// peek returns the next word; it is empty at the end.
func (p *argWords) peek() string {
	if len(p.words) == 0 {
		return ""
	}
	return p.args.Args[p.words[0][0]:p.words[0][1]]
}

func (p *argWords) next() string {
	word := p.peek()
	p.words = p.words[min(1, len(p.words)):]
	return word
}

// pos is the place of the next word, or of the end.
func (p *argWords) pos() Pos {
	if len(p.words) == 0 {
		return p.args.at(len(p.args.Args))
	}
	return p.args.at(p.words[0][0])
}
