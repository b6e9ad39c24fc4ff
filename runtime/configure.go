package runtime

// Option changes how wrappers use a store; see [Configure].
type Option func(*settings)

// settings are what a store is used with. The zero value is the default.
type settings struct {
	noHeartbeat bool
	errorText   func(error) string
	codec       Codec
	observers   []Observer
	turns       chan struct{} // which handlers of a batch take
}

// WithoutHeartbeat leaves a lease as it was claimed: nobody extends it while
// the handler runs, and a handler that takes longer loses its key. It spares a
// program the statements of long handlers, and bounds each by its lease.
func WithoutHeartbeat() Option { return func(s *settings) { s.noHeartbeat = true } }

// WithErrorText replaces err.Error() as the text that a row keeps of a handler's
// error, which duplicates of a failed run and everybody who can read the table
// get to see: to leave out what is secret. A panic's error wraps its value, if
// that is an error. The text is cut at 4 KiB. The delivery that ran the handler gets
// the error as it is.
func WithErrorText(text func(error) string) Option { return func(s *settings) { s.errorText = text } }

// Configure returns a store whose wrappers do as the options say. Options of a
// store that was configured before are kept, unless they are given again.
func Configure(store Store, opts ...Option) Store {
	base, s := configuration(store)
	for _, opt := range opts {
		opt(&s)
	}
	return &configured{base, s}
}

type configured struct {
	Store
	settings settings
}

// configuration returns the store that was configured, and how.
func configuration(store Store) (Store, settings) {
	if c, ok := store.(*configured); ok {
		return c.Store, c.settings
	}
	return store, settings{}
}
