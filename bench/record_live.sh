#!/bin/bash
# Recording with callers out of the stacks: `pipa record --call-graph dwarf`, which unwinds while it records,
# against `perf record --call-graph dwarf`, which writes the stacks. At 9,999 Hz of a program eight calls deep
# the size of the file, the memory of the recorder, and the share of its time that sampling takes from the
# program (held.c); at 20 kHz on two threads what is lost.
# perf leaves out build ids (-B), which not every one of them survives.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
[[ -x /usr/bin/time ]] || skip "needs time (Debian: time)"
[[ -x $build/bench/held && -x $build/bench/stacks ]] || die "no bench/held and bench/stacks in $build"
perf record -q -B -e cpu-clock --call-graph dwarf -o "$scratch/theirs" true > /dev/null 2>&1 ||
	skip "perf is installed but does not record stacks"

# held NAME RECORDER...: run the program under it, keep the time taken and the memory of the recorder
held() {
	local name=$1

	shift
	/usr/bin/time -f '%M' -o "$scratch/$name.rss" "$@" "$build/bench/held" 8 1 2> /dev/null |
		awk '{ printf "%.2f\n", $1 * $3 / 1e7 }' >> "$scratch/$name.held"
	tail -n 1 "$scratch/$name.rss" >> "$scratch/$name.kb"
}

# middle FILE: the median of its numbers
middle() {
	sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# each FILE: its bytes for each sample, of which a busy machine takes now more, now less
each() {
	"$pipa" report --stats --json "$1" | awk -F '[:,]' -v bytes="$(stat -c %s "$1")" '
		/"samples":/ && !n { n = $2 } END { printf "%d\n", n ? bytes / n : 0 }'
}

# compare WHAT UNIT OURS THEIRS LIMIT: ours must not be more than that
compare() {
	local met=missed

	awk -v x="$3" -v y="$5" 'BEGIN { exit !(x <= y) }' && met=met
	printf '%s: pipa %s %s, perf %s %s (target at most %s %s): %s\n' "$1" "$3" "$2" "$4" "$2" "$5" "$2" "$met"
	printf '| %s | %s %s | perf %s %s | | at most %s %s | %s |\n' "$1" "$3" "$2" "$4" "$2" "$5" "$2" "$met" \
		>> "${BENCH_ROWS:-/dev/null}"
}

ours=("$pipa" record -q --call-graph dwarf -o "$scratch/ours")
theirs=(perf record -q -B --call-graph dwarf -o "$scratch/theirs")

echo "== 9999 samples a second"
for ((i = 0; i < $(rounds 11); i++)); do
	held perf "${theirs[@]}" -F 9999
	held pipa "${ours[@]}" -F 9999
	held fp "$pipa" record -q --call-graph fp -o "$scratch/fp" -F 9999
done
compare 'file, live at 9,999 Hz, a sample' bytes "$(each "$scratch/ours")" "$(each "$scratch/theirs")" \
	$(($(each "$scratch/theirs") / 40))
compare 'resident memory of the recorder' kB "$(middle "$scratch/pipa.kb")" "$(middle "$scratch/perf.kb")" 20480
compare 'time taken from the program' % "$(middle "$scratch/pipa.held")" "$(middle "$scratch/perf.held")" \
	"$(middle "$scratch/perf.held")"
echo "with frame pointers alone: $(middle "$scratch/fp.held") %"
echo "all rounds: pipa $(sort -n "$scratch/pipa.held" | xargs), perf $(sort -n "$scratch/perf.held" | xargs)"
"$pipa" report "$scratch/ours" | sed -n 's/^# \(stacks: .*\)/\1/p'

echo
echo "== 20000 samples a second, two threads"
# lost FILE: percent of the samples
lost() {
	"$pipa" report --stats --json "$1" | awk -F '[:,]' '/"samples":/ && !n { n = $2 }
		/"lost":/ && lost == "" { lost = $2 }
		END { printf "%.3f\n", n + lost ? 100 * lost / (n + lost) : 100 }'
}

"${theirs[@]}" -F 20000 "$build/bench/stacks" 2 > /dev/null 2>&1
"${ours[@]}" -F 20000 "$build/bench/stacks" 2 > /dev/null
compare 'lost at 20 kHz on two threads' % "$(lost "$scratch/ours")" "$(lost "$scratch/theirs")" 0.1
"$pipa" report --stats "$scratch/ours" | awk '$1 == "SAMPLE" { print "pipa: " $3 " samples"; exit }'
"$pipa" report --stats "$scratch/theirs" | awk '$1 == "SAMPLE" { print "perf: " $3 " samples"; exit }'
"$pipa" report "$scratch/ours" | sed -n 's/^# \(stacks: .*\)/\1/p'
