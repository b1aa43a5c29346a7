#!/usr/bin/env bash
#
# pipa diff: what moved between recordings, what is noise, and what a build server makes of it.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# folded NAME "stack count"...: a file of folded stacks
folded() {
	local name=$1

	shift
	printf '%s\n' "$@" > "$name"
}

# before and after: f grew, g shrank, old went, new came, same stayed, rare has too few samples
two_files() {
	folded before 'main;f 500' 'main;g 300' 'main;same 100' 'main;old 98' 'main;rare 2'
	folded after 'main;f 650' 'main;g 140' 'main;same 105' 'main;new 100' 'main;rare 5'
}

need_python() {
	need_program python3
}

# json EXPRESSION [FILE]: of the document in ./out, as Python sees it
json() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[2]))
row = {r["symbol"]: r for r in d["rows"] if "symbol" in r}
print(eval(sys.argv[1]))' "$1" "${2:-out}"
}

# ---- the table -------------------------------------------------------------------------------------

test_the_largest_change_is_first_with_percentages_weights_samples_and_a_verdict() {
	two_files
	pipa diff before after
	status 0
	stdout << 'END'
# Event unknown, by symbol
# Verdicts on percentages: the event does not measure time
# Base:   before: 1000 samples, weight 1.000 k
# Now:    after: 1000 samples, weight 1.000 k
#         total +0, +0.00%
# Significant changes: 4 of 6 rows; too few samples: 1
#
#     Base       Now    Points   Base cost    Now cost      Change          Samples  Verdict  Shared Object  Symbol
#
    30.00%    14.00%    -16.00         300         140        -160        300 > 140  less     [unknown]      [?] g
    50.00%    65.00%    +15.00         500         650        +150        500 > 650  more     [unknown]      [?] f
     0.00%    10.00%    +10.00           0         100        +100          0 > 100  new      [unknown]      [?] new
     9.80%     0.00%     -9.80          98           0         -98           98 > 0  gone     [unknown]      [?] old
    10.00%    10.50%     +0.50         100         105          +5        100 > 105  same     [unknown]      [?] same
     0.20%     0.50%     +0.30           2           5          +3            2 > 5  unknown  [unknown]      [?] rare
END
	stderr < /dev/null
}

test_a_file_does_not_differ_from_itself() {
	two_files
	pipa diff before before
	status 0
	has out '# No differences'
	lacks out more
	pipa diff --fail-above 0 before before
	status 0
}

test_each_of_several_files_has_its_columns() {
	two_files
	pipa diff -n 2 before after before
	status 0
	stdout << 'END'
# Event unknown, by symbol
# Verdicts on percentages: the event does not measure time
# Base:   before: 1000 samples, weight 1.000 k
# Now 1:  after: 1000 samples, weight 1.000 k
#         total +0, +0.00%
# Now 2:  before: 1000 samples, weight 1.000 k
#         total +0, +0.00%
# Now 1: Significant changes: 4 of 6 rows; too few samples: 1
# Now 2: No differences
#
#     Base     Now 1    Points      Change  Verdict     Now 2    Points      Change  Verdict  Shared Object  Symbol
#
    30.00%    14.00%    -16.00        -160  less       30.00%     +0.00          +0  same     [unknown]      [?] g
    50.00%    65.00%    +15.00        +150  more       50.00%     +0.00          +0  same     [unknown]      [?] f
# 4 more rows
END
}

test_rows_may_be_paths_and_libraries() {
	folded before 'main;a;f 50' 'main;b;f 50'
	folded after 'main;a;f 90' 'main;b;f 10'
	pipa diff before after
	has out '# No differences'
	pipa diff --by stack before after
	status 0
	matches out '50.00%    90.00%    \+40.00 .* more     \[unknown\]      f < a < main$'
	matches out '50.00%    10.00%    -40.00 .* less     \[unknown\]      f < b < main$'
	pipa diff --by dso before after
	matches out '100.00%   100.00%     \+0.00 .* same     \[unknown\]$'
	pipa diff --children before after
	matches out '50.00%    90.00%    \+40.00 .* more     \[unknown\]      \[\?\] a$'
}

test_orders_limits_and_filters() {
	two_files
	pipa diff --csv --order base before after
	same 'first' "$(sed -n '2s/.*,//p' out)" f
	pipa diff --csv --order now --percent-limit 10 before after
	same 'rows' "$(sed 1d out | sed 's/.*,//' | tr '\n' ' ')" 'f g same new '
	pipa diff --csv --symbols same,rare before after
	same 'rows' "$(sed 1d out | cut -d, -f 2,3,10-)" $'10.0000,10.5000,same,[unknown],same\n0.2000,0.5000,unknown,[unknown],rare'
	pipa diff --csv --dsos nowhere before after
	same 'lines' "$(wc -l < out)" 1
	pipa diff --csv --comms anybody before after
	same 'lines' "$(wc -l < out)" 1
}

test_twice_the_work_is_a_difference_of_absolute_numbers() {
	folded before 'f 300' 'g 100'
	folded after 'f 600' 'g 200'
	pipa diff before after
	has out '#         total +400, +100.00%'
	has out '# Significant changes: 0 of 2 rows'
	pipa diff --absolute before after
	status 0
	has out '# Significant changes: 2 of 2 rows'
	matches out '^ +75.00% +75.00% +\+0.00 +300 +600 +\+300 +300 > 600  more '
}

# ---- noise ------------------------------------------------------------------------------------------

test_several_runs_of_the_base_give_the_noise() {
	folded b1 'f 4000' 'g 6000'
	folded b2 'f 5000' 'g 5000'
	folded b3 'f 6000' 'g 4000'
	folded near 'f 6500' 'g 3500'
	folded far 'f 9990' 'g 10'
	pipa diff b2 near
	matches out 'more .* f$'
	pipa diff --base b1 --base b2 --base b3 near
	status 0
	has out '# Significant changes: 0 of 2 rows'
	matches out '^ +50.00% +65.00% +\+15.00 .* same .* f$'
	pipa diff --base b1 --base b2 --base b3 far far far
	matches out '^ +50.00% +99.90% +\+49.90 .* more .* f$'
	same 'files' "$(grep -c '^# Base:' out) $(grep -c '^# Now:' out)" '3 3'
}

# ---- thresholds --------------------------------------------------------------------------------------

test_a_row_that_grew_too_much_is_status_3_and_is_named() {
	two_files
	pipa diff --fail-above 20 before after
	status 0
	stderr < /dev/null
	pipa diff --fail-above 12 before after
	status 3
	has out '# Significant changes'
	stderr << 'END'
pipa diff: after: f ([unknown]) grew by 15.00 percentage points, limit 12
END
	pipa diff --fail-above 5 --percent-limit 99 -n 1 before after before
	status 3
	stderr << 'END'
pipa diff: after: f ([unknown]) grew by 15.00 percentage points, limit 5; rows above the limit: 2
END
}

test_changes_within_noise_or_unknown_do_not_fail() {
	folded before 'f 50' 'g 50'
	folded after 'f 56' 'g 44'
	pipa diff --fail-above 1 before after
	status 0
	two_files
	pipa diff --fail-above 0 --symbols same,rare before after
	status 0
}

test_absolute_limits_apply_to_the_total() {
	folded before 'f 300' 'g 100'
	folded after 'f 320' 'g 100'
	pipa diff --absolute --fail-above 5 before after
	status 0
	pipa diff --absolute --fail-above 4.5 before after
	status 3
	stderr << 'END'
pipa diff: after: total 5.00 % above the base, limit 4.5 %
END
	folded noisy 'f 350' 'g 120'
	pipa diff --absolute --fail-above 0 --base before --base noisy after
	status 0
}

# ---- documents ---------------------------------------------------------------------------------------

test_json_has_the_numbers_of_report() {
	need_python
	need_workloads
	"$PIPA" record -q -F 2000 -g -o a.data "$PIPA_WORKLOADS/busy" written 300 > /dev/null 2>&1 ||
		skip 'nothing can be recorded here'
	"$PIPA" record -q -F 2000 -g -o b.data "$PIPA_WORKLOADS/busy" written 300 > /dev/null 2>&1
	pipa report --json --no-children -s dso,symbol b.data
	mv out report.json
	for by in symbol path library; do
		pipa diff --json --by "$by" a.data b.data
		status 0
		same schema "$(json 'd["schema"], d["unit"]')" "('pipa-diff/1', 'ns')"
		mv out diff.json
		run python3 - << 'END'
import json
diff, report = json.load(open("diff.json")), json.load(open("report.json"))
event = [e for e in report["events"] if e["samples"]][0]
now = diff["now"][0]
assert now["weight"] == event["weight"], (now, event)
assert now["samples"] == event["samples"]
rows = diff["rows"]
assert abs(sum(r["now"][0]["weight"] for r in rows) - event["weight"]) < 1
assert abs(sum(r["base"]["weight"] for r in rows) - diff["base"]["weight"]) < 1
assert sum(r["now"][0]["samples"] for r in rows) == event["samples"]
if diff["by"] == "symbol":
    want = {(r["dso"], r["symbol"]): r["events"][0]["self_percent"] for r in report["rows"]}
    for r in rows:
        got = r["now"][0]["percent"]
        assert abs(want.pop((r["dso"], r["symbol"]), 0) - got) < 1e-9, r
    assert not [w for w in want.values() if w], want
END
		status 0
	done
}

# data FILE: what a page shows, as JSON, into ./data
data() {
	sed -n '/<script type="application\/json" id="pipa-data">/,/<\/script>/p' "$1" |
		sed -e '1s/.*id="pipa-data">//' -e '$s/<\/script>.*//' > data
}

test_a_page_has_the_tree_of_both_and_the_rows_of_json() {
	need_python
	two_files
	printf 'main;</script><b>&"x" 60\n' >> after
	pipa diff --html -o page.html before after
	status 0
	stdout < /dev/null
	data page.html
	same 'view' "$(json 'd["view"], d["base"]["total"], d["total"], d["title"]' data)" \
		"('diff', 1000, 1060, 'after')"
	pipa diff --json before after
	mv out rows.json
	run python3 -c 'import json
page, document = json.load(open("data")), json.load(open("rows.json"))
assert page["rows"] == document["rows"], page["rows"]
assert sum(r["now"][0]["weight"] for r in page["rows"]) == page["total"]'
	status 0
	pipa diff --html before after
	status 0
	compare 'standard output' out < page.html
}

test_csv_and_json_escape_all_names() {
	need_python
	folded before $'ma"in;a,b 50' $'x\xff\x01y 50' 'f 50'
	folded after 'ma"in;a,b 60' $'x\xff\x01y 20' 'f 50'
	pipa diff --csv --by stack before after
	status 0
	has out ',[unknown],"a,b","ma""in;a,b"'
	pipa diff --json before after
	status 0
	same 'rows' "$(json 'len(d["rows"])')" 3
	pipa diff before after
	matches out ' \[\?\] x\\xff\\x01y$'
}

test_the_output_is_complete_or_absent() {
	two_files
	pipa diff -o report before after
	status 0
	stdout < /dev/null
	has report '# Significant changes'
	pipa diff -o - before after
	stdout < report
	pipa diff -o nowhere/report before after
	refused_like 1 'pipa diff: cannot open nowhere/report for writing: No such file or directory.*'
	pipa diff -o other before missing
	status 1
	[[ ! -e other ]] || fail 'a failed comparison' 'no file' 'there is one'
	[[ -w /dev/full ]] || skip 'there is no /dev/full'
	run sh -c '"$1" diff before after > /dev/full' sh "$PIPA"
	status 1
	has err 'cannot write standard output: No space left on device'
}

test_more_is_red_and_less_is_blue_in_colour() {
	two_files
	pipa diff --color always before after
	has out $'\e[91m  +15.00\e[0m'
	has out $'\e[94m  -16.00\e[0m'
	has out $'\e[91mnew    \e[0m'
	pipa diff before after
	lacks out $'\e'
}

test_the_same_files_give_the_same_bytes() {
	two_files
	for form in --csv --json --color=never; do
		pipa diff "$form" before after
		status 0
		mv out first
		pipa diff "$form" before after
		stdout < first
	done
}

# ---- what cannot be compared -------------------------------------------------------------------------

test_wrong_calls_are_refused() {
	two_files
	pipa diff before
	refused 2 << 'END'
pipa diff: nothing to compare before with. Usage: pipa diff BASE FILE...
END
	pipa diff --base before
	refused 2 << 'END'
pipa diff: nothing to compare the baseline with. Usage: pipa diff BASE FILE...
END
	pipa diff --by heart before after
	refused 2 << 'END'
pipa diff: --by: invalid row 'heart', expected symbol, dso, srcline or stack
END
	pipa diff --order best before after
	refused 2 << 'END'
pipa diff: --order: invalid order 'best', expected delta, absolute, base or now
END
	pipa diff --children --by stack before after
	refused 2 << 'END'
pipa diff: --children cannot be combined with --by stack
END
	pipa diff --csv --json before after
	refused 2 << 'END'
pipa diff: only one of --csv, --json and --html can be given
END
	pipa diff --html before after before
	refused 2 << 'END'
pipa diff: --html compares exactly two recordings
END
	pipa diff --html --base before --base before after
	refused 2 << 'END'
pipa diff: --html compares exactly two recordings
END
	pipa diff --fail-above -1 before after
	refused 2 << 'END'
pipa diff: --fail-above: invalid percentage '-1', expected 0 or more
END
	pipa diff - -
	refused 2 << 'END'
pipa diff: standard input can be read only once
END
	pipa diff
	refused_like 1 'pipa diff: .*perf.data.old.*'
}

test_a_side_without_samples_is_refused() {
	two_files
	: > empty
	pipa diff before empty
	refused_like 1 'pipa diff: empty is .*'
	folded nothing 'f 0' 'g 0'
	pipa diff before nothing
	refused 1 << 'END'
pipa diff: nothing has no samples: nothing to compare
END
	pipa diff nothing before
	refused 1 << 'END'
pipa diff: nothing has no samples: nothing to compare
END
}

test_a_recording_without_samples_is_named_without_an_event() {
	"$PIPA" record -q -e cpu-clock -c 100000000000 -o none.data true > /dev/null 2>&1 ||
		skip 'nothing can be recorded here'
	pipa diff none.data none.data
	refused 1 <<< 'pipa diff: none.data has no samples: nothing to compare'
}

test_one_sample_is_one_sample() {
	folded one 'main;f 1'
	pipa diff one one
	status 0
	has out '# Base:   one: 1 sample, weight 1'
}

test_malformed_lines_are_noted_and_skipped() {
	need_python
	folded before 'f 50' 'g 50'
	folded after 'f 50' 'g -50' 'g 50'
	pipa diff --json before after
	status 0
	has err 'after: malformed lines skipped: 1'
	same complete "$(json 'd["complete"]')" False
}

test_the_rest_of_a_truncated_recording_is_compared() {
	need_python
	need_workloads
	"$PIPA" record -q -F 2000 -e cpu-clock:u -o whole.data "$PIPA_WORKLOADS/spin" 300 \
		> /dev/null 2>&1 || skip 'nothing can be recorded here'
	head -c $(($(stat -c %s whole.data) / 2)) whole.data > cut.data
	"$PIPA" report --stats cut.data > /dev/null 2>&1 || skip 'nothing is left of it'
	pipa diff --json whole.data cut.data
	status 0
	has err 'cut.data: corrupt records: '
	has err 'cut.data: event cpu-clock treated as cpu-clock:u'
	same complete "$(json 'd["complete"], d["base"]["files"][0]["complete"]')" '(False, True)'
	pipa diff cut.data whole.data
	status 0
	has err 'whole.data: event cpu-clock:u treated as cpu-clock'
}

# script NAME EVENT N STACK: text as perf script writes it, so many samples of a weight of 100
script() {
	local i

	for ((i = 0; i < $3; i++)); do
		printf 'prog 7 [000] 1.%06d: 100 %s: \n\t 1000 %s (/bin/prog)\n\n' "$i" "$2" "$4"
	done >> "$1"
}

# two_events: ./before and ./after, with cycles and instructions; f has moved in one, g in the other
two_events() {
	script before cycles 100 f
	script before cycles 100 g
	script before instructions 50 f
	script before instructions 150 g
	script after cycles 150 f
	script after cycles 50 g
	script after instructions 150 f
	script after instructions 50 g
}

test_each_event_that_the_files_share_has_its_table() {
	two_events
	pipa diff before after
	status 0
	same 'tables' "$(grep '^# Event' out)" $'# Event cycles, by symbol\n# Event instructions, by symbol'
	same 'rows of f' "$(awk '$NF == "f" { print $1, $2, $3 }' out)" $'50.00% 75.00% +25.00\n25.00% 75.00% +50.00'
	mv out both
	pipa diff -e instructions before after
	sed -n '/^# Event instructions/,$p' both | stdout
	pipa diff -e instructions,cycles -e instructions before after
	same 'tables as asked for' "$(grep '^# Event' out)" \
		$'# Event instructions, by symbol\n# Event cycles, by symbol'
	pipa diff -e cycles,,instructions before after
	refused 2 <<< 'pipa diff: --event: empty name'
}

test_several_events_in_csv_and_json() {
	two_events
	pipa diff --csv before after
	status 0
	same 'the title' "$(head -n 1 out | tail -c 17)" 'dso,symbol,event'
	same 'rows' "$(grep -c ',prog,f,cycles$' out) $(grep -c ',prog,f,instructions$' out)" '1 1'
	pipa diff --csv -e cycles before after
	same 'the title of one' "$(head -n 1 out | tail -c 19)" 'verdict,dso,symbol'
	pipa diff --json before after
	status 0
	mv out both.json
	pipa diff --json -e cycles before after
	mv out cycles.json
	pipa diff --json -e instructions before after
	mv out instructions.json
	need_program python3
	run python3 - << 'END'
import json
both, cycles, instructions = [json.load(open(n + ".json")) for n in ("both", "cycles", "instructions")]
(other,) = both.pop("others")
assert both == cycles, "the first event is as it is alone"
assert "others" not in cycles
assert other == {k: instructions[k] for k in ("event", "unit", "absolute", "basis", "base", "now", "rows")}, other
END
	status 0
}

test_a_threshold_is_for_each_event() {
	two_events
	pipa diff --fail-above 30 before after
	status 3
	same 'what grew' "$(cat err)" 'pipa diff: after: instructions: f (prog) grew by 50.00 percentage points, limit 30'
	pipa diff --fail-above 30 -e cycles before after
	status 0
}

test_a_page_has_all_events() {
	two_events
	pipa diff --html -o page.html before after
	status 0
	same 'payloads' "$(grep -o '"event":"[a-z]*"' page.html | sort -u | tr '\n' ' ')" \
		'"event":"cycles" "event":"instructions" '
	matches page.html '"others":\['
	pipa diff --html -e cycles -o page.html before after
	status 0
	! grep -q '"others":\[' page.html || fail 'the page of one event' 'no others' 'some'
}

test_different_events_are_not_compared() {
	script before cycles 20 f
	script after instructions 20 f
	script both cycles 20 f
	script both instructions 20 g
	pipa diff before after
	refused 1 << 'END'
pipa diff: after: no event 'cycles' in the input. Available: instructions
END
	pipa diff before both
	status 0
	has out '# Event cycles, by symbol'
	has out '# No differences'
	pipa diff both after
	status 0
	has err 'after has no samples of event cycles, skipped'
	has out '# Event instructions, by symbol'
	lacks out '# Event cycles'
	pipa diff -e cycles both after
	status 1
	has err "after: no event 'cycles' in the input"
	pipa diff -e instructions both after
	status 0
	has out '# Event instructions, by symbol'
	pipa diff -e nothing both after
	status 1
	has err "both: no event 'nothing' in the input"
	folded text 'f 10'
	pipa diff before text
	refused 1 <<< 'pipa diff: cannot compare folded stacks (text) with another format (before). Convert the recording with pipa fold.'
	pipa diff text before
	status 1
	has err 'cannot compare folded stacks (text) with another format (before)'
}

# script_text F G: so many samples of f and of g, as perf script writes them
script_text() {
	awk -v f="$1" -v g="$2" 'BEGIN {
		for (i = 0; i < f + g; i++)
			printf "prog 7 [000] %d.000001: 250000 cycles: \n\t4000 %s (/bin/prog)\n\n", i, i < f ? "f" : "g"
	}'
}

test_samples_of_perf_scripts_text_count_as_many_as_they_are() {
	script_text 500 500 > before
	script_text 800 200 > after
	pipa diff --json before after
	status 0
	same 'samples that tell' "$(grep -c '"effective_samples": 1000' out)" 2
	pipa diff --fail-above 5 before after
	status 3
	has err 'f (prog) grew by 30.00 percentage points, limit 5'
}

test_weights_beyond_64_bits_are_left_out() {
	printf 'a;b 9223372036854775807\na;c 9223372036854775807\na;d 5\n' > big
	pipa report --json big
	status 0
	has out '"complete": false'
	has out '"weight": 18446744073709551614'
}

# 500,000 bytes of one allocation are not 500,000 samples
test_counts_that_are_weights_have_wider_intervals() {
	folded before 'main;f 500000' 'main;g 300000' 'main;h 200000'
	folded after 'main;f 510000' 'main;g 290000' 'main;h 200000'
	pipa diff --csv before after
	status 0
	same 'verdicts on counts' "$(grep -cE ',(more|less)(,|$)' out)" 2
	pipa diff --csv --weights before after
	status 0
	same 'verdicts on weights' "$(grep -cE ',(more|less|new|gone)(,|$)' out)" 0
	pipa diff --weights before after
	has out '# Base:   before: number of samples unknown, weight 1.000 M'
}

test_standard_input_may_be_one_of_them() {
	two_files
	run sh -c '"$1" diff before - < after' sh "$PIPA"
	status 0
	has out '# Now:    standard input: 1000 samples'
}

test_options_may_follow_the_files() {
	two_files
	pipa diff before after --csv -n 1
	status 0
	same 'lines' "$(wc -l < out)" 2
}

# ---- time or percentages, renamed files ---------------------------------------------------------------

# built NAME ROUNDS: a program whose functions take times of 2 : 1 : ROUNDS / 100
built() {
	need_program "${CC:-cc}"
	cat > two.c << 'END'
#include <stdlib.h>
static volatile unsigned long sum;
__attribute__((noinline)) static void parse(long n) { for (long i = 0; i < n; i++) sum += i; }
__attribute__((noinline)) static void check(long n) { for (long i = 0; i < n; i++) sum ^= i; }
__attribute__((noinline)) static void print(long n) { for (long i = 0; i < n; i++) sum -= i; }
int main(int argc, char **argv)
{
	for (long i = 0; i < (argc > 1 ? atol(argv[1]) : 100); i++) {
		parse(400000);
		check(200000);
		print(2000 * ROUNDS);
	}
	return 0;
}
END
	"${CC:-cc}" -O1 -g -DROUNDS="$2" -o "$1" two.c || skip 'no compiler'
}

# recorded FILE COMMAND...: by a clock
recorded() {
	"$PIPA" record -q -F 2000 -e cpu-clock:u -o "$1" -- "${@:2}" > /dev/null 2>&1 ||
		skip 'nothing can be recorded here'
}

test_the_time_of_the_same_command_decides() {
	need_python
	mkdir old new
	built old/prog 100
	built new/prog 900
	recorded before.data old/prog 200
	recorded after.data new/prog 200
	# print() takes nine times as long, so the shares of the others shrink, not their times
	pipa diff before.data after.data
	status 0
	has out '# Verdicts on absolute time: the same command was recorded'
	matches out ' more .* print$'
	lacks out ' less '
	pipa diff --relative before.data after.data
	has out '# Verdicts on percentages: --relative'
	matches out ' less .* parse$'
	pipa diff --json before.data after.data
	same 'basis' "$(json 'd["absolute"], d["basis"]')" "(True, 'absolute time: the same command was recorded')"
	pipa diff --html -o page.html before.data after.data
	status 0
	has page.html '"verdicts on absolute time: the same command was recorded"'
	pipa diff --fail-above 10 before.data after.data
	status 3
	matches err "print \\(prog\\) grew by [0-9.]+ % of the base's total, limit 10$"
}

test_percentages_decide_where_the_work_differs() {
	built prog 100
	recorded before.data ./prog 60
	recorded after.data ./prog 120
	pipa diff before.data after.data
	status 0
	has out '# Verdicts on percentages: different command lines'
	lacks out ' more '
	folded before 'f 50' 'g 50'
	pipa diff before before
	has out '# Verdicts on percentages: the event does not measure time'
}

test_a_program_that_was_renamed_is_compared_with_its_old_name() {
	need_python
	built prog-1 100
	built prog-2 900
	recorded before.data ./prog-1 100
	recorded after.data ./prog-2 100
	pipa diff before.data after.data
	status 0
	has err 'after.data: prog-2 is compared with prog-1, which has functions of the same names'
	has out '# prog-2 is compared with prog-1: functions of the same name: '
	has out '# Verdicts on absolute time: the same command was recorded'
	matches out ' more +prog-1 +\[\.\] print$'
	lacks out ' new '
	lacks out ' gone '
	pipa diff --json before.data after.data
	same 'renamed' "$(json 'd["renamed"][0]["base"], d["renamed"][0]["now"]')" "('prog-1', 'prog-2')"
	pipa diff --match dso before.data after.data
	status 0
	matches out ' new +prog-2 +\[\.\] print$'
	matches out ' gone +prog-1 +\[\.\] print$'
}

run_tests "$@"
