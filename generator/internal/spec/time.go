package spec

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// timeVerbs are the verbs by which a time becomes text.
var timeVerbs = []string{"date", "hour", "unix"}

// unsetTime is what is wrong with a time that is used as it is.
func (w *walker) unsetTime() string {
	return "a time that nobody set would give " + w.in.use.some() + " too"
}

// timeKind is how a type is one of times.
type timeKind int

const (
	noTime      timeKind = iota
	exactTime            // time.Time
	definedTime          // a type defined over it
	embedsTime           // a struct that embeds it and with that its text
)

// timeOf tells how a type is one of times, and the embedded fields on the way
// to the time.
func timeOf(t types.Type) (timeKind, []*types.Var) { return timeWithin(t, nil) }

// timeWithin does not look into the types above, which end a recursion.
func timeWithin(t types.Type, above []types.Type) (timeKind, []*types.Var) {
	if isNamed(t, "time", "Time") {
		return exactTime, nil
	}
	s, ok := t.Underlying().(*types.Struct)
	if !ok || slices.ContainsFunc(above, func(outer types.Type) bool { return types.Identical(outer, t) }) {
		return noTime, nil
	}
	for f := range s.Fields() {
		if f.Name() == "wall" && f.Pkg().Path() == "time" {
			return definedTime, nil
		}
		if !f.Embedded() {
			continue
		}
		if kind, way := timeWithin(Deref(f.Type()), append(above, t)); kind != noTime {
			return embedsTime, append([]*types.Var{f}, way...)
		}
	}
	return noTime, nil
}

// bareTime says why a time without a verb is refused.
func (w *walker) bareTime(t types.Type, addressable bool) choice {
	no := refused("the same moment can be written in many ways, and "+w.unsetTime(), w.timeCure(w.part.name(), w.typ, timeVerbs))
	if fn, index := method(t, addressable, "MarshalText", bytesAndError); fn != nil {
		no.allowable = ownText(t, "MarshalText", EncodeText, index).either()
	}
	return no
}

// either is the encoder, if only by leave.
func (c choice) either() Encoder {
	if c.encoder != "" {
		return c.encoder
	}
	return c.allowable
}

// timeCure names the placeholders that take a value of a type of times, which
// the path leads to: with the verb that was written, or with one of those
// given.
func (w *walker) timeCure(path string, t types.Type, verbs []string) string {
	kind, way := timeOf(Deref(t))
	for _, f := range way {
		path, t = path+"."+f.Name(), f.Type()
	}
	if verb, ok := w.part.whole(); ok {
		verbs = []string{verb.name}
	}
	hash := slices.DeleteFunc(w.part.verbNames(), func(name string) bool { return name != string(VerbHash) })
	var written []string
	for _, verb := range verbs {
		written = append(written, write(path, !w.fingerprint && (w.part.optional || nilable(t)), append([]string{verb}, hash...)...))
	}
	last := len(written) - 1
	switch {
	case last > 0:
		return "say which business time it is, in UTC: " + strings.Join(written[:last], ", ") + " or " + written[last]
	case kind == embedsTime:
		return "name the embedded time: " + written[0]
	}
	return "write " + written[0]
}

// timeMethod says why a method of a time is no step of a path.
func (w *walker) timeMethod(name string) (msg, cure string) {
	msg = fmt.Sprintf("%s is taken of a time.Time, and %s", w.part.written(), w.unsetTime())
	if w.in.use == inVersion {
		return msg, "write " + write(w.reached(), false)
	}
	verbs := timeVerbs
	if name == "Unix" {
		verbs = []string{"unix"}
	}
	return msg, w.timeCure(w.reached(), w.typ, verbs)
}
