// Quickstart delivers events to an idempotent handler, the way brokers do: at
// least once. It prints what each delivery got, and ends with an audit.
//
//	go run ./examples/quickstart                                the handler in its wrapper
//	go run ./examples/quickstart -unsafe                        the handler alone: duplicates
//	go run ./examples/quickstart -database-url postgres://...   on Postgres instead of SQLite
//
// notify.go is what a developer writes. notify_idem.go, the migrations, the
// audit and the race tests are what idemgen made of it. The rest plays the
// world around: a broker, a provider, workers that die.
package main
