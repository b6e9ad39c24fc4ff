// Package pgupsert writes rows on Postgres, for what //idem:upsert generates.
package pgupsert
