package pgstore

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Of a table that is known to be large, the statements have plans that are kept, and
// claims are not told where their row lies until that is to be seen anew.
func TestWhatIsKnownOfALargeTable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &plans{replanned: newStatements("job_runs", "clock_timestamp()")}
		want := func(what string, kept, untold bool) {
			t.Helper()
			insert, ok := p.untold()
			if got := !strings.Contains(p.current().complete, replan); got != kept || ok != untold || ok && strings.Contains(insert, "RETURNING") {
				t.Errorf("%s: plans kept: %v, want %v; untold: %v, want %v, by %s", what, got, kept, ok, untold, insert)
			}
		}
		wantMany := func(what string, kept bool) {
			t.Helper()
			if got := !strings.Contains(p.forMany().completeAll, replan); got != kept {
				t.Errorf("%s: plans for many kept: %v, want %v", what, got, kept)
			}
		}
		want("at first", false, false)
		p.see(manyPages - 1)
		want("small", false, false)
		p.see(manyPages)
		want("large", true, true)
		wantMany("large", false)
		p.see(manyPagesForMany - 1)
		wantMany("larger", false)
		p.see(manyPagesForMany)
		wantMany("large enough for many", true)
		first := p.current().complete
		time.Sleep(knownFor / 2)
		want("soon after", true, true)
		time.Sleep(time.Nanosecond)
		want("for long", true, false)
		p.see(manyPages)
		want("seen anew", true, true)
		if p.current().complete != first {
			t.Error("the plans were not kept")
		}
		time.Sleep(knownFor + 1)
		want("for too long", false, false)
		wantMany("for too long", false)
		p.see(manyPages)
		want("large again", true, true)
		if p.current().complete == first {
			t.Error("plans were kept of a table that may have been small meanwhile")
		}
	})
}
