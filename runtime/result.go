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
// cannot be any.
func encodeResult(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxResultBytes {
		return nil, fmt.Errorf("%d bytes of JSON, over the limit of %d", len(data), MaxResultBytes)
	}
	if replacedInvalidUTF8(data) {
		return nil, errors.New("a string in it is not valid UTF-8, which JSON cannot hold")
	}
	return data, nil
}

// replacedInvalidUTF8 reports whether json.Marshal put the escape \ufffd in
// the place of bytes that are not UTF-8: duplicates would get another string
// than the first delivery. A U+FFFD that was in the string is not escaped.
func replacedInvalidUTF8(data []byte) bool {
	for rest := data; ; {
		i := bytes.Index(rest, []byte(`\ufffd`))
		if i < 0 {
			return false
		}
		backslashes := 0
		for j := i - 1; j >= 0 && rest[j] == '\\'; j-- {
			backslashes++
		}
		if backslashes%2 == 0 {
			return true
		}
		rest = rest[i+len(`\ufffd`):]
	}
}
