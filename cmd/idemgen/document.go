package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/idemgen/idemgen/generator"
)

// A document is all that a run of generate or check has to say. Its fields
// are what --format json prints. Paths are as seen from the working directory.
type document struct {
	Version int       `json:"version"` // of the format
	Errors  []problem `json:"errors"`
	Notices []problem `json:"notices"`
	Files   []file    `json:"files"`
}

// newDocument returns one that says nothing. JSON has no null for a list.
func newDocument() *document {
	return &document{Version: 1, Errors: []problem{}, Notices: []problem{}, Files: []file{}}
}

// problem is an error or a notice.
type problem struct {
	File    string `json:"file"` // empty if there is no place
	Line    int    `json:"line"`
	Col     int    `json:"col"` // in bytes
	Message string `json:"message"`
	Cure    string `json:"cure"`
}

// String is a line of text: the place, or else whose message it is.
func (p problem) String() string {
	if p.File == "" {
		return "idemgen: " + p.text()
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, p.text())
}

func (p problem) text() string {
	if p.Cure == "" {
		return p.Message
	}
	return p.Message + "; " + p.Cure
}

// file is one of the generated files.
type file struct {
	Path   string `json:"path"`
	Status status `json:"status"`
	Diff   string `json:"diff"`
}

// status says what became of a file, or what it is.
type status string

// The first three are of generate.
const (
	statusWrote     status = "wrote"
	statusRemoved   status = "removed"
	statusUnchanged status = "unchanged"
	statusDrifted          = status(generator.Drifted)
	statusMissing          = status(generator.Missing)
	statusLeftOver         = status(generator.LeftOver)
)

// finding reports whether the file is not as it should be.
func (f file) finding() bool {
	return f.Status == statusDrifted || f.Status == statusMissing || f.Status == statusLeftOver
}

// findings counts the files that are not as they should be.
func (d *document) findings() int {
	n := 0
	for _, f := range d.Files {
		if f.finding() {
			n++
		}
	}
	return n
}

// problems takes an error apart: one for each place, and one for whatever has
// none.
func problems(err error) []problem { return problemsIn(project{}, err) }

func problemsIn(p project, err error) []problem {
	var of projectError
	if errors.As(err, &of) {
		p, err = of.project, of.error
	}
	var joined interface{ Unwrap() []error }
	var placed generator.Errors
	var found []problem
	switch {
	case err == nil:
	case errors.As(err, &joined):
		for _, e := range joined.Unwrap() {
			found = append(found, problemsIn(p, e)...)
		}
	case errors.As(err, &placed):
		for _, e := range placed {
			found = append(found, p.problem(e))
		}
	case errors.Is(err, context.Canceled):
		found = append(found, problem{Message: "interrupted"})
	default:
		found = append(found, problem{Message: err.Error()})
	}
	return found
}

func (p project) problem(e *generator.Error) problem {
	return problem{File: p.rel(e.Pos.File), Line: e.Pos.Line, Col: e.Pos.Col, Message: e.Msg, Cure: e.Cure}
}
