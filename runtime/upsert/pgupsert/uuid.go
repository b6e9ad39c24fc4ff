package pgupsert

import "github.com/jackc/pgx/v5/pgtype"

// UUID is a UUID as pgx sends it in every mode.
type UUID = pgtype.UUID

// UUIDOf returns 16 bytes as a UUID.
func UUIDOf(id [16]byte) UUID { return UUID{Bytes: id, Valid: true} }

// UUIDOrNull is [UUIDOf], and NULL of nil.
func UUIDOrNull(id *[16]byte) UUID {
	if id == nil {
		return UUID{}
	}
	return UUIDOf(*id)
}
