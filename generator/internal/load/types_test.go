package load

import "testing"

// Messages of the type-checker that are about packages have a cure.
func TestTypeCure(t *testing.T) {
	for msg, want := range map[string]string{
		"package requires newer Go version go1.27 (application built with go1.26)":                "update idemgen, or build it with go1.27",
		"package shop; expected package other":                                                    onePackageCure,
		"could not import a.b/c (no required module provides package a.b/c; to add it:)":          "run go get a.b/c, or mend the import",
		"could not import a.b/c (cannot find module providing package a.b/c: disabled)":           "run go get a.b/c, or mend the import",
		"could not import strngs (package strngs is not in std (/go/src/strngs))":                 "mend the import: there is no such package",
		"could not import a.b/c (build constraints exclude all Go files in /go/pkg/mod/a.b/c@v1)": "go build a.b/c has to take it",
		"undefined: A": "",
	} {
		if got := typeCure(msg); got != want {
			t.Errorf("%s: %q, want %q", msg, got, want)
		}
	}
}
