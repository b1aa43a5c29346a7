# Crashes of the store of results, for test_results_store.sh and test_long_results_store.sh.
# shellcheck shell=bash

# acknowledged_more_than N: have writers printed more than N lines?
acknowledged_more_than() {
	(($(wc -l < acknowledged) > $1))
}

# crash_rounds N: start the writers, kill them at a random moment, N times; everything that was acknowledged has to be there
# exactly once, with the recordings' bytes
crash_rounds() {
	local round pid id name lines

	command -v sqlite3 > /dev/null || skip 'needs sqlite3'
	: > acknowledged
	for ((round = 0; round < $1; round++)); do
		"$PIPA_WORKLOADS/results_store" write r.db >> acknowledged 2> writer.err &
		pid=$!
		if ((round % 2)); then # while it writes, the other times perhaps while it starts
			lines=$(wc -l < acknowledged)
			until_true acknowledged_more_than "$lines"
		fi
		sleep "0.$((RANDOM % 7))$((RANDOM % 10))"
		if ! kill -9 $pid 2> kill.err; then
			fail 'the writer ended' '' "$(< writer.err)"
		fi
		wait $pid 2> kill.err
		# as a dashboard sees it after the crash, before the next start
		if ((round % 10 == 0)) && [[ -e r.db ]]; then
			same 'integrity' ok "$(sqlite3 r.db 'PRAGMA integrity_check')"
		fi
	done
	run sh -c '"$0" hold r.db 1 < /dev/null' "$PIPA_WORKLOADS/results_store"
	status 0
	sed -n 's/^run \([0-9a-f]\{64\}\)$/\1/p' acknowledged | sort > expected
	(($(wc -l < expected) > $1)) || fail 'acknowledged runs' "more than $1" "$(wc -l < expected)"
	same 'runs acknowledged twice' '' "$(uniq -d expected)"
	sqlite3 r.db 'SELECT hash FROM example ORDER BY hash' > stored
	same 'acknowledged runs that are lost' '' "$(comm -23 expected stored)"
	same 'runs stored twice' '' "$(uniq -d stored)"
	same 'integrity' ok "$(sqlite3 r.db 'PRAGMA integrity_check')"
	same 'integrity' ok "$(sqlite3 r.db.meta 'PRAGMA integrity_check')"
	sed -n 's/^recording \([0-9a-f]\{64\}\) \([0-9a-f]\{64\}\)$/\1 \2/p' acknowledged | sort > expected
	sqlite3 -separator ' ' r.db.meta 'SELECT hash, id FROM recordings' | sort > stored
	same 'acknowledged recordings that are lost' '' "$(comm -23 expected stored)"
	cut -d ' ' -f 2 stored | sort -u > ids
	same 'files without a row, rows without a file' '' "$(find r.db.recordings -type f -printf '%f\n' |
		sort | diff - ids)"
	while read -r name; do
		read -r id _ < <(sha256sum "r.db.recordings/$name")
		[[ $id == "$name" ]] || fail 'bytes of a recording' "$name" "$id"
	done < ids
}
