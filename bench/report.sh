#!/bin/bash
# Wall time and memory of a table out of a recording with call chains, made by perf, against perf report on
# the same file; of folded stacks against perf script, whose text is what others fold. BENCH_SAMPLES says
# how many samples the recording is to have at least (262,144).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly samples=${BENCH_SAMPLES:-262144}

need_perf
[[ -x $build/bench/stacks ]] || die "no bench/stacks in $build"
data=$scratch/perf.data
# two threads, each 10,000 times a second; on a busy machine they get less than that
seconds=$(awk -v n="$samples" 'BEGIN { print n / 19000 }')
for _ in 1 2 3; do
	perf record -q -F 10000 -g -o "$data" -- "$build/bench/stacks" "$seconds" || skip "perf cannot record here"
	got=$("$pipa" report --stats "$data" | awk '$1 == "SAMPLE" { print $3; exit }')
	[[ $got -ge $samples ]] && break
	seconds=$(awk -v s="$seconds" -v n="$samples" -v got="$got" 'BEGIN { print s * n / got * 1.1 }')
done
echo "$got samples"
stat -c %s "$data" | awk '{ printf "%.1f MB\n", $1 / 1e6 }'

measure table -r "$(rounds 3)" -w 0 \
	perf perf report --stdio --children -i "$data" + \
	perf-self perf report --stdio --no-children -i "$data" + \
	script perf script -i "$data" + \
	pipa "$pipa" report "$data" + \
	pipa-self "$pipa" report --no-children "$data" + \
	fold "$pipa" fold "$data"
show table
state "a table with children, against perf report" "$(of table pipa wall)" "$(of table perf wall)" least 80
state "without children, against perf report --no-children" "$(of table pipa-self wall)" \
	"$(of table perf-self wall)" least 20
state "folded stacks, against perf script alone" "$(of table fold wall)" "$(of table script wall)" least 30
if [[ -x /usr/bin/time ]]; then
	state "resident memory (kB as us) of the table with children" \
		"$(($(peak_kb "$pipa" report "$data") * 1000))" \
		"$(($(peak_kb perf report --stdio --children -i "$data") * 1000))" least 10
fi
