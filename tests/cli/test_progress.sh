#!/usr/bin/env bash
#
# The progress line: on a terminal, after a second of work, gone at the end; never anywhere else.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# slowly SECONDS FD: `pipa report --stdio -` of folded stacks that come in two halves; ./terminal has what the terminal
# got at FD 2 (or nothing, if FD is "none"), ./table the table, ./err what a pipe at FD 2 got
slowly() {
	need_program python3
	python3 - "$PIPA" "$1" "$2" << 'EOF'
import os, pty, subprocess, sys, time

program, seconds, where = sys.argv[1], float(sys.argv[2]), sys.argv[3]
ours, theirs = pty.openpty()
err = theirs if where == "terminal" else open("err", "wb")
child = subprocess.Popen([program, "report", "--stdio", "-"], stdin=subprocess.PIPE,
                         stdout=open("table", "wb"), stderr=err)
os.close(theirs)
child.stdin.write(b"prog;main 3\n")
child.stdin.flush()
time.sleep(seconds)
child.stdin.write(b"prog;main;work 5\n")
child.stdin.close()
status = child.wait()
text = b""
try:
    while True:
        part = os.read(ours, 65536)
        if not part:
            break
        text += part
except OSError:
    pass
open("terminal", "wb").write(text)
sys.exit(status)
EOF
	got_status=$?
	status 0
	grep -q work table || fail 'the table' 'a row of work' "$(cat table)"
}

test_work_of_more_than_a_second_has_a_progress_line() {
	slowly 1.7 terminal
	grep -aqE $'\rpipa report: reading standard input, 1 s' terminal ||
		fail 'on the terminal' 'a progress line' "$(cat -v terminal)"
	# the last is spaces between two carriage returns: nothing of it is left
	tail -c 60 terminal | grep -aqE $'\r +\r$' || fail 'at the end' 'an empty line' "$(cat -v terminal)"
	lacks table 'reading'
}

test_short_work_has_no_progress_line() {
	slowly 0.1 terminal
	same 'bytes on the terminal' "$(wc -c < terminal)" 0
}

test_a_pipe_or_file_gets_no_progress_line() {
	slowly 1.7 none
	same 'bytes on standard error' "$(wc -c < err)" 0
}

# compared OPTIONS...: `pipa run` of a hidden and a shown command for 1.6 s; ./terminal has what the terminal got
compared() {
	need_program script
	script -qec "'$PIPA' run --shell=none -r 4 -o report $* --command 'sleep 0.4' --command 'sleep 0.01'" \
		/dev/null > terminal < /dev/null
}

test_a_comparison_has_a_line_with_its_command_and_run() {
	compared
	grep -aqE $'\rpipa run: command 1 of 2, run [34] of 4: sleep 0.4, 1 s' terminal ||
		fail 'on the terminal' 'a progress line' "$(cat -v terminal)"
	tail -c 100 terminal | grep -aqE $'\r +\r$' || fail 'at the end' 'an empty line' "$(cat -v terminal)"
}

test_a_comparison_that_shows_output_has_none() {
	compared --show-output
	lacks terminal 'run [0-9] of'
}

run_tests "$@"
