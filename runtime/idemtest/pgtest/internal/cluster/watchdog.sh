# $1: directory of the server binaries. $2: directory of the cluster.
# The rest: settings. Standard input is the lifeline: a pipe whose other end
# the test process holds and never writes to, so that it closes when that
# process ends, by whatever end. Standard error is read by the test process.
bin=$1 dir=$2
shift 2
# initdb talks to a file: if the test process died, a pipe would kill it and
# leave its children writing into the directory that is being removed.
if "$bin/initdb" -D "$dir/data" -U idemtest -A trust -E UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1; then
	"$bin/postgres" -D "$dir/data" -k "$dir" "$@" >&2 &
	# Only the server holds standard error now: if it dies, the test
	# process reads the end of the file.
	exec 2>/dev/null
	read -r _
	# The server is a child that nobody else waits for, so this can only be
	# its pid and no other process's. QUIT does not wait for clients; but a
	# server that was forked just now ignores it, as whatever a shell runs
	# in the background does, so TERM goes first. There are no clients then.
	kill -TERM $!
	kill -QUIT $!
	wait $!
else
	cat "$dir/initdb.log" >&2
fi
rm -rf -- "$dir"
