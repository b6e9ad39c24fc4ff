package main

import "fmt"

// A rule is a kind of finding, for the formats that have such.
type rule struct {
	id     string
	is     status // of a file; empty for those of problems
	short  string
	what   string // what is wrong with such a file
	cure   string
	notice bool
}

const (
	commitCure = "run idemgen generate and commit what it writes"
	removeCure = "run idemgen generate, which removes it, and commit that"
)

var (
	invalidRule = rule{id: "invalid", short: "A directive, idemgen.yaml or what they need is not right.", cure: "do as the message says"}
	noticeRule  = rule{id: "notice", short: "Something you may want to know; it is not an error.", cure: "do as the message says", notice: true}

	// rules are all there are.
	rules = []rule{
		invalidRule,
		{id: "drifted", is: statusDrifted, short: "A generated file is not current.", what: "this file is not what is generated now", cure: commitCure},
		{id: "missing", is: statusMissing, short: "A generated file is missing.", what: "this file is generated, and is not there", cure: commitCure},
		{id: "left-over", is: statusLeftOver, short: "A generated file is left over.", what: "nothing generates this file any more", cure: removeCure},
		noticeRule,
	}
)

// ruleOf returns the rule of a file that is not as it should be.
func ruleOf(is status) rule {
	for _, r := range rules {
		if r.is == is {
			return r
		}
	}
	panic(fmt.Sprintf("no rule for %q", is))
}

// problem says what is wrong with a file that is not as it should be.
func (f file) problem() problem {
	r := ruleOf(f.Status)
	return problem{File: f.Path, Line: 1, Col: 1, Message: r.what, Cure: r.cure}
}
