package pgstore

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

const (
	// manyPages is how many pages a table has to have so that a plan which is
	// made for any parameters searches its index, whatever the statistics say.
	manyPages = 16
	// manyPagesForMany is the same for statements that find many rows: the planner
	// takes those for some ten, for which a larger table may be scanned.
	manyPagesForMany = 64
	// knownFor is how long a table that had so many has them still: it would
	// have to lose all its rows, and be truncated, meanwhile.
	knownFor = 5 * time.Second
)

// plans says which statements to send: those that are planned each time, or,
// for a table that is known to be large, the same without that. The block that
// a row lies in tells how many pages the table has at least.
type plans struct {
	replanned statements

	mu   sync.Mutex
	one  known // for statements about one run
	many known // for those about many
}

// known is what is known of a table.
type known struct {
	large time.Time // when it last was
	turn  int
	kept  *statements
}

// see notes the block of a row.
func (p *plans) see(block uint32) {
	if block < manyPages {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.one.see(now, &p.replanned)
	if block >= manyPagesForMany {
		p.many.see(now, &p.replanned)
	}
}

func (k *known) see(now time.Time, replanned *statements) {
	if now.Sub(k.large) > knownFor {
		k.turn++
		k.kept = keep(*replanned, k.turn)
	}
	k.large = now
}

// keep returns statements that no connection has a plan of yet: what was
// planned in a turn before may have been planned for a small table.
func keep(kept statements, turn int) *statements {
	kept.insert, _, _ = strings.Cut(kept.insert, returning)
	for _, sql := range []*string{&kept.find, &kept.complete, &kept.findAll, &kept.completeAll} {
		*sql = fmt.Sprintf("%s /* %d */", strings.ReplaceAll(*sql, replan, "true"), turn)
	}
	return &kept
}

// untold returns a statement to insert a run with that does not tell what is left of
// its lease, nor where it lies, which saves a twentieth of a delivery. It is for a
// table that is known to be large, as long as that need not be seen anew.
func (p *plans) untold() (insert string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.one.large) > knownFor/2 {
		return "", false
	}
	return p.one.kept.insert, true
}

// current returns the statements to send about one run.
func (p *plans) current() *statements { return p.of(&p.one) }

// forMany returns those about many.
func (p *plans) forMany() *statements { return p.of(&p.many) }

func (p *plans) of(k *known) *statements {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(k.large) > knownFor {
		return &p.replanned
	}
	return k.kept
}
