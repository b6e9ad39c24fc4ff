package protocol

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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

// What beginning a task asks, and what it comes to.
func TestBeginTask(t *testing.T) {
	const least = time.Millisecond
	for _, tt := range []struct {
		name   string
		waits  []time.Duration // one for each time that it may be asked
		begins []int
		want   time.Duration
	}{
		{"not due", []time.Duration{time.Minute}, nil, time.Minute},
		{"due", []time.Duration{0}, []int{1}, 0},
		{"others were quicker", []time.Duration{-time.Minute, time.Hour}, []int{0}, time.Hour},
		{"others were quicker, and it is due again", []time.Duration{0, 0}, []int{0}, least},
	} {
		wait := func() (time.Duration, error) {
			left := tt.waits[0]
			tt.waits = tt.waits[1:]
			return left, nil
		}
		begin := func() (int, error) {
			begun := tt.begins[0]
			tt.begins = tt.begins[1:]
			return begun, nil
		}
		got, err := BeginTask(least, wait, begin)
		if err != nil || got != tt.want || len(tt.waits)+len(tt.begins) > 0 {
			t.Errorf("%s: %v, %v; not asked: %v and %v", tt.name, got, err, tt.waits, tt.begins)
		}
	}
	for failing := range 3 {
		calls := 0
		fail := func() error {
			calls++
			if calls-1 == failing {
				return errCut
			}
			return nil
		}
		_, err := BeginTask(least, func() (time.Duration, error) { return 0, fail() }, func() (int, error) { return 0, fail() })
		if !errors.Is(err, errCut) || calls != failing+1 {
			t.Errorf("error of call %d: %v after %d calls", failing, err, calls)
		}
	}
}
