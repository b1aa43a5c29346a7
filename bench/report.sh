#!/bin/bash
# Wall time and memory of a table out of a recording with call chains, made by perf, against perf report on
# the same file and against a bare walk through it (walk.c); of folded stacks against perf script, whose text
# is what others fold. Two recordings: one with few distinct call chains, and one where nearly half of the
# samples have a chain of their own. BENCH_SAMPLES is the least number of samples of each (default 262,144).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly samples=${BENCH_SAMPLES:-262144}

need_perf
[[ -x $build/bench/stacks && -x $build/bench/walk ]] || die "no bench/stacks and bench/walk in $build"
data=$scratch/perf.data

# of_recording NAME [PATHS]
of_recording() {
	local name=$1

	record_stacks "$data" "$samples" "${@:2}" || skip "perf cannot record here"
	measure table -r "$(rounds 3)" -w 0 \
		perf perf report --stdio --children -i "$data" + \
		perf-self perf report --stdio --no-children -i "$data" + \
		script perf script -i "$data" + \
		walk "$build/bench/walk" "$data" + \
		pipa "$pipa" report "$data" + \
		pipa-self "$pipa" report --no-children "$data" + \
		fold "$pipa" fold "$data"
	show table
	measure near -r "$(rounds 15)" -w 1 \
		walk "$build/bench/walk" "$data" + \
		pipa "$pipa" report "$data" + \
		pipa-self "$pipa" report --no-children "$data" + \
		fold "$pipa" fold "$data"
	show near
	compare "$name: table with children" "$(of table pipa wall)" "$(of table perf wall)" 80 \
		"$(of near pipa wall)" "$(of near walk wall)" 3 "perf report"
	compare "$name: without children" "$(of table pipa-self wall)" "$(of table perf-self wall)" 20 \
		"$(of near pipa-self wall)" "$(of near walk wall)" 3 "perf report --no-children"
	compare "$name: folded stacks" "$(of table fold wall)" "$(of table script wall)" 30 \
		"$(of near fold wall)" "$(of near walk wall)" 4 "perf script"
	if [[ -x /usr/bin/time ]]; then
		state "$name: resident memory (kB as us) of the table with children" \
			"$(($(peak_kb "$pipa" report "$data") * 1000))" \
			"$(($(peak_kb perf report --stdio --children -i "$data") * 1000))" least 10
	fi
}

of_recording "4,096 paths"
of_recording "16,384 paths" 16384
