#!/usr/bin/env bash
#
# Files that become shorter while pipa has them mapped: never a crash, and always a note.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# long_recording: in ./long.data, of so many samples that its text fills a pipe many times over
long_recording() {
	local size

	need_workloads
	need_counting
	pipa record -F max --call-graph fp -o long.data -- "$PIPA_WORKLOADS/spin" 1500
	status 0
	size=$(stat -c %s long.data)
	((size > 65536 * 3)) || skip "only $size bytes were recorded"
}

test_a_recording_that_is_truncated_while_it_is_read_is_reported() {
	local got

	long_recording
	mkfifo text
	"$PIPA" script -i long.data > text 2> err &
	got=$!
	exec 7< text
	head -c 100 <&7 > /dev/null
	until_true blocked "$got" # the pipe is full: the window of the recording stays mapped
	truncate -s 4096 long.data
	cat <&7 > rest
	wait "$got"
	got_status=$?
	command_line="pipa script -i long.data"
	((got_status < 128)) || fail 'status' 'no signal' "$got_status"
	matches err "^pipa script: $PWD/long.data was truncated while it was read: data is missing\$"
	same 'notes' "$(grep -c 'was truncated' err)" 1
}

test_a_program_that_is_truncated_while_it_is_read_is_reported() {
	local first

	need_workloads
	need_program nm
	cp "$PIPA_WORKLOADS/unwinds" program
	first=$(nm program | awk '$3 == "main" { print "0x" $1 }')
	[[ $first ]] || skip 'the workloads have no symbols'
	mkfifo addresses
	"$PIPA" symbolize -e ./program < addresses > out 2> err &
	echo "$!" > pid
	exec 7> addresses
	echo "$first" >&7
	until_true test -s out
	truncate -s 100 program
	seq -f '0x%.0f' "$((first + 1))" 64 "$((first + 4000))" >&7
	exec 7>&-
	wait "$(cat pid)"
	got_status=$?
	command_line="pipa symbolize -e ./program"
	((got_status < 128)) || fail 'status' 'no signal' "$got_status"
	matches err "^pipa symbolize: $PWD/program was truncated while it was read: data is missing\$"
}

# The moment is left to chance: whatever a report reads just then, it ends by itself.
test_no_report_crashes_while_its_files_change_their_size() {
	local i

	need_workloads
	need_counting
	cp "$PIPA_WORKLOADS/unwinds" program
	cp program whole
	pipa record -o r.data -- ./program 200
	status 0
	cp r.data whole.data
	(while :; do
		: > program
		truncate -s 4096 r.data
		cat whole > program
		cat whole.data > r.data
	done) &
	echo "$!" >> "$case_dir/started"
	for ((i = 0; i < 40; i++)); do
		pipa report --stdio -i "$([[ $((i % 2)) -eq 0 ]] && echo r.data || echo whole.data)"
		((got_status < 128)) || fail "status of report $i" 'no signal' "$got_status"
	done
}

run_tests "$@"
