package runtime

import (
	"encoding/json"
	"fmt"
)

// Codec turns results into the bytes that a row keeps, and back. The key is
// told to both, so that a codec that encrypts can have it authenticated: then
// no row's result can be passed off as another's.
//
// Encode gets a pointer to the result, and Decode one to a zero value of the
// same type. Every duplicate is given what Decode makes of the bytes that the
// one run encoded, so Decode has to read what any version of the program wrote.
type Codec interface {
	Encode(key Key, result any) ([]byte, error)
	Decode(key Key, data []byte, result any) error
}

// JSONCodec is the [Codec] that is used unless [WithCodec] names another. It
// refuses to encode a string that is not UTF-8, which encoding/json would
// replace, and escapes nothing for HTML.
type JSONCodec struct{}

// Encode implements [Codec].
func (JSONCodec) Encode(_ Key, result any) ([]byte, error) { return encodeJSON(result) }

// Decode implements [Codec].
func (JSONCodec) Decode(_ Key, data []byte, result any) error { return json.Unmarshal(data, result) }

// WithCodec has results encoded by a codec instead of as JSON. A codec that
// wraps [JSONCodec] keeps its checks.
func WithCodec(codec Codec) Option { return func(s *settings) { s.codec = codec } }

// MaxResultBytes is the largest result that is stored, in bytes as encoded.
const MaxResultBytes = 1 << 20

// encode returns the bytes that every duplicate will get, or why there cannot
// be any: the work is done by then, and nothing more is to happen to it.
func (s settings) encode(key Key, result any) (data []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			data, err = nil, panicError(v)
		}
	}()
	if data, err = s.codecOrJSON().Encode(key, result); err != nil {
		return nil, err
	}
	if len(data) > MaxResultBytes {
		return nil, fmt.Errorf("%d bytes as encoded, over the limit of %d", len(data), MaxResultBytes)
	}
	if data == nil {
		data = []byte{} // there is a result
	}
	return data, nil
}

// decode reads what a run before has encoded. A panic is a reason like any.
func (s settings) decode(key Key, data []byte, result any) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicError(v)
		}
	}()
	return s.codecOrJSON().Decode(key, data, result)
}

func (s settings) codecOrJSON() Codec {
	if s.codec == nil {
		return JSONCodec{}
	}
	return s.codec
}
