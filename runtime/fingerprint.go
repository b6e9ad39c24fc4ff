package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// Fingerprint is what two deliveries of one key have to agree on: values under
// their names. The run keeps it from its first claim on; a claim with other
// values gets [ErrKeyReuse]. The zero Fingerprint agrees with everything.
type Fingerprint struct {
	names []string
	sum   []byte
	err   *KeyError
}

// A fingerprint's bytes are a hash of the names, and a cell for each value: its
// kind, its verbs, and a hash of its text. All of a cell is zero if the value
// is missing, since its kind may not be known then.
const (
	namesBytes = 16
	shapeBytes = 2 // kind and verbs
	cellBytes  = shapeBytes + 16
)

// NewFingerprint makes a fingerprint of values: of [Value] and [JSON], and of
// the parts that keys have. One that is missing agrees with no other value
// than a missing one. A value that cannot be written as JSON, or is none, is
// an error that [Claim] returns.
func NewFingerprint(parts ...Part) Fingerprint {
	if len(parts) == 0 {
		return Fingerprint{}
	}
	f := Fingerprint{
		names: make([]string, len(parts)),
		sum:   make([]byte, namesBytes, namesBytes+len(parts)*cellBytes),
	}
	for i, p := range parts {
		if p.err != nil {
			return Fingerprint{err: &KeyError{Fingerprint: true, Parts: []string{p.name}, Err: p.err}}
		}
		f.names[i] = p.name
		f.sum = p.appendCell(f.sum)
	}
	copy(f.sum, hashNames(f.names))
	return f
}

// Bytes returns what a store keeps of a fingerprint, nil for the zero one, or
// the *[KeyError] of a value that has none. Their layout may change.
func (f Fingerprint) Bytes() ([]byte, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.sum, nil
}

// hashNames tells one list of names from every other: each follows its length.
func hashNames(names []string) []byte {
	var list []byte
	for _, name := range names {
		list = binary.AppendUvarint(list, uint64(len(name)))
		list = append(list, name...)
	}
	sum := sha256.Sum256(list)
	return sum[:namesBytes]
}

func (p Part) appendCell(cells []byte) []byte {
	if p.missing {
		return append(cells, make([]byte, cellBytes)...)
	}
	sum := sha256.Sum256([]byte(p.text))
	cells = append(cells, byte(p.kind), byte(p.verbs))
	return append(cells, sum[:cellBytes-shapeBytes]...)
}

// differences returns the places at which two fingerprints have other values.
// There are none to compare if one of the two is not there, or if they are of
// other definitions: if the names, or the kinds or verbs of a value, differ.
func differences(a, b []byte) (places []int) {
	if len(a) < namesBytes || len(a) != len(b) || !bytes.Equal(a[:namesBytes], b[:namesBytes]) {
		return nil
	}
	for at := namesBytes; at+cellBytes <= len(a); at += cellBytes {
		x, y := a[at:at+cellBytes], b[at:at+cellBytes]
		switch {
		case bytes.Equal(x, y):
		case !missingCell(x) && !missingCell(y) && !bytes.Equal(x[:shapeBytes], y[:shapeBytes]):
			return nil
		default:
			places = append(places, (at-namesBytes)/cellBytes)
		}
	}
	return places
}

func missingCell(cell []byte) bool { return kind(cell[0]) == literal }
