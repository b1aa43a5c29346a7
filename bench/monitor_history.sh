#!/bin/bash
# What a tick takes on disk, of monitor --daemon against sadc -S ALL, and how long it takes to show all of
# such a file, as text. One second a tick, both at the same time; minutes give the same sizes, for it is
# the number of values that changed that counts. Files of few ticks less: heads cancel.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly ticks=${BENCH_TICKS:-60}
readonly sadc=/usr/lib/sysstat/sadc

command -v sar > /dev/null || skip "needs sar (Debian: sysstat)"
[[ -x $sadc ]] || skip "needs $sadc"

size() {
	cat "$@" | wc -c
}

# per_tick SHORT LONG: bytes
per_tick() {
	awk -v short="$1" -v long="$2" -v n=$((ticks - 1)) 'BEGIN { printf "%.0f\n", (long - short) / n }'
}

"$pipa" monitor --daemon --all -o "$scratch/one" -i 1 -n 1
"$sadc" -S ALL 1 1 "$scratch/one.sa"
"$sadc" -S ALL 1 "$ticks" "$scratch/all.sa" &
"$pipa" monitor --daemon --all -o "$scratch/all" -i 1 -n "$ticks"
wait
ours=$(per_tick "$(size "$scratch"/one/*.pmh)" "$(size "$scratch"/all/*.pmh)")
theirs=$(per_tick "$(size "$scratch/one.sa")" "$(size "$scratch/all.sa")")
awk -v ours="$ours" -v theirs="$theirs" 'BEGIN {
	printf "bytes a tick: pipa %d, sadc %d: %.1f times less; a day of minutes %.0f kB, %.0f kB\n",
		ours, theirs, theirs / ours, ours * 1.44, theirs * 1.44
}'

measure show -r "$(rounds 9)" -w 1 \
	sar sar -A -f "$scratch/all.sa" + \
	sadf sadf -d "$scratch/all.sa" -- -A + \
	pipa "$pipa" monitor --from "$scratch/all" --all -P ALL + \
	pipa-csv "$pipa" monitor --from "$scratch/all" --all -P ALL --csv
show show
state "showing a history of $ticks ticks, against sar -A -f" "$(of show pipa cpu)" "$(of show sar cpu)" least 1 sar
state "the same as CSV, against sadf -d" "$(of show pipa-csv cpu)" "$(of show sadf cpu)" least 1 sadf
