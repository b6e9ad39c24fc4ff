package spec

import (
	"fmt"
	"time"
)

// retention checks that a finished run is kept long enough: as long as a
// lease, since a run that is purged while a zombie still works would run
// again, and as long as the broker redelivers. Where both are the project's
// defaults, the config's own check has said so.
func (b *builder) retention(redelivery time.Duration) {
	if b.h.Retain == 0 {
		return
	}
	if b.h.Retain < b.h.Lease {
		b.belowLease()
	}
	if retain, ok := b.given["retain"]; ok && b.h.Retain < redelivery {
		b.errs.Add(retain.ArgsPos, fmt.Sprintf("retain %s is shorter than the broker's redelivery, %s: a delivery that comes after the purge would run again",
			FormatDuration(b.h.Retain), FormatDuration(redelivery)),
			fmt.Sprintf("write %s or more", b.form.line("retain", FormatDuration(redelivery))))
	}
}

func (b *builder) belowLease() {
	retain, retainGiven := b.given["retain"]
	lease, leaseGiven := b.given["lease"]
	msg := fmt.Sprintf("retain %s is shorter than lease %s", FormatDuration(b.h.Retain), FormatDuration(b.h.Lease))
	const cure = "keep finished runs at least as long as a claim holds"
	switch {
	case retainGiven:
		b.errs.Add(retain.ArgsPos, msg, cure)
	case leaseGiven:
		b.errs.Add(lease.ArgsPos, msg, cure+": add "+b.form.name("retain"))
	}
}
