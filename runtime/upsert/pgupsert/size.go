package pgupsert

import "encoding/json"

// size is how many bytes arrays have in a statement, or somewhat more.
func size(columns []any) (total int) {
	for _, column := range columns {
		switch values := column.(type) {
		case []string:
			total += sum(values)
		case [][]byte:
			total += sum(values)
		case []json.RawMessage:
			total += sum(values)
		case []*string:
			total += pointed(values)
		case []*json.RawMessage:
			total += pointed(values)
		}
	}
	return total
}

// fixed is the most that a value needs besides its text: its length, or all of a
// value that has no text.
const fixed = 20

func sum[T ~string | ~[]byte](values []T) (total int) {
	for _, v := range values {
		total += len(v) + fixed
	}
	return total
}

func pointed[T ~string | ~[]byte](values []*T) (total int) {
	for _, v := range values {
		if v != nil {
			total += len(*v)
		}
		total += fixed
	}
	return total
}
