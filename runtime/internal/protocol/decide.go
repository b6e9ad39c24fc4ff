package protocol

import idem "github.com/idemgen/idemgen/runtime"

// step is what a claim does with a run that exists.
type step int

const (
	answer step = iota // return it as it is
	hold               // it is the caller's own
	take               // become its holder
	bury               // its attempts are used up
)

// decide tells what a claim does with a run, and the attempt that the run
// then has. The write that follows checks again that the run is as seen.
func decide(rec *idem.Record, req *idem.ClaimRequest) (step, int) {
	attempt := rec.Attempt
	switch {
	case rec.Handler != req.Handler, rec.DiffersFrom(req.Fingerprint):
		return answer, attempt
	case rec.HeldBy(req.Owner):
		return hold, attempt
	case rec.Remaining > 0:
		return answer, attempt
	case rec.Status == idem.StatusRunning: // its lease is over: a takeover
		attempt++
	case rec.Status != idem.StatusWaiting:
		return answer, attempt
	}
	if attempt-rec.Holds > req.Attempts {
		return bury, attempt
	}
	return take, attempt
}
