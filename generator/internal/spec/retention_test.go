package spec

import (
	"testing"
	"time"
)

// A bad default of the project is told once, by the config, not by every
// handler that keeps to it.
func TestRetentionAgainstDefaults(t *testing.T) {
	const cure = "keep finished runs at least as long as a claim holds"
	for _, c := range []struct {
		name, directives string
		retain           time.Duration
		want             []string
	}{
		{"a longer lease", "//idem:lease §20d\n", 10 * day, []string{"retain 10d is shorter than lease 20d; " + cure + ": add //idem:retain"}},
		{"as long", "//idem:lease 20d\n", 20 * day, nil},
		{"for ever", "//idem:lease 20d\n", 0, nil},
		{"both by default", "", time.Minute, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, marks := unmark("jobs/notify.go", header+"//idem:key a:{event.ID}\n"+c.directives+notify)
			_, errs := loadFor(t, "jobs/notify.go", src, Config{Defaults: Defaults{Lease: 5 * time.Minute, Retain: c.retain, Attempts: 20}})
			wantErrors(t, errs, marks, c.want)
		})
	}
}

// A run that is purged before the broker's last redelivery would run again.
func TestRetentionAgainstRedelivery(t *testing.T) {
	const again = ": a delivery that comes after the purge would run again; "
	for _, c := range []struct {
		name, directives string
		redelivery       time.Duration
		want             []string
	}{
		{"shorter", "//idem:key a:{event.ID}\n//idem:retain §3d12h\n", 4 * day, []string{"retain 84h is shorter than the broker's redelivery, 4d" + again + "write //idem:retain 4d or more"}},
		{"the default, of which the config tells", "//idem:key a:{event.ID}\n", 40 * day, nil},
		{"shorter than the lease too", "//idem:key a:{event.ID}\n//idem:retain §§2m\n", day, []string{
			"retain 2m is shorter than lease 5m; keep finished runs at least as long as a claim holds",
			"retain 2m is shorter than the broker's redelivery, 1d" + again + "write //idem:retain 1d or more"}},
		{"as long", "//idem:key a:{event.ID}\n//idem:retain 4d\n", 4 * day, nil},
		{"for ever", "//idem:key a:{event.ID}\n//idem:retain forever\n", 400 * day, nil},
		{"nobody says", "//idem:key a:{event.ID}\n//idem:retain 5m\n", 0, nil},
		{"a bad retain is not compared", "//idem:key a:{event.ID}\n//idem:retain §x\n", day, []string{
			`"x" is not a duration; write numbers with their units, such as 90s, 5m, 1h30m or 30d, or "forever"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			src, marks := unmark("jobs/notify.go", header+c.directives+notify)
			_, errs := loadFor(t, "jobs/notify.go", src, Config{Defaults: Standard, Redelivery: c.redelivery})
			wantErrors(t, errs, marks, c.want)
		})
	}
}
