#!/bin/bash
# CPU time of `pipa collect` against what the original runs for the same archive: perf stat and sar while
# it counts, perf record with stack dumps while it samples; with nothing else running, and with a busy
# thread for each CPU. sar does not wait for the sadc it starts, which is therefore run apart and added.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly seconds=${1:-4}
readonly sadc=/usr/lib/sysstat/sadc
readonly counted=page-faults,context-switches,cpu-migrations

need_perf
need_stat cpu-clock -a
command -v sar > /dev/null || skip "needs sar (Debian: sysstat)"
[[ -x $sadc ]] || skip "needs $sadc"
cd "$scratch"

# compare NAME: both phases of both, in turn
compare() {
	measure "$1" -r "$(rounds 3)" -w 0 \
		pipa-counts "$pipa" collect --no-spec-info --no-record --duration-stat "$seconds" \
		--perf-events $counted -o a.tar.gz + \
		perf-stat perf stat -x , -a -I 1000 -o stat.txt -e $counted sleep "$seconds" + \
		sar sar -A 1 "$seconds" + \
		sadc "$sadc" -S XALL 1 $((seconds + 1)) - + \
		pipa-samples "$pipa" collect --no-spec-info --no-stat --duration-record "$seconds" \
		-o a.tar.gz + \
		perf-record perf record -q -e cpu-clock -a --call-graph dwarf -N -F 97 -o perf.data \
		-- sleep "$seconds"
	show "$1"
	state "counting $seconds s, $2, against perf stat, sar and sadc" "$(of "$1" pipa-counts cpu)" \
		$(($(of "$1" perf-stat cpu) + $(of "$1" sar cpu) + $(of "$1" sadc cpu))) least 2
	state "sampling $seconds s at 97 Hz, $2, against perf record with stack dumps" \
		"$(of "$1" pipa-samples cpu)" "$(of "$1" perf-record cpu)" least 2
}

compare idle "nothing else running"
for ((i = 0; i < $(nproc); i++)); do
	(while :; do :; done) &
	busy+=($!)
done
trap 'kill "${busy[@]}"; rm -rf "$scratch"' EXIT
compare busy "a busy thread a CPU"
