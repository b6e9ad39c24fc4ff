package chaos

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// The environment says how much is done, and with which seed.
const (
	shareEnv = "IDEMGEN_CHAOS"
	seedEnv  = "IDEMGEN_CHAOS_SEED"
)

// The shares. That of CI takes at most two minutes, the short one, which is also
// that of the race detector, a third of it.
const (
	shareAll   = "all"
	shareCI    = "ci"
	shareShort = "short"
)

// share says how often each store meets each nemesis: in both modes together.
type share struct {
	name  string
	times map[string]int
	mode  bool // each store meets each nemesis in one mode, which the seed chooses
	short bool // not every store meets every nemesis
}

var shares = map[string]share{
	shareAll:   {name: shareAll, times: map[string]int{"kill -9": 1000, "SIGSTOP": 50, "cut": 500, "stop -m immediate": 20}},
	shareCI:    {name: shareCI, times: map[string]int{"kill -9": 40, "SIGSTOP": 4, "cut": 40, "stop -m immediate": 2}, mode: true},
	shareShort: {name: shareShort, times: map[string]int{"kill -9": 10, "SIGSTOP": 2, "cut": 20, "stop -m immediate": 2}, short: true},
}

// asked returns what the environment asks for.
func asked(t *testing.T) (share, uint64) {
	t.Helper()
	name := os.Getenv(shareEnv)
	if name == "" {
		name = shareCI
		if testing.Short() || raceDetector {
			name = shareShort
		}
	}
	s, known := shares[name]
	if !known {
		t.Fatalf("%s=%s; want %s, %s or %s", shareEnv, name, shareAll, shareCI, shareShort)
	}
	seed := rand.Uint64()
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	return s, seed
}

// scenarios returns the share's. In the short one each store, each mode and each
// nemesis comes, but not all of them together.
func (s share) scenarios(seed uint64) (list []scenario) {
	for i, each := range scenarios() {
		if s.short && i%5 != 0 || s.mode && each.tx != each.chosenMode(seed) {
			continue
		}
		each.times = max(1, s.times[each.nemesis.name]/2)
		list = append(list, each)
	}
	return list
}

// chosenMode is the same for both modes of a store and a nemesis.
func (s scenario) chosenMode(seed uint64) (tx bool) {
	s.tx = false
	return s.seed(seed)>>40%2 == 1
}
