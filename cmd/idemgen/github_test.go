package main

import (
	"strings"
	"testing"
)

// What GitHub takes for the end of a property, of the properties or of the
// line does not end them.
func TestWorkflowCommand(t *testing.T) {
	for _, tt := range []struct {
		problem
		want string
	}{
		{problem{File: "a:b,c%,\r\nd.go", Line: 3, Col: 4, Message: "x::y, 5%\r\nz", Cure: "mend it"},
			"::error file=a%3Ab%2Cc%25%2C%0D%0Ad.go,line=3,col=4,title=idemgen%3A invalid::x::y, 5%25%0D%0Az; mend it\n"},
		{problem{Message: "disk full"}, "::error title=idemgen%3A invalid::disk full\n"},
	} {
		var b strings.Builder
		workflowCommand(&b, "error", invalidRule, tt.problem)
		if b.String() != tt.want {
			t.Errorf("got %q, want %q", &b, tt.want)
		}
	}
}
