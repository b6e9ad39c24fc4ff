package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/types"
	"strings"
	"time"
	"unicode/utf8"
)

// The values of a plausible event.
const (
	exampleNumber = "42"
	exampleUUID   = "6f1c2a0e-8c1d-4f0b-9a53-0d6e1b7f2c41"
	uuidBytes     = 16
)

var exampleTime = time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)

// exampleTexts are those of types that make a text of their own.
var exampleTexts = []struct{ path, name, text string }{
	{"math/big", "Int", exampleNumber},
	{"net", "IP", "192.0.2.7"},
	{"net/netip", "Addr", "192.0.2.7"},
	{"net/netip", "AddrPort", "192.0.2.7:443"},
	{"github.com/oklog/ulid", "ULID", "01HRXJ6Z5C8Q4V0M2T7N9B3DKF"},
	{"time", "Time", exampleTime.Format(time.RFC3339)},
}

// ExampleKey returns the key of a plausible event, always the same one, for
// people to look at.
func (h *Handler) ExampleKey() string {
	var b strings.Builder
	for _, p := range h.Key.Parts {
		if p.Text == "" {
			b.WriteString(p.Literal)
		} else {
			b.WriteString(escapes.Replace(h.exampleText(p)))
		}
	}
	return shortened(b.String())
}

// escapes is what the runtime does to what the examples have in them.
var escapes = strings.NewReplacer("%", "%25", ":", "%3A")

// exampleText is a part's text as its verbs leave it.
func (h *Handler) exampleText(p KeyPart) string {
	t := h.Params[p.Param].Type
	for _, s := range p.Steps {
		t = s.Type
	}
	text := exampleValue(p, Deref(t))
	for _, verb := range p.Verbs {
		switch verb {
		case VerbLower:
			text = strings.ToLower(text)
		case VerbHash:
			sum := sha256.Sum256([]byte(text))
			text = hex.EncodeToString(sum[:])
		}
	}
	return text
}

func exampleValue(p KeyPart, t types.Type) string {
	switch p.Encoder {
	case EncodeInt, EncodeUint:
		return exampleNumber
	case EncodeBool:
		return "true"
	case EncodeBytes:
		return exampleBytes(8)
	case EncodeByteArray:
		return exampleBytes(t.Underlying().(*types.Array).Len())
	case EncodeDate:
		return exampleTime.Format(time.DateOnly)
	case EncodeHour:
		return exampleTime.Format("2006-01-02T15")
	case EncodeUnix:
		return fmt.Sprint(exampleTime.Unix())
	case EncodeText:
		return exampleOwn(p, t)
	}
	return exampleName(p)
}

func exampleBytes(n int64) string {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(i + 1)
	}
	return hex.EncodeToString(data)
}

// exampleOwn is the text of a type that marshals itself. Sixteen bytes are a
// UUID.
func exampleOwn(p KeyPart, t types.Type) string {
	path, name := typePath(t)
	for _, known := range exampleTexts {
		if path == known.path && name == known.name {
			return known.text
		}
	}
	if array, ok := t.Underlying().(*types.Array); ok && array.Len() == uuidBytes && isByte(array.Elem()) {
		return exampleUUID
	}
	return exampleName(p)
}

// exampleName makes a text of the path: event_1 of event.ID and of
// m.EventID, channel_1 of event.Channel.
func exampleName(p KeyPart) string {
	path := strings.Split(p.Text, ".")
	name := Snake(strings.TrimPrefix(path[len(path)-1], "Get"))
	if name == "id" && len(path) > 1 {
		name = Snake(path[len(path)-2])
	}
	return strings.TrimSuffix(name, "_id") + "_1"
}

// The runtime's limit on the length of a key.
const maxKeyBytes = 200

// shortened is a key as the runtime brings it below the limit.
func shortened(key string) string {
	if len(key) <= maxKeyBytes {
		return key
	}
	sum := sha256.Sum256([]byte(key))
	tail := "%sha256-" + hex.EncodeToString(sum[:])
	cut := maxKeyBytes - len(tail)
	for !utf8.RuneStart(key[cut]) {
		cut--
	}
	return key[:cut] + tail
}
