// Package idemtest is what generated race tests call, and what you can call
// yourself: [Race] puts a wrapper through the deliveries that a broker has in
// store for it, on real databases.
//
// The databases come from the packages below this one: pgtest finds or
// starts Postgres, sqlitetest makes a file. Each test gets an empty database
// with the migrations applied and a clock that stands still until the test
// moves it, so that no test waits for a lease to run out.
//
// The package imports the standard library and runtime only.
package idemtest
