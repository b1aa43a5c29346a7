#!/bin/bash
# A page of folded text with 100,000 distinct stacks in headless Chromium against speedscope (npm, fetched
# for this): from the start of the navigation to something to look at, a zoom by a key, a search. Both pages
# come from files and are timed by themselves (web.js); the page's own CPU time is compared as well, since on a
# busy machine a frame waits for its turn longer than it takes.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

for tool in node npm; do
	command -v $tool > /dev/null || skip "needs $tool"
done
[[ -d $bench/../tests/web/node_modules/playwright-core ]] || skip "needs playwright-core (tools/setup test)"
CHROMIUM=${CHROMIUM-$(command -v chromium || true)}
[[ -x $CHROMIUM ]] || skip "needs Chromium"
export CHROMIUM
npm install --prefix "$scratch/npm" --silent speedscope@1.25.0 > /dev/null 2>&1 ||
	skip "needs speedscope, which npm could not fetch"

# 100,000 stacks of 5 to 16 frames, each with an innermost frame of its own
awk 'BEGIN {
	srand(7)
	for (n = 0; n < 100000; n++) {
		line = "app;main"
		depth = 3 + n % 12
		for (d = 0; d < depth; d++) {
			pick = d == depth - 1 ? n : int(rand() * (d < 4 ? 6 : 3))
			line = line ";" (d % 5 ? "fn_" : "parse_") (d < depth - 1 ? d * 8 + pick : pick)
		}
		print line, 1 + int(rand() * 50)
	}
}' > "$scratch/stacks"
"$pipa" flamegraph "$scratch/stacks" -o "$scratch/stacks.html"

# what `speedscope FILE` opens: its own page, told of a script that hands the file over
folder=$scratch/npm/node_modules/speedscope/dist/release
{
	printf 'speedscope.loadFileFromBase64("stacks", "'
	base64 -w 0 "$scratch/stacks"
	printf '")\n'
} > "$scratch/stacks.js"

node "$bench/web.js" ours "$scratch/stacks.html" "$(rounds 5)" > "$scratch/ours"
node "$bench/web.js" theirs "$folder/index.html#localProfilePath=$scratch/stacks.js" "$(rounds 3)" \
	> "$scratch/theirs"
step() {
	awk -v name="$2" '$1 == name { print $2 }' "$scratch/$1"
}
echo "$(sort -u "$scratch/stacks" | wc -l) stacks, $(stat -c %s "$scratch/stacks") bytes as text," \
	"$(stat -c %s "$scratch/stacks.html") as a page"
state "page of 100,000 stacks: first picture" "$(step ours first)" "$(step theirs first)" least 10 speedscope
state "page of 100,000 stacks: zoom" "$(step ours zoom)" "$(step theirs zoom)" least 10 speedscope
state "page of 100,000 stacks: search" "$(step ours search)" "$(step theirs search)" least 10 speedscope
state "page of 100,000 stacks: zoom, CPU" "$(step ours cpu-zoom)" "$(step theirs cpu-zoom)" least 10 speedscope
state "page of 100,000 stacks: search, CPU" "$(step ours cpu-search)" "$(step theirs cpu-search)" \
	least 10 speedscope
