#!/usr/bin/env bash
# `pipa export -f graph-json` and `-f flame-csv`: the call graph and the stacks with the values of pipa report and fold.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

# same_graph FILE: functions and modules have the values of the report
same_graph() {
	pipa export -f graph-json "$1"
	status 0
	mv out graph
	pipa report -i "$1" --json --sort dso,symbol
	status 0
	python3 "$PIPA_SOURCE/tests/cli/graph_json.py" graph out \
		"$PIPA_SOURCE/docs/format/graph.schema.json" > compared 2>&1 ||
		fail "$1" "the values of pipa report" "$(cat compared)"
}

test_the_graph_counts_recursion_once() {
	printf '%s\n' 'main;f;f;g 5' 'main;f;h;f;g 3' 'main;f;f 2' 'main 1' > folded
	same_graph folded
	has graph '{"from": 1, "to": 1, "weight": [7], "samples": [7]}'
}

test_the_graph_has_the_values_of_the_report() {
	local file

	[[ -d $corpus/perfscript ]] || skip "no corpus at $corpus"
	for file in "$corpus"/perfscript/perf-{cycles-instructions,js-stacks}-01.txt \
		"$corpus"/aarch64/dup_cfi.dwarf.bundle "$corpus"/pprof/go-labels.cpu.pb.gz; do
		same_graph "$file"
	done
}

test_the_graph_of_nothing_is_valid() {
	printf 'a;b 0\n' > folded
	same_graph folded
}

test_hostile_names_are_valid_json() {
	printf '%s 5\n' $'a\x1b[31m;b\xff;c "q\\";</script>;d\x7f' > folded
	pipa export -f graph-json folded
	status 0
	python3 -m json.tool out > /dev/null || fail names 'valid JSON' "$(cat -v out)"
}

test_stacks_are_csv_with_the_columns_of_pipa() {
	printf '%s\n' 'main;b 3' 'main;"x",y 5' 'main;c;d 1' 'main 1' > folded
	pipa export -f flame-csv folded
	status 0
	printf '%s\r\n' 'stack,weight,weight_pct' '"main;""x"",y",5,50.00%' 'main;b,3,30.00%' 'main,1,10.00%' \
		'main;c;d,1,10.00%' > want
	stdout < want
}

# the same stacks and weights as folded lines
test_stacks_are_those_of_fold() {
	local file

	[[ -d $corpus/perfscript ]] || skip "no corpus at $corpus"
	for file in "$corpus"/perfscript/perf-{dd,java}-stacks-01.txt "$corpus"/aarch64/dup_cfi.dwarf.bundle; do
		pipa export -f folded "$file"
		status 0
		sort out > want
		pipa export -f flame-csv "$file"
		status 0
		python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(row["stack"], row["weight"])' < out | sort > got
		diff want got > difference || fail "$file" 'the stacks of fold' "$(head -n 5 difference)"
	done
}

run_tests "$@"
