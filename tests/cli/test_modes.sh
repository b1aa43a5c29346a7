#!/usr/bin/env bash
#
# When pipa stat counts and how it reports: intervals, delays, repeats, comparisons, formats.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# ---- intervals -----------------------------------------------------------------------------

test_intervals_are_reported_as_they_end() {
	need_counting
	pipa stat -I 100 -e duration_time,page-faults sleep 0.35
	status 0
	# on a busy machine there may be fewer or more of them, and a note on those that came late
	normalize err 's/<not counted>/0/' '/^ note: .*too late/d' | sed '1!{ N; s/\n/,/ }' | uniq > screen
	compare 'screen' screen << 'END'
# time counts unit events
 N N ns duration_time, N N page-faults
END
	awk '/duration/ { print $1 }' err > ends
	awk '{ end[NR] = $1 } END {
		for (i = 1; i < NR; i++)
			if (end[i] < i * 0.1 || end[i] >= end[i + 1])
				print i, end[i]
		if (NR < 2 || NR > end[NR] / 0.1 + 1)
			print NR, "intervals"
	}' ends > early
	compare 'intervals that end early' early < /dev/null
	between 'end of the first interval' "$(sed -n 1p ends)" 0.1 3
	between 'end of the last interval' "$(tail -n 1 ends)" 0.35 3
}

test_intervals_add_up_to_the_whole() {
	need_counting
	need_workloads
	pipa stat -I 20 --summary -x, -e page-faults "$PIPA_WORKLOADS/touch" 20000
	status 0
	# where intervals have their time, perf and we write `summary`
	awk -F, '$1 ~ /summary/ { whole = $2; next } { sum += $2 } END { print sum, whole }' err \
		> sums
	same 'sum of intervals, and the whole' "$(cut -d' ' -f1 sums)" "$(cut -d' ' -f2 sums)"
	between 'page faults' "$(cut -d' ' -f1 sums)" 20000 21000
}

test_a_summary_follows_the_intervals() {
	need_counting
	pipa stat -I 100 --summary -e page-faults sleep 0.15
	status 0
	# on a busy machine there may be more of them, and a note on those that came late
	normalize err 's/<not counted>/0/' '/^ note: .*too late/d' | uniq > screen
	compare 'screen' screen << 'END'
# time counts unit events
 N N page-faults

 Performance counter stats for 'sleep N':

 N page-faults

 N seconds time elapsed

 N seconds user
 N seconds sys

END
	[[ $(grep -c page-faults err) -ge 2 ]] || fail 'intervals' 'one at least, and a sum' "$(cat err)"
}

test_a_number_of_intervals_ends_a_watch() {
	need_system_wide
	pipa stat -a -I 50 --interval-count 3 -x, -e cpu-clock
	status 0
	csv_screen << 'END'
 N,N,msec,cpu-clock,N,N,N,CPUs utilized
 N,N,msec,cpu-clock,N,N,N,CPUs utilized
 N,N,msec,cpu-clock,N,N,N,CPUs utilized
END
}

test_a_number_of_intervals_does_not_end_a_command() {
	need_counting
	pipa stat -I 50 --interval-count 2 -x, -e duration_time sh -c 'sleep 0.3; exit 6'
	status 6
	same lines "$(wc -l < err)" 2
}

test_short_intervals_keep_the_pace() {
	need_system_wide
	pipa stat -a -I 1 -x, -e cpu-clock --timeout 300
	status 0
	between 'intervals of a millisecond' "$(wc -l < err)" 50 301
}

test_intervals_in_seconds_have_units() {
	need_system_wide
	pipa stat -a -I 0.1s --interval-count 1 -x, -e cpu-clock
	status 0
	between 'end of the interval' "$(cut -d, -f1 err | tr -d ' ')" 0.1 1
}

test_intervals_go_into_a_file_as_they_end() {
	need_system_wide
	launch "$PIPA" stat -a -I 20 -x, -e cpu-clock -o report
	until_true test -s report
	kill -INT "$started"
	landed
	status 0
	matches report '^ +[0-9.]+,[0-9.]+,msec,cpu-clock,'
}

# ---- delay ---------------------------------------------------------------------------------

test_a_delay_leaves_out_the_start() {
	need_counting
	need_workloads
	pipa stat -D 1500 -x, -e page-faults,duration_time sh -c \
		"'$PIPA_WORKLOADS/touch' 20000; sleep 3; '$PIPA_WORKLOADS/touch' 5000"
	status 0
	between 'page faults' "$(csv page-faults)" 5000 6000
	between 'nanoseconds counted' "$(csv duration_time)" 600000000 5000000000
}

test_a_command_that_ends_before_the_delay_was_not_counted() {
	need_counting
	pipa stat -D 60000 -x, -e page-faults sh -c 'exit 3'
	status 3
	csv_screen << 'END'
<not counted>,,page-faults,N,N,,
END
}

# ---- repeats -------------------------------------------------------------------------------

test_repeats_show_mean_spread_and_interval() {
	need_counting
	pipa stat -r 3 -e task-clock,page-faults sh -c 'echo run'
	status 0
	printf 'run\nrun\nrun\n' | stdout
	# a spread of zero is left out; a wide one may reach below zero
	screen_after 's/ +\( \+- .*\)$//' 's/ -([0-9])/ \1/g' 's/[KMG](\/sec)/\1/' << 'END'

 Performance counter stats for 'sh -c echo run' (N runs):

 N msec task-clock # N CPUs utilized
 N page-faults # N /sec

 N +- N seconds time elapsed

 N seconds user
 N seconds sys

 min median max N % interval of the mean
 N N N N .. N msec task-clock
 N N N N .. N page-faults
 N N N N .. N seconds elapsed

END
	matches err 'task-clock .*\( \+- +[0-9.]+% \)'
}

test_equal_runs_have_no_spread() {
	need_exact_faults
	run exactly "$PIPA" stat -r 5 -x, -e page-faults "$PIPA_WORKLOADS/touch" 1000
	status 0
	same 'spread' "$(csv page-faults 4)" '0.00%'
}

test_a_spread_has_minimum_median_and_maximum() {
	need_counting
	need_workloads
	# 1000, 2000 and 6000 pages: median 2000, mean 3000
	cat > series << END
echo x >> runs
case \$(wc -l < runs) in
1) exec '$PIPA_WORKLOADS/touch' 1000 ;;
2) exec '$PIPA_WORKLOADS/touch' 6000 ;;
*) exec '$PIPA_WORKLOADS/touch' 2000 ;;
esac
END
	pipa stat -r 3 --json -e page-faults sh series
	status 0
	tr -d ' ,' < err | sed -n '/"event"/,$s/^"\(mean\|min\|median\|max\)":/\1 /p' > spread
	between mean "$(awk '/^mean/ { print $2 }' spread)" 3000 3900
	between min "$(awk '/^min/ { print $2 }' spread)" 1000 1900
	between median "$(awk '/^median/ { print $2 }' spread)" 2000 2900
	between max "$(awk '/^max/ { print $2 }' spread)" 6000 6900
}

# ---- comparison ----------------------------------------------------------------------------

test_a_significant_change_is_reported() {
	need_exact_faults
	exactly "$PIPA" stat -r 3 --json -o before.json -e page-faults "$PIPA_WORKLOADS/touch" 1000
	run exactly "$PIPA" stat -r 3 --baseline before.json -e page-faults \
		"$PIPA_WORKLOADS/touch" 2000
	status 0
	matches err '^ +1,[0-9]{3} +2,[0-9]{3} +\+[0-9.]+% +higher +page-faults$'
	run exactly "$PIPA" stat -r 3 --baseline before.json -e page-faults \
		"$PIPA_WORKLOADS/touch" 100
	matches err '^ +1,[0-9]{3} +[0-9]{3} +-[0-9.]+% +lower +page-faults$'
}

test_no_change_is_reported() {
	need_exact_faults
	exactly "$PIPA" stat -r 3 --json -o before.json -e page-faults "$PIPA_WORKLOADS/touch" 1000
	run exactly "$PIPA" stat -r 3 --baseline before.json -e page-faults \
		"$PIPA_WORKLOADS/touch" 1000
	status 0
	matches err '\+0\.00% +within noise +page-faults$'
}

test_a_single_run_has_no_verdict() {
	need_counting
	"$PIPA" stat --json -o before.json -e page-faults true
	pipa stat --baseline before.json -e page-faults true
	status 0
	matches err '% +unknown +page-faults$'
}

test_a_baseline_without_these_events_gives_no_change() {
	need_counting
	"$PIPA" stat --json -o before.json -n true
	pipa stat --baseline before.json -e page-faults true
	status 0
	lacks err '% page-faults'
}

# ---- formats -------------------------------------------------------------------------------

# Is it valid JSON, one document or one per line? Ask an available parser.
json_ok() {
	if command -v python3 > /dev/null; then
		python3 -c '
import json, sys
text = open(sys.argv[1]).read()
try:
    json.loads(text)
except ValueError:
    [json.loads(line) for line in text.splitlines()]
' "$1" 2> /dev/null || fail "$1" 'valid JSON' "$(cat "$1")"
	fi
}

test_json_has_the_same_changes() {
	need_counting
	pipa stat --json -e page-faults,task-clock true
	status 0
	json_ok err
	normalize err '/"metrics"/,/\]/d' > screen
	compare JSON screen << 'END'
{
 "schema": "pipa-stat/N",
 "target": "'true'",
 "runs": N,
 "aggregation": "global",
 "elapsed": {
 "value": N,
 "unit": "s"
 },
 "user": {
 "value": N,
 "unit": "s"
 },
 "system": {
 "value": N,
 "unit": "s"
 },
 "events": [
 {
 "event": "page-faults",
 "state": "counted",
 "value": N,
 "unit": "",
 "enabled_ns": N,
 "running_ns": N,
 },
 {
 "event": "task-clock",
 "state": "counted",
 "value": N,
 "unit": "msec",
 "enabled_ns": N,
 "running_ns": N,
 }
 ],
 "notes": []
}
END
}

test_json_of_intervals_is_one_object_a_line() {
	need_counting
	pipa stat --json -I 50 -e page-faults sleep 0.12
	status 0
	# a command may take longer than its sleep
	[[ $(wc -l < err) -ge 3 ]] || fail 'lines' 'three at least' "$(wc -l < err)"
	json_ok err
}

test_json_keeps_odd_names_valid() {
	mkdir 'quote " back \ slash'
	ln -s "$(type -P true)" $'quote " back \\ slash/tab\there'
	pipa stat --json -n $'quote " back \\ slash/tab\there' $'\n' $'\001'
	status 0
	json_ok err
}

test_yaml_has_the_same_report() {
	need_counting
	pipa stat --yaml -e page-faults true
	status 0
	screen << 'END'
---
schema: "pipa-stat/N"
target: "'true'"
runs: N
aggregation: "global"
elapsed:
 value: N
 unit: "s"
user:
 value: N
 unit: "s"
system:
 value: N
 unit: "s"
events:
 - event: "page-faults"
 state: "counted"
 value: N
 unit: ""
 enabled_ns: N
 running_ns: N
notes: []
END
}

test_csv_takes_any_separator() {
	local sep

	need_counting
	for sep in ',' ';' ':' ' | ' $'\t'; do
		pipa stat -x "$sep" -e page-faults true
		status 0
		sed -E 's/[0-9]+(\.[0-9]+)?/N/g' err > got
		echo "N$sep${sep}page-faults${sep}N${sep}N$sep$sep" | compare CSV got
	done
	pipa stat -x '\t' -e page-faults true
	same 'tabs' "$(tr -cd '\t' < err | wc -c)" 6
}

test_large_numbers_are_grouped_by_default() {
	need_counting
	need_workloads
	pipa stat -e page-faults "$PIPA_WORKLOADS/touch" 1000
	matches err '^ +1,[0-9]{3} +page-faults'
	pipa stat --no-big-num -e page-faults "$PIPA_WORKLOADS/touch" 1000
	matches err '^ +1[0-9]{3} +page-faults'
}

# ---- colour --------------------------------------------------------------------------------

escapes() {
	grep -c $'\033' "$1"
}

# coloured ENVIRONMENT...: lines with colour on a terminal
coloured() {
	env "$@" script -qec "'$PIPA' stat -e duration_time true" screen > /dev/null
	escapes screen
}

test_a_terminal_gets_colour() {
	need_terminal
	pipa stat -e duration_time true
	same 'coloured lines in a file' "$(escapes err)" 0
	same 'coloured lines on a terminal' "$(coloured TERM=xterm)" 1
	same 'coloured lines with NO_COLOR' "$(coloured TERM=xterm NO_COLOR=1)" 0
	same 'coloured lines with an empty NO_COLOR' "$(coloured TERM=xterm NO_COLOR=)" 1
	same 'coloured lines on a dumb terminal' "$(coloured TERM=dumb)" 0
}

test_colour_can_be_forced_and_forbidden() {
	need_terminal
	pipa stat --color always -e duration_time true
	same 'coloured lines' "$(escapes err)" 1
	pipa stat --color=always -o report -e duration_time true
	same 'coloured lines in a report' "$(escapes report)" 1
	script -qec "'$PIPA' stat --color=never -e duration_time true" screen > /dev/null
	same 'coloured lines on a terminal' "$(escapes screen)" 0
}

test_csv_and_json_have_no_colour() {
	local form

	for form in '-x,' --json --yaml; do
		pipa stat "$form" --color always -e duration_time true
		same "coloured lines of $form" "$(escapes err)" 0
	done
}

test_an_interval_of_nothing_is_refused() {
	pipa stat -I 0 true
	refused 125 << 'END'
pipa stat: -I: invalid duration '0', expected a duration above 0, such as 250ms, 1.5s or 2m
END
}

test_user_space_or_kernel_can_be_chosen_for_all_events() {
	local user kernel

	need_counting
	need_workloads
	pipa stat -x, --all-user -e page-faults "$PIPA_WORKLOADS/touch" 3000
	user=$(csv page-faults 1 err)
	pipa stat -x, --all-kernel -e page-faults "$PIPA_WORKLOADS/touch" 3000
	kernel=$(csv page-faults 1 err)
	between 'page faults in user space' "$user" 3000 4000
	between 'page faults in the kernel' "$kernel" 0 200
	pipa stat --all-user --all-kernel true
	refused 125 << 'END'
pipa stat: only one of --all-user and --all-kernel can be given
END
}

run_tests "$@"
