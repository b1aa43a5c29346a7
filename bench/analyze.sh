#!/bin/bash
# The whole of pipa analyze, report.html included, on a collection of a large machine (CPUS and SECONDS are arguments,
# 256 and 86400: 1.6 GB of CSV): from its directory against pandas reading the same files, and from its .tar.gz against
# gzip decompressing it. Wall time, because pipa reads on several threads; medians of interleaved runs, and memory.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

/usr/bin/python3 -c 'import pandas' 2> /dev/null || skip "needs pandas (Debian: python3-pandas)"
"$build/bench/series" make "$scratch/day" "${1:-256}" "${2:-86400}"
tar -C "$scratch/day" -cf - . | gzip -1 > "$scratch/day.tar.gz"

# timed NAME COMMAND...: append the wall time in ns to NAME.times and the peak memory in kB to NAME.peaks
timed() {
	local name=$1

	/usr/bin/time -a -o "$scratch/$name.log" -f '%e %M' "${@:2}" > /dev/null 2> "$scratch/$name.err" ||
		die "$name failed: $(tail -n 1 "$scratch/$name.err")"
	tail -n 1 "$scratch/$name.log" | awk '{ printf "%.0f\n", $1 * 1e9 }' >> "$scratch/$name.times"
}

# median NAME: of its wall times
median() {
	sort -g "$scratch/$1.times" | sed -n "$(((n + 1) / 2))p"
}

# peak NAME: the largest memory in MB
peak() {
	awk '$2 > most { most = $2 } END { printf "%.0f", most / 1024 }' "$scratch/$1.log"
}

n=$(rounds 3)
for ((i = 0; i < n; i++)); do
	timed directory "$pipa" analyze "$scratch/day" -o "$scratch/report.html"
	timed pandas /usr/bin/python3 "$bench/series_peer.py" "$scratch/day"
	timed archive "$pipa" analyze "$scratch/day.tar.gz" -o "$scratch/report.html"
	timed gzip gzip -dc "$scratch/day.tar.gz"
done
echo "report.html: $(($(stat -c %s "$scratch/report.html") / 1000)) kB; pipa $(peak directory) MB from the directory," \
	"$(peak archive) MB from the archive; pandas $(peak pandas) MB"
state "analyze a day from its directory" "$(median directory)" "$(median pandas)" least 8 pandas
state "analyze a day from its .tar.gz" "$(median archive)" "$(median gzip)" most 1.5 "gzip -dc"
state "memory of the analysis" "$(peak directory)e3" 200e3 most 1 "limit (MB)"
