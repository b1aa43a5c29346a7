#!/bin/bash
# Durable uploads per second of pipad against PIPA's server design (pipad_peer.py): 64 connections, distinct results
# with all fields, on the disk of this directory, rounds of both in turn. Then the latency of pipad, and the memory of
# 1,000 idle connections.
#
# BENCH_SECONDS: length of a round (5); BENCH_ROUNDS: rounds (3).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

pipad=$build/pipad
load=$build/bench/pipad_load
[[ -x $pipad && -x $load ]] || die "no pipad and bench/pipad_load in $build"
python3=/usr/bin/python3 # that of the package python3-grpcio
"$python3" -c 'import grpc, google.protobuf' 2> /dev/null ||
	skip "needs python3-grpcio and python3-protobuf"
command -v protoc > /dev/null || skip "needs protoc (Debian: protobuf-compiler)"

# the store is on a disk, not in memory as /tmp may be
folder=$(mktemp -d "$build/pipad-bench.XXXXXX")
servers=()
trap 'kill "${servers[@]}" 2> /dev/null; rm -rf "$scratch" "$folder"' EXIT

# wait_for FILE REGEX: print the first match of the group
wait_for() {
	local i found

	for ((i = 0; i < 200; i++)); do
		found=$(sed -nE "s/.*$2.*/\\1/p" "$1" | head -n 1)
		[[ -n $found ]] && break
		sleep 0.1
	done
	[[ -n $found ]] || die "a server does not start: $(tail -n 2 "$1")"
	echo "$found"
}

"$pipad" -p 0 --http-port none -l "$folder" 2> "$folder/pipad.log" &
ours_id=$!
servers+=("$ours_id")
ours=$(wait_for "$folder/pipad.log" 'protocol=grpc.*:([0-9]+)$')
"$python3" "$bench/pipad_peer.py" -p 0 -d "$folder/peer.db" > "$folder/peer.log" 2>&1 &
servers+=($!)
theirs=$(wait_for "$folder/peer.log" 'listening ([0-9]+)')

seconds=${BENCH_SECONDS:-5}
echo "== uploads: 64 connections, $(rounds 3) rounds of $seconds s each, in turn"
printf '%-8s %12s %12s %12s %9s\n' server uploads/s 'median us' 'p99 us' failures
for ((round = 0; round < $(rounds 3); round++)); do
	for who in pipad peer; do
		port=$ours
		[[ $who == pipad ]] || port=$theirs
		"$load" "$port" 64 "$seconds" > "$scratch/line"
		read -r rate median p99 failed < "$scratch/line"
		printf '%-8s %12s %12s %12s %9s\n' "$who" "$rate" "$median" "$p99" "$failed"
		echo "$rate $median $p99 $failed" >> "$scratch/$who"
	done
done

# middle FILE COLUMN: the median of a column
middle() {
	sort -n -k "$2,$2" "$scratch/$1" | awk -v at="$2" '{ v[NR] = $at } END { print v[int((NR + 1) / 2)] }'
}

# time per upload in ns, as lib.sh has it
state "a durable upload, 64 connections" "$(awk -v r="$(middle pipad 1)" 'BEGIN { print 1e9 / r }')" \
	"$(awk -v r="$(middle peer 1)" 'BEGIN { print 1e9 / r }')" least 50 peer
awk -v p99="$(middle pipad 3)" -v p50="$(middle pipad 2)" 'BEGIN {
	printf "pipad: p99 / median = %.1f (target below 10)\n", p99 / p50 }'
awk '{ n += $4 } END { print "failures of pipad: " n }' "$scratch/pipad"

echo
echo "== memory of 1,000 idle connections"
before=$(awk '/^VmRSS/ { print $2 }' "/proc/$ours_id/status")
mkfifo "$scratch/gate"
: > "$scratch/idle" # the shell in the background may be late
"$load" "$ours" 1000 idle < "$scratch/gate" > "$scratch/idle" &
servers+=($!)
exec 9> "$scratch/gate"
wait_for "$scratch/idle" '(ready)' > /dev/null
after=$(awk '/^VmRSS/ { print $2 }' "/proc/$ours_id/status")
exec 9>&-
echo "resident set of pipad: $((before / 1024)) MiB after the uploads, $((after / 1024)) MiB with 1,000 idle connections (target below 64 MiB)"
