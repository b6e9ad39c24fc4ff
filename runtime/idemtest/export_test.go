package idemtest

import (
	"fmt"
	"runtime"
	"testing"
)

// Try runs one scenario on a database, as a test of its own, and returns
// what that test failed with; "" if it passed.
func Try[R any](t *testing.T, s Suite[R], db DB, name string) string {
	t.Helper()
	if name == "keys" {
		return try(func(tb testing.TB) { s.checkKeys(tb) })
	}
	w := &trial[R]{Suite: s, db: db}
	if s.Real != nil {
		w.real = s.Real(t, db)
	}
	list := map[string]func(*trial[R], testing.TB){}
	for _, sc := range s.scenarios() {
		list[sc.name] = sc.run
	}
	for _, sc := range s.realScenarios() {
		list["real/"+sc.name] = sc.run
	}
	return try(func(tb testing.TB) { list[name](w, tb) })
}

func try(run func(testing.TB)) string {
	s := &standIn{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(s)
	}()
	<-done
	return s.failed
}

// standIn is a test that may fail.
type standIn struct {
	testing.TB
	failed string
}

func (*standIn) Helper() {}

func (s *standIn) Fatal(args ...any) { s.Fatalf("%s", fmt.Sprint(args...)) }

func (s *standIn) Fatalf(format string, args ...any) {
	s.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// SetRacers sets the flag -idem.n.
func SetRacers(text string) error {
	var c racerCount
	return c.Set(text)
}

// Overlap returns what is wrong with two versions that run at the same time.
func Overlap() string {
	d := &deck[int]{}
	d.enter(1)
	d.enter(2)
	return d.fault
}
