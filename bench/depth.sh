#!/bin/bash
# Complete stacks of a program that is up to 200 calls deep, in 36 kB of stack, without frame pointers: what
# `pipa record` gets of it by itself, by sampling rate, and what pipa and perf find in the same files, made by perf
# with 8 KiB and with as much as a sample has room for. perf's are complete when they have main in them.
# perf leaves out build ids (-B), which not every one of them survives.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly depth=200 seconds=3 target=95

need_perf
[[ -x $build/bench/deep ]] || die "no bench/deep in $build"
deep=("$build/bench/deep" "$depth" "$seconds")
perf record -q -B -e cpu-clock:u --call-graph dwarf -o "$scratch/probe" true > /dev/null 2>&1 ||
	skip "perf is installed but does not record stacks"

# ours FILE: percent of the stacks that are complete
ours() {
	"$pipa" report "$1" | sed -n 's/^# stacks: \([0-9.]*\)%.*/\1/p'
}

# joined FILE: percent of the stacks that got their outer frames from an earlier sample
joined() {
	"$pipa" report "$1" | sed -n 's/^# stacks:.*; \([0-9.]*\)% joined.*/\1/p'
}

# theirs FILE
theirs() {
	perf script --no-inline -F ip,sym -i "$1" 2> /dev/null |
		awk 'NF { all += first == 0; first = 1; main = main || $2 == "main" }
			!NF { good += main; first = main = 0 }
			END { printf "%.2f\n", all ? 100 * good / all : 0 }'
}

# row WHAT OURS THEIRS
row() {
	printf '%-44s %9s %% %9s %%\n' "$1" "$2" "$3"
}

for hz in 5000 10000 20000; do
	"$pipa" record -q -e cpu-clock:u -F $hz -o "$scratch/ours.$hz" "${deep[@]}"
	printf '%-44s %9s %%, %s %% joined, %s bytes per sample\n' "complete stacks at $hz samples per second" \
		"$(ours "$scratch/ours.$hz")" "$(joined "$scratch/ours.$hz" | grep . || echo 0)" \
		"$("$pipa" report --stats --json "$scratch/ours.$hz" |
			awk -v size="$(stat -c %s "$scratch/ours.$hz")" '/"samples":/ { printf "%d", size / $2; exit }')"
done
"$pipa" record -q -e cpu-clock:u -o "$scratch/ours" "${deep[@]}"
for bytes in 8192 65528; do
	perf record -q -B -e cpu-clock:u -F 997 -m 1024 --call-graph "dwarf,$bytes" -o "$scratch/theirs.$bytes" \
		"${deep[@]}" > /dev/null 2>&1
done

row "complete stacks, depth $depth" pipa perf
row 'recorded by pipa record' "$(ours "$scratch/ours")" "$(theirs "$scratch/ours")"
for bytes in 8192 65528; do
	row "recorded by perf record, $bytes bytes" "$(ours "$scratch/theirs.$bytes")" \
		"$(theirs "$scratch/theirs.$bytes")"
done
awk -v got="$(ours "$scratch/ours")" -v want=$target -v theirs="$(theirs "$scratch/theirs.65528")" \
	-v rows="${BENCH_ROWS:-/dev/null}" 'BEGIN {
		printf "ratio: %.2f (target at least %d, percent of stacks that are complete)\n", got, want
		printf "| complete stacks at depth 200 | %.2f %% | perf, 64 KiB %.2f %% | | at least %d %% | %s |\n",
			got, theirs, want, (got >= want ? "met" : "missed") >> rows
	}'
