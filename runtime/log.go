package runtime

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
)

// WithLogger has two lines logged for each delivery that has a key: "job
// received" before the store is asked, and "job ended" with its outcome and
// duration, at level Info, or Warn if there is an error to deliver it again for.
// "lease lost" is logged, at level Warn, when a handler loses its key. The logger's
// handler is wrapped by [NewLogHandler], if it is not already.
func WithLogger(logger *slog.Logger) Option {
	handler, ok := logger.Handler().(*logHandler)
	if !ok {
		handler = newLogHandler(logger.Handler(), nil)
	}
	return WithObserver(logObserver{slog.New(handler), handler.keyText})
}

type logObserver struct {
	logger  *slog.Logger
	keyText func(Key) string
}

func (l logObserver) Received(ctx context.Context, _ Job) {
	l.logger.LogAttrs(ctx, slog.LevelInfo, "job received")
}

func (l logObserver) Ended(ctx context.Context, job Job, end End) {
	level := slog.LevelInfo
	attrs := []slog.Attr{slog.Duration("duration", end.Duration)}
	if end.Err != nil {
		attrs = append(attrs, slog.String("error", l.withoutKey(end.Text, job.Key)))
		if end.Answer != AnswerInProgress && end.Answer != AnswerHeld && end.Answer != AnswerStale {
			level = slog.LevelWarn
		}
	}
	l.logger.LogAttrs(ctx, level, "job ended", attrs...)
}

// withoutKey replaces the key, which errors carry, by what is logged for it.
func (l logObserver) withoutKey(text string, key Key) string {
	shown := l.keyText(key)
	if quoted := strconv.Quote(key.String()); quoted[1:len(quoted)-1] != key.String() {
		text = strings.ReplaceAll(text, quoted[1:len(quoted)-1], shown)
	}
	return strings.ReplaceAll(text, key.String(), shown)
}

func (l logObserver) LeaseLost(ctx context.Context, _ Job) {
	l.logger.LogAttrs(ctx, slog.LevelWarn, "lease lost")
}

// LogOption changes what [NewLogHandler] adds to a line.
type LogOption func(*logHandler)

// WithLogKey replaces the key's text in logs, to keep out of them what is secret:
// by its hash, say. The key's namespace is the handler's name, which is logged beside it.
func WithLogKey(text func(Key) string) LogOption {
	return func(h *logHandler) { h.keyText = text }
}

// NewLogHandler returns a handler that adds to each line what is known of the
// job under whose context it is logged: handler, key, event_id and
// delivery_attempt if the broker told them by [WithDelivery], run_attempt, and
// outcome, which is an [Answer]: running as long as the handler is. They stand at
// the top level, whatever groups a logger opens.
func NewLogHandler(next slog.Handler, opts ...LogOption) slog.Handler {
	return newLogHandler(next, opts)
}

// logHandler keeps what a logger asked for until a line is logged, because
// what it adds belongs outside of the groups.
type logHandler struct {
	next    slog.Handler // without the groups
	grouped []func(slog.Handler) slog.Handler
	keyText func(Key) string
}

func newLogHandler(next slog.Handler, opts []LogOption) *logHandler {
	h := &logHandler{next: next, keyText: Key.String}
	for _, opt := range opts {
		opt(h)
	}
	return h
}

// Enabled implements [slog.Handler].
func (h *logHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h *logHandler) Handle(ctx context.Context, record slog.Record) error {
	attrs := h.attrs(ctx)
	if h.grouped == nil {
		record = record.Clone()
		record.AddAttrs(attrs...)
		return h.next.Handle(ctx, record)
	}
	next := h.next
	if len(attrs) > 0 {
		next = next.WithAttrs(attrs)
	}
	for _, wrap := range h.grouped {
		next = wrap(next)
	}
	return next.Handle(ctx, record)
}

// WithAttrs implements [slog.Handler].
func (h *logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if h.grouped == nil {
		return &logHandler{next: h.next.WithAttrs(attrs), keyText: h.keyText}
	}
	return h.in(func(next slog.Handler) slog.Handler { return next.WithAttrs(attrs) })
}

// WithGroup implements [slog.Handler].
func (h *logHandler) WithGroup(name string) slog.Handler {
	return h.in(func(next slog.Handler) slog.Handler { return next.WithGroup(name) })
}

func (h *logHandler) in(wrap func(slog.Handler) slog.Handler) slog.Handler {
	return &logHandler{next: h.next, grouped: append(h.grouped[:len(h.grouped):len(h.grouped)], wrap), keyText: h.keyText}
}

// attrs are what is known of the job of a context.
func (h *logHandler) attrs(ctx context.Context) (attrs []slog.Attr) {
	info, inRun := ctx.Value(runInfoKey{}).(*runInfo)
	delivery, _ := DeliveryFromContext(ctx)
	if inRun {
		delivery = info.delivery
		attrs = append(attrs, slog.String("handler", info.handler), slog.String("key", h.keyText(info.token.Key)))
	}
	if delivery.EventID != "" {
		attrs = append(attrs, slog.String("event_id", delivery.EventID))
	}
	if delivery.Attempt != 0 {
		attrs = append(attrs, slog.Int("delivery_attempt", delivery.Attempt))
	}
	if inRun && info.token.Attempt > 0 {
		attrs = append(attrs, slog.Int("run_attempt", info.token.Attempt))
	}
	if inRun && (info.token.Attempt > 0 || info.outcome() != AnswerRunning) {
		attrs = append(attrs, slog.String("outcome", info.outcome().String()))
	}
	return attrs
}
