// Package shop has the rows that the tests of upserts write, with what idemgen
// generates for them on both databases.
package shop
