#!/usr/bin/env bash
#
# Long tier: commands that are ended by a random signal at a random moment, hundreds of times. Each
# leaves a file that can be read, or none, and no process. PIPA_LONG_ROUNDS is how often (300),
# PIPA_LONG_SEED what to begin with, to see a failure again.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

rounds=${PIPA_LONG_ROUNDS:-300}
seed=${PIPA_LONG_SEED:-$((SRANDOM % 32768))}

# group_is_empty PGID: no process of that group is left but zombies
group_is_empty() {
	# shellcheck disable=SC2009
	! ps -o stat= --no-headers -g "$1" 2> /dev/null | grep -qv '^Z'
}

# pause: up to 0.6 s, half of them below 0.1 s, when files and events are being opened
pause() {
	if ((RANDOM % 2)); then
		sleep "0.$(printf '%03d' $((RANDOM % 100)))"
	else
		sleep "0.$(printf '%03d' $((RANDOM % 600)))"
	fi
}

# round SIGNAL COMMAND...: start it in a group of its own, send the signal, wait for its end
round() {
	local signal=$1

	shift
	command_line="$* (SIG$signal, round $i, PIPA_LONG_SEED=$seed)"
	start setsid env --default-signal=INT,QUIT,HUP "$@" > out 2> err
	pause
	kill -s "$signal" "$started" 2> /dev/null
	if [[ $signal == KILL ]]; then # the command is on its own then
		until_true is_gone "$started"
		kill -KILL -- "-$started" 2> /dev/null
	fi
	until_true is_gone "$started"
	wait "$started"
	got_status=$?
	until_true group_is_empty "$started"
	! grep -q 'Sanitizer\|runtime error:' err || fail 'sanitizer' 'no finding' "$(cat err)"
	[[ $signal == KILL ]] || ((got_status < 132 || got_status == 137 || got_status == 143)) ||
		fail 'end' 'no crash' "status $got_status"
}

# readable FILE SIGNAL: or not there; after SIGKILL it may be unfinished, which is reported
readable() {
	[[ -e $1 ]] || return 0
	run timeout -k 5 100 "$PIPA" report --stats "$1"
	if [[ $2 == KILL ]]; then
		((got_status == 0 || got_status == 1)) || fail "the recording" 'status 0 or 1' "$got_status"
		return
	fi
	status 0
	! grep -qi 'corrupt\|incomplete' out err || fail 'the recording' 'whole' "$(cat out err)"
}

signals=(INT TERM HUP INT TERM KILL)

# rounds_of FILE COMMAND...: many rounds, each with a FILE that is not there yet
rounds_of() {
	local file=$1 signal i

	shift
	RANDOM=$seed
	echo "seed $seed"
	for ((i = 0; i < rounds / 6 + 1; i++)); do
		signal=${signals[RANDOM % ${#signals[@]}]}
		rm -rf "$file"
		round "$signal" "$@"
		[[ $file == none ]] || readable "$file" "$signal"
	done
}

test_record_of_a_command() {
	need_workloads
	need_counting
	rounds_of data "$PIPA" record -o data -F 997 --call-graph fp -- "$PIPA_WORKLOADS/spin" 1000
}

test_record_with_stacks_that_are_unwound_live() {
	need_workloads
	need_counting
	rounds_of data "$PIPA" record -o data -F 997 -- "$PIPA_WORKLOADS/unwinds" 400
}

test_record_of_the_machine() {
	need_workloads
	need_system_wide
	rounds_of data "$PIPA" record -a -z -o data -- "$PIPA_WORKLOADS/spin" 1000
}

test_stat() {
	need_workloads
	need_counting
	rounds_of none "$PIPA" stat -I 50 -- "$PIPA_WORKLOADS/spin" 1000
}

# a report that was begun is JSON, or it is not there
test_run() {
	local signal i

	need_workloads
	need_program python3
	RANDOM=$seed
	for ((i = 0; i < rounds / 6 + 1; i++)); do
		signal=${signals[RANDOM % ${#signals[@]}]}
		rm -rf kept report.json
		round "$signal" "$PIPA" run -f json -o report.json --keep kept -- "$PIPA_WORKLOADS/spin" 1000
		if [[ -s report.json && $signal != KILL ]]; then
			python3 -m json.tool report.json > /dev/null ||
				fail 'report' 'JSON' "$(head -c 300 report.json)"
		fi
		[[ ! -e kept/perf.data ]] || readable kept/perf.data "$signal"
	done
}

# days of statistics: what was written can be shown, whatever ended the writer
test_monitor() {
	local signal i

	RANDOM=$seed
	mkdir days
	for ((i = 0; i < rounds / 6 + 1; i++)); do
		signal=${signals[RANDOM % ${#signals[@]}]}
		round "$signal" "$PIPA" monitor -i 0.1 --output days
		if [[ -n $(ls days) ]]; then
			run timeout -k 5 100 "$PIPA" monitor --from days
			((got_status <= 1)) || fail 'days' 'status 0 or 1' "$got_status"
		fi
	done
}

run_tests "$@"
