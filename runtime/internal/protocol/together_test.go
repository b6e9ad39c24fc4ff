package protocol_test

import (
	"context"
	"errors"
	"testing"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/internal/protocol"
)

// crowd is a table whose many fail, and whose one is counted.
type crowd struct {
	stub
	err   error
	alone int
}

func (c *crowd) Insert(context.Context, idem.ClaimRequest) (idem.Record, bool, error) {
	c.alone++
	return idem.Record{}, true, nil
}

func (c *crowd) InsertAll(context.Context, []idem.ClaimRequest) ([]protocol.Found, error) {
	return nil, c.err
}
func (c *crowd) FindAll(context.Context, []idem.Key) ([]protocol.Found, error) { return nil, c.err }
func (c *crowd) CompleteAll(context.Context, []protocol.End) ([]bool, error)   { return nil, c.err }

// What came of many when the answer is lost is for each to find out, which has
// to know that it is open. Only what the database refused of all is asked again
// for each alone.
func TestErrorsOfManyAreTakenApartIfRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fate  protocol.Fate
		err   error
		alone int
	}{
		{"refused", protocol.Refused, errDown, 1},
		{"not now", protocol.NotNow, errDown, 1},
		{"unknown", protocol.Unknown, errDown, 0},
		{"not sent", protocol.NotNow, &protocol.UnsentError{Err: errDown}, 0},
	} {
		c := &crowd{stub: stub{fate: tt.fate}, err: tt.err}
		_, _, err := protocol.Coalesce(c, 1, true).Insert(t.Context(), idem.ClaimRequest{Key: "notify:1"})
		if c.alone != tt.alone || errors.Is(err, errDown) != (tt.alone == 0) {
			t.Errorf("%s: asked alone %d times, %v", tt.name, c.alone, err)
		}
	}
}
