#!/usr/bin/env bash
#
# Output, input and signals of a workload under pipa run: the same as without it.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# quietly ARGS...: pipa run with its report in ./report
quietly() {
	pipa run --no-record -o report "$@"
}

says() {
	grep -qsx -e "$1" out
}

# ---- bytes -----------------------------------------------------------------------------------------

test_output_is_passed_on_byte_by_byte() {
	quietly sh -c 'cat /bin/sh; cat /bin/ls >&2'
	status 0
	cmp out /bin/sh || fail 'standard output' 'the bytes of /bin/sh' 'others'
	cmp err /bin/ls || fail 'standard error' 'the bytes of /bin/ls' 'others'
	has report 'exit status 0'
}

test_three_hundred_megabytes_of_output_are_passed_on() {
	local sum

	sum=$(timeout 100 "$PIPA" run --no-record -o report head -c 300M /dev/zero | cksum)
	same 'sum and length' "$sum" "$(head -c 300M /dev/zero | cksum)"
	has report 'exit status 0'
}

test_output_to_one_pipe_stays_in_order() {
	local i

	command_line='pipa run ... 2>&1'
	timeout 100 "$PIPA" run --no-record -o report sh -c \
		'i=0; while [ $i -lt 500 ]; do echo out $i; echo err $i >&2; i=$((i + 1)); done' > both 2>&1
	for ((i = 0; i < 500; i++)); do
		printf 'out %d\nerr %d\n' $i $i
	done | compare 'both streams' both
}

test_output_to_one_file_is_appended_in_order() {
	echo before > both
	timeout 100 "$PIPA" run --no-record -o report sh -c 'echo one; echo two >&2' >> both 2>&1
	printf 'before\none\ntwo\n' | compare 'both streams' both
}

test_a_prompt_without_a_newline_comes_at_once() {
	mkfifo answer
	exec 7<> answer
	start timeout 100 "$PIPA" run --no-record -o report sh -c 'printf "name? "; read -r x; echo "$x"' \
		> out 2> err < answer
	until_true grep -qs '^name? $' out
	echo me >&7
	exec 7>&-
	landed
	status 0
	stdout <<< 'name? me'
}

test_the_last_line_needs_no_newline() {
	quietly printf 'no end'
	status 0
	same 'standard output' "$(cat out)" 'no end'
	same 'bytes' "$(wc -c < out)" 6
}

test_a_command_may_print_nothing() {
	quietly true
	status 0
	stdout < /dev/null
	has report 'pipa run: true'
}

test_the_report_follows_the_output() {
	pipa run --no-record echo first
	status 0
	same 'first line' "$(head -n 1 out)" first
	same 'second and third line' "$(sed -n 2,3p out)" $'\npipa run: echo first'
}

test_input_is_the_commands() {
	run timeout 100 "$PIPA" run --no-record -o report sha1sum < /bin/sh
	status 0
	same 'standard output' "$(cat out)" "$(sha1sum < /bin/sh)"
}

# ---- readers that leave, descriptors that are closed -----------------------------------------------

test_a_closed_pipe_ends_the_command_as_without_pipa() {
	local line

	command_line='pipa run yes | head -n 1'
	{
		timeout 100 "$PIPA" run --no-record -f json -o report.json yes
		echo $? > ended
	} | {
		read -r line
		echo "$line"
	} > out
	until_true test -s ended
	stdout <<< y
	same 'exit status' "$(cat ended)" 141
	has report.json '"exit_status": 141'
}

test_a_closed_pipe_does_not_lose_the_status() {
	command_line='pipa run echo | true'
	{
		timeout 100 "$PIPA" run --no-record sh -c 'echo one; sleep 0.2' 2> err
		echo $? > ended
	} | read -r _
	until_true test -s ended
	between 'exit status' "$(cat ended)" 0 141
	[[ $(cat ended) == 0 || $(cat ended) == 141 || $(cat ended) == 125 ]] ||
		fail 'exit status' '0, 125 or 141' "$(cat ended)"
}

test_closed_descriptors_stay_closed() {
	run timeout 100 "$PIPA" run --no-record -o report sh -c 'ls -l /proc/self/fd > list 2>&1; exit 5' <&-
	status 5
	timeout 100 "$PIPA" run --no-record -o report sh -c \
		'test -e /proc/$$/fd/1; echo $? > list1; exit 6' 2> err >&-
	same 'exit status without standard output' $? 6
	same 'is it open' "$(cat list1)" 1
	timeout 100 "$PIPA" run --no-record -o report sh -c \
		'test -e /proc/$$/fd/2; echo $? > list2; echo said; exit 7' > out 2>&-
	same 'exit status without standard error' $? 7
	same 'is it open' "$(cat list2)" 1
	stdout <<< said
	timeout 100 "$PIPA" run --no-record -o report sh -c 'exit 8' <&- >&- 2>&-
	same 'exit status without any' $? 8
	has report 'exit status 8'
}

test_a_report_that_cannot_be_printed_is_a_failure() {
	timeout 100 "$PIPA" run --no-record true 2> err >&-
	same 'exit status' $? 125
	has err 'standard output'
	timeout 100 "$PIPA" run --no-record true 2> err > /dev/full
	same 'exit status' $? 125
	has err 'No space left on device'
	timeout 100 "$PIPA" run --no-record sh -c 'exit 4' 2> err > /dev/full
	same "the command's own status comes first" $? 4
}

test_output_that_cannot_be_written_is_reported() {
	timeout 100 "$PIPA" run --no-record -o report sh -c 'echo some' > /dev/full 2> err
	has report "the command's standard output was truncated: No space left on device"
}

test_a_command_may_close_its_output_early() {
	quietly sh -c 'echo one; exec >&- 2>&-; sleep 0.3; exit 9'
	status 9
	stdout <<< one
	lacks report 'still hold its output open'
}

test_background_processes_are_neither_waited_for_nor_killed() {
	mkfifo gate
	quietly sh -c 'echo begun; (read -r x < gate; echo over > over) & echo $! > background'
	status 0
	stdout <<< begun
	has report 'still hold its output open'
	[[ -d /proc/$(cat background) ]] || fail 'the process in the background' there gone
	echo > gate
	until_true test -s over
}

test_a_daemon_without_the_output_is_not_waited_for() {
	quietly sh -c 'sleep 5 > /dev/null 2>&1 & echo $! > background'
	status 0
	lacks report 'still hold its output open'
	kill "$(cat background)"
}

test_without_capture_the_command_inherits_the_descriptors() {
	local fd

	run timeout 100 "$PIPA" run --no-record --no-capture -o report bash -c \
		'for fd in 0 1 2; do stat -L -c "%d %i" /proc/$$/fd/$fd >> ids; done' < /bin/sh
	status 0
	for fd in /bin/sh out err; do
		stat -L -c '%d %i' $fd
	done | compare 'device and inode of the three' ids
}

# ---- a terminal ------------------------------------------------------------------------------------

tm() {
	tmux -S "$PWD/socket" -f /dev/null "$@"
}

# terminal COMMAND: a terminal of 80 by 24 with a shell that has job control and runs it
terminal() {
	need_program tmux
	command_line=$1
	tm new-session -d -x 80 -y 24 "PS1='ready> ' bash --norc --noprofile" 2> tmux.err ||
		skip "tmux has no terminal: $(cat tmux.err)"
	tm display -p '#{pid}' >> "$case_dir/started"
	sees '^ready>'
	tm send-keys "$1; echo \"status \$?\"" Enter
}

on_screen() {
	tm capture-pane -p -S -200 > screen
	grep -qE -e "$1" screen
}

sees() {
	until_true on_screen "$1"
}

test_output_of_the_command_stays_a_terminal() {
	terminal "'$PIPA' run --no-record -o report sh -c 'test -t 0 && test -t 1 && test -t 2 && echo all three'"
	sees '^all three'
	sees '^status 0'
}

test_on_a_terminal_lines_are_as_the_command_wrote_them() {
	terminal "'$PIPA' run --no-record -o report printf 'one\ntwo\n'"
	sees '^status 0'
	grep -qx one screen || fail 'screen' 'one at the left edge' "$(cat screen)"
	grep -qx two screen || fail 'screen' 'two at the left edge' "$(cat screen)"
}

test_ctrl_c_is_the_commands_and_the_report_follows() {
	terminal "'$PIPA' run --no-record sh -c 'echo started; exec sleep 60'"
	sees '^started'
	tm send-keys C-c
	sees '^terminated by signal 2'
	sees '^status 130'
}

test_ctrl_z_stops_and_fg_goes_on() {
	terminal "'$PIPA' run --no-record -o report sh -c 'echo started; read -r x; echo got \$x'"
	sees '^started'
	tm send-keys C-z
	sees 'Stopped'
	tm send-keys 'fg' Enter
	sleep 0.2
	tm send-keys 'some words' Enter
	sees '^got some words'
	until_true grep -qs 'exit status 0' report
}

test_a_password_is_read_from_the_terminal() {
	cat > ask <<- 'END'
		printf 'Password: ' > /dev/tty
		stty -echo < /dev/tty
		read -r word < /dev/tty
		stty echo < /dev/tty
		echo "of ${#word} letters"
	END
	terminal "'$PIPA' run --no-record -o report sh ask < /dev/null"
	sees '^Password:'
	tm send-keys 'secret' Enter
	sees 'of 6 letters'
	lacks screen secret
}

test_the_command_sees_the_size_and_its_change() {
	cat > size <<- 'END'
		exec 3>&1
		trap 'now=$(stty size <&3)' WINCH
		now=$(stty size <&3)
		echo "size $now"
		until [[ $now == '30 100' ]]; do
			sleep 0.05
		done
		echo "changed to $now"
	END
	terminal "'$PIPA' run --no-record -o report bash size"
	sees '^size 24 80'
	tm set-option -g window-size manual 2> /dev/null
	tm resize-window -x 100 -y 30 || skip 'this tmux cannot resize a window'
	sees '^changed to 30 100'
	sees '^status 0'
}

test_a_report_fits_the_terminal() {
	local long

	long=$(printf 'word%.0s' {1..60})
	terminal "'$PIPA' run sh -c ': $long'"
	sees '^status 0'
	tm capture-pane -p -J -S -200 > screen # lines that were broken are joined
	matches screen '^pipa run: sh -c : word.*\.\.\.$'
	same 'longest line of the report' "$(sed -n '/^pipa run/,$p' screen |
		awk 'length > 80 { n++ } END { print n + 0 }')" 0
}

test_no_control_character_of_a_command_line_reaches_the_terminal() {
	pipa run --no-record sh -c $': "\033]0;title\007 \177 \202 \n"'
	status 0
	matches out '^pipa run: sh -c : "\\x1b\]0;title\\x07 \\x7f \\x82 \\x0a"$'
	! LC_ALL=C grep -q $'[\001-\010\013-\037\177-\377]' out ||
		fail 'standard output' 'plain text' "$(cat -v out)"
}

# ---- signals ---------------------------------------------------------------------------------------

child_of() {
	child=$(cat "/proc/$1/task/$1/children" 2> /dev/null)
	child=${child%% *}
	[[ $child ]]
}

test_a_signal_goes_to_the_command_and_the_report_follows() {
	local number

	for number in 1 2 3 15; do
		rm -f report.json
		launch "$PIPA" run --no-record -f json -o report.json sh -c \
			'ulimit -c 0; echo ready; exec sleep 30'
		until_true says ready
		child_of "$started"
		kill -"$number" "$started"
		landed
		status $((128 + number))
		has report.json "\"exit_status\": $((128 + number))"
		is_gone "$child" || fail 'the command' gone 'still there'
	done
}

test_a_signal_ends_a_series_of_runs_with_its_report() {
	launch "$PIPA" run --no-record -r 1000 -f json -o report.json sh -c 'echo run; exec sleep 0.2'
	until_true says run
	kill -INT "$started"
	landed
	status 130
	between 'runs' "$(sed -n 's/^  "runs": \([0-9]*\),/\1/p' report.json)" 1 5
}

test_a_second_signal_ends_a_command_with_blocked_output() {
	mkfifo reader
	exec 7<> reader
	start env --default-signal=INT "$PIPA" run --no-record -o report yes > reader 2> err
	until_true child_of "$started"
	until_true names_itself "$child" yes
	sleep 0.3
	kill -TERM "$started"
	until_true is_gone "$child"
	until_true gone_by_another "$started"
	exec 7>&-
}

gone_by_another() {
	is_gone "$1" || { kill -TERM "$1" 2> /dev/null; false; }
}

# nothing_left: neither scratch files nor temporary ones beside the report; the thread sanitizer leaves a file of its
# own if a signal ends the program while it starts
nothing_left() {
	same "what is left in $1" "$(ls -A -I 'tsan.rodata.*' "$1")" "$2"
}

# interrupted SIGNAL DELAY...: at that moment; then what is there is whole
interrupted() {
	local signal=$1 delay

	shift
	mkdir -p scratch there
	for delay in "$@"; do
		rm -f there/*
		TMPDIR=$PWD/scratch start env --default-signal=INT,QUIT "$PIPA" run -f json \
			-o there/report.json sh -c 'echo $$ > pid; exec sleep 0.1' > out 2> err
		sleep "$delay"
		kill -"$signal" "$started" 2> /dev/null
		landed
		command_line="pipa run, $signal after $delay s"
		if [[ -e there/report.json ]]; then
			same 'JSON' "$(tail -c 2 there/report.json)" '}'
			nothing_left there report.json
		else
			nothing_left there ''
		fi
		nothing_left scratch ''
	done
	pipa run --no-record -o report echo fine
	status 0
	stdout <<< fine
}

delays=(0 0.001 0.002 0.004 0.006 0.008 0.01 0.015 0.02 0.03 0.04 0.05 0.07 0.1 0.12 0.14 0.16 0.2)

test_terminated_at_any_moment_files_are_whole_or_absent() {
	interrupted TERM "${delays[@]}"
}

test_interrupted_at_any_moment_files_are_whole_or_absent() {
	interrupted INT "${delays[@]}"
}

test_killed_at_any_moment_files_are_whole_or_absent() {
	interrupted KILL "${delays[@]}"
}

test_without_capture_the_command_does_not_notice_that_pipa_was_killed() {
	mkfifo gate
	start "$PIPA" run --no-record --no-capture -o report sh -c \
		'echo $$ > pid; echo begun; read -r x < gate; echo "still here"; echo $? > over' > out 2> err
	until_true says begun
	kill -KILL "$started"
	until_true is_gone "$started"
	echo > gate
	until_true test -s over
	printf 'begun\nstill here\n' | stdout
}

run_tests "$@"
