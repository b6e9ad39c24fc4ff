package runtime

import "errors"

// Answer is what a delivery was answered, for observers and logs.
type Answer uint8

// The answers.
const (
	AnswerRunning    Answer = iota // none yet: the handler is at work
	AnswerDone                     // the handler ran and its result is recorded
	AnswerFailed                   // the handler said Permanent
	AnswerHeld                     // the handler said RetryAfter
	AnswerRetry                    // any other error or a panic: the run waits for the next delivery
	AnswerDead                     // the same, and its attempts are used up
	AnswerLeaseLost                // somebody else has the key, and what the handler returned, if it ran, is not recorded
	AnswerReplayed                 // a stored result
	AnswerStale                    // a newer version was applied before; the handler did not run
	AnswerRefused                  // a stored failure, a dead run, other work under the key, no result
	AnswerInProgress               // come back later
	AnswerUnknown                  // the store failed, or its answer was lost for good
)

var answers = [...]string{
	"running", "done", "failed", "held", "retry", "dead", "lease_lost", "replayed", "stale", "refused", "in_progress", "unknown",
}

// String returns the answer's name in logs and metrics, such as in_progress.
func (a Answer) String() string { return answers[a] }

// claimAnswer is what a claim was answered that did not get the key.
func claimAnswer(err error) Answer {
	switch {
	case err == nil:
		return AnswerReplayed
	case errors.Is(err, ErrInProgress):
		return AnswerInProgress
	case errors.Is(err, ErrStale):
		return AnswerStale
	case errors.Is(err, ErrLeaseLost):
		return AnswerLeaseLost
	case errors.Is(err, ErrFailed), errors.Is(err, ErrDead), errors.Is(err, ErrKeyReuse), errors.Is(err, ErrResultNotStored):
		return AnswerRefused
	}
	return AnswerUnknown
}

// recorded is an answer if it could be recorded.
func recorded(answer Answer, err error) Answer {
	switch {
	case err == nil:
		return answer
	case errors.Is(err, ErrLeaseLost):
		return AnswerLeaseLost
	}
	return AnswerUnknown
}
