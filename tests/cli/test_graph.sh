#!/usr/bin/env bash
# `pipa graph`: the call graph as a picture and as DOT.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

need_corpus() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
}

stacks() {
	printf '%s\n' 'main;f;g 70' 'main;f;f 20' 'main;h 9' 'main;i 1'
}

# valid FILE: XML that a strict reader takes, where one is there
valid() {
	if command -v xmllint > /dev/null; then
		run xmllint --noout "$1"
		status 0
		stderr < /dev/null
	fi
}

# drawn FILE: the texts of the boxes of an image, a line each: library, function, self, total
drawn() {
	python3 - "$1" <<- 'EOF'
		import re, sys
		import xml.etree.ElementTree as ET

		for title in ET.parse(sys.argv[1]).iter('{http://www.w3.org/2000/svg}title'):
		    lines = title.text.split('\n')
		    if len(lines) == 4:
		        print(lines[1], lines[0], *(re.search(r'(<?[0-9.]+) %', x)[1] for x in lines[2:]))
	EOF
}

# reported FILE: the same of a report as JSON
reported() {
	python3 - "$1" <<- 'EOF'
		import json, sys

		def share(event, key):
		    percent = event[key + '_percent']
		    if event[key] and percent < 0.01:
		        return '<0.01'
		    return '%.*f' % (2 if event[key] and percent < 0.1 else 1, percent)

		for row in json.load(open(sys.argv[1]))['rows']:
		    event = row['events'][0]
		    if event['children']:
		        print(row['dso'], row['symbol'], share(event, 'self'), share(event, 'children'))
	EOF
}

test_the_image_has_functions_calls_and_omissions() {
	stacks > folded
	pipa graph folded -o graph.svg --min-percent 2
	status 0
	stdout < /dev/null
	stderr < /dev/null
	valid graph.svg
	has graph.svg '>folded</text>'
	has graph.svg '>20.0 % self · 90.0 % total</text>'
	has graph.svg '<title>main → f'
	has graph.svg '1 of 5 functions and 1 of 5 calls not shown: below 2 % (calls: 0.1 %)'
	lacks graph.svg '<script'
}

test_the_numbers_are_those_of_the_report() {
	local file

	need_corpus
	need_program python3
	for file in perf-java-stacks-01 perf-js-stacks-01 perf-numa-stacks-01 perf-dd-stacks-01; do
		pipa graph "$corpus/perfscript/$file.txt" --min-percent 0 --max-nodes 10000 -o graph.svg
		status 0
		drawn graph.svg | sort > boxes
		pipa report --sort dso,symbol --json "$corpus/perfscript/$file.txt"
		status 0
		reported out | sort | compare "$file" boxes
	done
	(($(wc -l < boxes) > 10)) || fail 'functions' 'more than 10' "$(cat boxes)"
}

test_the_same_profile_gives_the_same_bytes() {
	need_corpus
	pipa graph "$corpus/perfscript/perf-java-stacks-01.txt" -o first.svg
	pipa graph "$corpus/perfscript/perf-java-stacks-01.txt" -f svg
	status 0
	cmp -s first.svg out || fail 'second picture' 'the same' 'another'
	valid first.svg
}

test_the_format_is_that_of_the_name_or_of_the_option() {
	stacks > folded
	pipa graph folded -o graph.dot
	status 0
	has graph.dot 'digraph "call graph" {'
	pipa graph -f dot - < folded
	status 0
	has out 'digraph'
	has out 'standard input\l'
	pipa graph folded -o - --title 'My <own>'
	has out '>My &lt;own&gt;</text>'
	pipa graph folded -o graph.png
	refused 2 <<< "pipa graph: -o: unknown suffix of 'graph.png', expected .html, .svg or .dot. -f html, -f svg or -f dot sets the format."
	pipa graph folded -f png
	refused 2 <<< "pipa graph: --format: invalid format 'png', expected html, svg or dot"
}

# The data of a page, a line per entry: name, self, total
page_nodes() {
	python3 - "$1" <<- 'EOF'
		import json, re, sys

		page = open(sys.argv[1]).read()
		data = json.loads(re.search(r'id="pipa-data">(.*?)</script>', page, re.S)[1])
		print('only' if data['graph']['only'] else 'all', data['view'])
		for node in data['graph']['nodes']:
		    print(node[0], node[7], node[9])
		for edge in data['graph']['edges']:
		    print(data['graph']['nodes'][edge[0]][0], '->', data['graph']['nodes'][edge[1]][0], edge[2])
	EOF
}

test_the_page_of_a_filtered_graph_has_only_the_graph() {
	need_program python3
	stacks > folded
	pipa graph folded -o graph.html
	status 0
	stderr < /dev/null
	page_nodes graph.html > nodes
	compare 'nodes' nodes <<- 'EOF'
		all graph
		main 0 100
		f 20 90
		g 70 70
		h 9 9
		i 1 1
		main -> f 90
		f -> g 70
		f -> f 20
		main -> h 9
		main -> i 1
	EOF
	pipa graph folded -f html --callers-of g
	status 0
	page_nodes out > nodes
	compare 'nodes of a filter' nodes <<- 'EOF'
		only graph
		g 70 70
		f 0 70
		main 0 70
		f -> g 70
		main -> f 70
	EOF
}

test_the_image_fits_the_window_and_can_be_shown_in_its_size() {
	stacks > folded
	pipa graph folded -o graph.svg
	status 0
	has graph.svg 'svg:root{max-width:100vw;max-height:100vh'
	has graph.svg '<a href="#full">'
}

test_graphviz_reads_the_dot() {
	need_program dot
	need_corpus
	printf '%s\n' 'main;"q\N;<b>&lt;;a\ 3' $'main;\x01\xff\xe2\x80\xae 4' > folded
	for file in folded "$corpus/perfscript/perf-java-stacks-01.txt"; do
		for group in dso none; do
			"$PIPA" graph "$file" --cluster $group -o graph.dot 2> /dev/null
			run dot -Tplain graph.dot
			status 0
			stderr < /dev/null
			same 'nodes' "$(grep -c '^node ' out)" "$(grep -c '^n[0-9]* \[' graph.dot)"
			same 'edges' "$(grep -c '^edge ' out)" "$(grep -c '^n[0-9]* -> ' graph.dot)"
		done
	done
}

test_parts_of_the_graph_can_be_selected() {
	printf '%s\n' 'main;a;f;g 50' 'main;b;f;h 30' 'main;c 20' > folded
	pipa graph folded -o graph.svg --callers-of f
	status 0
	lacks graph.svg '>g</text>'
	lacks graph.svg '>c</text>'
	has graph.svg '>b</text>'
	has graph.svg '100 samples; 80.0 % (80 samples) shown'
	pipa graph folded -o graph.svg --callees-of f
	lacks graph.svg '>a</text>'
	has graph.svg '>h</text>'
	pipa graph folded -o graph.svg --focus '^[gc]$'
	has graph.svg '>a</text>'
	lacks graph.svg '>h</text>'
	pipa graph folded --callers-of mian
	refused 1 <<< "pipa graph: no function 'mian'. Did you mean main?"
	pipa graph folded --focus '^x'
	refused 1 <<< "pipa graph: no function matches '^x'"
	pipa graph folded --callers-of f --callees-of g
	refused 2 <<< 'pipa graph: --callers-of and --callees-of must name the same function'
}

test_one_event_is_drawn_and_named() {
	printf '%s\n' 'a 1/2 [000] 1.0:   100 cycles: ' $'\t              12 f (/bin/a)' '' \
		'a 1/2 [000] 1.0:     7 instructions: ' $'\t              34 g (/bin/a)' '' > text
	pipa graph text -o graph.svg
	status 0
	stderr <<< 'pipa graph: using event cycles, the first of 2. Select another one with --value NAME.'
	has graph.svg '100 of cycles'
	lacks graph.svg '>g</text>'
	pipa graph text -e instructions -o graph.svg
	stderr < /dev/null
	has graph.svg '>g</text>'
	pipa graph text --comms b -o graph.svg -e cycles
	status 0
	has graph.svg '>no samples to show</text>'
}

test_hostile_names_stay_text() {
	printf '%s\n' 'main;</title><script>alert(1)</script>;"&'"'"' 3' $'main;\x01\x1b[31m\xff\xe2\x80\xae 4' > folded
	head -c 1000000 /dev/zero | tr '\0' '(' >> folded
	echo ' 5' >> folded
	pipa graph folded -o graph.svg
	status 0
	valid graph.svg
	lacks graph.svg '<script'
	has graph.svg '[U+202E]'
	(($(wc -c < graph.svg) < 100000)) || fail 'size' 'below 100000' "$(wc -c < graph.svg)"
}

test_deep_recursion_is_one_function() {
	python3 -c "print('main;' + ';'.join(['f'] * 10000) + ' 3')" > folded || skip 'needs python3'
	pipa graph folded -o graph.svg
	status 0
	valid graph.svg
	has graph.svg 'recursion'
	same 'nodes' "$(grep -c 'class="n h' graph.svg)" 2
}

test_an_empty_graph_is_an_image_with_a_note() {
	: > empty
	pipa graph empty -o graph.svg
	case $got_status in
	0)
		valid graph.svg
		has graph.svg 'no samples to show'
		;;
	*)
		same 'lines on standard error' "$(wc -l < err)" 1
		[[ ! -e graph.svg ]] || fail 'graph.svg' 'none' 'one'
		;;
	esac
	pipa graph nowhere -o graph.svg
	status 1
	[[ ! -e graph.svg ]] || fail 'graph.svg' 'none' 'one'
}

test_a_terminal_gets_no_image_of_a_graph() {
	need_terminal
	stacks > folded
	script -qec "'$PIPA' graph folded" typescript > out < /dev/null
	has out 'pipa graph: refusing to write HTML, SVG or DOT to a terminal. Use -o FILE or redirect standard output.'
}

test_wrong_options_are_refused() {
	stacks > folded
	pipa graph folded other
	refused 2 <<< "pipa graph: unexpected argument 'other', expected one recording"
	pipa graph folded --min-percent 101
	refused 2 <<< "pipa graph: --min-percent: invalid percentage '101', expected 0 to 100"
	pipa graph folded --min-edge x
	refused 2 <<< "pipa graph: --min-edge: invalid percentage 'x', expected 0 to 100"
	pipa graph folded --cluster file
	refused 2 <<< "pipa graph: --cluster: invalid grouping 'file', expected dso or none"
	pipa graph folded --max-nodes 10001
	refused 2 <<< "pipa graph: --max-nodes: invalid number '10001', expected at most 10000"
}

run_tests "$@"
