#!/bin/bash
# Read a speedscope file of 200,000 samples with 24 frames, against speedscope's own page in headless Chromium: from the choice of
# the file until it is shown, and `pipa report` from start to end. Wall time, medians.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

for tool in node npm chromium; do
	command -v "$tool" > /dev/null || skip "needs $tool"
done
npm install --prefix "$scratch/npm" --silent speedscope@1.25.0 playwright-core@1.61.0 > /dev/null 2>&1 ||
	skip "needs speedscope and playwright-core, which npm could not fetch"

n=$(rounds 3)
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 200000; i++) {
		printf "demo 7/7 %.6f: 1000000 cpu-clock:\n", 5 + i * 0.001
		path = int(rand() * 4000)
		for (k = 24; k > 0; k--)
			printf "\t%x f%d_%d (/bin/demo)\n", k * 4096 + path % (2 * k), k, path % (2 * k)
		print ""
	}
}' > "$scratch/script.txt"
"$pipa" export "$scratch/script.txt" -f speedscope -o "$scratch/large.speedscope.json"

TIMEFORMAT=%R
for ((i = 0; i < n; i++)); do
	{ time "$pipa" report -i "$scratch/large.speedscope.json" --stdio > /dev/null; } 2>> "$scratch/pipa.times"
done
node "$bench/speedscope_peer.js" "$scratch/npm/node_modules" "$scratch/large.speedscope.json" "$n" > "$scratch/page.times"

# median PROGRAM: in nanoseconds
median() {
	sort -n "$scratch/$1.times" | awk -v at="$(((n + 1) / 2))" 'NR == at { printf "%.0f", $1 * 1e9 }'
}
echo "$(stat -c %s "$scratch/large.speedscope.json") bytes"
state "read a speedscope file of 200,000 samples" "$(median pipa)" "$(median page)" least 3 "speedscope's page"
