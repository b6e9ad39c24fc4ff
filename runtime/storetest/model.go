package storetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// anySequence makes random calls on one key and compares each answer, and
// the row after it, with a model that does without a database.
func anySequence(s *suite) {
	for seed := range uint64(6) {
		m := &model{suite: s, Rand: rand.New(rand.NewPCG(seed, 0)), key: idem.Key(fmt.Sprintf("notify:%d", seed))}
		for range 250 {
			m.step()
		}
	}
}

// model is the run of a key as the protocol has it. Times count from the
// model's beginning.
type model struct {
	*suite
	*rand.Rand
	key    idem.Key
	now    time.Duration
	run    *idem.Record // without Remaining; nil if there is none
	due    time.Duration
	ended  time.Duration
	tokens []idem.Token // of all claims that were granted
}

func (m *model) step() {
	m.Helper()
	what := ""
	switch m.IntN(8) {
	case 0, 1, 2:
		what = m.stepClaim()
	case 3:
		what = m.stepWrite("complete", m.complete)
	case 4:
		what = m.stepWrite("release", m.release)
	case 5:
		what = m.stepWrite("extend", m.extend)
	case 6:
		what = m.stepUpkeep()
	case 7:
		d := []time.Duration{tick, lease - tick, lease, retention + lease}[m.IntN(4)]
		m.Advance(d)
		m.now += d
		what = fmt.Sprintf("%v later", d)
	}
	if m.run == nil {
		m.wantAbsent(m.key)
		return
	}
	m.wantRecord("after "+what, m.lookup(m.key), m.want())
}

// want is the run as a claim or a lookup has to tell it.
func (m *model) want() idem.Record {
	rec := *m.run
	if rec.Status == idem.StatusRunning || rec.Status == idem.StatusWaiting {
		rec.Remaining = m.due - m.now
	}
	return rec
}

func (m *model) stepClaim() string {
	req := request(m.key)
	req.Redelivered = m.IntN(2) == 0
	req.Fingerprint = [][]byte{nil, values(1), values(1), values(2), differently}[m.IntN(5)]
	if len(m.tokens) > 0 && m.IntN(4) == 0 { // its answer was lost
		req.Owner = m.token().Owner
	}
	got := m.ask(req)
	m.claim(req)
	m.wantRecord("claim", got, m.want())
	if got.HeldBy(req.Owner) && !got.DiffersFrom(req.Fingerprint) {
		m.tokens = append(m.tokens, got.Token())
	}
	return "claim"
}

func (m *model) claim(req idem.ClaimRequest) {
	switch {
	case m.differ(req.Fingerprint):
		return
	case m.run == nil:
		m.run = &idem.Record{Key: m.key, Handler: handler, Attempt: 1}
	case m.run.HeldBy(req.Owner) && m.due-m.now > lease-lease/20:
		return // enough of its lease is left
	case m.run.HeldBy(req.Owner):
	case m.run.Status == idem.StatusWaiting && m.due <= m.now:
	case m.run.Status == idem.StatusRunning && m.due <= m.now:
		m.next()
	default:
		return
	}
	if m.usedUp() {
		m.end(idem.StatusDead)
		m.run.Owner = idem.Owner{}
		return
	}
	if m.run.Fingerprint == nil && !m.run.HeldBy(req.Owner) { // it is inserted or taken
		m.run.Fingerprint = req.Fingerprint
	}
	m.run.Status, m.run.Owner, m.due = idem.StatusRunning, req.Owner, m.now+lease
}

func (m *model) usedUp() bool { return m.run.Attempt-m.run.Holds > limit }

// differ knows the only two fingerprints that are of one definition, and not
// the same.
func (m *model) differ(asked []byte) bool {
	if m.run == nil {
		return false
	}
	pair := string(m.run.Fingerprint) + string(asked)
	return pair == string(values(1))+string(values(2)) || pair == string(values(2))+string(values(1))
}

// next counts an attempt whose lease ran out.
func (m *model) next() {
	m.run.Error = fmt.Sprintf("the lease of attempt %d ran out", m.run.Attempt)
	m.run.Attempt++
}

func (m *model) end(status idem.Status) { m.run.Status, m.ended = status, m.now }

// token is one of the last three claims': the holder's, or a zombie's.
func (m *model) token() idem.Token {
	last := m.tokens[max(0, len(m.tokens)-3):]
	return last[m.IntN(len(last))]
}

// stepWrite makes one write with a token, and has it refused just when the
// token holds nothing.
func (m *model) stepWrite(what string, write func(idem.Token) (again bool, err error)) string {
	if len(m.tokens) == 0 {
		return "nothing"
	}
	token := m.token()
	holds := m.holds(token)
	again, err := write(token)
	if holds || again {
		m.must(err)
	} else {
		m.wantLost(what, err)
	}
	return fmt.Sprintf("%s by attempt %d, which holds: %t", what, token.Attempt, holds)
}

func (m *model) holds(token idem.Token) bool {
	return m.run != nil && m.run.Status == idem.StatusRunning && m.run.Token() == token
}

func (m *model) complete(token idem.Token) (again bool, err error) {
	o := idem.Outcome{Status: idem.StatusDone, Result: fmt.Append(nil, m.Uint64())}
	if m.IntN(3) == 0 {
		o = idem.Outcome{Status: idem.StatusFailed, Error: fmt.Sprint(m.Uint64())}
	}
	err = m.Store.Complete(context.Background(), token, o)
	if m.holds(token) {
		m.end(o.Status)
		m.run.Result, m.run.Error = o.Result, o.Error
	}
	finished := m.run != nil && (m.run.Status == idem.StatusDone || m.run.Status == idem.StatusFailed)
	return finished && m.run.Token() == token, err
}

func (m *model) release(token idem.Token) (again bool, err error) {
	rel := idem.Release{Delay: time.Duration(m.IntN(2)) * lease, Error: fmt.Sprint(m.Uint64()), Attempts: limit, Hold: m.IntN(3) == 0}
	err = m.Store.Release(context.Background(), token, rel)
	if m.holds(token) {
		m.run.Status, m.run.Owner, m.due = idem.StatusWaiting, idem.Owner{}, m.now+rel.Delay
		m.run.Attempt, m.run.Error = m.run.Attempt+1, rel.Error
		if rel.Hold {
			m.run.Holds++
		}
		if m.usedUp() {
			m.end(idem.StatusDead)
		}
	}
	return false, err
}

func (m *model) extend(token idem.Token) (again bool, err error) {
	d := time.Duration(m.IntN(3)+1) * lease
	err = m.Store.Extend(context.Background(), token, d)
	if m.holds(token) {
		m.due = m.now + d
	}
	return false, err
}

func (m *model) stepUpkeep() string {
	if m.IntN(2) == 0 {
		m.sweepAll()
		if m.run != nil && m.run.Status == idem.StatusRunning && m.due <= m.now {
			m.next()
			m.run.Status, m.run.Owner, m.due = idem.StatusWaiting, idem.Owner{}, m.now
		}
		return "sweep"
	}
	m.purgeAll()
	if m.run != nil && m.purgeable() {
		m.run = nil
	}
	return "purge"
}

func (m *model) purgeable() bool {
	switch m.run.Status {
	case idem.StatusRunning:
		return false
	case idem.StatusWaiting:
		return m.due < m.now-retention
	}
	return m.ended < m.now-retention
}
