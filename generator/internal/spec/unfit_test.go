package spec

import (
	"fmt"
	"testing"
)

const unfitTypesDecls = `
type Retry struct { Count, N int; PolicyID string }
type Msg struct {
	ID, Country, RetryPolicyID, ReceiptHandle, AckID, TraceParent, Traceparent, trace_id, Nowhere, Known, Grand, Brand, Timestamps, MaxAttemptsNote string
	Attempt, RetryCount, NumDelivered, ApproximateReceiveCount, DeliveryTag, Entries, Delivery, Account, Discount, ReceivedCountry int
	RedeliveryCount, NumRetries, AttemptNumber, Redelivered, DequeueCount int
	DeliveryAttempt *int
	Timestamp, ReceivedAt, CreatedAt, EnqueuedTime, DeliveredAt time.Time
	Retry Retry; Attempts Retry; Policy Retry; Meta *Msg; Order struct { Number int }; Ack, Span struct { ID string }
	TraceID trace.TraceID; Hex [16]byte; TID trace.TraceID; Ctx trace.SpanContext
	Rand *rand.Rand; Nats nats.Msg; Gue gue.Job; D idem.Delivery
}
func (Msg) GetAttempt() int { return 0 }
func (Msg) Now() string { return "" }
type Wrap struct { Delivery Retry }
type Clock interface { Now() time.Time }
type Job[T any] struct { *rivertype.JobRow; Args T }
`

// unfitError is what is said of a value that differs on every delivery.
func unfitError(placeholder, what, path string) string {
	return fmt.Sprintf("%s %s, which differs on every delivery: two deliveries would be two pieces of work; "+
		"name what the sender says, such as the event's id; or, if the value is the sender's own, add //idem:allow %s REASON", placeholder, what, path)
}

func TestUnfit(t *testing.T) {
	const attempts, deliveries, ack = "looks like a count of attempts", "looks like a count of deliveries", "looks like what acknowledges a delivery"
	const when, random, traced = "looks like the time of a delivery", "looks like a random value", "looks like the id of a trace"
	for _, c := range []struct{ typ, path, what string }{
		{"Msg", "v.Attempt", attempts}, {"Msg", "v.GetAttempt", attempts}, {"Msg", "v.RetryCount", attempts}, {"Msg", "v.NumRetries", attempts},
		{"Msg", "v.AttemptNumber", attempts}, {"Msg", "v.DeliveryAttempt?", attempts}, {"*Msg", "v.Meta.Attempt?", attempts}, {"Msg", "v.Attempt|hash", attempts},
		{"Msg", "v.Retry.Count", attempts}, {"Msg", "v.Attempts.Count", attempts}, {"Retry", "v.Count", ""}, {"Msg", "v.Policy.Count", ""},
		{"Msg", "v.Retry.N", ""}, {"Msg", "v.Retry.PolicyID", ""}, {"Msg", "v.RetryPolicyID", ""}, {"Msg", "v.Country", ""}, {"Msg", "v.ReceivedCountry", ""},
		{"Msg", "v.Entries", ""}, {"Msg", "v.Account", ""}, {"Msg", "v.Discount", ""}, {"Msg", "v.MaxAttemptsNote", ""}, {"Msg", "v.Order.Number", ""}, {"Msg", "v.Ack.ID", ""}, {"Msg", "v.Span.ID", ""},
		{"Msg", "v.NumDelivered", deliveries}, {"Msg", "v.ApproximateReceiveCount", deliveries}, {"Msg", "v.RedeliveryCount", deliveries},
		{"Msg", "v.Redelivered", deliveries}, {"Msg", "v.DequeueCount", deliveries}, {"Msg", "v.Delivery", ""}, {"Wrap", "v.Delivery.Count", deliveries}, {"Wrap", "v.Delivery.N", ""},
		{"Msg", "v.ReceiptHandle", ack}, {"Msg", "v.AckID", ack}, {"Msg", "v.DeliveryTag", ack},
		{"Msg", "v.Timestamp|date", when}, {"Msg", "v.ReceivedAt?|unix", when}, {"Msg", "v.EnqueuedTime|hour", when}, {"Msg", "v.Now", when},
		{"Msg", "v.CreatedAt|unix", ""}, {"Msg", "v.DeliveredAt|date", ""}, {"Msg", "v.Nowhere", ""}, {"Msg", "v.Known", ""}, {"Msg", "v.Timestamps", ""},
		{"Clock", "v.Now|unix", when}, {"Msg", "v.Grand", ""}, {"Msg", "v.Brand", ""},
		{"Msg", "v.TraceParent", traced}, {"Msg", "v.Traceparent", traced}, {"Msg", "v.trace_id", traced},

		{"Msg", "v.TraceID", "is made from trace.TraceID"}, {"Msg", "v.TID", "is made from trace.TraceID"}, {"Msg", "v.Ctx.Flags", "is made from trace.SpanContext"},
		{"trace.TraceID", "v", "is made from trace.TraceID"}, {"*trace.TraceID", "v?", "is made from trace.TraceID"}, {"Msg", "v.Hex", ""},
		{"Msg", "v.Rand.Int64", "is made from rand.Rand"}, {"*rand.Rand", "v.Uint32", "is made from rand.Rand"},
		{"Msg", "v.Nats.Reply", "is Reply of nats.Msg"}, {"*nats.Msg", "v.Reply", "is Reply of nats.Msg"}, {"Msg", "v.Nats.Subject", ""},
		{"struct { *nats.Msg }", "v.Reply", "is Reply of nats.Msg"}, {"Msg", "v.Gue.ErrorCount", "is ErrorCount of gue.Job"}, {"Msg", "v.Gue.ID", ""},
		{"*Job[Msg]", "v.State", "is State of rivertype.JobRow"}, {"*Job[Msg]", "v.Attempt", attempts}, {"*Job[Msg]", "v.Args.ID", ""}, {"*Job[Msg]", "v.JobRow.ID", ""},
		{"Msg", "v.D.EventID", "is made from idem.Delivery"},
	} {
		t.Run(c.typ+" "+c.path, func(t *testing.T) {
			want := ""
			if c.what != "" {
				want = unfitError("{"+c.path+"}", c.what, barePath(c.path))
			}
			runPathCase(t, unfitTypesDecls, c.typ, c.path, want)
		})
	}
	for name, what := range map[string]string{
		"nonce": random, "requestNonce": random, "random": random, "randomID": random, "now": when, "timestamp": when, "spanID": traced,
		"retry": attempts, "retry_count": attempts, "traceid": traced, "lockToken": ack, "hint": "", "knownow": "", "branch": "",
	} {
		t.Run(name, func(t *testing.T) {
			mark, want := "", []string(nil)
			if what != "" {
				mark, want = "§", []string{unfitError("{"+name+"}", what, name)}
			}
			runErrorCases(t, []errorCase{{"parameter", "//idem:key a:" + mark + "{" + name + "}\nfunc Notify(ctx context.Context, " + name + " string) error { return nil }", want}})
		})
	}
}

// Two things may be wrong with one value, and both are told.
func TestUnfitAndMore(t *testing.T) {
	runErrorCases(t, []errorCase{
		{"a bare time", unfitTypesDecls + "//idem:key a:§§{v.Timestamp}\nfunc Notify(ctx context.Context, v Msg) error { return nil }", []string{
			"{v.Timestamp} is of type time.Time: the same moment can be written in many ways, and a time that nobody set would give a key too; " + whichTime("v.Timestamp"),
			unfitError("{v.Timestamp}", "looks like the time of a delivery", "v.Timestamp")}},
		{"two placeholders", unfitTypesDecls + "//idem:key a:§{v.Attempt}:§{v.RetryCount}\nfunc Notify(ctx context.Context, v Msg) error { return nil }", []string{
			unfitError("{v.Attempt}", "looks like a count of attempts", "v.Attempt"), unfitError("{v.RetryCount}", "looks like a count of attempts", "v.RetryCount")}},
		{"the delivery", "//idem:key a:§{d.EventID}\nfunc Notify(ctx context.Context, d idem.Delivery, event Event) error { return nil }", []string{
			"{d.EventID} holds the delivery d, which differs on every delivery; take the event's id as a parameter, and name that"}},
	})
}

// A protobuf message's String is made to differ from build to build.
func TestProto(t *testing.T) {
	const reason = "the text of a protobuf message differs from build to build"
	for _, c := range []struct{ typ, path, want string }{
		{"*pb.Order", "v?", "{v?} is of type *pb.Order: " + reason + "; name one of its fields"},
		{"pb.Order", "v.ID", ""},
		{"*pb.Timestamp", "v?", "{v?} is of type *pb.Timestamp: " + reason + "; name its method AsTime, with a verb such as AsTime|date"},
		{"*pb.Timestamp", "v.AsTime|date", ""},
	} {
		t.Run(c.path, func(t *testing.T) { runPathCase(t, "", c.typ, c.path, c.want) })
	}
}
