#!/bin/bash
# Wall time of a flame graph: of two recordings with call chains, made by perf, against perf script alone,
# against a bare walk through the file (walk.c) and, where its scripts are on the PATH, against perf script |
# stackcollapse-perf.pl | flamegraph.pl; of folded text with 100,000 distinct stacks against flamegraph.pl
# (Debian's libdevel-nytprof-perl has one). The page of the latter is to have less than 3 MB. BENCH_SAMPLES is
# the least number of samples of a recording (default 262,144).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly samples=${BENCH_SAMPLES:-262144}
measured=0

# ---- a recording ------------------------------------------------------------------------------

# 100,000 stacks of 5 to 36 frames out of 20,000 names: a tree that branches on its way up
write_stacks() {
	awk 'BEGIN {
		srand(7)
		for (n = 0; n < 100000; n++) {
			line = "app;main"
			depth = 3 + n % 32
			for (d = 0; d < depth; d++) {
				pick = d < 4 ? int(rand() * 6) : d < depth - 1 ? int(rand() * 3) : n % 20000
				line = line ";" (d % 5 ? "fn_" : "parse_") (d < depth - 1 ? d * 8 + pick : pick)
			}
			print line, 1 + int(rand() * 50)
		}
	}'
}

# of_recording NAME [PATHS]: returns 1 where perf cannot record
of_recording() {
	local name=$1

	record_stacks "$data" "$samples" "${@:2}" || return 1
	measure recording -r "$(rounds 3)" -w 0 \
		script perf script -i "$data" + \
		walk "$build/bench/walk" "$data" + \
		svg "$pipa" flamegraph "$data" -f svg + \
		html "$pipa" flamegraph "$data" -f html
	show recording
	measure near -r "$(rounds 15)" -w 1 \
		walk "$build/bench/walk" "$data" + \
		svg "$pipa" flamegraph "$data" -f svg + \
		html "$pipa" flamegraph "$data" -f html
	show near
	compare "$name: flame graph, SVG" "$(of recording svg wall)" "$(of recording script wall)" 25 \
		"$(of near svg wall)" "$(of near walk wall)" 4 "perf script"
	compare "$name: flame graph, HTML" "$(of recording html wall)" "$(of recording script wall)" 25 \
		"$(of near html wall)" "$(of near walk wall)" 4 "perf script"
	if command -v stackcollapse-perf.pl > /dev/null && command -v flamegraph.pl > /dev/null; then
		measure pipeline -r 1 -w 0 \
			pipeline sh -c "perf script -i '$data' | stackcollapse-perf.pl | flamegraph.pl"
		state "$name: flame graph, SVG, against the scripts" "$(of recording svg wall)" \
			"$(of pipeline pipeline wall)" least 100 "perf script | stackcollapse-perf.pl | flamegraph.pl"
	else
		echo "stackcollapse-perf.pl and flamegraph.pl are not on the PATH: only perf script is compared"
	fi
}

data=$scratch/perf.data
if ! command -v perf > /dev/null || [[ ! -x $build/bench/stacks || ! -x $build/bench/walk ]] ||
	! of_recording "4,096 paths" || ! of_recording "16,384 paths" 16384; then
	echo "needs perf that can record: no recording is drawn"
else
	measured=1
fi

# ---- folded text ------------------------------------------------------------------------------

script=$(command -v flamegraph.pl || true)
debian=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
[[ -n $script || ! -r $debian ]] || script=$debian
# as the tools that fold write it; and in no order, where nothing is near what it has to do with
write_stacks > "$scratch/shuffled"
sort "$scratch/shuffled" > "$scratch/stacks"
echo "$(sort -u "$scratch/stacks" | wc -l) stacks, $(($(stat -c %s "$scratch/stacks") / 1000000)) MB as text"
"$pipa" flamegraph "$scratch/stacks" -o "$scratch/stacks.html"
size=$(stat -c %s "$scratch/stacks.html")
awk -v size="$size" 'BEGIN { printf "the page of it has %.2f MB, %s\n", size / 1e6, size < 3e6 ? "below 3" : "MORE THAN 3" }'
if [[ -z $script ]]; then
	echo "needs flamegraph.pl (Debian: libdevel-nytprof-perl)"
else
	measure folded -r "$(rounds 3)" -w 0 \
		peer perl "$script" "$scratch/stacks" + \
		svg "$pipa" flamegraph "$scratch/stacks" -f svg + \
		html "$pipa" flamegraph "$scratch/stacks" -f html + \
		shuffled "$pipa" flamegraph "$scratch/shuffled" -f svg
	show folded
	state "flamegraph of 100,000 folded stacks, SVG" "$(of folded svg wall)" "$(of folded peer wall)" least 30 \
		flamegraph.pl
	state "flamegraph of 100,000 folded stacks, HTML" "$(of folded html wall)" "$(of folded peer wall)" least 30 \
		flamegraph.pl
	state "the same in no order, SVG" "$(of folded shuffled wall)" "$(of folded peer wall)" least 30 flamegraph.pl
	measured=1
fi
((measured)) || skip "needs perf, or flamegraph.pl"
