package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// encodeJSON returns a value's JSON, or why it has none that brings the value
// back: t is the type that it would be read back as. A panic of the value's
// own MarshalJSON is such a reason, too.
func encodeJSON(v any, t reflect.Type) (data []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			data, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	if data, err = marshal(v); err != nil {
		return nil, err
	}
	if replacedInvalidUTF8(data, t) {
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

// replacedInvalidUTF8 reports whether json.Marshal put the escape \ufffd in
// the place of bytes that are not UTF-8: what is read back is another string.
// A U+FFFD that was in a string is not escaped, so the escape does not come
// back when it is read and written again; one that the value's own JSON holds
// does.
func replacedInvalidUTF8(data []byte, t reflect.Type) bool {
	if !bytes.Contains(data, []byte(`\ufffd`)) {
		return false
	}
	back := reflect.New(t)
	if err := json.Unmarshal(data, back.Interface()); err != nil {
		return true
	}
	again, err := marshal(back.Elem().Interface())
	return err != nil || !bytes.Equal(again, data)
}
