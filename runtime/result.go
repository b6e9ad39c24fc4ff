package runtime

import "fmt"

// MaxResultBytes is the largest result that is stored, in bytes of JSON.
const MaxResultBytes = 1 << 20

// encodeResult returns the bytes that every duplicate will get, or why there
// cannot be any: the work is done by then, and nothing more is to happen to it.
func encodeResult[R any](result R) ([]byte, error) {
	data, err := encodeJSON(&result)
	if err != nil {
		return nil, err
	}
	if len(data) > MaxResultBytes {
		return nil, fmt.Errorf("%d bytes of JSON, over the limit of %d", len(data), MaxResultBytes)
	}
	return data, nil
}
