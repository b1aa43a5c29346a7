#!/bin/bash
# `pipa record` where something is missing: its messages, files and number of descriptors.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# a process that has ended and that its parent does not wait for, in $zombie
make_zombie() {
	need_program python3
	start python3 -c '
import os, time
pid = os.fork()
if not pid:
    os._exit(0)
print(pid, flush=True)
time.sleep(100)' > zombie
	until_true test -s zombie
	zombie=$(cat zombie)
	until_true grep -qs $'^State:\tZ' "/proc/$zombie/status"
}

test_a_zombie_cannot_be_recorded() {
	need_sampling
	make_zombie
	for option in -p -t; do
		pipa record "$option" "$zombie" -o perf.data
		refused_like 125 'pipa record: (process|thread) [0-9]+ has exited. It is a zombie.'
		[[ ! -e perf.data ]] || fail 'a file' none perf.data
	done
	pipa stat -e page-faults -p "$zombie"
	refused_like 125 'pipa stat: process [0-9]+ has exited. It is a zombie.'
}

test_the_error_for_a_process_of_another_user_names_the_user() {
	need_sampling
	need_nobody
	(($(cat /proc/sys/kernel/perf_event_paranoid) <= 2)) || skip 'kernel.perf_event_paranoid forbids everything'
	run as_nobody bin/pipa record -o /dev/null -p $$
	refused_like 125 "pipa record: cannot sample process $$: Permission denied. The process belongs to another user \\(uid 0\\) or is privileged: CAP_PERFMON or CAP_SYS_PTRACE is required"
}

test_an_unwritable_directory_is_reported() {
	need_sampling
	need_nobody
	mkdir -m 755 locked
	run as_nobody bin/pipa record -o locked/perf.data true
	refused 125 <<< 'pipa record: cannot open locked/perf.data: Permission denied'
	echo content > locked/perf.data
	chmod 666 locked/perf.data
	run as_nobody bin/pipa record -o locked/perf.data true
	refused_like 125 'pipa record: cannot create a file beside locked/perf.data: Permission denied'
	same 'the file that was there' "$(cat locked/perf.data)" content
}

test_a_command_that_cannot_start_leaves_earlier_recordings() {
	need_sampling
	echo one > perf.data
	echo two > perf.data.old
	ls > before
	printf '#!/nosuch/interpreter\n' > broken
	chmod +x broken
	for command in nosuch ./broken /; do
		pipa record -- "$command"
		((got_status == 126 || got_status == 127)) || fail 'exit status' '126 or 127' "$got_status"
		same 'perf.data' "$(cat perf.data)" one
		same 'perf.data.old' "$(cat perf.data.old)" two
	done
	rm broken err out
	same 'files' "$(echo *)" 'before perf.data perf.data.old'
	pipa record -q true
	status 0
	same 'perf.data.old' "$(cat perf.data.old)" one
	same 'the recording' "$(head -c 8 perf.data)" PERFILE2
}

# gone COMMAND...: its standard output is closed by its reader after a few bytes
gone() {
	command_line=$*
	"$@" 2> err | head -c 10 > out
	got_status=${PIPESTATUS[0]}
}

test_a_reader_that_goes_early_is_a_loss() {
	need_sampling
	for output in '-o -' --print; do
		# shellcheck disable=SC2086
		gone "$PIPA" record $output -- "$PIPA_WORKLOADS/spin" 700
		status 141
		has err 'pipa record: the reader of standard output closed it: later samples were not written'
	done
	gone "$PIPA" record -o - -- sh -c "'$PIPA_WORKLOADS/spin' 700; exit 7"
	status 7
	has err 'the reader of standard output closed it'
	"$PIPA" record -o - -- "$PIPA_WORKLOADS/spin" 100 2> err | cat > whole
	same 'status with a reader' "${PIPESTATUS[0]}" 0
	lacks err 'has gone'
}

# descriptors PID: that are events or processes
descriptors() {
	find "/proc/$1/fd" -lname 'anon_inode:\[p*' 2> /dev/null | wc -l
}

# attached_descriptors COMMAND...: how many it has open once it records $target
attached_descriptors() {
	launch "$@"
	until_true attached "$started"
	descriptors "$started"
	kill -INT "$started"
	landed
}

# has_threads PID N
has_threads() {
	local tasks=(/proc/"$1"/task/*)

	((${#tasks[@]} >= $2))
}

test_a_process_with_many_threads_takes_as_many_descriptors_as_perf() {
	local cpus ours how

	need_sampling
	cpus=$(getconf _NPROCESSORS_ONLN)
	mkfifo gate
	start "$PIPA_WORKLOADS/threads" 200 1 gate
	target=$started
	until_true has_threads "$target" 201
	until_true blocked "$target"
	for how in auto fp dwarf; do
		attached_descriptors "$PIPA" record -q --call-graph "$how" -o perf.data -p "$target" > count
		ours=$(cat count)
		# one event with samples and one with side-band records, on each CPU; rings and the process apart
		between "descriptors, $how" "$ours" $((2 * 201 * cpus)) $((2 * 201 * cpus + 4 * cpus + 1))
	done
	: > gate
}

test_machines_without_sysfs_are_recorded() {
	need_root
	need_sampling
	need_system_wide
	unshare -m sh -c 'mount -t tmpfs none /sys' 2> /dev/null || skip 'needs a mount namespace'
	without_sys() {
		run unshare -m sh -c 'mount -t tmpfs none /sys; exec "$@"' sh timeout 60 "$PIPA" "$@"
		command_line="without /sys: pipa $*"
	}
	without_sys record -a -e cpu-clock -o perf.data "$PIPA_WORKLOADS/spin" 100
	status 0
	between 'samples' "$("$PIPA" report --stats perf.data | awk '$1 == "SAMPLE" { print $3; exit }')" 50 1000000
	without_sys stat -a -x, -e cpu-clock "$PIPA_WORKLOADS/spin" 50
	status 0
	between 'milliseconds' "$(csv cpu-clock)" 40 1000000
}

run_tests "$@"
