#!/bin/bash
# Unwinding alone: frames a second and core on the stops of tests/data/unwind, all of whose rows are
# known after the first time, against the target of ten million; then what opening a large file costs,
# and what it would cost to compute all of its rows instead of those that are met.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

unwind=$build/bench/unwind
[[ -x $unwind ]] || die "no bench/unwind in $build"

for arch in x86_64 aarch64 riscv64; do
	"$unwind" "$bench/../tests/data/unwind" "$arch" "${BENCH_SECONDS:-2}" | tee "$scratch/frames"
	state "1000 frames of $arch unwound" "$(awk '{ printf "%.0f\n", 1e6 / $2 }' "$scratch/frames")" \
		100000 most 1 'target of'
done
for file in /usr/bin/node "$(readlink -f /usr/bin/python3)" "$build/pipa"; do
	if [[ -r $file ]]; then
		"$unwind" "$file"
	fi
done
