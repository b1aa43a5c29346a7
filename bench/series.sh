#!/bin/bash
# Loading the series of a collection of a large machine (CPUS and SECONDS are arguments, 256 and 86400: 1.5 GB of CSV)
# from its directory, against pandas reading the same files. CPU time, medians of interleaved runs, and memory.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

/usr/bin/python3 -c 'import pandas' 2> /dev/null || skip "needs pandas (Debian: python3-pandas)"
"$build/bench/series" make "$scratch/day" "${1:-256}" "${2:-86400}"

n=$(rounds 3)
for ((i = 0; i < n; i++)); do
	"$build/bench/series" load "$scratch/day" > "$scratch/load"
	sed -n '1s/.* wall, \(.*\) s CPU.*/\1e9/p' "$scratch/load" >> "$scratch/pipa.times"
	/usr/bin/python3 "$bench/series_peer.py" "$scratch/day" >> "$scratch/pandas.times"
done
# median PROGRAM
median() {
	sort -g "$scratch/$1.times" | sed -n "$(((n + 1) / 2))p"
}
head -n 1 "$scratch/load"
state "load the series of a day" "$(median pipa)" "$(median pandas)" least 8 "pandas"
