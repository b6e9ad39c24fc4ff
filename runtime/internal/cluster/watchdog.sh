# $1: directory of the server binaries. $2: directory of the cluster.
# The rest: settings. Standard input is the lifeline: a pipe whose other end
# the test process holds, so that it closes when that process ends, by whatever
# end. A line in it says that the server was stopped, and is to be started
# again. Standard error is read by the test process.
# The lock on the directory came with an open file, which the server inherits:
# it is held as long as this script or the server runs.
bin=$1 dir=$2
shift 2
# A signal to this script, as from what ends a job with all its processes, is
# not to end it before it has cleaned up.
ended=
trap ended=1 HUP INT QUIT TERM
# On macOS each connection that the server allows is an open file, of which a
# shell there allows 256.
files=$(ulimit -S -n)
[ "$files" = unlimited ] || [ "$files" -ge 10240 ] || ulimit -S -n 10240 2>/dev/null
start() {
	# No trap while the server is forked: until the child has become the
	# server, it would take a signal and do nothing.
	trap - HUP INT QUIT TERM
	"$bin/postgres" -D "$dir/data" -k "$dir" "$@" >&2 &
	trap : HUP INT QUIT TERM # which ends read
}
# initdb talks to a file: if the test process died, a pipe would kill it and
# leave its children writing into the directory that is being removed.
if "$bin/initdb" -D "$dir/data" -U idemtest -A trust -E UTF8 --locale=C --no-sync >"$dir/initdb.log" 2>&1 && [ ! "$ended" ]; then
	start "$@"
	# Only the server holds standard error now: if it dies, the test
	# process reads the end of the file.
	exec 2>/dev/null
	while read -r _; do
		wait $!
		start "$@"
	done
	# Another signal would end the wait for the server, too.
	trap '' HUP INT QUIT TERM
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
