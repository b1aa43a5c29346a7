#!/usr/bin/env bash
#
# pipa run: its options, reports, exit statuses and what it keeps.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# value KEY [FILE]: of a JSON report's top
value() {
	sed -n "s/^  \"$1\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}\$/\1/p" "${2:-report.json}"
}

# quietly ARGS...: with its report as JSON in ./report.json
quietly() {
	pipa run --no-record -f json -o report.json "$@"
}

need_python() {
	need_program python3
}

valid_json() {
	python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$1" 2> why ||
		fail "$1" 'valid JSON' "$(cat why)"
}

# ---- exit statuses ---------------------------------------------------------------------------------

test_the_exit_status_is_the_commands_own() {
	quietly sh -c 'exit 7'
	status 7
	same 'in the report' "$(value exit_status)" 7
}

test_a_signal_that_ends_the_command_is_reported() {
	quietly sh -c 'ulimit -c 0; kill -SEGV $$'
	status 139
	same 'in the report' "$(value exit_status)" 139
	pipa run --no-record sh -c 'kill -TERM $$'
	status 143
	matches out '^terminated by signal 15 after'
}

test_a_missing_command_is_127_and_leaves_no_report() {
	quietly ./nothing-of-that-name
	refused_like 127 'pipa run: cannot run ./nothing-of-that-name: No such file or directory.*'
	[[ ! -e report.json ]] || fail 'the report' none "$(cat report.json)"
}

test_a_command_that_cannot_be_started_leaves_no_kept_files() {
	pipa run --keep kept ./nothing-of-that-name
	status 127
	[[ ! -e kept ]] || fail 'the folder' 'not there' "$(ls kept)"
	pipa run --keep kept -r 2 ./nothing-of-that-name
	status 127
	[[ ! -e kept ]] || fail 'the folder of two runs' 'not there' "$(ls -R kept)"
	mkdir mine
	echo mine > mine/notes
	echo earlier > mine/perf.data
	: > file
	pipa run --keep mine ./file
	status 126
	same 'what is left' "$(cd mine && echo *)" 'notes perf.data'
	same 'an earlier recording' "$(cat mine/perf.data)" earlier
	rm mine/*
	pipa run --keep mine ./file
	status 126
	[[ -d mine ]] || fail 'a folder that was there' 'still there' gone
}

test_a_command_that_cannot_be_executed_is_126() {
	: > file
	quietly ./file
	refused_like 126 'pipa run: cannot run ./file: Permission denied.*'
}

test_bad_usage_is_125_and_nothing_runs() {
	pipa run
	refused_like 125 'pipa run: missing command.*'
	pipa run --no-such-option touch ran
	refused_like 125 'pipa run: .*no-such-option.*'
	pipa run -f xml touch ran
	refused_like 125 "pipa run: -f: invalid format 'xml', expected text, yaml, json, markdown or csv"
	pipa run --record --no-record touch ran
	refused_like 125 'pipa run: only one of --record and --no-record can be given'
	pipa run --repeat 0 touch ran
	refused_like 125 'pipa run: .*'
	pipa run --transactions many touch ran
	refused_like 125 "pipa run: --transactions: invalid count 'many'.*"
	pipa run --transactions 5 --transactions-regex '([0-9]+)' touch ran
	refused_like 125 'pipa run: only one of --transactions and --transactions-regex.*'
	pipa run --no-capture --transactions-regex '([0-9]+)' touch ran
	refused_like 125 'pipa run: --transactions-regex cannot be combined with --no-capture'
	pipa run --fail-on-regression 5 touch ran
	refused_like 125 'pipa run: --fail-on-regression requires --baseline FILE'
	[[ ! -e ran ]] || fail 'the command' 'never run' 'it was'
}

test_missing_features_are_reported_before_the_command_runs() {
	pipa run --transactions-regex '([0-9' touch ran
	refused_like 125 'pipa run: .*'
	pipa run --transactions-regex '[0-9]+' touch ran
	refused_like 125 'pipa run: .*group.*'
	pipa run --cores 60000 touch ran
	refused_like 125 'pipa run: --cores: CPU 60000 is not online.*'
	pipa run --cores 0-x touch ran
	refused_like 125 'pipa run: .*0-x.*'
	pipa run --dev no-such-disk touch ran
	refused_like 125 "pipa run: --dev: no disk 'no-such-disk'.*"
	pipa run -e no-such-event touch ran
	refused_like 125 "pipa run: unknown event 'no-such-event'.*"
	pipa run --keep nowhere/dir touch ran
	refused_like 125 'pipa run: cannot create directory nowhere/dir: No such file or directory.*'
	: > file
	pipa run --keep file touch ran
	refused_like 125 'pipa run: cannot create directory file: .*'
	pipa run -o nowhere/report touch ran
	refused_like 125 'pipa run: cannot open nowhere/report for writing: No such file or directory.*'
	[[ ! -e ran ]] || fail 'the command' 'never run' 'it was'
}

# ---- the report ------------------------------------------------------------------------------------

test_json_and_yaml_are_equal() {
	need_python
	/usr/bin/python3 -c 'import yaml' 2> /dev/null || skip 'needs python3-yaml'
	pipa run -f json -o report.json --keep kept --transactions 41.5k --workload mine -- sh -c 'exit 3'
	status 3
	valid_json report.json
	same schema "$(value schema)" pipa-run/1
	same workload "$(value workload)" mine
	same transactions "$(value transactions)" 41500
	# two runs may differ in what is known of them: one measurement in both formats does not
	for form in json yaml; do
		pipa run -f $form -o "again.$form" --transactions 41.5k --workload mine --from kept
		status 0
	done
	/usr/bin/python3 - << 'END' || fail 'YAML' 'the document of JSON' "$(cat again.yaml)"
import json, sys, yaml
j, y = json.load(open("again.json")), yaml.safe_load(open("again.yaml"))
sys.exit(j != y or j["workload"] != "mine")
END
}

test_no_byte_of_a_command_line_breaks_the_json() {
	need_python
	quietly sh -c $': "\033 \377 \\\\ \n"'
	status 0
	valid_json report.json
}

test_requested_events_are_in_the_text() {
	pipa run --no-record -e page-faults,cpu-clock sh -c :
	status 0
	matches out '^Events of the command and its children$'
	matches out '^  page-faults +[0-9,]+$'
	matches out '^  cpu-clock +[0-9.]+ msec$'
	pipa run --no-record sh -c :
	lacks out 'Events of the command'
}

test_text_has_the_work_and_the_resources() {
	pipa run --no-record --transactions 1000 sleep 0.05
	status 0
	matches out '^pipa run: sleep 0\.05$'
	matches out '^exit status 0 after 0\.[0-9]{3} s$'
	matches out '^  transactions +1,000 +transactions$'
	matches out '^  throughput +[0-9,]+\.[0-9]{2} 1/s +transactions per second$'
	! grep -q ' $' out || fail 'lines' 'no blank at the end' "$(grep -n ' $' out)"
	lacks out '%gnice'
	need_workloads
	pipa run --no-record "$PIPA_WORKLOADS/touch" 40000
	matches out '^  peak_memory_kb +1[5-9][0-9]\.[0-9] MiB +peak RSS$'
}

test_hot_functions_are_named() {
	pipa run -f json -o report.json bash -c 'for ((i = 0; i < 300000; i++)); do :; done'
	status 0
	! grep -q 'no samples' report.json || skip "$(grep 'no samples' report.json)"
	has report.json '"hot_functions": ['
	has report.json '"dso": "bash"'
}

test_a_report_is_whole_or_absent_on_a_full_disk() {
	need_root
	mkdir disk
	mount -t tmpfs -o size=16k none disk 2> /dev/null || skip 'no small file system can be made'
	echo old > disk/report
	head -c 100000 /dev/zero > disk/filler 2> /dev/null
	pipa run --no-record -o disk/report sh -c 'echo said; echo ran > ran'
	find disk -type f | sort > files
	cp disk/report kept
	umount disk
	matches err '^pipa run: cannot write .*: No space left on device.*'
	status 125
	stdout <<< said
	has ran ran
	echo old | compare 'the old report' kept
	printf 'disk/filler\ndisk/report\n' | compare 'files on the disk' files
}

test_samples_before_a_full_disk_are_reported() {
	need_root
	mkdir disk
	mount -t tmpfs -o size=256k none disk 2> /dev/null || skip 'no small file system can be made'
	pipa run -F 4000 --keep disk/kept -o report bash -c 'for ((i = 0; i < 2000000; i++)); do :; done'
	umount disk
	status 0
	grep -q 'No space left on device' report || skip 'the machine was too busy to fill the disk'
	has report 'samples are incomplete: '
	matches report '^Hot functions \(.* samples'
	lacks report 'no samples were taken'
	lacks report ' (-m)'
}

test_the_command_continues_when_the_kept_files_fill_the_disk() {
	need_root
	mkdir disk
	mount -t tmpfs -o size=64k none disk 2> /dev/null || skip 'no small file system can be made'
	pipa run --interval 20ms --keep disk/kept -o report sh -c \
		'head -c 200000 /dev/zero | tr "\0" x; sleep 0.3; echo; echo over'
	umount disk
	status 0
	same 'the last line of output' "$(tail -n 1 out)" over
	same 'bytes of output' "$(wc -c < out)" 200006
	has report 'stdout.txt is incomplete: No space left on device'
	matches report '^  page_faults '
}

# ---- transactions ----------------------------------------------------------------------------------

test_an_expression_finds_the_transactions() {
	quietly --transactions-regex 'did ([0-9.]+[kM]?) things' \
		sh -c 'echo "did 5 things"; echo "did 1.5k things" >&2; echo other'
	status 0
	same transactions "$(value transactions)" 1500
	has report.json '"line": "did 1.5k things"'
	same throughput "$(awk -v n=1500 -v t="$(value run_time)" -v got="$(value throughput)" \
		'BEGIN { off = got - n / t; print (off < 0.001 && off > -0.001) }')" 1
}

test_without_transactions_derived_metrics_are_absent() {
	quietly true
	status 0
	lacks report.json '"throughput"'
	lacks report.json '"transactions"'
	has report.json 'no transactions recognized'
}

test_a_benchmark_that_was_recognised_gives_the_name() {
	quietly dd if=/dev/zero of=/dev/null bs=1M count=50
	status 0
	same workload "$(value workload)" dd
	same transactions "$(value transactions)" 50
	quietly sh -c 'echo hi; dd if=/dev/zero of=/dev/null bs=1M count=50'
	same 'workload below a shell' "$(value workload)" dd
	quietly /bin/true
	same 'workload without one' "$(value workload)" true
	quietly --workload other dd if=/dev/zero of=/dev/null bs=1M count=50
	same 'workload that was named' "$(value workload)" other
}

# ---- several runs ----------------------------------------------------------------------------------

test_repeats_give_means_and_spreads() {
	need_python
	quietly -r 5 sh -c 'echo run >> runs'
	status 0
	same 'runs' "$(wc -l < runs)" 5
	same 'in the report' "$(value runs)" 5
	valid_json report.json
	has report.json '"spread": {'
	pipa run --no-record -r 3 true
	matches out '^exit status 0 after .*, mean of 3 runs$'
	matches out '^  run_time .* \+- [0-9.]+ %'
}

# Memory that a report took is forked with the next run's command, and would become its peak RSS.
test_the_peak_memory_of_later_runs_is_not_that_of_earlier_reports() {
	local alone most

	need_python
	need_program /usr/bin/time
	/usr/bin/time -o alone -f %M sh -c :
	alone=$(cat alone)
	pipa run -r 6 -f json -o report.json sh -c 'i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done'
	status 0
	most=$(python3 -c 'import json
print(json.load(open("report.json"))["spread"].get("peak_memory_kb", {"max": 0})["max"])')
	between 'the highest peak of six runs' "$most" 0 $((alone * 2))
}

test_regressions_are_printed_if_the_report_goes_to_a_file() {
	quietly -r 4 --workload mine sleep 0.02
	pipa run --no-record -r 4 --baseline report.json --fail-on-regression 100 sleep 0.5
	status 3
	matches err '^pipa run: worse than the baseline by more than 100 %: .*run_time \+[0-9.]+ %'
	has out 'baseline has a different workload: mine'
	pipa run --no-record --cores 0 --workload mine --baseline report.json sleep 0.02
	status 0
	stderr < /dev/null
	lacks out 'of another workload'
	has out 'baseline has different --cores'
}

test_an_expression_that_finds_nothing_is_not_recommended_again() {
	quietly --transactions-regex 'did ([0-9]+)' echo did none
	has report.json 'found no number in the output: did ([0-9]+)'
	lacks report.json 'RE tells them'
}

test_a_minus_is_standard_output() {
	pipa run --no-record -o - true
	status 0
	matches out '^pipa run: true$'
	[[ ! -e - ]] || fail 'a file of that name' none "$(ls)"
}

test_a_run_that_fails_gives_the_status_of_all() {
	quietly -r 3 sh -c 'echo run >> runs; test "$(wc -l < runs)" -ne 2 || exit 9'
	status 9
	same 'runs' "$(wc -l < runs)" 3
}

test_a_baseline_is_compared_and_a_regression_is_3() {
	quietly -r 4 sleep 0.02
	status 0
	pipa run --no-record -r 4 --baseline report.json --fail-on-regression 100 sleep 0.5
	status 3
	matches out '^  run_time .* -> .* \+[0-9.]+ %  worse$'
	pipa run --no-record -r 4 --baseline report.json --fail-on-regression 1000000 sleep 0.5
	status 0
	pipa run --no-record -r 4 --baseline report.json --fail-on-regression 100 \
		sh -c 'sleep 0.5; exit 6'
	status 6
}

test_a_single_run_is_reported_as_insufficient() {
	quietly sleep 0.01
	pipa run --no-record --baseline report.json sleep 0.05
	status 0
	matches out '^  run_time .* unknown$'
	same 'said once' "$(grep -c '^  unknown: use several runs' out)" 1
	# more memory than pipa has when it forks: else the command's peak is not known in each run
	# shellcheck disable=SC2016
	large='x=$(head -c 8000000 /dev/zero | tr "\0" a); sleep'
	quietly -r 3 sh -c "$large 0.01"
	pipa run --no-record -r 3 --baseline report.json sh -c "$large 0.05"
	lacks out 'unknown: use several runs'
}

test_an_invalid_baseline_is_refused_before_the_command_runs() {
	pipa run --baseline missing.json touch ran
	refused_like 125 'pipa run: .*missing.json: No such file or directory. Make one with: .*'
	echo '{ "schema": "pipa-run/1", ' > broken.json
	pipa run --baseline broken.json touch ran
	refused_like 125 'pipa run: cannot read broken.json: .*'
	echo '{ "schema": "pipa-stat/1" }' > other.json
	pipa run --baseline other.json touch ran
	refused_like 125 'pipa run: cannot read other.json: .*'
	[[ ! -e ran ]] || fail 'the command' 'never run' 'it was'
}

# ---- what is kept ----------------------------------------------------------------------------------

test_each_kept_file_has_the_format_that_its_readers_expect() {
	local file

	pipa run --interval 50ms --keep kept -o report sh -c 'echo said; echo cried >&2; i=0
		while [ $i -lt 100000 ]; do i=$((i + 1)); done'
	status 0
	echo said | compare 'standard output' kept/stdout.txt
	echo cried | compare 'standard error' kept/stderr.txt
	for file in cpu memory disk network io load cswch paging; do
		[[ -s kept/sar_$file.csv ]] || continue # no disk, no network
		same "title of sar_$file.csv" "$(head -c 30 "kept/sar_$file.csv")" \
			'# hostname;interval;timestamp;'
		same "columns of sar_$file.csv" "$(awk -F ';' '{ print NF }' "kept/sar_$file.csv" | sort -u | wc -l)" 1
		same "host of sar_$file.csv" "$(sed -n '2s/;.*//p' "kept/sar_$file.csv")" "$(uname -n)"
	done
	[[ -s kept/sar_cpu.csv && -s kept/sar_memory.csv ]] || fail 'statistics' some none
	[[ -s kept/perf-stat.csv ]] || ! counts_here || fail 'perf-stat.csv' 'some lines' none
	if counts_here && command -v perf > /dev/null && [[ -s kept/perf.data ]]; then
		perf report -i kept/perf.data --stdio > theirs 2> perf.err || fail 'perf report' 0 "$(cat perf.err)"
	fi
}

counts_here() {
	"$PIPA" stat -e task-clock true > /dev/null 2>&1
}

test_kept_counters_have_perfs_layout() {
	need_system_wide
	need_program perf
	perf stat -a true > /dev/null 2>&1 || skip 'perf does not count here'
	pipa run --no-record --interval 50ms --keep kept -e cpu-clock,context-switches -o report sleep 0.2
	status 0
	perf stat -A -a -x, -I 50 -e cpu-clock,context-switches -o theirs sleep 0.2
	layout kept/perf-stat.csv > ours.layout
	layout theirs | compare 'columns' ours.layout
}

# layout FILE: interval lines of perf stat -A -x, with each number as N, one of each kind
layout() {
	grep '^ ' "$1" | sed -E 's/[0-9.]+/N/g; s/K?\/sec/RATE/; s/ +/ /g' | sort -u
}

test_each_of_several_runs_has_its_own_directory() {
	pipa run --no-record --keep kept -r 2 -o report sh -c 'echo $$'
	status 0
	cat kept/run-1/stdout.txt kept/run-2/stdout.txt | compare 'what they said' out
}

test_an_unwritable_directory_of_keep_is_refused() {
	need_nobody
	mkdir kept
	chmod 755 kept
	run as_nobody "$PWD/bin/pipa" run --keep kept touch ran
	refused_like 125 'pipa run: cannot open kept/.* for writing: Permission denied.*'
	[[ ! -e ran ]] || fail 'the command' 'never run' 'it was'
}

# ---- counters --------------------------------------------------------------------------------------

test_requested_events_are_counted() {
	need_counting
	need_workloads
	quietly -e page-faults "$PIPA_WORKLOADS/touch" 1000
	status 0
	grep -A 1 '"event": "page-faults"' report.json > lines
	between 'page faults' "$(sed -n 's/.*"value": \([0-9]*\).*/\1/p' lines | head -n 1)" 1000 1300
}

test_named_cores_are_counted() {
	need_system_wide
	quietly --cores 0 -e cpu-clock sleep 0.1
	status 0
	has report.json '"counters_cores": ['
	same 'locations' "$(grep '"location"' report.json | sort -u | tr -d ' ,')" '"location":"CPU0"'
}

test_missing_permissions_are_reported_before_the_command_starts() {
	need_nobody
	[[ $(cat /proc/sys/kernel/perf_event_paranoid) -ge 1 ]] ||
		skip 'everybody may count CPUs here'
	chmod 777 .
	run as_nobody "$PWD/bin/pipa" run -f json -o report.json sh -c 'echo begun >&2'
	status 0
	has err 'pipa run: CPUs will not be counted: '
	same 'the last line' "$(tail -n 1 err)" begun
	has report.json '"run_time"'
	has report.json '"%usr"'
	[[ $(cat /proc/sys/kernel/perf_event_paranoid) -lt 2 ]] ||
		matches err '^pipa run: only user space will be (counted|sampled)'
	has err 'pipa run: per-task sampling'
}

test_all_permissions_give_no_note() {
	need_root
	need_system_wide
	quietly true
	status 0
	stderr < /dev/null
}

# ---- whose samples and counts they are --------------------------------------------------------------

# commands FILE: those that have samples in it
commands() {
	"$PIPA" script -F comm "$1" 2> /dev/null | awk '{ print $1 }' | sort -u
}

test_only_the_command_and_its_descendants_are_sampled() {
	local rival

	cp /bin/bash rival && cp /bin/bash grandchild
	./rival -c 'while :; do :; done' &
	rival=$!
	pipa run -o report --keep kept bash -c \
		'for ((i = 0; i < 60000; i++)); do :; done
		(./grandchild -c "for ((i = 0; i < 60000; i++)); do :; done; true"; true)'
	kill "$rival"
	status 0
	! grep -q 'no samples' report || skip "$(grep 'no samples' report)"
	same 'sampled commands' "$(commands kept/perf.data)" $'bash\ngrandchild'
}

test_stacks_are_recorded_only_for_kept_recordings() {
	pipa run --no-capture -f json -o report.json --keep kept bash -c 'for ((i = 0; i < 200000; i++)); do :; done'
	status 0
	! grep -q 'no samples' report.json || skip "$(grep 'no samples' report.json)"
	"$PIPA" fold kept/perf.data 2> /dev/null > folded
	matches folded '^bash;.*main;'
	pipa run -f json -o report.json --keep plain --call-graph none bash -c 'for ((i = 0; i < 200000; i++)); do :; done'
	status 0
	"$PIPA" fold plain/perf.data 2> /dev/null > folded
	lacks folded main
}

# The samples of a clock event amount to the CPU time of the command.
test_no_sample_of_the_command_is_missing() {
	local taken

	pipa run -f json -o report.json --keep kept bash -c 'for ((i = 0; i < 400000; i++)); do :; done'
	status 0
	! grep -q 'no samples' report.json || skip "$(grep 'no samples' report.json)"
	"$PIPA" script -F event kept/perf.data | grep -q cpu-clock || skip 'cycles are no time'
	taken=$("$PIPA" script -F period kept/perf.data | awk '{ sum += $1 } END { print sum / 1e9 }')
	awk -v taken="$taken" -v cpu="$(value cpu_seconds)" \
		'BEGIN { exit !(taken > 0.8 * cpu && taken < 1.2 * cpu) }' ||
		fail 'seconds that samples stand for' "about $(value cpu_seconds)" "$taken"
}

# Without hardware they would count only what getrusage(2) has, and slow context switches down.
test_the_command_is_counted_only_if_that_adds_values() {
	quietly true
	status 0
	if "$PIPA" stat -e cycles true 2>&1 | grep -q 'not supported'; then
		lacks report.json counters_command
		has report.json 'no cycles or instructions: '
		has report.json 'CPU migrations not counted'
	else
		has report.json counters_command
	fi
	has report.json '"context_switches"'
	quietly -e cpu-migrations,page-faults true
	status 0
	has report.json counters_command
	has report.json '"cpu_migrations"'
	lacks report.json 'CPU migrations not counted'
}

run_tests "$@"
