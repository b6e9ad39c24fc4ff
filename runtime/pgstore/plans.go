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
	// knownFor is how long a table that had so many has them still: it would
	// have to lose all its rows, and be truncated, meanwhile.
	knownFor = 5 * time.Second
)

// plans says which statements to send: those that are planned each time, or,
// for a table that is known to be large, the same without that. The block that
// a row lies in tells how many pages the table has at least.
type plans struct {
	replanned statements

	mu    sync.Mutex
	large time.Time // when the table last was
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
	if now.Sub(p.large) > knownFor {
		p.turn++
		p.kept = p.keep()
	}
	p.large = now
}

// keep returns statements that no connection has a plan of yet: what was
// planned in a turn before may have been planned for a small table.
func (p *plans) keep() *statements {
	kept := p.replanned
	kept.insert, _, _ = strings.Cut(kept.insert, returning)
	for _, sql := range []*string{&kept.find, &kept.complete, &kept.findAll, &kept.completeAll} {
		*sql = fmt.Sprintf("%s /* %d */", strings.ReplaceAll(*sql, replan, "true"), p.turn)
	}
	return &kept
}

// untold returns a statement to insert a run with that does not tell what is left of
// its lease, nor where it lies, which saves a twentieth of a delivery. It is for a
// table that is known to be large, as long as that need not be seen anew.
func (p *plans) untold() (insert string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.large) > knownFor/2 {
		return "", false
	}
	return p.kept.insert, true
}

// current returns the statements to send.
func (p *plans) current() *statements {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.large) > knownFor {
		return &p.replanned
	}
	return p.kept
}
