#!/bin/bash
# Memory of `monitor --all -P ALL --csv` at its fastest, a tick every 10 ms: resident size under 8 MiB
# and flat. Two minutes stand in for hours at a second a tick; BENCH_SECONDS for other lengths.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly seconds=${BENCH_SECONDS:-120} limit_kb=8192

# resident PID: kB, those of the file it runs from included
resident() {
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

"$pipa" monitor --all -P ALL --csv -i 0.01 > /dev/null &
monitor=$!
trap 'kill "$monitor" 2> /dev/null; rm -rf "$scratch"' EXIT
sleep 2
first=$(resident "$monitor")
most=$first
for ((i = 2; i < seconds; i++)); do
	sleep 1
	now=$(resident "$monitor")
	[[ $now -le $most ]] || most=$now
done
last=$(resident "$monitor")
kill "$monitor"

echo "resident after 2 s: $first kB, after $seconds s: $last kB, at most: $most kB"
state "resident, in kB (as us)" $((most * 1000)) $((limit_kb * 1000)) most 1 limit
state "resident after $seconds s, against after 2 s" $((last * 1000)) $((first * 1000)) most 1.02 start
