// Package sqlgen writes the SQL of a project: the migrations, which are
// frozen in idemgen.lock as soon as they are written, and the audit queries.
// The SQL itself lies in package templates, one folder per dialect.
//
// A migration serves a need, such as "postgres job_runs/1 job_runs": the
// first version of the table of runs, in Postgres, under that name. A need
// that the lock does not have gets a new file with the next free number; one
// that it has is left alone for ever, whatever later versions of idemgen
// write. So what serves a need in templates never changes either: a change is
// a new need. Another table in the configuration is a new need, and the old
// table's migration stays. Another tool or directory is an error that says
// how to move.
//
// Hashes are over the file with CRLF read as LF, so that a checkout that
// converts line ends is no edit. Projects still do well to keep LF:
//
//	# .gitattributes
//	*.sql        text eol=lf
//	idemgen.lock text eol=lf
//
// The package reads below the project's root and writes nothing. It imports
// the standard library, spec and templates, and package runtime for the
// limits of a key.
package sqlgen
