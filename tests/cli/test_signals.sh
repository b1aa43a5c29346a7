#!/usr/bin/env bash
#
# Signals, time limits and remaining processes when pipa stat ends early.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# child_of PID: its first child, in $child
child_of() {
	child=$(cat "/proc/$1/task/$1/children" 2> /dev/null)
	child=${child%% *}
	[[ $child ]]
}

says() {
	grep -qsx -e "$1" out
}

# ---- signals sent to pipa -------------------------------------------------------------------

test_signals_are_passed_on_to_the_command_once() {
	local number

	need_workloads
	for number in 1 2 3 15; do
		launch "$PIPA" stat -n "$PIPA_WORKLOADS/deaf" 1 2 3 15
		until_true says ready
		child_of "$started"
		kill -"$number" "$started"
		until_true says "got $number"
		kill -KILL "$child"
		landed
		printf 'ready\ngot %s\n' "$number" | stdout
		status 137
		has err 'seconds time elapsed'
	done
}

test_the_report_is_printed_when_a_signal_ends_the_command() {
	local number

	for number in 1 2 3 15; do
		launch "$PIPA" stat -n sh -c 'ulimit -c 0; echo ready; exec sleep 30'
		until_true says ready
		child_of "$started"
		kill -"$number" "$started"
		landed
		status $((128 + number))
		has err 'seconds time elapsed'
		is_gone "$child" || fail 'the command' gone 'still there'
	done
}

test_a_signal_ends_a_series_of_runs() {
	launch "$PIPA" stat -n -r 1000 sh -c 'echo run; exec sleep 0.2'
	until_true says run
	kill -INT "$started"
	landed
	status 130
	same 'runs' "$(wc -l < out)" 1
	has err 'seconds time elapsed'
}

test_an_interrupt_ends_a_watch_with_a_report_and_success() {
	need_system_wide
	launch "$PIPA" stat -a -e cpu-clock
	until_true counts "$started"
	sleep 0.1
	kill -INT "$started"
	landed
	status 0
	screen << 'END'

 Performance counter stats for 'system wide':

 N msec cpu-clock # N CPUs utilized

 N seconds time elapsed

END
}

test_a_termination_ends_a_watch_with_a_report_and_its_number() {
	need_system_wide
	launch "$PIPA" stat -a -e cpu-clock
	until_true counts "$started"
	sleep 0.1
	kill -TERM "$started"
	landed
	status 143
	has err 'seconds time elapsed'
}

test_an_interrupt_ends_interval_mode_with_the_last_interval() {
	need_system_wide
	launch "$PIPA" stat -a -I 100000 -x, -e cpu-clock
	until_true counts "$started"
	sleep 0.1
	kill -INT "$started"
	landed
	status 0
	csv_screen << 'END'
 N,N,msec,cpu-clock,N,N,N,CPUs utilized
END
}

# ---- the terminal --------------------------------------------------------------------------

# in_terminal TYPIST COMMAND: with a terminal of its own, whose screen is ./screen and whose
# keyboard a function works
in_terminal() {
	command_line=$2
	: > screen
	# the pipe stays open until the end: `script` would type an end of file
	{
		"$1"
		until_true test -e ended
	} | { script -qefc "$2" screen > /dev/null 2>&1; echo $? > ended; }
	got_status=$(cat ended)
}

shown() {
	grep -q -e "$1" screen
}

ctrl_c_then_quit() {
	until_true shown ready
	printf '\003'
	until_true shown 'got 2'
	sleep 0.2
	printf '\034'
}

test_ctrl_c_reaches_the_command_once_and_the_report_is_printed() {
	need_terminal
	need_workloads
	in_terminal ctrl_c_then_quit "ulimit -c 0; exec '$PIPA' stat -n '$PIPA_WORKLOADS/deaf' 2"
	same 'interrupts that came' "$(grep -c 'got 2' screen)" 1
	has screen 'seconds time elapsed'
	status 131
}

ctrl_c() {
	until_true shown ready
	printf '\003'
}

test_ctrl_c_ends_command_and_pipa_with_a_report() {
	need_terminal
	in_terminal ctrl_c "'$PIPA' stat -n sh -c 'echo ready; exec sleep 30'"
	has screen 'seconds time elapsed'
	status 130
}

test_ctrl_c_ends_a_watch_with_a_report() {
	need_terminal
	need_system_wide
	in_terminal ctrl_c "(sleep 0.3; echo ready) & exec '$PIPA' stat -a -e cpu-clock"
	has screen 'seconds time elapsed'
	status 0
}

# ---- signals the caller ignores -------------------------------------------------------------

test_an_ignored_hangup_does_not_end_a_watch() {
	need_system_wide
	launch env --ignore-signal=HUP "$PIPA" stat -a -e cpu-clock --timeout 600
	until_true counts "$started"
	kill -HUP "$started"
	landed
	status 0
	between 'seconds' "$(awk '/elapsed/ { print $1 }' err)" 0.6 30
}

test_an_ignored_interrupt_is_not_passed_on() {
	need_workloads
	launch env --ignore-signal=INT "$PIPA" stat -n "$PIPA_WORKLOADS/deaf" 2 15
	until_true says ready
	child_of "$started"
	kill -INT "$started"
	kill -TERM "$started"
	until_true says 'got 15'
	kill -KILL "$child"
	landed
	printf 'ready\ngot 15\n' | stdout
}

test_an_ignored_end_of_children_does_not_matter() {
	run timeout -k 5 20 env --ignore-signal=CHLD "$PIPA" stat -n -r 2 sh -c 'exit 4'
	status 4
	has err 'seconds time elapsed'
}

test_the_command_gets_the_signal_handling_that_it_has_without_pipa() {
	local how show=(grep -E '^Sig(Blk|Ign)' /proc/self/status)

	for how in --default-signal --ignore-signal=CHLD,INT,HUP --block-signal=USR1,PIPE; do
		env "$how" "${show[@]}" > want
		run timeout -k 5 20 env "$how" "$PIPA" stat -n -r 2 "${show[@]}"
		status 0
		cat want want | stdout
	done
}

# ---- limits of time ------------------------------------------------------------------------

elapsed() {
	awk '/seconds time elapsed/ { print $1 }' err
}

test_a_timeout_ends_the_command() {
	pipa stat -n --timeout 200 sleep 30
	status 143
	between 'seconds' "$(elapsed)" 0.2 10
}

test_a_duration_ends_the_command() {
	pipa stat -n --duration 0.2 sleep 30
	status 143
	between 'seconds' "$(elapsed)" 0.2 10
}

test_a_command_that_ignores_the_timeout_is_killed() {
	need_workloads
	launch "$PIPA" stat -n --timeout 200 "$PIPA_WORKLOADS/deaf" 15
	until_true says ready
	child_of "$started"
	landed
	printf 'ready\ngot 15\n' | stdout
	status 137
	is_gone "$child" || fail 'the command' gone 'still there'
	between 'seconds until the time was up' "$(elapsed)" 0.2 1.9
}

test_a_stopped_command_is_ended_too() {
	launch "$PIPA" stat -n --timeout 400 sleep 30
	until_true child_of "$started"
	until_true names_itself "$child" sleep
	kill -STOP "$child"
	landed
	status 143
}

test_an_unused_timeout_changes_nothing() {
	pipa stat -n --timeout 60000 sh -c 'exit 3'
	status 3
}

test_a_duration_ends_a_watch_with_success() {
	need_system_wide
	pipa stat -a -e cpu-clock --duration 0.2
	status 0
	between 'seconds' "$(elapsed)" 0.2 10
}

# ---- a sudden death ------------------------------------------------------------------------

# caught_before_start COMMAND...: launch pipa and stop it while it still holds the command, which is
# $child then. Nine hundred events take a moment to open: time enough, if not always.
caught_before_start() {
	local many

	many=$(printf 'page-faults,%.0s' {1..900})
	launch "$PIPA" stat -e "${many%,}" "$@"
	until child_of_fast "$started"; do :; done
	kill -STOP "$started" 2> /dev/null
	sleep 0.02 # if it had been let go, it is another program by now
	[[ $child ]] && names_itself "$child" "${PIPA##*/}" && blocked "$child" && return
	kill -KILL "$started" 2> /dev/null
	return 1
}

# The same as child_of, without a process of its own: for a chance to be in time.
child_of_fast() {
	child=
	read -r child < "/proc/$1/task/$1/children"
	[[ $child || ! -d /proc/$1 ]]
} 2> /dev/null

test_pipa_killed_before_the_start_leaves_no_process() {
	local tries

	need_counting
	[[ -e /proc/$$/task/$$/children ]] || skip 'this kernel does not list children'
	for ((tries = 0; tries < 100; tries++)); do
		rm -f ran
		caught_before_start touch ran || continue
		[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
		kill -KILL "$started"
		until_true is_gone "$child"
		[[ ! -e ran ]] || fail 'the command' 'never run' 'run'
		return 0
	done
	skip 'pipa could not be caught before the start'
}

test_ctrl_c_before_the_start_is_reported_like_any_other() {
	local tries

	need_counting
	[[ -e /proc/$$/task/$$/children ]] || skip 'this kernel does not list children'
	for ((tries = 0; tries < 100; tries++)); do
		caught_before_start touch ran || continue
		kill -INT "$child"
		until_true is_gone "$child"
		kill -CONT "$started"
		landed
		status 130
		has err 'seconds time elapsed'
		[[ ! -e ran ]] || fail 'the command' 'never run' 'run'
		return 0
	done
	skip 'pipa could not be caught before the start'
}

# ---- what is left --------------------------------------------------------------------------

# The signal comes before the start, while files and events are being opened, or while the command runs. It is
# never lost, and leaves a recording that is complete, or no file at all.
test_a_signal_at_any_system_call_leaves_no_partial_recording() {
	local n

	need_workloads
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # not available under ptrace
	"$PIPA_WORKLOADS/signal_at" 1 15 sleep 10
	[[ $? == 143 ]] || skip 'ptrace is not permitted'
	for n in $(seq 30 5 90) $(seq 100 53 1300); do
		rm -rf kept report.json
		run "$PIPA_WORKLOADS/signal_at" "$n" 15 "$PIPA" run -f json -o report.json --keep kept -- \
			"$PIPA_WORKLOADS/spin" 400
		status 143
		[[ ! -e kept || -e kept/perf.data ]] || fail "step $n" 'no directory' "$(ls kept)"
		[[ -e kept ]] || continue
		python3 -m json.tool report.json > /dev/null ||
			fail "step $n" 'a JSON report' "$(head -c 300 report.json)"
		run "$PIPA" report --stats kept/perf.data
		status 0
		lacks out corrupt
		lacks out incomplete
	done
}

test_a_timeout_ends_the_descendants_of_the_command_too() {
	pipa stat --timeout 200 -e duration_time sh -c 'sleep 61 & echo $! > id; wait; true'
	status 143
	until_true is_gone "$(cat id)"
}

test_a_signal_for_the_command_reaches_it() {
	launch "$PIPA" stat -e duration_time sh -c 'trap "echo got it; exit 4" USR1; echo ready; while :; do sleep 0.01; done'
	until_true grep -q ready out
	kill -USR1 "$started"
	landed
	status 4
	has out 'got it'
	has err 'duration_time'
}

test_a_reader_that_goes_away_does_not_end_the_command() {
	command_line='pipa stat -I 20 ... 2> >(head -n 1)'
	"$PIPA" stat -I 20 -e duration_time sh -c 'sleep 0.3; echo done' > out 2> >(head -n 1 > err)
	got_status=$?
	status 141
	has out 'done'
}

run_tests "$@"
