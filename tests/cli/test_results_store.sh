#!/usr/bin/env bash
# The store of results of pipad: crashes, a full disk, readers of another user, large tables.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/results_store.sh"

test_kill_at_any_moment_loses_nothing_that_was_acknowledged() {
	crash_rounds 10
}

test_full_disk_is_an_error_and_uploads_go_on_when_there_is_space() {
	unshare -rm true 2> unshare.err || skip 'user namespaces are not permitted'
	command -v sqlite3 > /dev/null || skip 'needs sqlite3'
	mkdir disk
	# shellcheck disable=SC2016
	run unshare -rm sh -c 'mount -t tmpfs -o size=8m none disk || exit 9
		head -c 3000000 /dev/zero > disk/filler
		"$0" full disk/r.db disk/filler || exit
		sqlite3 disk/r.db "PRAGMA integrity_check" > integrity
		sqlite3 disk/r.db "SELECT hash FROM example ORDER BY hash" > stored' \
		"$PIPA_WORKLOADS/results_store"
	((got_status == 9)) && skip 'tmpfs cannot be mounted'
	status 0
	same 'integrity' ok "$(< integrity)"
	sed 's/^run //' out | sort -u > expected
	# one takes 4 KiB of the 5 MB: what the WAL takes is given back
	(($(wc -l < expected) > 1000)) || fail 'runs' 'more than 1000' "$(wc -l < expected)"
	same 'stored runs' "$(< expected)" "$(< stored)"
	grep -q 'full: -28 .*full' err || fail 'error' 'of a full disk' "$(< err)"
}

# read_as_nobody DIRECTORY EXPECTED: sqlite3 and Python count the rows
read_as_nobody() {
	same "sqlite3 in $1" "$2" "$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		sqlite3 "$1/r.db" 'SELECT count(*) FROM example' 2>&1)"
	same "sqlite3 -readonly in $1" "$2" "$(setpriv --reuid=65534 --regid=65534 --clear-groups \
		sqlite3 -readonly "$1/r.db" 'SELECT count(*) FROM example' 2>&1)"
	same "Python in $1" "$2" "$(setpriv --reuid=65534 --regid=65534 --clear-groups /usr/bin/python3 -c '
import sqlite3, sys
db = sqlite3.connect("file:" + sys.argv[1] + "/r.db?mode=ro", uri=True)
print(db.execute("SELECT count(*) FROM example").fetchone()[0])' "$1" 2>&1)"
}

# Called again in a mount namespace, with the directory of the test.
readers_in_a_namespace() {
	local pid

	mkdir data ro || return
	mount --bind data ro && mount -o remount,bind,ro ro || return 9
	mkfifo input
	"$PIPA_WORKLOADS/results_store" hold data/r.db 500 < input > ready &
	pid=$!
	exec 5> input
	until [[ -s ready ]]; do
		kill -0 $pid || return
		sleep 0.05
	done
	read_as_nobody ro 500 # running, WAL not copied yet
	read_as_nobody data 500
	kill -9 $pid
	wait $pid 2> kill.err
	read_as_nobody ro 500 # killed
	exec 5>&-
	"$PIPA_WORKLOADS/results_store" hold data/r.db 0 < /dev/null > ready
	[[ ! -e data/r.db-wal && ! -e data/r.db-shm ]] || fail 'files' 'no WAL after the stop' "$(ls data)"
	read_as_nobody ro 500 # stopped
	read_as_nobody data 500
}

test_another_user_reads_a_read_only_mount_while_it_runs_and_afterwards() {
	((EUID == 0)) || skip 'needs root'
	unshare -m true 2> unshare.err || skip 'mount namespaces are not permitted'
	command -v sqlite3 > /dev/null || skip 'needs sqlite3'
	chmod 755 . ..
	[[ $(setpriv --reuid=65534 --regid=65534 --clear-groups sh -c 'cd . && echo yes' 2>&1) == yes ]] ||
		skip "nobody cannot enter $PWD"
	umask 022
	export -f readers_in_a_namespace read_as_nobody same fail
	export command_line PIPA_WORKLOADS
	run unshare -m bash -c readers_in_a_namespace
	((got_status == 9)) && skip 'bind mounts are not permitted'
	cat out
	status 0
}

test_large_table_is_written_as_csv_in_bounded_memory() {
	local rss

	run sh -c '"$0" hold r.db 30000 < /dev/null' "$PIPA_WORKLOADS/results_store"
	status 0
	run "$PIPA_WORKLOADS/results_store" csv r.db
	status 0
	same 'lines' 30001 "$(wc -l < out)"
	rss=$(tail -n 1 err)
	# the table has 20 MB; SQLite's cache is 2 MiB per file and connection
	((rss < 40000)) || ((${PIPA_SANITIZED:-0})) || fail 'peak RSS in KiB' 'less than 40000' "$rss"
}

run_tests "$@"
