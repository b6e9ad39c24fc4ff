package shop

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Phone is a type over Go's own.
type Phone string

// ID is a UUID that no package knows.
type ID [16]byte

// Amount writes itself.
type Amount struct{ text string }

// Value implements [driver.Valuer].
func (a Amount) Value() (driver.Value, error) {
	if a.text == "" {
		return nil, nil
	}
	return a.text, nil
}

// Audited is embedded.
type Audited struct {
	SeenAt time.Time `db:"seen_at"`
}

// Recipient has the columns that most tables have.
//
//idem:upsert recipients by list_id, phone
type Recipient struct {
	ListID int64  `db:"list_id"`
	Phone  Phone  `db:"phone"`
	Name   string `db:"name"`
	Note   string // no column
}

// Sample has a column of each kind.
//
//idem:upsert samples by id
type Sample struct {
	Audited
	ID      ID                 `db:"id"`
	Small   uint8              `db:"small"`
	Int     int                `db:"int"`
	Big     uint64             `db:"big"`
	Float   float64            `db:"float"`
	Short   float32            `db:"short"`
	Yes     bool               `db:"yes"`
	Raw     []byte             `db:"raw"`
	JSON    json.RawMessage    `db:"json"`
	Text    *string            `db:"text"`
	Count   *int32             `db:"count"`
	When    *time.Time         `db:"when"`
	Other   *ID                `db:"other"`
	Nick    sql.NullString     `db:"nick"`
	At      sql.NullTime       `db:"at"`
	Code    string             `db:"code" idem:"type=inet"`
	Flag    *bool              `db:"flag"`
	Pg      pgtype.Text        `db:"pg"`
	Skipped map[string]float64 `db:"-"`
}

// Price has a version, and a key with NULLs that are the same.
//
//idem:upsert prices by product, region version rev nulls same
type Price struct {
	Product string  `db:"product"`
	Region  *string `db:"region"`
	Rev     int     `db:"rev"`
	Cents   int64   `db:"cents"`
}

// Reading has a time for its version.
//
//idem:upsert readings by sensor version at
type Reading struct {
	Sensor string    `db:"sensor"`
	At     time.Time `db:"at"`
	Value  float64   `db:"value"`
}

// Visit has a key with a NULL that is equal to nothing.
//
//idem:upsert visits by page, visitor nulls distinct
type Visit struct {
	Page    string         `db:"page"`
	Visitor sql.NullString `db:"visitor"`
	Count   int            `db:"count"`
}

// Tag is nothing but its key, which is a time, too, and has the name of a word of
// SQL's.
//
//idem:upsert tags by select, day
type Tag struct {
	Name string    `db:"select"`
	Day  time.Time `db:"day"`
}

// Bill has a column that writes itself.
//
//idem:upsert bills by id
type Bill struct {
	ID    string `db:"id"`
	Total Amount `db:"total" idem:"type=numeric"`
}
