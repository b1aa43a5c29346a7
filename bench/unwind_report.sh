#!/bin/bash
# Wall time and memory of a table out of a recording with pieces of stacks (--call-graph dwarf --unwind
# later), against perf report on the same file, which unwinds it with libunwind: without inlined functions,
# which perf looks up for each address. BENCH_SAMPLES says how many samples it is to have at least (50,000).
# The recording is pipa's, as perf's own loses samples at this rate.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly samples=${BENCH_SAMPLES:-50000}

need_perf
[[ -x $build/bench/stacks ]] || die "no bench/stacks in $build"
data=$scratch/perf.data
# two threads, each 5,000 times a second
"$pipa" record -q -F 5000 --call-graph dwarf --unwind later -o "$data" -- "$build/bench/stacks" \
	"$(awk -v n="$samples" 'BEGIN { print n / 9500 }')" > /dev/null 2>&1 || skip "nothing can be recorded here"
"$pipa" report --stats "$data" | awk '$1 == "SAMPLE" { n = $3 } END { print n " samples" }'
"$pipa" report "$data" | sed -n 's/^# \(stacks: .*\)/\1/p'
stat -c %s "$data" | awk '{ printf "%.1f MB\n", $1 / 1e6 }'

# resident NAME COMMAND...: kB at most
resident() {
	local name=$1

	shift
	/usr/bin/time -f "%M" -o "$scratch/$name.rss" "$@" > /dev/null 2>&1 || true
	tail -n 1 "$scratch/$name.rss"
}

measure table -r "$(rounds 3)" -w 0 \
	perf perf report --stdio --no-children --no-inline -i "$data" + \
	pipa "$pipa" report --no-children --tree "$data" + \
	pipa-children "$pipa" report "$data" + \
	pipa-self "$pipa" report --no-children "$data"
show table
state "a table with callers, against perf report --no-inline" "$(of table pipa wall)" \
	"$(of table perf wall)" least 15
if [[ -x /usr/bin/time ]]; then
	state "resident memory (kB as us) of the table with callers" \
		"$(($(resident pipa "$pipa" report --no-children --tree "$data") * 1000))" \
		"$(($(resident perf perf report --stdio --no-children --no-inline -i "$data") * 1000))" least 5
fi
