package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
)

// text is a handler that leaves out the time.
func text(b *bytes.Buffer) slog.Handler {
	return slog.NewTextHandler(b, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && (a.Key == slog.TimeKey || a.Key == "duration") {
			return slog.Attr{}
		}
		return a
	}})
}

func quiet(claim func(idem.ClaimRequest) (idem.Record, error)) *scripted {
	return &scripted{
		claimed:   claim,
		completed: func(context.Context, idem.Outcome) error { return nil },
		released:  func(context.Context, idem.Release) error { return nil },
	}
}

// Two lines for each delivery, and what is known of the job on each line that is
// logged under its context.
func TestLogs(t *testing.T) {
	var b bytes.Buffer
	logger := slog.New(idem.NewLogHandler(text(&b)))
	store := idem.Configure(quiet(nil), idem.WithLogger(logger))
	ctx := idem.WithDelivery(t.Context(), idem.Delivery{MessageID: "m1", EventID: "evt_1", Attempt: 2})
	logger.InfoContext(ctx, "before")
	var job context.Context
	_, err := deliver(ctx, store, func(ctx context.Context) (receipt, error) {
		job = ctx
		logger.DebugContext(ctx, "sending", "to", "you")
		logger.With("a", 1).WithGroup("sms").With("b", 2).WithGroup("").InfoContext(ctx, "sent", "id", 7)
		return receipt{}, idem.Permanent(errors.New("no such number"))
	})
	if err == nil {
		t.Fatal("no error")
	}
	logger.InfoContext(job, "after")
	logger.WithGroup("g").Info("elsewhere", "c", 3)
	const known = `handler=notify key=notify:1 event_id=evt_1 delivery_attempt=2`
	want := `level=INFO msg=before event_id=evt_1 delivery_attempt=2
level=INFO msg="job received" ` + known + `
level=DEBUG msg=sending to=you ` + known + ` run_attempt=3 outcome=running
level=INFO msg=sent a=1 ` + known + ` run_attempt=3 outcome=running sms.b=2 sms.id=7
level=WARN msg="job ended" error="idem: notify \"notify:1\": failed permanently: no such number" ` + known + ` run_attempt=3 outcome=failed
level=INFO msg=after ` + known + ` run_attempt=3 outcome=failed
level=INFO msg=elsewhere g.c=3
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A key that is secret is in no line, nor is what errors tell of it.
func TestLogsWithoutTheKey(t *testing.T) {
	const secret = idem.Key("notify:\u2028\u00e9mile")
	var b bytes.Buffer
	handler := idem.NewLogHandler(text(&b), idem.WithLogKey(func(idem.Key) string { return "***" }))
	logger := slog.New(handler).With("app", "shop")
	for _, claimed := range []func(idem.ClaimRequest) (idem.Record, error){
		nil, func(idem.ClaimRequest) (idem.Record, error) { return idem.Record{}, fmt.Errorf("no row %s", secret) },
	} {
		store := idem.Configure(quiet(claimed), idem.WithLogger(logger), idem.WithErrorText(func(err error) string { return "E:" + err.Error() }))
		run, err := idem.Claim[receipt](t.Context(), store, leased, secret)
		if err == nil {
			_, _ = run.Complete(receipt{}, idem.RetryAfter(time.Minute, fmt.Errorf("429 for %s", secret)))
		}
	}
	want := `level=INFO msg="job received" app=shop handler=notify key=***
level=INFO msg="job ended" app=shop error="E:idem: notify \"***\": held; retry after 1m0s: 429 for ***" handler=notify key=*** run_attempt=3 outcome=held
level=INFO msg="job received" app=shop handler=notify key=***
level=WARN msg="job ended" app=shop error="E:idem: claim notify \"***\": no row ***" handler=notify key=*** outcome=unknown
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// A logger whose handler is the program's own is wrapped.
func TestLoggerIsWrapped(t *testing.T) {
	var b bytes.Buffer
	store := idem.Configure(quiet(nil), idem.WithLogger(slog.New(text(&b))))
	if _, err := deliver(t.Context(), store, work1); err != nil {
		t.Fatal(err)
	}
	want := `level=INFO msg="job received" handler=notify key=notify:1
level=INFO msg="job ended" handler=notify key=notify:1 run_attempt=3 outcome=done
`
	if got := b.String(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// The handler is one like any other.
func TestLogHandler(t *testing.T) {
	var b bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		b.Reset()
		return idem.NewLogHandler(slog.NewJSONHandler(&b, nil))
	}, func(t *testing.T) (line map[string]any) {
		if err := json.Unmarshal(b.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		return line
	})
	quiet := slog.New(idem.NewLogHandler(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelError})))
	b.Reset()
	if quiet.Info("no"); b.Len() > 0 || !strings.HasPrefix(fmt.Sprint(quiet.Enabled(t.Context(), slog.LevelInfo)), "false") {
		t.Errorf("a line below the level: %s", b.String())
	}
}

// Loggers that come of one do not write into each other's groups.
func TestLogHandlersShareNothing(t *testing.T) {
	var b bytes.Buffer
	base := slog.New(idem.NewLogHandler(text(&b))).WithGroup("g").With("a", 1).With("z", 0)
	one, other := base.With("b", 2), base.With("c", 3)
	one.Info("one")
	other.Info("other")
	if got, want := b.String(), "level=INFO msg=one g.a=1 g.z=0 g.b=2\nlevel=INFO msg=other g.a=1 g.z=0 g.c=3\n"; got != want {
		t.Errorf("got %s", got)
	}
}
