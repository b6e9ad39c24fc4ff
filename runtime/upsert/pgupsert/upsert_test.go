package pgupsert

import (
	"cmp"
	"strings"
	"testing"

	"github.com/idemgen/idemgen/runtime/idemtest/pgtest"
	"github.com/idemgen/idemgen/runtime/upsert"
)

var words = Table[string]{
	Name:      "words",
	Order:     upsert.Order[string]{Key: func(a, b *string) int { return cmp.Compare(*a, *b) }},
	Statement: "INSERT INTO words SELECT unnest($1::text[]) ON CONFLICT DO NOTHING RETURNING xmax = 0",
	Columns: func(rows []*string) []any {
		texts := make([]string, len(rows))
		for i, row := range rows {
			texts[i] = *row
		}
		return []any{texts}
	},
}

// What is too large for one statement goes in several, all or none; a row that is
// larger than that by itself is tried all the same.
func TestLargeBatches(t *testing.T) {
	db := pgtest.Open(pgtest.Config{})(t)
	db.Exec(t, "CREATE TABLE words (word text PRIMARY KEY CHECK (word <> 'bad'))")
	list := []string{"a", "b", strings.Repeat("long", 100), "d", "e", "f", "g"}
	var rows []*string
	for i := range list {
		rows = append(rows, &list[i])
	}
	const limit = 3 * (1 + fixed)
	words, columns, calls := words, words.Columns, 0
	words.Columns = func(rows []*string) []any {
		calls++
		return columns(rows)
	}
	if got, err := words.send(t.Context(), pgtest.Pool(db), rows, limit); err != nil || got.Inserted != len(list) {
		t.Errorf("got %+v, %v", got, err)
	}
	if calls != 9 { // of all, of each half, and of the halves of what is too large yet
		t.Errorf("the arrays were made %d times", calls)
	}
	db.Exec(t, "DELETE FROM words")
	list[6] = "bad"
	if _, err := words.send(t.Context(), pgtest.Pool(db), rows, limit); err == nil {
		t.Error("a row that the table refuses was written")
	}
	if n := db.Count(t, "SELECT count(*) FROM words"); n != 0 {
		t.Errorf("%d rows of a batch are there", n)
	}
}

// The size of arrays is that of their texts, and something for each value.
func TestSize(t *testing.T) {
	text := "1234567890"
	for _, c := range []struct {
		column any
		want   int
	}{
		{[]string{text, ""}, 10 + 2*fixed}, {[]*string{&text, nil}, 10 + 2*fixed}, {[][]byte{[]byte(text)}, 10 + fixed}, {[]int64{1}, 0},
	} {
		if got := size([]any{c.column}); got != c.want {
			t.Errorf("%T: %d; want %d", c.column, got, c.want)
		}
	}
}
