#!/bin/bash
# What recording costs: the CPU time of a busy program while it is recorded, and the recorder's own, at
# four rates, with call chains, against perf record -g: by frame pointers (fp), as is done by itself (auto) and
# out of the stack at any rate (dwarf). Interleaved; the program counts its work, not its time. On a busy machine
# its CPU time tells differences of some percent at best; how long a sample holds it up (held.c) tells them
# better.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
"$pipa" record -q -o "$scratch/ours" true > /dev/null 2> "$scratch/why" || skip "$(tail -n 1 "$scratch/why")"

# program NAME COMMAND: CPU time of the recorded program, which is what is not the recorder's own
program() {
	echo $(($(of "$1" "$2" cpu) - $(of "$1" "$2" own)))
}

# held NAME RECORDER...: how long its samples hold a program up that is eighty calls deep
held() {
	local name=$1

	shift
	"$@" "$build/bench/held" 80 0.5 2> /dev/null | awk '{ print $2 }' >> "$scratch/$name.held"
}

# middle NAME: the median of that
middle() {
	sort -n "$scratch/$1.held" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

[[ -x $build/bench/held ]] || die "no bench/held in $build"
work=(awk 'BEGIN { for (i = 0; i < 12000000; i++) s += i % 7 }')
for hz in 997 4999 9999 20000; do
	echo "== $hz samples a second"
	measure "at$hz" -r "$(rounds 7)" -w 1 -b alone \
		alone "${work[@]}" \
		+ perf perf record -q -F "$hz" -g -o "$scratch/theirs" "${work[@]}" \
		+ pipa "$pipa" record -q -F "$hz" --call-graph fp -o "$scratch/ours" "${work[@]}" \
		+ auto "$pipa" record -q -F "$hz" -o "$scratch/ours" "${work[@]}" \
		+ dwarf "$pipa" record -q -F "$hz" --call-graph dwarf -o "$scratch/ours" "${work[@]}"
	show "at$hz"
	state "record at $hz Hz, own CPU" "$(of "at$hz" auto own)" "$(of "at$hz" perf own)" most 0.5
	state "record at $hz Hz, CPU of the program, fp" "$(program "at$hz" pipa)" "$(program "at$hz" perf)" most 1
	state "record at $hz Hz, CPU of the program" "$(program "at$hz" auto)" "$(program "at$hz" perf)" most 1
	rm -f "$scratch"/*.held
	for ((i = 0; i < $(rounds 7); i++)); do
		held perf perf record -q -F "$hz" -g -o "$scratch/theirs"
		held pipa "$pipa" record -q -F "$hz" --call-graph fp -o "$scratch/ours"
		held auto "$pipa" record -q -F "$hz" -o "$scratch/ours"
		held dwarf "$pipa" record -q -F "$hz" --call-graph dwarf -o "$scratch/ours"
	done
	echo "a sample holds the program up (median, ns): perf $(middle perf), fp $(middle pipa)," \
		"auto $(middle auto), dwarf $(middle dwarf)"
	state "record at $hz Hz, a sample holds the program up" "$(middle auto)" "$(middle perf)" most 1
	echo
done
