package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// upkeepTable is a table in memory, some of whose rows cannot be written.
type upkeepTable struct {
	rows       []Place         // that are due
	refused    map[string]bool // with an error
	silent     map[string]bool // without one: a trigger or a policy leaves them out
	down       error           // of every write
	statements int
}

var errRefused = errors.New("refused")

func (u *upkeepTable) find(_ context.Context, behind Behind, limit int) (found []Place, err error) {
	u.statements++
	for _, row := range u.rows {
		if row.Created >= behind.Created && !slices.Contains(behind.Except, row.Key) {
			found = append(found, row)
		}
	}
	slices.SortStableFunc(found, func(a, b Place) int { return cmp.Compare(a.Created, b.Created) })
	return found[:min(limit, len(found))], nil
}

func (u *upkeepTable) write(_ context.Context, keys []string) (int, error) {
	u.statements++
	if u.down != nil {
		return 0, u.down
	}
	for _, key := range keys {
		if u.refused[key] {
			return 0, errRefused
		}
	}
	before := len(u.rows)
	u.rows = slices.DeleteFunc(u.rows, func(row Place) bool { return slices.Contains(keys, row.Key) && !u.silent[row.Key] })
	return before - len(u.rows), nil
}

func (u *upkeepTable) upkeep() Upkeep { return Upkeep{Find: u.find, Write: u.write} }

// newUpkeepTable has rows that were created by so many at one moment.
func newUpkeepTable(rows, together int, refused ...int) *upkeepTable {
	u := &upkeepTable{refused: map[string]bool{}, silent: map[string]bool{}}
	for i := range rows {
		u.rows = append(u.rows, Place{Key: fmt.Sprint("k", i), Created: int64(i / together)})
	}
	for _, i := range refused {
		u.refused[fmt.Sprint("k", i)] = true
	}
	return u
}

func TestUpkeepComesToTheLast(t *testing.T) {
	const rows = 3500
	refused := []int{0, 1, 999, 1000, 1001, 2600, 3498, 3499}
	for _, together := range []int{1, 7, 1500, rows} {
		u := newUpkeepTable(rows, together, refused...)
		n, err := u.upkeep().Run(t.Context(), rows)
		if n != rows-len(refused) || len(u.rows) != len(refused) {
			t.Errorf("%d together: wrote %d of %d, and %d are left", together, n, rows, len(u.rows))
		}
		if !errors.Is(err, errRefused) || !strings.Contains(err.Error(), "8 runs") {
			t.Errorf("%d together: %v", together, err)
		}
		// Four batches, and for each refused row the halves that it was in, with
		// the question whether it is the row.
		if most := 10 + len(refused)*4*11; u.statements > most {
			t.Errorf("%d together: %d statements, more than %d", together, u.statements, most)
		}
	}
}

func TestUpkeepLimit(t *testing.T) {
	u := newUpkeepTable(2500, 1, 0, 1200)
	for _, limit := range []int{0, -1, 1, 1100, 999, 9999} {
		before := len(u.rows)
		n, err := u.upkeep().Run(t.Context(), limit)
		if want := max(0, min(limit, before-2)); n != want || before-len(u.rows) != want || (err != nil) != (limit > 0) {
			t.Errorf("limit %d: wrote %d, want %d; %v", limit, n, want, err)
		}
	}
}

// What is left out in silence is not found for ever.
func TestUpkeepSilentRows(t *testing.T) {
	u := newUpkeepTable(2500, 1250)
	for i := range 1100 {
		u.silent[fmt.Sprint("k", i)] = true
	}
	n, err := u.upkeep().Run(t.Context(), 5000)
	if n != 1400 || err != nil || u.statements > 10 {
		t.Errorf("wrote %d in %d statements, %v", n, u.statements, err)
	}
}

// An error that no row is to blame for ends it at once.
func TestUpkeepOfABrokenTable(t *testing.T) {
	u := newUpkeepTable(2500, 1)
	u.down = errors.New("permission denied")
	n, err := u.upkeep().Run(t.Context(), 5000)
	if n != 0 || err == nil || err.Error() != "permission denied" || u.statements != 3 {
		t.Errorf("%d, %v after %d statements", n, err, u.statements)
	}
}
