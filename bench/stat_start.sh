#!/bin/bash
# What `pipa stat` adds to a command, against perf stat: added wall time of `true`, warm and
# interleaved. The first open after a second without any counter, where the kernel has to patch
# itself, is shown apart and has no target: it varies several times over from run to run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
need_stat task-clock

echo "== starting: --version against true"
measure version -r "$(rounds 501)" -w 20 \
	true true + pipa "$pipa" --version + perf perf --version
show version
state "pipa --version" "$(of version pipa wall)" "$(of version true wall)" most 2 true

echo
echo "== cold: $(rounds 7) times, each after 1.5 s without counters"
measure cold -r "$(rounds 7)" -w 0 -s 1500 -b true \
	true true + perf perf stat true + pipa "$pipa" stat true
show cold

echo
echo "== warm: what stat adds to true"
measure warm -r "$(rounds 501)" -w 20 -b true \
	true true + perf perf stat true + pipa "$pipa" stat true
show warm
state "pipa stat true, added" "$(of warm pipa added)" "$(of warm perf added)" least 10
