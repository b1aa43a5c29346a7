#!/bin/bash
# How much slower a program runs while it is measured: under `pipa run` with its defaults, and under what the
# original's recipe does at the same time (perf stat -a -I 1000, sar -A, perf record --call-graph dwarf); a
# program that computes and one that does nothing but switch. Interleaved; the program measures itself.
# BENCH_ROUNDS says how often.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
command -v sar > /dev/null || skip "needs sar (Debian: sysstat)"
work=$build/bench/workload
[[ -x $work ]] || die "no bench/workload in $build"

# once NAME COMMAND...: its time goes to that name's list
once() {
	local name=$1

	shift
	WORKLOAD_MS=$scratch/$name.ms "$@" > /dev/null 2>&1 || die "$*: failed"
}

# recipe COMMAND...: all of the original's observers around it
recipe() {
	local stat sar

	perf stat -a -I 1000 -x , -o "$scratch/stat.csv" 2> /dev/null &
	stat=$!
	sar -A -o "$scratch/sar.bin" 1 > /dev/null 2>&1 &
	sar=$!
	perf record -q --call-graph dwarf -o "$scratch/perf.data" -- "$@"
	kill -INT "$stat" "$sar" 2> /dev/null
	wait "$stat" "$sar" 2> /dev/null || true
	rm -f "$scratch/sar.bin"
}

median() {
	sort -n "$scratch/$1.ms" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# compare NAME LIMIT COMMAND...
compare() {
	local name=$1 limit=$2 i alone ours theirs

	shift 2
	for ((i = 0; i < $(rounds 9); i++)); do
		once "$name-alone" "$@"
		once "$name-pipa" "$pipa" run -o "$scratch/report" -- "$@"
		once "$name-recipe" recipe "$@"
	done
	alone=$(median "$name-alone") ours=$(median "$name-pipa") theirs=$(median "$name-recipe")
	awk -v name="$name" -v a="$alone" -v o="$ours" -v t="$theirs" -v limit="$limit" \
		-v rows="${BENCH_ROWS:-/dev/null}" 'BEGIN {
			ours = 100 * (o / a - 1)
			theirs = 100 * (t / a - 1)
			printf "%s: alone %.1f ms, pipa run %+.2f %%, the recipe %+.2f %%\n", name, a, ours, theirs
			printf "%s, slower under pipa run: %.2f %% (target: at most %s %%, and half of the recipe, %.2f %%)\n",
				name, ours, limit, theirs / 2
			printf "| %s: slower under `pipa run` | %.2f %% | %.2f %% | at most %s %%, half of the recipe |\n",
				name, ours, theirs, limit >> rows
		}'
}

echo "== a program that computes"
compare computing 1 "$work" spin 600000
echo "== a program that switches"
compare switching 3 "$work" pass 60000
