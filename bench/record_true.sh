#!/bin/bash
# `pipa record true` against `perf record true`: wall time, interleaved.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
"$pipa" record -q -o "$scratch/ours" true > /dev/null 2> "$scratch/why" || skip "$(tail -n 1 "$scratch/why")"

measure start -r "$(rounds 15)" -w 2 \
	perf perf record -q -g -o "$scratch/theirs" true + pipa "$pipa" record -q -o "$scratch/ours" true
show start
state "pipa record true" "$(of start pipa wall)" "$(of start perf wall)" least 20
