#!/bin/bash
# What recording costs: the CPU time of a busy program while it is recorded, and the recorder's own, at
# four rates, with call chains, against perf record. Interleaved; the program counts its work, not its time.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf
"$pipa" record -q -o "$scratch/ours" true > /dev/null 2> "$scratch/why" || skip "$(tail -n 1 "$scratch/why")"

# program NAME COMMAND: CPU time of the recorded program, which is what is not the recorder's own
program() {
	echo $(($(of "$1" "$2" cpu) - $(of "$1" "$2" own)))
}

work=(awk 'BEGIN { for (i = 0; i < 12000000; i++) s += i % 7 }')
for hz in 997 4999 9999 20000; do
	echo "== $hz samples a second"
	measure "at$hz" -r "$(rounds 7)" -w 1 -b alone \
		alone "${work[@]}" \
		+ perf perf record -q -F "$hz" -g -o "$scratch/theirs" "${work[@]}" \
		+ pipa "$pipa" record -q -F "$hz" --call-graph fp -o "$scratch/ours" "${work[@]}"
	show "at$hz"
	state "record at $hz Hz, own CPU" "$(of "at$hz" pipa own)" "$(of "at$hz" perf own)" most 0.5
	state "record at $hz Hz, CPU of the program" "$(program "at$hz" pipa)" "$(program "at$hz" perf)" most 1
	echo
done
