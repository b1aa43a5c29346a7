#!/usr/bin/env bash
#
# pipa run with several commands: comparison, parameters, hooks, warm-up runs, failures, exports.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# ---- which commands --------------------------------------------------------------------------------

test_a_first_word_with_white_space_makes_each_word_a_command_of_sh() {
	pipa run -r 2 'sleep 0.02; echo a >> runs' 'sleep 0.02; echo b >> runs'
	status 0
	same 'runs' "$(tr -d '\n' < runs)" aabb
	matches out '^pipa run: 2 commands compared by run_time \(elapsed time\)$'
	matches out ' 2  1\.00 .* sleep 0\.02; echo [ab] >> runs$'
	matches out '^    [0-9.]+ \+- [0-9.]+ times faster than sleep 0\.02; echo [ab] >> runs'
}

test_words_are_one_command_as_before() {
	pipa run --no-record -o report sh -c 'echo "$0"' 'a b'
	status 0
	stdout <<< 'a b'
}

test_one_string_is_a_command_of_sh_with_the_usual_report() {
	pipa run --no-record 'echo a; echo b | tr b c'
	status 0
	same 'output' "$(head -n 2 out | tr '\n' ' ')" 'a c '
	matches out '^pipa run: echo a; echo b \| tr b c$'
	pipa run --no-record --command 'exit 7'
	status 7
}

test_without_a_shell_strings_are_split_and_executed() {
	pipa run --no-record --shell=none -o report "printf %s+ 'a b' \"c d\" \$HOME"
	status 0
	same 'words' "$(cat out)" 'a b+c d+$HOME+'
	pipa run --shell=none -r 1 './nothing-of-that-name x' 'true y'
	refused_like 127 'pipa run: cannot run ./nothing-of-that-name: No such file or directory.*'
}

test_usage_errors_are_found_before_anything_runs() {
	pipa run --command ''
	refused_like 125 'pipa run: --command: empty command'
	pipa run 'touch ran' ' '
	refused_like 125 'pipa run: empty command'
	pipa run --command 'touch ran' touch ran
	refused_like 125 'pipa run: --command cannot be combined with a command after the options'
	pipa run --shell=zsh 'touch ran'
	refused_like 125 "pipa run: --shell: invalid shell 'zsh', expected sh or none"
	pipa run --parameter-scan n 1 2 'touch ran'
	refused_like 125 "pipa run: unknown parameter 'n': no command contains \{n\}"
	pipa run --parameter-scan n 2 1 'touch ran {n}'
	refused_like 125 "pipa run: --parameter-scan n: invalid range '2' to '1'.*"
	pipa run --parameter-scan n 1
	refused_like 125 'pipa run: --parameter-scan needs 3 values: NAME MIN MAX'
	pipa run --parameter-step-size 2 'touch ran'
	refused_like 125 'pipa run: --parameter-step-size requires --parameter-scan'
	pipa run --parameter-list n 1,2 --parameter-list n 3 'touch ran{n}'
	refused_like 125 "pipa run: parameter 'n' given twice"
	pipa run --metric run_tme 'touch ran'
	refused_like 125 "pipa run: --metric: unknown metric 'run_tme'. Did you mean run_time\?"
	pipa run --keep kept 'touch ran' 'touch ran'
	refused_like 125 'pipa run: --baseline and --keep cannot be combined with several commands'
	pipa run --from . --warmup 1
	refused_like 125 'pipa run: --from cannot be combined with options of repeated runs'
	pipa run --export-csv nowhere/file 'touch ran'
	refused_like 125 'pipa run: cannot open nowhere/file for writing: .*'
	[[ ! -e ran ]] || fail 'the command' 'never run' 'it was'
}

# ---- parameters ------------------------------------------------------------------------------------

test_parameters_are_replaced_in_commands_and_hooks() {
	pipa run -r 1 --parameter-list word a,b --parameter-scan n 1 2 --prepare 'echo p{n} >> runs' \
		'echo {word}{n} >> runs' 'echo {n}! >> runs'
	status 0
	same 'runs' "$(tr '\n' ' ' < runs)" 'p1 a1 p2 a2 p1 b1 p2 b2 p1 1! p2 2! '
	pipa run -r 1 --parameter-scan n 0.5 1 --parameter-step-size 0.25 -f csv -o report.csv -- true '{n}'
	status 0
	same 'values' "$(cut -d, -f 9 report.csv | tr '\n' ' ')" 'parameter_n 0.50 0.75 1.00 '
}

# ---- hooks, warm-up runs and failures ---------------------------------------------------------------

test_hooks_run_around_each_command_and_warm_up_runs_are_not_counted() {
	pipa run -r 2 -w 1 --setup 'echo s >> runs' --prepare 'echo p >> runs' \
		--cleanup 'echo c >> runs' 'sleep 0.02; echo A >> runs' 'sleep 0.02; echo B >> runs'
	status 0
	same 'runs' "$(tr -d '\n' < runs)" spApApAcspBpBpBc
	has out '1 warm-up run of each command'
	matches out '^ .* 2  1\.00 '
	rm runs
	pipa run --no-record -o report -w 2 sh -c 'echo run >> runs'
	same 'runs of one command' "$(wc -l < runs)" 3
}

test_a_prepare_command_that_fails_ends_it_and_cleanup_is_run() {
	pipa run -r 2 --prepare 'exit 3' --cleanup 'echo c >> runs' 'echo A >> runs' 'echo B >> runs'
	refused_like 125 'pipa run: --prepare failed with exit status 3: exit 3'
	same 'runs' "$(cat runs)" c
}

test_a_cleanup_that_fails_is_a_warning() {
	pipa run -r 1 --cleanup 'exit 4' 'true a' 'true b'
	status 0
	same 'warnings' "$(grep -c '^pipa run: --cleanup failed with exit status 4: exit 4$' err)" 2
	has out '2 commands compared'
}

test_a_command_that_fails_ends_a_comparison_unless_that_is_ignored() {
	pipa run -r 2 -o report 'true a' 'exit 9'
	refused_like 9 'pipa run: command failed with exit status 9: exit 9. --ignore-failure .*'
	[[ ! -e report ]] || fail 'the report' none "$(cat report)"
	pipa run -r 2 --ignore-failure 'true a' 'exit 9'
	status 0
	has out 'exit 9: 2 of 2 runs failed'
	pipa run --no-record --ignore-failure sh -c 'exit 9'
	status 0
	has out 'exit status 9'
}

test_the_output_of_compared_commands_is_hidden_and_their_input_empty() {
	pipa run -r 1 'echo said; echo cried >&2; cat' 'echo other' < /etc/passwd
	status 0
	lacks out '^said'
	lacks out root
	stderr < /dev/null
	pipa run -r 1 --show-output 'echo said; echo cried >&2' 'echo other'
	matches out '^said$'
	matches err '^cried$'
}

# nothing_runs TEXT: no process has it in its command line
nothing_runs() {
	! pgrep -f "$1" > /dev/null
}

# does_sleep TEXT: does sleep run with it? Between two commands of sh, dash 0.5.12 can lose a signal: its child is
# started by vfork(2) and ignores SIGINT until its exec.
does_sleep() {
	pgrep -f "^sleep $1\$" > /dev/null
}

test_a_signal_during_warm_up_ends_it_without_a_report_and_leaves_nothing_running() {
	launch "$PIPA" run -w 1 -o report --cleanup 'touch cleaned' 'touch begun; sleep 4711.1; true' 'true b'
	until_true does_sleep '4711\.1'
	kill -TERM "$started"
	landed
	status 143
	[[ ! -e report ]] || fail 'the report' none "$(cat report)"
	[[ -e cleaned ]] || fail '--cleanup' 'run' 'not run'
	until_true nothing_runs 'sleep 4711\.1'
}

test_a_signal_during_prepare_leaves_nothing_running() {
	launch "$PIPA" run -o report --prepare 'touch begun; sleep 4711.2; true' 'true a' 'true b'
	until_true does_sleep '4711\.2'
	kill -INT "$started"
	landed
	status 130
	until_true nothing_runs 'sleep 4711\.2'
}

test_commands_that_were_measured_before_a_signal_are_reported() {
	launch "$PIPA" run -r 2 'true a' 'touch a' 'touch begun; sleep 4711.3; true'
	until_true does_sleep '4711\.3'
	kill -TERM "$started"
	landed
	status 143
	matches out '^pipa run: 2 commands compared'
	lacks out 4711
	until_true nothing_runs 'sleep 4711\.3'
}

# The shell forks while /proc is read and the signals are sent.
test_a_signal_reaches_processes_that_are_just_being_started() {
	local i

	for ((i = 0; i < 5; i++)); do
		rm -f begun
		launch "$PIPA" run -r 1 'true a' 'touch begun; for i in $(seq 500); do sleep 4711.4 & done; wait'
		until_true test -e begun
		kill -TERM "$started"
		landed
		status 143
		until_true nothing_runs 'sleep 4711\.4'
	done
}

# ---- what is compared ------------------------------------------------------------------------------

test_the_faster_command_is_the_reference() {
	pipa run -r 3 -f csv -o report.csv 'sleep 0.3' 'sleep 0.05'
	status 0
	same 'verdicts' "$(awk -F, '{ print $NF }' report.csv | tr '\n' ' ')" 'verdict worse reference '
	between 'ratio' "$(awk -F, 'NR == 2 { print int($(NF - 2) * 100) }' report.csv)" 200 700
	same 'columns' "$(head -n 1 report.csv | cut -d, -f 1-8)" \
		command,mean,stddev,median,user,system,min,max
}

test_throughput_is_compared_where_transactions_are_known() {
	pipa run -r 2 --transactions-regex 'did ([0-9]+)' 'echo did 1000; sleep 0.05' 'echo did 10; sleep 0.05'
	status 0
	has out 'compared by throughput (transactions per second)'
	matches out '^  echo did 1000; sleep 0\.05 ran$'
}

test_a_metric_can_be_chosen() {
	need_workloads
	pipa run -r 2 --metric page_faults --shell=none "$PIPA_WORKLOADS/touch 8000" "$PIPA_WORKLOADS/touch 1000"
	status 0
	has out 'compared by page_faults'
	matches out 'touch 1000 has the lowest page_faults$'
	matches out 'times less than .*touch 8000'
	pipa run -r 2 --metric %usr 'sleep 0.05' 'sleep 0.06'
	status 0
	has out 'compared by %usr'
	pipa run -r 1 --metric energy_joules 'true a' 'true b'
	[[ $got_status == 0 ]] || refused_like 125 'pipa run: --metric: energy_joules was not measured. .*'
}

test_exports_have_the_same_commands() {
	need_program python3
	pipa run -r 2 --export-markdown report.md --export-csv report.csv --export-json report.json \
		-f yaml -o report.yaml --parameter-list n 1,2 -- sh -c 'echo {n} "|" > /dev/null'
	status 0
	# a fast machine takes less than a millisecond
	same 'head of the table' "$(head -n 1 report.md | sed 's/\[us\]/[ms]/g')" \
		'| Command | n | Mean [ms] | Min [ms] | Max [ms] | Relative |'
	same 'rows' "$(grep -c '^| `sh -c echo [12] "\\|" > /dev/null` | [12] | ' report.md)" 2
	same 'lines of CSV' "$(wc -l < report.csv)" 3
	python3 - << 'END' || fail 'JSON' 'two commands' "$(cat report.json)"
import json
doc = json.load(open("report.json"))
assert doc["schema"] == "pipa-run-comparison/1" and doc["metric"] == "run_time"
assert [c["parameters"] for c in doc["commands"]] == [{"n": "1"}, {"n": "2"}]
assert all(len(c["values"]) == 2 and c["report"]["runs"] == 2 for c in doc["commands"])
END
}

test_the_start_up_time_of_sh_is_subtracted() {
	need_program python3
	pipa run -r 20 -f json -o report.json 'exit 0' 'sleep 0.05'
	status 0
	python3 - << 'END' || fail 'times' 'without that of sh' "$(grep -A 3 shell_seconds report.json)"
import json
doc = json.load(open("report.json"))
shell = doc["shell_seconds"]
shortest = [min(c["values"]) for c in doc["commands"]]
# the shortest of 20 runs of nothing, not subtracted, takes about what sh takes; a sleep takes at least its time
assert shell > 0 and 0 <= shortest[0] < shell / 2 and 0.05 - shell <= shortest[1]
END
	pipa run -r 2 -f json -o report.json -- sleep 0.001
	lacks report.json 'start-up time'
}

run_tests "$@"
