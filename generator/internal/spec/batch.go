package spec

// Batched reports whether the handler has a wrapper for many events: those are
// the one parameter that its key is made of, and the others are the same for all.
// In transactional mode each event has a transaction of its own, so that there is
// nothing to be sent together. Ordered ones of one entity would wait for each other.
func (h *Handler) Batched() bool { return h.EventParam() >= 0 && !h.Transactional() && h.Order == nil }

// EventParam returns the index of the one parameter that the key is made of, or
// -1 if it is made of several, or of a variadic one.
func (h *Handler) EventParam() int {
	event := -1
	for _, part := range h.Key.Parts {
		switch {
		case part.Text == "":
		case event >= 0 && event != part.Param, h.Params[part.Param].Variadic:
			return -1
		default:
			event = part.Param
		}
	}
	return event
}

// Batch returns the name of the wrapper for many events: NotifyOnceBatch. It is a
// method when the handler is one.
func (h *Handler) Batch() string { return h.Wrapper() + "Batch" }
