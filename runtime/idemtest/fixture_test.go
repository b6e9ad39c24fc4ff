package idemtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func notifyReal(testing.TB, DB) *Real[int] { return nil }

func TestFixtureNamed(t *testing.T) {
	for _, tt := range []struct {
		real          func(testing.TB, DB) *Real[int]
		args, renewed string
	}{
		{nil, "the fixture's arguments", ""},
		{func(testing.TB, DB) *Real[int] { return nil }, "the fixture's arguments", ""},
		{notifyReal, "the fixture's arguments (notifyArgs in fixture_test.go)",
			"; or, if fixture_test.go is older than the order, remove it, and idemgen generate writes another"},
	} {
		s := Suite[int]{Real: tt.real}
		if diff := cmp.Diff([]string{tt.args, tt.renewed}, []string{s.args(), s.renewed()}); diff != "" {
			t.Error(diff)
		}
	}
}
