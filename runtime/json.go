package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// encodeJSON returns the JSON of what v points to, or why it has none that
// tells it from every other value. It gets an address, so that encoding/json
// sees the methods that have pointer receivers. A panic of the value's own
// MarshalJSON is such a reason, too.
func encodeJSON(v any) (data []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			data, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	if data, err = marshal(v); err != nil {
		return nil, err
	}
	if replacedInvalidUTF8(data, reflect.ValueOf(v)) {
		return nil, errors.New("a string in it is not valid UTF-8, which JSON cannot hold")
	}
	return data, nil
}

// marshal returns JSON that is not escaped for HTML, which would change the
// text of a json.RawMessage.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
