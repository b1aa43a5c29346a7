#!/bin/bash
# What is lost of switches at a high rate on a busy machine, and what recording costs: two busy loops per CPU,
# and on each CPU two processes that pass a byte through pipes, 60 calls deep. pipa record and perf record in
# turn, with defaults, as the same user: lost samples, how long the load takes under each, and the recorder's memory.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
relay=$build/tests/workloads/relay
[[ -x $relay ]] || die "no tests/workloads/relay in $build"
"$pipa" record -q -a -e sched:sched_switch -o "$scratch/ours" true > /dev/null 2> "$scratch/why" ||
	skip "$(tail -n 1 "$scratch/why")"

cat > "$scratch/load" << END
for cpu in $(awk '/^cpu[0-9]/ { printf "%s ", substr($1, 4) }' /proc/stat); do
	taskset -c \$cpu $relay 20000 60 > /dev/null &
done
wait
END

loops=()
for ((i = 0; i < 2 * $(getconf _NPROCESSORS_ONLN); i++)); do
	while :; do :; done &
	loops+=($!)
done
trap 'kill "${loops[@]}" 2> /dev/null; rm -rf "$scratch"' EXIT

# recorded NAME FILE RECORDER...: one line: samples, seconds until all is over, peak memory, lost
recorded() {
	local name=$1 file=$2

	shift 2
	/usr/bin/time -f '%e %M' -o "$scratch/time" "$@" sh "$scratch/load" > /dev/null 2> "$scratch/err" || true
	perf report --stats -i "$file" 2> /dev/null | awk -v name="$name" -v time="$(tail -n 1 "$scratch/time")" '
		$1 == "SAMPLE" && !samples { samples = $3 }
		$1 == "LOST" && !lost { lost = $3 }
		END { split(time, t, " "); printf "%-14s %8d samples %6.1f s %8d KiB", name, samples, t[1], t[2] }'
	awk -v lost="$("$pipa" report --stdio "$file" 2> /dev/null |
		awk '/^# lost:/ { print $3 + $5; exit }')" -v samples="$("$pipa" report --stats "$file" 2> /dev/null |
		awk '$1 == "SAMPLE" { print $3; exit }')" \
		'BEGIN { printf "  lost %d (%.3f %%)\n", lost, 100 * lost / (lost + samples + 1e-9) }'
}

for ((round = 0; round < $(rounds 3); round++)); do
	recorded 'perf -g' "$scratch/theirs" perf record -q -a -g -e sched:sched_switch -o "$scratch/theirs"
	recorded 'pipa fp' "$scratch/ours" "$pipa" record -q -a --call-graph fp -e sched:sched_switch -o "$scratch/ours"
	recorded 'perf dwarf' "$scratch/theirs" perf record -q -a --call-graph dwarf -e sched:sched_switch -o "$scratch/theirs"
	recorded 'pipa dwarf' "$scratch/ours" "$pipa" record -q -a --call-graph dwarf -e sched:sched_switch -o "$scratch/ours"
done
echo 'target: pipa loses less than 0.1 %'
