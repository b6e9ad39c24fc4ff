package runtime

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// MaxResultBytes is the largest result that is stored, in bytes of JSON.
const MaxResultBytes = 1 << 20

// encodeResult returns the bytes that every duplicate will get, or why there
// cannot be any. The work is done by then, so a panic of a result's own
// MarshalJSON is such a reason, too.
func encodeResult[R any](result R) (data []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			data, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	if data, err = marshal(result); err != nil {
		return nil, err
	}
	if len(data) > MaxResultBytes {
		return nil, fmt.Errorf("%d bytes of JSON, over the limit of %d", len(data), MaxResultBytes)
	}
	if replacedInvalidUTF8[R](data) {
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
// the place of bytes that are not UTF-8: duplicates would get another string
// than the first delivery. A U+FFFD that was in a string is not escaped, so
// the escape does not come back when it is read and written again; one that
// the result's own JSON holds does.
func replacedInvalidUTF8[R any](data []byte) bool {
	if !bytes.Contains(data, []byte(`\ufffd`)) {
		return false
	}
	var back R
	if err := json.Unmarshal(data, &back); err != nil {
		return true
	}
	again, err := marshal(back)
	return err != nil || !bytes.Equal(again, data)
}
