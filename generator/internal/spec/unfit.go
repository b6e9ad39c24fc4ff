package spec

import (
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// unfitNames are the names of what differs on every delivery, by what it
// looks like. Each is written in lower case, without the borders of its words,
// and stands for all names that end in these words: retrycount is RetryCount,
// retry_count, MessageRetryCount, but retry is not Country.
var unfitNames = []struct{ what, names string }{
	{"a count of attempts", `attempt attempts attemptcount attemptscount attemptcounter attemptindex attemptno attemptnum attemptnumber attemptsleft attemptsmade
		retry retries retried retrycount retriescount retrycounter retryindex retryno retrynum retrynumber retriesleft triesleft timesretried retryattempt`},
	{"a count of deliveries", `deliveries deliverycount deliveriescount deliverycounter deliveryattempt numdelivered timesdelivered deliveredcount numberofdeliveries
		redelivered redelivery redeliveries redeliverycount redeliverycounter
		receivecount receivescount receivedcount receives dequeuecount`},
	{"what acknowledges a delivery", `receipthandle ackid acktoken deliverytag locktoken popreceipt`},
	{"the time of a delivery", `now currenttime timestamp receivedat receivedon receivedtime receivetime timereceived processedat processedon processedtime processingtime
		enqueuedat enqueuedtime enqueuetime queuedat dequeuedat dequeuedtime consumedat fetchedat handledat attemptedat`},
	{"a random value", `nonce random rand randomid randomint randomnumber randomstring randombytes randomuuid`},
	{"the id of a trace", `traceid spanid traceparent tracestate tracecontext spancontext`},
}

// countNames are those that may be spread over two names of a path, as in
// {msg.Retry.Count}.
const countNames = 2

// unfitTypes are types of which whatever is made differs on every delivery.
// Without a name it is all of the package.
var unfitTypes = []struct{ path, name string }{
	{RuntimePath, "Delivery"},
	{"go.opentelemetry.io/otel/trace", ""},
	{"math/rand", ""},
}

// unfitFields are fields and methods of known brokers' types that differ on
// every delivery, though their names do not say so.
var unfitFields = []struct{ path, typ, names string }{
	{"github.com/rabbitmq/amqp091-go", "Delivery", "ConsumerTag MessageCount"},
	{"github.com/streadway/amqp", "Delivery", "ConsumerTag MessageCount"},
	{"github.com/nats-io/nats.go", "Msg", "Reply"},
	{"github.com/nats-io/nats.go", "MsgMetadata", "NumPending"},
	{"github.com/nats-io/nats.go", "SequencePair", "Consumer"},
	{"github.com/nats-io/nats.go/jetstream", "Msg", "Reply"},
	{"github.com/nats-io/nats.go/jetstream", "MsgMetadata", "NumPending"},
	{"github.com/nats-io/nats.go/jetstream", "SequencePair", "Consumer"},
	{"github.com/hibiken/asynq", "TaskInfo", "State LastErr LastFailedAt NextProcessAt IsOrphaned CompletedAt Result"},
	{"github.com/riverqueue/river/rivertype", "JobRow", "AttemptedBy Errors FinalizedAt Metadata Output ScheduledAt State"},
	{"github.com/vgarvardt/gue", "Job", "ErrorCount LastError RunAt"},
	{"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus", "ReceivedMessage", "LockedUntil State"},
	{"github.com/redis/go-redis", "XMessage", "MillisElapsedFromDelivery"},
	{"go.temporal.io/sdk/internal", "ActivityInfo", "TaskToken StartedTime Deadline"},
}

// unfitName says what the last names of a path look like that differs on
// every delivery, or nothing.
func unfitName(path []string) string {
	last := nameWords(path[len(path)-1])
	for i, kind := range unfitNames {
		words := last
		if i < countNames && len(path) > 1 {
			words = append(nameWords(path[len(path)-2]), last...)
		}
		if endsIn(words, strings.Fields(kind.names)) {
			return "looks like " + kind.what
		}
	}
	return ""
}

func nameWords(name string) []string { return strings.Split(Snake(name), "_") }

// endsIn reports whether the last words make one of the names.
func endsIn(words, names []string) bool {
	for i := range words {
		if slices.Contains(names, strings.Join(words[i:], "")) {
			return true
		}
	}
	return false
}

// unfitType says of what type that differs on every delivery a value is, or
// nothing.
func (b *builder) unfitType(t types.Type) string {
	path, name := typePath(Deref(t))
	for _, known := range unfitTypes {
		if path == known.path && (name == known.name || known.name == "") {
			return "is made from " + b.typeName(Deref(t))
		}
	}
	return ""
}

// unfitField says of what type a field or method is that differs on every
// delivery, or nothing.
func (b *builder) unfitField(owner types.Type, name string) string {
	path, typ := typePath(Deref(owner))
	for _, known := range unfitFields {
		if path == known.path && typ == known.typ && slices.Contains(strings.Fields(known.names), name) {
			return fmt.Sprintf("is %s of %s", name, b.typeName(Deref(owner)))
		}
	}
	return ""
}

var majorVersion = regexp.MustCompile(`/v[0-9]+\b`)

// typePath returns a type's package, without its major version, and its name.
func typePath(t types.Type) (path, name string) {
	named, ok := types.Unalias(t).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return "", ""
	}
	return majorVersion.ReplaceAllString(named.Obj().Pkg().Path(), ""), named.Obj().Name()
}

// fit refuses a value that differs on every delivery, unless it is allowed.
func (w *walker) fit() bool {
	what := w.unfit
	if what == "" {
		what = unfitName(w.part.path)
	}
	return w.fits(w.part.written(), w.part.name(), what)
}

// fits reports an unfit value, what being empty for any other.
func (w *walker) fits(subject, path, what string) bool {
	if what == "" || w.b.allows(path) {
		return true
	}
	return w.fail(fmt.Sprintf("%s %s, which differs on every delivery: %s", subject, what, w.in.use.harm()),
		w.in.use.fitCure()+"; or, if the value is the sender's own, add "+w.b.form.item("allow", path+" REASON"))
}
