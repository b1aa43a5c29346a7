#!/usr/bin/env bash
# `pipa export -f callgrind`: callgrind_annotate shows the self and inclusive costs of pipa report.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

need_annotate() {
	command -v callgrind_annotate > /dev/null || skip "needs callgrind_annotate (package valgrind)"
}

# same_costs FILE: totals, self and inclusive costs of all functions
same_costs() {
	pipa export -f callgrind "$1" -o costs
	status 0
	callgrind_annotate --auto=no --threshold=100 costs > self 2> warnings ||
		fail "$1" "read by callgrind_annotate" "$(cat warnings)"
	[[ ! -s warnings ]] || fail "$1" "no warning" "$(cat warnings)"
	callgrind_annotate --auto=no --threshold=100 --inclusive=yes costs > inclusive
	pipa report -i "$1" --json --sort dso,symbol
	status 0
	mv out report
	python3 "$PIPA_SOURCE/tests/cli/callgrind.py" report self inclusive > compared 2>&1 ||
		fail "$1" "the costs of pipa report" "$(cat compared)"
}

test_recursion_counts_a_sample_once() {
	need_annotate
	printf '%s\n' 'main;f;f;g 5' 'main;f;h;f;g 3' 'main;f;f 2' 'main 1' 'g;main 4' 'f 7' > folded
	same_costs folded
	grep -q '^22 .*PROGRAM TOTALS' inclusive || fail totals 22 "$(cat inclusive)"
	grep -q '^17 .*:f ' inclusive || fail 'inclusive cost of f' 17 "$(cat inclusive)"
}

test_costs_are_those_of_the_report() {
	local file

	need_annotate
	[[ -d $corpus/perfscript ]] || skip "no corpus at $corpus"
	for file in "$corpus"/perfscript/perf-{cycles-instructions,java-stacks,js-stacks}-01.txt \
		"$corpus"/aarch64/{dup_cfi,omit_vdso}.dwarf.bundle "$corpus"/pprof/go-labels.cpu.pb.gz \
		"$corpus"/perfdata/perf.data.{callgraph,systemwide.0}-3.8; do
		same_costs "$file"
	done
}

test_several_events_are_columns() {
	printf '%s\n' 'a 1 1.0: 10 cycles: ' ' 40 f (/x)' '' 'a 1 2.0: 3 instructions: ' ' 40 f (/x)' '' > script
	pipa export -f callgrind script
	status 0
	has out 'events: cycles instructions'
	has out 'summary: 10 3'
	has out 'totals: 10 3'
}

test_hostile_names_stay_on_their_line() {
	local names=$'a\x1b[31m;b\xff;c "q\\";(1) d;</script>;e=1 0 \r'

	need_annotate
	printf '%s 5\n' "$names" > folded
	pipa export -f callgrind folded -o costs
	status 0
	iconv -f utf-8 -t utf-8 costs > /dev/null || fail 'encoding' 'UTF-8' "$(iconv -f utf-8 costs 2>&1)"
	! LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f]' costs || fail 'text' 'no control characters' "$(cat -v costs)"
	callgrind_annotate --auto=no --threshold=100 --inclusive=yes costs > inclusive 2> warnings
	[[ ! -s warnings ]] || fail names "no warning" "$(cat warnings)"
	grep -q ':(1) d ' inclusive || fail 'function' '(1) d' "$(cat inclusive)"
}

test_a_profile_without_samples_has_a_column() {
	need_annotate
	printf '# nothing\na;b 0\n' > folded
	pipa export -f callgrind folded -o costs
	status 0
	grep -q '^events: ' costs || fail 'events' 'a column' "$(cat costs)"
}

run_tests "$@"
