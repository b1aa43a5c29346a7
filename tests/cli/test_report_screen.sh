#!/usr/bin/env bash
#
# pipa report on a terminal: the contents of the screen, keys, sizes, and the restored terminal.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/terminal.sh"

# stacks FILE: a small profile whose numbers are known
stacks() {
	cat > "$1" <<- 'TEXT'
		main;parse;read 60
		main;parse 10
		main;run;step;step;work 120
		main;run;idle 8
		other;read 2
	TEXT
}

# browse WIDTH HEIGHT ARGS...: its id in ./pid
browse() {
	terminal "$1" "$2" "LC_ALL=C.UTF-8 sh -c 'echo \$\$ > pid; exec \"\$0\" report \"\$@\"' '$PIPA' ${*:3}"
}

# shown: the table is on the screen
shown() {
	sees '▾Children +Self'
	until_true is alternate_on 1
}

test_a_terminal_gets_the_full_screen_and_q_leaves_it() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	sees '^ x\.folded .* 200 samples *$'
	sees '^▸  99\.00%   0\.00% .* main *$'
	sees '^▸  60\.00%  60\.00% .* work *$'
	sees '^ q quit  \? help  Enter open  z zoom'
	is cursor_flag 0 || fail 'the cursor' hidden shown
	keys q
	left 0
	not_on_screen 'q quit' || fail 'the screen' 'what was there before' "$(cat screen)"
}

test_long_names_are_shortened_and_complete_on_request() {
	local name='ns::Table<std::pair<long, unsigned long>, std::less<long>, std::allocator<long> >::insert_unique'

	printf 'prog;main;%s 5\nprog;main;%s_other 3\nprog;main;%s_in (inlined) 2\n' "$name" "$name" "$name" > x.folded
	browse 80 24 x.folded
	shown
	sees '\[[?.]\] insert_unique'
	sees ' insert_unique_in \(i\) *$' # the name is worth more room than the word
	not_on_screen 'unsigned long' || fail 'the table' 'shortened names' "$(cat screen)"
	keys G i
	sees 'unsigned long'
	keys q # closes the name only
	until_true not_on_screen 'unsigned long'
	keys q
	left 0
}

# The number of samples is beside the share that it is the number of.
test_samples_agree_with_the_share_beside_them() {
	printf 'prog;main 1\nprog;main;work 3\n' > x.folded
	browse 120 24 x.folded
	shown
	sees 'main$'
	sees '100.00% +25.00% +1 .*main$'
	sees '75.00% +75.00% +3 .*work$'
	keys q
	left 0
}

test_a_large_terminal_shows_more() {
	stacks x.folded
	browse 200 60 x.folded
	shown
	sees 'Self +Samples +Command'
	until_true last_line_is 60 ' q quit'
	keys q
	left 0
}

test_text_on_request_or_into_a_pipe() {
	local args

	stacks x.folded
	for args in --stdio --csv --json --stats --no-children; do
		browse 80 24 "$args" x.folded
		left 0
		on_screen '(# Samples|# Children|children_percent|TOTAL|"rows"|Overhead)' ||
			fail "with $args" text "$(cat screen)"
	done
	terminal 80 24 "'$PIPA' report x.folded | cat"
	left 0
	on_screen '^ +99\.00% .* main' || fail 'in a pipe' text "$(cat screen)"
	terminal 80 24 "'$PIPA' report x.folded < /dev/null"
	left 0
	on_screen '^ +99\.00% .* main' || fail 'without a keyboard' text "$(cat screen)"
}

test_a_file_that_cannot_be_read_fails_on_the_terminal_as_it_was() {
	browse 80 24 nowhere.data
	left 1
	on_screen '^pipa report: cannot open .*nowhere.data' || fail 'the screen' 'a line' "$(cat screen)"
}

test_a_row_opens_to_its_callers_and_callees() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	keys / w o r k Enter
	sees '^ nothing lost'
	keys Right
	sees '60\.00% .*   ▸ step$'
	keys e
	sees '60\.00% .* run$'
	keys c
	until_true not_on_screen '▸ step$'
	keys Home r
	sees 'callees *$'
	keys Enter
	sees '^ .*64\.00% .*   ▸ run$'
	sees '^ .*35\.00% .*   ▸ parse$'
	keys q
	left 0
}

test_zooms_and_the_way_back() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	keys / p a r s e Enter
	keys z
	sees 'zoom into'
	keys s
	sees '^ all > symbol parse  35\.00%'
	until_true not_on_screen 'work'
	keys Escape
	until_true not_on_screen ' > symbol'
	sees 'work'
	keys q
	left 0
}

test_a_function_between_its_callers_and_callees() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	keys / r u n Enter v
	sees '64\.00%  100\.00%  ▾ main$'
	sees '64\.00%           ● run$'
	sees '60\.00%   93\.75%  ▸ step$'
	keys Escape
	shown
	keys q
	left 0
}

# what the screen wrote has the totals of the report
same_totals() {
	"$PIPA" report --json x.folded > json || fail 'the report' json "$(cat json)"
	run python3 - <<- 'PYTHON'
		import csv, json
		rows = {}
		for row in csv.DictReader(open("out.csv")):
		    if row["depth"] == "0":
		        name = row["symbol"].split("] ", 1)[1]
		        rows[name] = (int(row["total"]), int(row["self"]), int(row["samples"]))
		want = {}
		for row in json.load(open("json"))["rows"]:
		    event = row["events"][0]
		    want[row["symbol"]] = (event["children"], event["self"], event["samples"])
		assert rows == want, (rows, want)
	PYTHON
	status 0
}

test_the_shown_report_is_written_and_no_file_replaced_unless_requested() {
	need_program python3
	stacks x.folded
	echo old > out.csv
	browse 80 24 x.folded
	shown
	keys E
	sees '^ write to: '
	keys -l out.csv
	keys Enter
	sees 'file exists, overwrite'
	keys n
	sees 'nothing written'
	same 'the file' "$(cat out.csv)" old
	keys E
	keys -l out.csv
	keys Enter
	sees 'file exists, overwrite'
	keys y
	sees 'written to out.csv'
	same_totals
	keys E
	keys -l no/where
	keys Enter
	sees 'No such file or directory'
	keys q
	left 0
}

test_source_lines_and_instructions() {
	need_program cc
	cat > hot.c <<- 'CODE'
		volatile unsigned long sum;
		int main(void)
		{
			for (unsigned long i = 0; i < 300000000; i++)
				sum += i;
			return 0;
		}
	CODE
	cc -g -O1 -o hot hot.c || fail 'cc' 'a program' none
	pipa record -F 499 -o perf.data ./hot
	[[ $got_status -eq 0 ]] || skip "nothing can be recorded: $(cat err)"
	browse 80 24
	shown
	keys -l '/] main'
	keys Enter a
	sees 'hot.c:[45]'
	keys Escape
	shown
	keys b
	sees 'group by'
	keys l
	sees 'hot.c:[45] '
	keys b u
	sees '▾Children.* CPU'
	keys q
	left 0
}

test_the_screen_fits_the_window() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	tm resize-window -x 120 -y 40
	until_true last_line_is 40 ' q quit'
	tm resize-window -x 40 -y 10
	until_true last_line_is 10 ' q quit'
	sees '^▸  99\.00%   0\.00%  .*main'
	tm resize-window -x 5 -y 2
	tm resize-window -x 80 -y 24
	until_true last_line_is 24 ' q quit'
	keys q
	left 0
}

test_signals_end_it_with_their_status_and_the_terminal_restored() {
	local signal

	stacks x.folded
	for signal in INT:0 TERM:143 HUP:129; do
		browse 80 24 x.folded
		shown
		kill -s "${signal%:*}" "$(cat pid)"
		left "${signal#*:}"
	done
	browse 80 24 x.folded
	shown
	keys C-c
	left 0
}

test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() {
	stacks x.folded
	terminal 80 24 "PS1='ready> ' LC_ALL=C.UTF-8 bash --norc --noprofile -i"
	sees '^ready>'
	keys "'$PIPA' report x.folded" Enter
	shown
	keys C-z
	sees 'Stopped.*report'
	until_true is alternate_on 0
	keys fg Enter
	shown
	keys '?'
	sees 'expand all below'
	keys q # closes the help alone
	until_true not_on_screen 'expand all below'
	keys q
	until_true is alternate_on 0
	keys 'echo status $?' Enter
	sees '^status 0'
}

test_hostile_names_stay_in_their_cells() {
	printf 'main\e[2J\e]0;owned\a;x\xff\xfe \xe2\x80\xae 5\n' > x.folded
	browse 80 24 x.folded
	shown
	sees 'main\\x1b\[2J\\x1b\]0'
	sees '^ q quit'
	keys q
	left 0
}

test_no_color_and_a_locale_without_utf8_are_heeded() {
	stacks x.folded
	browse 80 24 x.folded
	shown
	[[ $(colours) -gt 0 ]] || fail 'coloured lines' some none
	keys q
	left 0
	terminal 80 24 "NO_COLOR=1 LC_ALL=C '$PIPA' report x.folded"
	sees 'vChildren +Self'
	same 'coloured lines' "$(colours)" 0
	same 'lines with other characters' \
		"$(tm capture-pane -p | LC_ALL=C grep -cP '[^\x00-\x7f]')" 0
	keys q
	left 0
}

test_a_terminal_that_cannot_place_text_gets_text_and_a_line() {
	stacks x.folded
	terminal 120 50 "TERM=dumb '$PIPA' report x.folded"
	left 0
	sees "^pipa report: text cannot be placed on a terminal of type 'dumb'; printing text instead$"
	sees '99\.00% .* main'
}

test_many_rows_and_deep_stacks_are_browsed() {
	need_program python3
	python3 - > x.folded <<- 'PYTHON'
		for i in range(100000):
		    print("main;f%06d %d" % (i, 1 + i % 7))
		print(";".join("d%d" % i for i in range(10000)), 9)
	PYTHON
	browse 80 24 x.folded
	shown
	keys / d 9 9 9 9 Enter
	sees '^ nothing lost .*of 110001'
	keys e
	sees ' of 120000'
	keys End
	sees '120000 of 120000'
	keys q
	left 0
}

test_code_of_a_bundle_is_shown_without_the_files() {
	need_program cc
	cat > hot.c <<- 'END'
		volatile unsigned v;
		int main(void)
		{
			for (unsigned i = 0; i < 60000000; i++)
				v = v * 7 + i;
			return 0;
		}
	END
	cc -O1 -g -Wl,--build-id hot.c -o hotspot 2> err || skip "cc: $(head -n 1 err)"
	"$PIPA" record -q --call-graph none -o data ./hotspot 2> err || skip "pipa cannot record here: $(head -n 1 err)"
	"$PIPA" annotate data main 2> err | grep -q 'capstone' && skip 'this pipa was built without capstone'
	"$PIPA" bundle -o bundle data 2> err || fail 'bundle' 'status 0' "$(cat err)"
	rm hotspot
	browse 100 30 bundle
	shown
	keys / m a i n Enter a
	sees 'hot\.c:5 .*v = v \* 7 \+ i;'
	sees '^ *[0-9.]+ : +[0-9a-f]+: +[a-z]'
	keys Escape
	shown
	keys q
	left 0
}

run_tests "$@"
