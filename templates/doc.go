// Package templates holds the SQL that idemgen writes, one folder per
// dialect. The folders are twins: the same file names, and in each file the
// same statements in the same order, so that
//
//	diff -r postgres sqlite
//
// shows the dialects and nothing else. A template asks no question about its
// dialect.
//
// The package imports the standard library only. The SQL emitter renders the
// templates into a user's project; tests of the stores call [JobRuns] for the
// very table that users get.
package templates
