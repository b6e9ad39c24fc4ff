// Package upsert holds what generated upserts share on every database: the
// counts that they return, and the order in which they send rows.
//
// What a directive //idem:upsert generates calls package pgupsert or package
// sqliteupsert below this one, and nobody else needs to.
package upsert
