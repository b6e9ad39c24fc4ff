package parallel

import (
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
)

// Every number is called once, and of the errors the first one counts,
// whichever comes first.
func TestDo(t *testing.T) {
	for _, n := range []int{0, 1, 7, 1000} {
		calls := make([]atomic.Int32, n)
		err := Do(n, func(i int) error {
			calls[i].Add(1)
			if i%3 == 2 {
				return errors.New(strconv.Itoa(i))
			}
			return nil
		})
		for i := range calls {
			if got := calls[i].Load(); got != 1 {
				t.Errorf("of %d, %d was called %d times", n, i, got)
			}
		}
		if n > 2 && (err == nil || err.Error() != "2") || n <= 2 && err != nil {
			t.Errorf("of %d: error %v", n, err)
		}
	}
}
