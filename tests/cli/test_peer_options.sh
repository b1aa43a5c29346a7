#!/usr/bin/env bash
#
# Options of perf report that pipa accepts too: the same columns, rows and numbers on the same recording.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# need_recording NAME EVENTS: a recording of perf with call chains
need_recording() {
	need_program perf
	need_workloads
	perf record -q -F 2000 -g -e "$2" -o "$1" -- "$PIPA_WORKLOADS/busy" written 300 > /dev/null 2>&1 ||
		skip 'perf record does not run here'
}

# Titles and rows of a table: spaces squeezed, rows in the order of their text. Rows of unresolved code are left out,
# as perf prints an address for each sample; so are the lines of trees. Of several names of one function perf prefers
# those with underscores, pipa those without.
table() {
	grep -E '^# *(Overhead|Children|Command|Symbol|usr)|^ *[0-9.]+%|^  [a-z[]' |
		grep -vE '0x[0-9a-f]{16}|!(fn|code)@0x|\[unknown\]|@plt' |
		sed -E 's/[ ]+/ /g; s/^ //; s/ $//; s/@+GLIBC[^ ]*//; s/\] _+/] /' | sort
}

# same_table OPTIONS...: of pipa report and perf report
same_table() {
	perf report --stdio -g none -i "$recording" "$@" 2> /dev/null | table > theirs
	[[ $(wc -l < theirs) -gt 1 ]] || skip 'perf report shows nothing here'
	pipa report --stdio -i "$recording" "$@"
	status 0
	table < out > ours
	command_line="pipa report $* against perf report"
	compare rows ours < theirs
}

test_the_number_of_samples_is_perfs() {
	recording=one.data
	need_recording one.data cpu-clock
	same_table -n --no-children
	same_table --no-children --show-nr-samples --sort dso
}

test_fields_are_perfs() {
	recording=one.data
	need_recording one.data cpu-clock
	same_table -F overhead,period,sample,comm,dso,sym --no-children
	same_table -F overhead,sample
	same_table -F overhead,sample,comm --no-children
	same_table --fields overhead_us,overhead_sys,overhead_children,comm
	same_table -F overhead,comm --sort dso --no-children
	same_table -F +period --no-children
}

test_each_event_has_a_table_without_a_group() {
	recording=two.data
	need_recording two.data cpu-clock,page-faults
	same_table --no-group --no-children
	pipa report --no-group --no-children two.data
	same 'tables' "$(grep -c '^# Overhead ' out)" 2
	pipa report --no-group --json two.data
	refused 2 <<< 'pipa report: --no-group cannot be combined with --json'
}

test_events_are_side_by_side_as_in_a_group_of_perf() {
	recording=two.data
	need_recording two.data cpu-clock,page-faults
	same_table --group --no-children
	same_table --group -n --no-children -s dso
	same_table --group -F overhead,period,sample,dso --no-children
	pipa report --group two.data
	has out 'Children              Self  Command'
}

test_filters_and_their_percentages_are_perfs() {
	recording=one.data
	need_recording one.data cpu-clock
	# perf omits the column of a filter with one name
	same_table -S main,nothing --no-children
	same_table -S main,nothing --no-children --percentage relative
	same_table -d busy --no-children --sort sym
	same_table -d busy --no-children --sort sym --percentage relative
	same_table -c busy,nothing --no-children --percentage absolute
}

# Of a tree of perf, or of ours: the names along the first branch of the row of the symbol
first_branch() {
	awk -v symbol="$1" '
		/^ +[0-9.]+%.*\[[.k]\]/ { inside = $NF ~ symbol; next }
		inside { sub(/^[ |]*(-+)?([0-9.]+%-*)?[ ]*([0-9.]+%)?[ ]*/, ""); if ($0 != "") print }' |
		sed -E 's/@+GLIBC.*//' | head -n 3
}

test_orders_of_call_trees_are_perfs() {
	recording=one.data
	need_recording one.data cpu-clock
	symbol='__(vdso|kernel)_clock_gettime'
	perf report --stdio -g none -i one.data 2> /dev/null | grep -qE "$symbol" ||
		skip 'the workload has no frame to look at'
	for order in caller callee; do
		perf report --stdio -g "$order" -i one.data 2> /dev/null | first_branch "$symbol" > theirs
		pipa report --stdio -g "$order" one.data
		status 0
		# perf begins with the row itself
		first_branch "$symbol" < out | head -n 2 > ours
		sed 1d theirs | compare "first branch of $order" ours
	done
}

test_call_trees_have_the_form_that_was_requested() {
	printf '%s\n' 'main;a;b 60' 'main;a;c 30' 'main;d 10' > folded
	pipa report --stdio -s sym -S main -g caller folded
	status 0
	has out '             90.00%  a'
	has out '               60.00%  b'
	pipa report --stdio -s sym -S b -g callee folded
	has out '             60.00%  a'
	has out '               60.00%  main'
	pipa report --stdio -s sym -S b --no-children -g callee folded
	has out '             60.00%  a'
	# without children, callers begin at the outermost frame
	pipa report --stdio -s sym -S b --no-children -g caller folded
	has out '             60.00%  main'
	has out '                 60.00%  b'
	pipa report --stdio -s sym -S a -g fractal,caller folded
	has out '             66.67%  b'
	pipa report --stdio -s sym -S a -g caller,50 folded
	has out '             60.00%  b'
	lacks out '30.00%  c'
	pipa report --stdio -s sym -S main -g caller,0,2 folded
	has out '               60.00%  b'
	same 'lines of d' "$(grep -c '  d$' out)" 0
	pipa report --stdio -s sym -S main -g caller,count folded
	has out '   90  a'
	pipa report --stdio -s sym -g none folded
	same 'lines of trees' "$(grep -cE '^ {11}' out)" 0
}

# The argument after -g is its value only if all parts of it are words of -g
test_the_recording_after_g_is_not_its_value() {
	echo 'main;a 1' > stacks
	cp stacks caller,nothing
	pipa report --stdio -s sym -g stacks
	status 0
	has out '            100.00%  a'
	pipa report --stdio -s sym -g caller,nothing
	status 0
	pipa report --stdio -s sym -gcallee stacks
	has out '            100.00%  main'
	pipa report --stdio -s sym -gn stacks
	has out 'Samples  Symbol'
	pipa report --stdio -s sym --call-graph callee stacks
	has out '            100.00%  main'
	pipa report --stdio -s sym --call-graph=none stacks
	lacks out '            100.00%  a'
}

test_unsupported_options_are_refused_with_the_option_of_pipa() {
	pipa report -g folded,caller perf.data
	refused 2 <<< "pipa report: -g: 'folded' is not supported. pipa fold prints folded stacks."
	pipa report --call-graph=bottom perf.data
	refused 2 <<< "pipa report: -g: invalid value 'bottom', expected graph, fractal, none, caller, callee, percent, period, count or a threshold"
	pipa report -g 200 perf.data
	refused 2 <<< "pipa report: -g: invalid number '200', expected a threshold from 0 to 100"
	pipa report -F overhead,size perf.data
	refused 2 <<< "pipa report: --fields: invalid field 'size', expected overhead, overhead_children, overhead_sys, overhead_us, sample, period or a sort key"
	pipa report --percentage half perf.data
	refused 2 <<< "pipa report: --percentage: invalid basis 'half', expected relative or absolute"
}

test_verbose_tables_have_paths_and_addresses() {
	recording=one.data
	need_recording one.data cpu-clock
	pipa report -v --no-children one.data
	status 0
	matches out " +[0-9.]+%  busy +$PIPA_WORKLOADS/busy +0x[0-9a-f]+ +\[\.\] main"
}

# ---- annotate, script, record, stat -----------------------------------------------------------------

test_annotate_takes_a_symbol_as_perf_does() {
	need_program perf
	need_program gcc
	printf '%s\n' 'int main(void)' '{' '	volatile unsigned s = 1;' '	for (int i = 0; i < 100000000; i++)' \
		'		s = s * 1664525u + 1013904223u;' '	return 0;' '}' > main.c
	gcc -g -O1 -o main main.c || skip 'gcc -g does not work here'
	pipa record -q ./main
	status 0
	cp perf.data other.data
	pipa annotate other.data main
	status 0
	cp out expected
	for args in main '-s main' 'other.data -s main' '-i other.data main' '--stdio -i other.data -s main'; do
		# shellcheck disable=SC2086
		pipa annotate $args
		status 0
		compare "annotate $args" out < expected
	done
	pipa annotate other.data -s main other
	refused 2 <<< "pipa annotate: unexpected argument 'other', expected one recording and one symbol"
	pipa annotate missing.data -s main
	refused 1 <<< 'pipa annotate: cannot open missing.data: No such file or directory'
	# lines of the summary, as perf annotate -l has them
	perf annotate -l --stdio -i perf.data main 2> /dev/null | sed -nE 's/^ +([0-9.]+) +(main\.c:[0-9]+)$/\1 \2/p' > theirs
	pipa annotate -l main
	status 0
	sed -nE 's/^ +([0-9.]+) : (main\.c:[0-9]+)$/\1 \2/p' out | awk '$1 >= 0.5' > ours
	[[ -s theirs ]] || skip 'perf annotate has no lines here'
	awk '$1 >= 0.5' theirs | compare 'lines' ours
}

test_every_reader_takes_the_recording_by_i() {
	echo 'main;a 3' > stacks
	for command in fold flamegraph graph report; do
		"$PIPA" "$command" stacks > expected
		"$PIPA" "$command" -i stacks > out
		got_status=$?
		status 0
		command_line="pipa $command -i"
		compare "$command" out < expected
	done
	pipa fold -i stacks stacks
	refused 2 <<< "pipa fold: unexpected argument 'stacks', expected one recording"
}

test_script_has_the_header() {
	need_counting
	pipa record -q -- true
	pipa report --header-only perf.data
	cp out header
	pipa script --header-only perf.data
	status 0
	cmp -s out header || fail 'header' 'that of report' "$(cat out)"
	pipa script perf.data
	cat header out > expected
	pipa script --header perf.data
	compare 'header and samples' out < expected
}

test_counts_of_threads_are_for_perf_report() {
	need_counting
	need_workloads
	need_program perf
	pipa record -q -s -T -- "$PIPA_WORKLOADS/threads" 3 2000
	status 0
	perf report -T --stdio -i perf.data 2> /dev/null | sed -n '/^# *PID/,$p' > counts
	[[ -s counts ]] || skip 'perf report -T prints nothing here'
	between 'threads' "$(grep -cE '^ +[0-9]+ +[0-9]+ +[0-9]+' counts)" 2 4
}

test_times_are_of_the_clock_that_was_requested() {
	local now time

	need_counting
	need_workloads
	for clock in realtime CLOCK_REALTIME real 0; do
		now=$(date +%s)
		pipa record -q -k "$clock" -- "$PIPA_WORKLOADS/spin" 20
		status 0
		pipa script -F time perf.data
		time=$(sed -nE '1s/^ *([0-9]+)\..*/\1/p' out)
		between "time by $clock" "$time" "$((now - 1))" "$((now + 60))"
	done
	pipa record -q -k monotonic_raw -- "$PIPA_WORKLOADS/spin" 20
	status 0
	pipa report --header-only
	has out '# clock data : clock 4: '
	pipa record -k sundial -- true
	refused 125 <<< "pipa record: -k: invalid clock 'sundial', expected monotonic, monotonic_raw, realtime, boottime or tai"
}

test_per_thread_records_no_other_thread() {
	need_counting
	need_workloads
	pipa record -q --per-thread -F 2000 -- "$PIPA_WORKLOADS/threads" 3 2000
	status 0
	pipa report --sort tid --no-children --csv perf.data
	between 'threads with samples' "$(sed 1d out | wc -l)" 0 1
	need_system_wide
	pipa record --per-thread -a -- true
	has err 'pipa record: --per-thread is ignored with -a, -C and -G'
}

test_stat_prints_counts_and_times_first() {
	need_counting
	pipa stat -v -e page-faults,task-clock --no-summary true
	status 0
	matches err '^page-faults: [1-9][0-9]* [1-9][0-9]* [1-9][0-9]*$'
	matches err '^task-clock: [1-9][0-9]* [1-9][0-9]* [1-9][0-9]*$'
	pipa stat -I 50 --summary --no-summary -e page-faults sleep 0.08
	status 0
	lacks err 'Performance counter stats'
}

run_tests "$@"
