package upsert

import "slices"

// Counts says what became of the rows of an upsert. Together they are as many
// as the rows.
type Counts struct {
	Inserted  int // there was no row with the key
	Updated   int // there was one, with other values
	Unchanged int // there was one with the same values, or with a version that is not older: nothing was written
	Folded    int // another row of the same call has the key, and was taken
}

// Add returns the sums of two counts.
func (c Counts) Add(d Counts) Counts {
	return Counts{c.Inserted + d.Inserted, c.Updated + d.Updated, c.Unchanged + d.Unchanged, c.Folded + d.Folded}
}

// Order says how the rows of a table are told apart.
type Order[Row any] struct {
	Key     func(a, b *Row) int // compares the keys
	Version func(a, b *Row) int // compares the versions; nil if there are none
	Alone   func(row *Row) bool // reports whether the key has a NULL that is equal to nothing; nil if none has
}

// Fold returns the rows in the order of their keys, and of those that share a
// key the one that would be there if they were sent one by one: the last, or the
// first of those with the newest version.
//
// One order for all means that two batches wait for each other's rows, and never
// for each other.
func (o Order[Row]) Fold(rows []Row) []*Row {
	sorted := make([]*Row, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	if len(rows) < 2 {
		return sorted
	}
	slices.SortStableFunc(sorted, o.Key)
	kept := sorted[:1]
	for _, row := range sorted[1:] {
		last := &kept[len(kept)-1]
		switch {
		case o.Key(*last, row) != 0 || o.Alone != nil && o.Alone(row):
			kept = append(kept, row)
		case o.Version == nil || o.Version(*last, row) < 0:
			*last = row
		}
	}
	return kept
}
