// Command idemgen makes handlers of queues, webhooks and schedulers safe
// against a second delivery: from a directive above a function it generates
// the wrapper, its race tests, the migrations and the audit SQL.
//
// It only parses arguments and prints: all work is done by package generator,
// the one package of the module that it imports.
package main
