#!/usr/bin/env bash
#
# The exit status of pipa stat, and where command and report write and read.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# a directory of the PATH that may not be searched would turn "not found" into "not allowed"
PATH=/usr/sbin:/usr/bin:/sbin:/bin

# ---- exit status ---------------------------------------------------------------------------

test_the_exit_status_is_the_commands_own() {
	local want

	for want in 0 1 7 125 255; do
		pipa stat -n sh -c "exit $want"
		status "$want"
	done
}

test_a_signal_that_ended_the_command_gives_128_and_its_number() {
	local sig

	for sig in 1 6 9 11 15; do
		pipa stat -n sh -c "ulimit -c 0; kill -$sig \$\$"
		status $((128 + sig))
		has err 'seconds time elapsed'
	done
}

test_a_parent_that_ignores_sigchld_changes_nothing() {
	run env --ignore-signal=CHLD "$PIPA" stat -n awk '/SigIgn/ { print; exit 5 }' /proc/self/status
	status 5
	matches out '^SigIgn:[[:space:]]*[0-9a-f]*[13579bdf]....$'
}

test_a_command_that_is_not_found_gives_127() {
	pipa stat no-such-command
	refused 127 << 'END'
pipa stat: cannot run no-such-command: No such file or directory. Check that it is installed and in PATH; options of pipa go before the command.
END
}

test_a_file_that_is_not_executable_gives_126() {
	echo 'exit 0' > script
	pipa stat ./script
	refused 126 << 'END'
pipa stat: cannot run ./script: Permission denied. Make it executable with chmod +x.
END
}

test_a_directory_as_command_gives_126() {
	mkdir folder
	pipa stat ./folder
	refused_like 126 'pipa stat: cannot run \./folder: Permission denied. It is a directory.'
}

test_a_script_without_an_interpreter_line_runs_in_the_shell() {
	echo 'echo ran; exit 3' > script
	chmod +x script
	pipa stat -n ./script
	echo ran | stdout
	status 3
}

test_a_script_whose_interpreter_is_missing_gives_127() {
	echo '#!/no/such/interpreter' > script
	chmod +x script
	pipa stat ./script
	refused 127 << 'END'
pipa stat: cannot run ./script: No such file or directory. The file exists, but its interpreter or dynamic loader does not.
END
}

test_an_option_that_does_not_exist_gives_125() {
	pipa stat --no-such-option true
	status 125
}

test_the_status_of_the_last_run_of_several_is_returned() {
	pipa stat -n -r 3 sh -c 'echo x >> runs; [ $(wc -l < runs) -lt 3 ] || exit 5'
	status 5
	same 'runs' "$(wc -l < runs)" 3
}

# ---- standard output and error -------------------------------------------------------------

test_the_commands_output_is_untouched_and_the_report_is_on_standard_error() {
	pipa stat -n sh -c 'echo to stdout; printf "no newline"; echo text >&2'
	printf 'to stdout\nno newline' | stdout
	screen << 'END'
text

 Performance counter stats for 'sh -c echo to stdout; printf "no newline"; echo text >&N':


 N seconds time elapsed

 N seconds user
 N seconds sys

END
	status 0
}

test_binary_output_passes_through() {
	head -c 300000 /dev/urandom > data
	pipa stat -n cat data
	status 0
	cmp -s data out || fail 'standard output' 'the same bytes' 'others'
}

test_standard_input_is_the_commands() {
	command_line="printf 'one\\ntwo\\n' | pipa stat -n cat"
	printf 'one\ntwo\n' | "$PIPA" stat -n cat > out 2> err
	got_status=$?
	status 0
	printf 'one\ntwo\n' | stdout
}

# open_fds: a shell script that prints which of 0 to 9 are open, to the given descriptor
open_fds='for fd in 0 1 2 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || l="$l $fd"; done; echo $l > fds'

test_the_command_inherits_only_the_descriptors_of_the_caller() {
	pipa stat -n sh -c "$open_fds" 5< /dev/null
	same 'open descriptors' "$(cat fds)" '0 1 2 5'
}

test_a_closed_standard_input_is_closed_for_the_command() {
	command_line='pipa stat -n sh -c ... <&-'
	"$PIPA" stat -n sh -c "$open_fds" 2> err <&-
	got_status=$?
	same 'open descriptors' "$(cat fds)" '1 2'
	has err 'seconds time elapsed'
	status 0
}

test_a_closed_standard_output_is_closed_for_the_command() {
	command_line='pipa stat -n sh -c ... >&-'
	"$PIPA" stat -n sh -c "$open_fds" 2> err >&-
	got_status=$?
	same 'open descriptors' "$(cat fds)" '0 2'
	has err 'seconds time elapsed'
	status 0
}

test_a_closed_standard_error_is_closed_for_the_command_and_a_failure_of_ours() {
	command_line='pipa stat -n sh -c ... 2>&-'
	"$PIPA" stat -n sh -c "$open_fds" > out 2>&-
	got_status=$?
	same 'open descriptors' "$(cat fds)" '0 1'
	stdout < /dev/null
	status 125
}

test_with_all_three_closed_a_report_still_goes_to_a_file() {
	command_line='pipa stat -n -o report true <&- >&- 2>&-'
	"$PIPA" stat -n -o report sh -c "$open_fds" <&- >&- 2>&-
	got_status=$?
	status 0
	same 'open descriptors' "$(cat fds)" ''
	has report 'seconds time elapsed'
}

test_with_standard_error_closed_a_message_does_not_end_up_in_the_report() {
	command_line='pipa stat -n --append -o report no-such-command >&- 2>&-'
	echo old > report
	"$PIPA" stat -n --append -o report no-such-command >&- 2>&-
	got_status=$?
	status 127
	echo old | compare report report
}

test_a_reader_of_standard_error_that_has_gone_ends_stat_with_141() {
	command_line='pipa stat -n true 2>&1 >/dev/null | (true)'
	{
		sleep 0.1
		"$PIPA" stat -n true 2>&1 > /dev/null
		echo $? > status
	} | true
	same 'exit status' "$(cat status)" 141
}

test_the_command_dies_of_a_broken_pipe_as_without_pipa() {
	command_line='pipa stat -n yes | head -n 1'
	{
		"$PIPA" stat -n yes 2> err
		echo $? > status
	} | head -n 1 > out
	echo y | stdout
	same 'exit status' "$(cat status)" $((128 + 13))
	has err 'seconds time elapsed'
}

test_log_fd_takes_the_report() {
	command_line='pipa stat -n --log-fd 7 true 7> report'
	"$PIPA" stat -n --log-fd 7 true > out 2> err 7> report
	got_status=$?
	status 0
	stderr < /dev/null
	has report 'seconds time elapsed'
}

test_a_log_fd_that_is_not_open_is_refused_before_the_command_runs() {
	pipa stat -n --log-fd 77 touch ran
	refused_like 125 'pipa stat: .*77.*Bad file descriptor.*'
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

# ---- -o ------------------------------------------------------------------------------------

# only FILE...: there is nothing else here, no temporary file above all
only() {
	same 'files' "$(find . -type f -not -name out -not -name err -printf '%P\n' | sort |
		tr '\n' ' ')" "$* "
}

test_the_report_goes_into_a_file_and_nowhere_else() {
	pipa stat -n -o report true
	status 0
	stdout < /dev/null
	stderr < /dev/null
	normalize report > screen
	compare report screen << 'END'

 Performance counter stats for 'true':


 N seconds time elapsed

 N seconds user
 N seconds sys

END
	rm screen
	only report
}

test_a_new_report_replaces_the_old_one() {
	echo old > report
	chmod 640 report
	pipa stat -n -o report true
	status 0
	lacks report old
	same 'its mode' "$(stat -c %a report)" 640
	only report
}

test_append_keeps_the_existing_text() {
	echo old > report
	pipa stat -x, -e duration_time --append -o report true
	pipa stat -x, -e duration_time --append -o report true
	status 0
	sed -E 's/^[0-9]+,ns,duration_time,.*/N,ns,duration_time/' report > got
	compare report got << 'END'
old
N,ns,duration_time
N,ns,duration_time
END
}

test_append_creates_a_missing_file() {
	pipa stat -n --append -o report true
	status 0
	has report 'seconds time elapsed'
}

test_a_link_stays_a_link() {
	ln -s real report
	echo old > real
	pipa stat -n -o report true
	status 0
	same 'the link' "$(readlink report)" real
	has real 'seconds time elapsed'
}

test_a_report_can_go_into_a_fifo() {
	mkfifo pipe
	start cat pipe > got
	pipa stat -n -o pipe true
	status 0
	wait "$started"
	has got 'seconds time elapsed'
}

test_a_full_disk_is_a_failure_after_the_command() {
	[[ -w /dev/full ]] || skip 'no /dev/full'
	pipa stat -n -o /dev/full echo ran
	same 'lines on standard error' "$(wc -l < err)" 1
	matches err '^pipa stat: cannot write /dev/full: No space left on device.*'
	echo ran | stdout
	status 125
}

test_a_disk_that_is_full_between_intervals_is_reported_at_the_end() {
	[[ -w /dev/full ]] || skip 'no /dev/full'
	run timeout -k 5 20 "$PIPA" stat -I 10 -e duration_time -o /dev/full sh -c 'sleep 0.1; echo done > ended'
	refused_like 125 'pipa stat: cannot write /dev/full: No space left on device.*'
	has ended 'done'
}

test_a_full_disk_leaves_the_old_report() {
	need_root
	mkdir disk
	mount -t tmpfs -o size=16k none disk 2> /dev/null || skip 'no small file system can be made'
	echo old > disk/report
	head -c 100000 /dev/zero > disk/filler 2> /dev/null
	pipa stat -n -o disk/report true
	find disk -type f | sort > files
	cp disk/report kept
	umount disk
	same 'lines on standard error' "$(wc -l < err)" 1
	matches err '^pipa stat: cannot write .*: No space left on device.*'
	status 125
	echo old | compare 'the old report' kept
	compare 'files on the disk' files << 'END'
disk/filler
disk/report
END
}

test_a_file_that_may_not_grow_is_a_failure_and_leaves_nothing() {
	command_line='ulimit -f 0; pipa stat -n -o report true'
	# through a pipe: under this limit no file can be written
	{
		ulimit -f 0
		"$PIPA" stat -n -o report true 2>&1
		echo "status $?"
	} | cat > got
	same 'lines' "$(wc -l < got)" 2
	matches got '^pipa stat: cannot write .*report.*: File too large'
	has got 'status 125'
	[[ $(echo report*) == 'report*' ]] || fail 'files' none "$(echo report*)"
}

test_a_missing_directory_is_refused_before_the_command_runs() {
	pipa stat -n -o nowhere/report touch ran
	refused 125 << 'END'
pipa stat: cannot open nowhere/report for writing: No such file or directory. Check that its directory exists.
END
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

test_a_directory_as_file_is_refused() {
	mkdir folder
	pipa stat -n -o folder touch ran
	refused 125 << 'END'
pipa stat: cannot open folder for writing: Is a directory. Specify a file in it.
END
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

test_an_unwritable_directory_is_refused_before_the_command_runs() {
	need_nobody
	mkdir locked
	run as_nobody bin/pipa stat -n -o locked/report touch ran
	refused_like 125 'pipa stat: cannot open locked/report for writing: Permission denied. .*'
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

test_a_write_protected_file_is_refused_and_kept() {
	need_nobody
	echo old > report
	run as_nobody bin/pipa stat -n -o report true
	refused_like 125 'pipa stat: cannot open report for writing: Permission denied. .*'
	echo old | compare report report
}

test_a_failing_start_keeps_the_old_report() {
	echo old > report
	pipa stat -n -o report no-such-command
	status 127
	echo old | compare report report
	only report
}

test_a_bad_event_keeps_the_old_report() {
	echo old > report
	pipa stat -e no-such-event -o report true
	status 125
	echo old | compare report report
	only report
}

# ---- a reader that has gone --------------------------------------------------------------------

# unread COMMAND...: with a pipe as standard output that nothing reads any more
unread() {
	need_program python3
	run python3 -c 'import os, subprocess, sys
r, w = os.pipe()
os.close(r)
status = subprocess.run(sys.argv[1:], stdout=w).returncode
sys.exit(128 - status if status < 0 else status)' "$@"
}

test_all_commands_end_alike_when_their_reader_has_gone() {
	local command

	echo 'main;work 7' > stacks
	for command in list doctor help 'help stat' --version 'report --stdio stacks' 'report --stats stacks' \
		'fold stacks' 'flamegraph -o - stacks' 'graph -o - stacks' 'diff stacks stacks' \
		'symbolize -e /bin/sh 0x1000' 'monitor -n 2 -i 0.1' 'stat -n -o /dev/stdout true' 'run --no-record true'; do
		# shellcheck disable=SC2086
		unread timeout 60 "$PIPA" $command
		status 141
		stderr < /dev/null
	done
}

test_the_commands_status_comes_before_that_of_a_reader_that_has_gone() {
	unread timeout 60 "$PIPA" run --no-record sh -c 'exit 7'
	status 7
	unread timeout 60 "$PIPA" stat -n -o /dev/stdout sh -c 'exit 7'
	status 7
}

test_record_notes_that_its_reader_has_closed_the_pipe() {
	need_system_wide
	unread timeout 60 "$PIPA" record -e cpu-clock --print -- sh -c 'i=0; while [ $i -lt 99999 ]; do i=$((i + 1)); done'
	status 141
	has err 'pipa record: the reader of standard output closed it'
	unread timeout 60 "$PIPA" record -e cpu-clock -a -o -
	status 141
}

# ---- durations -----------------------------------------------------------------------------------

# what is not a duration above 0 is refused by every option that takes one
test_durations_are_above_zero() {
	local value option

	for value in 0 0s 0.0 -1 -0.5 nan inf 1e300 99999999999999999999 1e10h '' 1x '1 s' 1e-400; do
		for option in 'monitor -n 1 -i' 'top -b -n 1 -d'; do
			# shellcheck disable=SC2086
			pipa $option "$value"
			status 2
			matches err "^pipa (monitor|top): -[id]: invalid (duration '.*'|interval), expected "
		done
		for option in 'collect --duration-stat' 'collect --duration-record' 'collect --perf-stat-interval' \
			'collect --sar-interval'; do
			# shellcheck disable=SC2086
			pipa $option "$value"
			status 1
			matches err "^pipa collect: --[a-z-]+: invalid duration '.*', expected a duration"
		done
		for option in 'stat -I' 'stat --duration' 'stat --timeout' 'record --duration' 'run --interval'; do
			# shellcheck disable=SC2086
			pipa $option "$value" touch ran
			status 125
			matches err "^pipa [a-z]+: -[A-Za-z-]+: invalid duration '.*', expected a duration"
			[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
		done
	done
}

run_tests "$@"
