#!/usr/bin/env bash
# `pipa flamegraph`: what is in the page and in the picture, of whatever came in.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfscript

# view WHAT PAGE [REPORT]: see view.py
view() {
	need_program python3
	python3 "$PIPA_SOURCE/tests/cli/view.py" "$@" > viewed 2>&1 ||
		fail "the page ($*)" 'what the report says' "$(cat viewed)"
}

# drawn FILE: the tree of it
drawn() {
	pipa flamegraph "$@" -o page.html
	status 0
	view tree page.html
}

# is_xml FILE: well-formed, and all of it UTF-8
is_xml() {
	need_program python3
	python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' "$1" 2> why ||
		fail "$1" 'XML' "$(tail -n 1 why)"
	if command -v xmllint > /dev/null; then
		xmllint --huge --noout "$1" 2> why || fail "$1" 'XML' "$(head -n 3 why)"
	fi
}

need_recording() {
	"$PIPA" record -q -F 997 -e cpu-clock -g -o perf.data -- "$PIPA_WORKLOADS/busy" written 300 \
		> /dev/null 2>&1 || skip 'cannot record here'
}

test_folded_stacks_become_a_tree() {
	printf '%s\n' 'sh;main;b 3' 'sh;main;a;c 2' 'sh;main 1' 'sh;main;b 1' > folded
	drawn folded
	compare tree viewed <<- EOF
		0 0 sh
		1 1 main
		2 0 a
		3 2 c
		2 4 b
	EOF
	view total page.html
	compare total viewed <<< '7 7'
}

test_weights_are_those_of_the_report() {
	local text

	need_recording
	pipa flamegraph --no-inline perf.data -o page.html
	status 0
	pipa report --no-inline --json --sort dso,symbol perf.data
	view same page.html out
	for text in "$corpus"/perf-*-01.txt; do
		[[ -f $text ]] || continue
		pipa flamegraph "$text" -o page.html
		status 0
		pipa report --json --sort dso,symbol "$text"
		view same page.html out
	done
}

test_the_same_profile_gives_the_same_bytes() {
	need_recording
	pipa flamegraph perf.data -o one.html
	pipa flamegraph perf.data -o two.html
	pipa flamegraph perf.data -o one.svg
	pipa flamegraph perf.data -o two.svg
	cmp -s one.html two.html || fail 'two pages of one recording' 'the same' 'others'
	cmp -s one.svg two.svg || fail 'two pictures of one recording' 'the same' 'others'
	is_xml one.svg
}

test_the_image_is_written_to_the_output() {
	echo 'a;b 1' > folded
	pipa flamegraph -o - folded
	status 0
	has out '<!DOCTYPE html>'
	pipa flamegraph - -f svg < folded
	status 0
	has out '<svg '
	has out '>standard input<'
	cp out piped.svg
	is_xml piped.svg
	pipa flamegraph folded -o x.svg --title 'A <title>'
	status 0
	has x.svg '<title>A &lt;title&gt;</title>'
	pipa flamegraph folded -o x.dat -f svg
	status 0
	has x.dat '<svg '
}

test_an_output_without_suffix_and_format_is_refused() {
	echo 'a;b 1' > folded
	pipa flamegraph folded -o picture.png
	refused 2 <<- 'EOF'
		pipa flamegraph: -o: unknown suffix of 'picture.png', expected .svg or .html. -f svg or -f html sets the format.
	EOF
	[[ ! -e picture.png ]] || fail 'picture.png' 'nothing' 'a file'
}

test_a_terminal_gets_no_image() {
	need_program script
	echo 'a;b 1' > folded
	run script -qec "'$PIPA' flamegraph folded" /dev/null < /dev/null
	status 2
	has out 'refusing to write HTML or SVG to a terminal. Use --open, -o FILE or redirect standard output.'
}

test_invalid_values_are_refused() {
	echo 'a;b 1' > folded
	pipa flamegraph folded --by cpu
	refused 2 <<- 'EOF'
		pipa flamegraph: --by: invalid value 'cpu', expected thread, process or comm
	EOF
	pipa flamegraph folded --color-by red
	refused 2 <<- 'EOF'
		pipa flamegraph: --color-by: invalid value 'red', expected dso, kind or self
	EOF
	pipa flamegraph folded -f svg --min-percent 101
	refused 2 <<- 'EOF'
		pipa flamegraph: --min-percent: invalid percentage '101', expected 0 to 100
	EOF
	pipa flamegraph folded -f svg --width 3
	refused 2 <<- 'EOF'
		pipa flamegraph: --width: invalid width '3', expected 300 to 100000
	EOF
	pipa flamegraph folded --width 500
	refused 2 <<- 'EOF'
		pipa flamegraph: --width, --min-width and --min-percent require SVG output
	EOF
	pipa flamegraph folded --absolute
	refused 2 <<- 'EOF'
		pipa flamegraph: --absolute requires --diff
	EOF
	pipa flamegraph folded other
	refused 2 <<- 'EOF'
		pipa flamegraph: unexpected argument 'other', expected one recording
	EOF
}

test_threads_processes_and_comms_are_kept_apart() {
	printf '%s\n' 'web 10/11 [000] 1.0:  5 cycles: ' $'\t 12 f (/bin/a)' '' \
		'db 20/20 [000] 1.0:  7 cycles: ' $'\t 12 f (/bin/a)' '' \
		'srv 10/10 [000] 1.0:  1 cycles: ' $'\t 12 f (/bin/a)' '' > text
	drawn --by thread text
	compare tree viewed <<- EOF
		0 0 db-20/20
		1 7 f
		0 0 srv-10/10
		1 1 f
		0 0 web-10/11
		1 5 f
	EOF
	drawn --by process text
	compare tree viewed <<- EOF
		0 0 db-20
		1 7 f
		0 0 srv-10
		1 6 f
	EOF
	drawn --by comm text
	same 'lines' "$(grep -c '^0' viewed)" 3
	drawn text
	compare tree viewed <<< '0 13 f'
}

test_of_several_events_one_is_drawn() {
	printf '%s\n' 'a 1/2 [000] 1.0:   100 cycles: ' $'\t 12 f (/bin/a)' '' \
		'a 1/2 [000] 1.0:     7 instructions: ' $'\t 34 g (/bin/a)' '' > text
	drawn text
	compare tree viewed <<< '0 100 f'
	has err 'using event cycles, the first of 2. Select another one with --value NAME.'
	drawn -e instructions text
	compare tree viewed <<< '0 7 g'
	pipa flamegraph -e cyclos text
	refused 1 <<- 'EOF'
		pipa flamegraph: no event 'cyclos' in the input. Did you mean cycles?
	EOF
}

test_a_reversed_graph_has_callees_at_the_root() {
	printf '%s\n' 'main;a;leaf 1' 'main;b;leaf 2' > folded
	drawn --reverse folded
	compare tree viewed <<- EOF
		0 0 leaf
		1 0 a
		2 1 main
		1 0 b
		2 2 main
	EOF
}

test_a_difference_has_new_and_vanished_frames() {
	printf '%s\n' 'main;gone 5' 'main;kept 5' > old
	printf '%s\n' 'main;kept 10' 'main;new 10' > new
	drawn --diff old new
	compare tree viewed <<- EOF
		0 0 main
		1 0 gone
		1 10 kept
		1 10 new
	EOF
	has page.html '"base":{"title":"old","total":10,"samples":10}'
	has page.html '"view":"diff"'
	pipa flamegraph --diff old new -o x.svg
	status 0
	is_xml x.svg
	matches x.svg 'class="f d[0-5]" data-row="2"><title>gone$'
	matches x.svg 'class="f d([7-9]|1[0-2])" data-row="2"><title>new$'
	matches x.svg 'class="f d6" data-row="2"><title>kept$'
	pipa flamegraph --diff old --absolute new -o x.svg
	status 0
	matches x.svg 'class="f d([7-9]|1[0-2])" data-row="2"><title>kept$'
}

test_a_base_without_event_names_has_the_same_event() {
	printf '%s\n' 'f 5' > old
	printf '%s\n' 'a 1/2 [000] 1.0:   100 cycles: ' $'\t 12 f (/bin/a)' '' > new
	drawn --diff old new
	has page.html '"base":{"title":"old","total":5,"samples":5}'
	drawn --diff new old
	has page.html '"base":{"title":"new","total":100,"samples":1}'
}

test_a_missing_base_is_a_failure() {
	echo 'a 1' > new
	pipa flamegraph --diff nowhere new -o x.html
	refused_like 1 'pipa flamegraph: .*nowhere.*No such file or directory.*'
	[[ ! -e x.html ]] || fail 'x.html' 'nothing' 'a file'
}

test_weights_of_zero_are_drawn() {
	echo 'a;b 0' > zero
	pipa flamegraph zero -o x.svg
	status 0
	is_xml x.svg
	pipa flamegraph --diff zero zero -o x.svg
	status 0
	is_xml x.svg
	drawn --diff zero zero
	view total page.html
	compare total viewed <<< '0 0'
}

test_an_empty_file_is_a_clear_message() {
	: > empty
	pipa flamegraph empty -o y.svg
	refused_like 1 'pipa flamegraph: .*empty.*'
	[[ ! -e y.svg ]] || fail 'y.svg' 'nothing' 'a file'
}

test_an_empty_image_is_noted() {
	printf 'a 1/1 [000] 1.000000: 10 cycles: \n\t 10 f (/bin/a)\n\n' > text
	pipa flamegraph --time 5,6 text -o x.svg
	status 0
	stderr <<- 'END'
		pipa flamegraph: no samples: the output is empty
		pipa flamegraph: --time: no samples in the range
	END
	is_xml x.svg
	echo 'a;b 0' > zero
	echo 'a;b 5' > some
	pipa flamegraph --diff some zero -o x.svg
	status 0
	stderr < /dev/null # vanished frames are drawn
}

test_one_sample_is_drawn() {
	echo 'main 1' > folded
	drawn folded
	compare tree viewed <<< '0 1 main'
	pipa flamegraph folded -o x.svg
	status 0
	is_xml x.svg
	has x.svg '<title>main'
}

test_a_stack_of_ten_thousand_frames_is_drawn() {
	awk 'BEGIN { for (i = 0; i < 10000; i++) printf "%sf%d", i ? ";" : "", i % 7; print " 3" }' > folded
	drawn folded
	same 'nodes' "$(wc -l < viewed)" 10000
	same 'the last' "$(tail -n 1 viewed)" '9999 3 f3'
	pipa flamegraph folded -o x.svg
	status 0
	is_xml x.svg
	same 'frames' "$(grep -c '^<g class="f ' x.svg)" 10001
}

test_a_large_tree_is_compressed_and_complete() {
	awk 'BEGIN { for (i = 0; i < 60000; i++) print "main;f" i % 300 ";g" int(i / 300), i % 5 + 1 }' > folded
	drawn folded
	has page.html '"deflate":["tree"]'
	same 'nodes' "$(wc -l < viewed)" 60301
	same 'weight' "$(awk '{ sum += $2 } END { print sum }' viewed)" 180000
	pipa report --json --sort dso,symbol folded
	view same page.html out
}

test_a_recording_is_compared_with_folded_stacks_by_name() {
	printf 'prog 7 [000] 1.1: 4 cycles: \n\t4000 f (/bin/prog)\n\t5000 main (/bin/prog)\n\n' > text
	echo 'prog;main;f 9' > folded
	pipa flamegraph --diff folded text -f svg
	status 0
	has out $'<title>f\nnow 100.00 %'
	has out 'before 100.00 %, 9'
	lacks out '0.00 %, 0'
}

test_a_name_of_a_megabyte_is_drawn() {
	awk 'BEGIN { for (i = 0; i < 1048576; i++) printf "%c", 97 + i % 26; print ";leaf 3" }' > name
	pipa flamegraph name -o page.html # the first line may be it
	status 0
	[[ $(stat -c %s page.html) -gt 1048576 ]] || fail 'page' 'with the name' "$(stat -c %s page.html)"
	(echo 'zz 1' && cat name) > folded
	drawn folded
	same 'bytes of the name' "$(head -n 1 viewed | wc -c)" 1048581
	pipa flamegraph folded -o x.svg
	status 0
	is_xml x.svg
	between 'bytes of the picture' "$(stat -c %s x.svg)" 1000 40000
}

test_names_that_are_not_text_are_escaped() {
	printf 'a\xff\xfeb;\xe2\x80\xaeevil\x01;</script><script>alert(1)</script>"\x27&]]> 1\n' > folded
	drawn folded
	pipa flamegraph folded -o x.svg
	status 0
	is_xml x.svg
	has x.svg '&lt;U+202E&gt;evil&lt;U+0001&gt;'
	lacks x.svg '<script>alert'
	lacks page.html '<script>alert'
	iconv -f UTF-8 -t UTF-8 page.html > /dev/null 2>&1 || fail 'page.html' 'UTF-8' 'something else'
	iconv -f UTF-8 -t UTF-8 x.svg > /dev/null 2>&1 || fail 'x.svg' 'UTF-8' 'something else'
}

test_narrow_frames_are_omitted_with_a_note() {
	printf '%s\n' 'main;wide 100000' 'main;thin 1' > folded
	pipa flamegraph folded -o x.svg
	status 0
	has x.svg '1 frame too narrow to draw'
	lacks x.svg '<title>thin'
	pipa flamegraph folded -o x.svg --width 100000
	status 0
	has x.svg '<title>thin'
	pipa flamegraph folded -o x.svg --width 100000 --min-percent 1
	status 0
	lacks x.svg '<title>thin'
	pipa flamegraph folded -o x.svg --min-width 0
	status 0
	has x.svg '<title>thin'
	lacks x.svg 'too narrow'
	pipa flamegraph folded -o x.svg --min-width -1
	refused 2 <<< "pipa flamegraph: --min-width: invalid width '-1', expected 0 to 100000"
	pipa flamegraph folded -o x.html --min-width 1
	refused 2 <<< 'pipa flamegraph: --width, --min-width and --min-percent require SVG output'
}

test_a_full_disk_is_a_failure() {
	[[ -w /dev/full ]] || skip 'no /dev/full'
	echo 'a;b 1' > folded
	run "$PIPA" flamegraph folded -f html -o /dev/full
	refused_like 1 'pipa flamegraph: cannot write /dev/full: No space left on device.*'
	"$PIPA" flamegraph folded > /dev/full 2> err
	same 'exit status' $? 1
	matches err '^pipa flamegraph: cannot write standard output: No space left on device'
}

test_an_unwritable_directory_is_a_failure() {
	echo 'a;b 1' > folded
	pipa flamegraph folded -o nowhere/x.html
	refused_like 1 'pipa flamegraph: .*nowhere/x.html for writing: No such file or directory.*'
}

test_existing_files_are_kept_on_failure() {
	echo kept > x.svg
	: > empty
	pipa flamegraph empty -o x.svg
	status 1
	compare x.svg x.svg <<< kept
}

test_an_image_has_formatted_times_and_losses() {
	printf 'a 1/1 [000] 1.000000: 231231231 cpu-clock: \n\t 10 f (/bin/a)\n\n' > text
	pipa flamegraph text -o x.svg
	status 0
	has x.svg '>cpu-clock: 231.2 ms in 1 sample</text>'
	printf 'main;f 100000\nmain;g 1\nno number\n' > folded
	pipa flamegraph folded -o x.svg
	status 0
	has x.svg '>malformed lines skipped: 1; 1 frame too narrow to draw</text>'
}

test_losses_are_in_the_page() {
	printf '%s\n' 'a;b 1' 'this is no line' 'a 2' > folded
	pipa flamegraph folded -o x.html
	status 0
	has err 'malformed lines skipped: 1'
	has x.html '"notes":["malformed lines skipped: 1"]'
	pipa flamegraph folded -o x.svg
	has x.svg 'malformed lines skipped: 1'
}

run_tests "$@"
