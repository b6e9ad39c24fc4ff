// Package parallel runs the same for many things at once. It imports the
// standard library only.
package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Do calls do with the numbers below n, as many at a time as there are
// processors, and begins them in their order. Of the errors it returns that of
// the lowest number.
func Do(n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = do(i)
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
