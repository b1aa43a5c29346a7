#!/bin/bash
# `pipa record`: targets, rates, outputs and ends, with perf as the reader where it is installed.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_peer() {
	need_program perf
	perf --version > /dev/null 2>&1 || skip 'perf is a wrapper without a program'
}

# events FILE TYPE: how many records of a type pipa sees
events() {
	"$PIPA" report --stats "$1" |
		awk -v type="$2" '$1 == type && $2 == "events:" { n = $3; exit } END { print n + 0 }'
}

peer_events() {
	perf report -f --stats -i "$1" 2> peer.err |
		awk -v type="$2" '$1 == type && $2 == "events:" { n = $3; exit } END { print n + 0 }'
}

# readable FILE: whole for us, and the same for perf
readable() {
	"$PIPA" report --stats "$1" > stats 2> stats.err || fail "pipa report $1" 'status 0' "$(cat stats.err)"
	same "complaints about $1" "$(cat stats.err)" ''
	if command -v perf > /dev/null && perf --version > /dev/null 2>&1; then
		same "samples of $1 for perf" "$(peer_events "$1" SAMPLE)" "$(events "$1" SAMPLE)"
		same "records of $1 for perf" "$(peer_events "$1" TOTAL)" "$(events "$1" TOTAL)"
	fi
}

# said FILE: samples in the last line of standard error
said() {
	sed -nE "s/^\[ pipa record: ([0-9]+) samples, .* MB in $1; lost [0-9]+ \]\$/\1/p" err
}

samples() {
	between "samples of $1" "$(events "$1" SAMPLE)" "$2" 1000000
}

busy() {
	start "$PIPA_WORKLOADS/spin" 60000
	target=$started
	until_true names_itself "$target" spin
}

test_a_command_is_sampled_into_perf_data() {
	need_sampling
	run "$PIPA" record -- "$PIPA_WORKLOADS/spin" 200
	status 0
	readable perf.data
	samples perf.data 50
	same 'samples said' "$(said perf.data)" "$(events perf.data SAMPLE)"
	"$PIPA" report perf.data > shown
	matches shown '(^| )spin '
}

test_an_existing_file_is_kept_as_old() {
	need_sampling
	run "$PIPA" record -q true
	cp perf.data first
	run "$PIPA" record -q true
	status 0
	cmp -s first perf.data.old || fail perf.data.old 'the first recording' 'something else'
}

test_a_missing_command_leaves_the_old_file_unchanged() {
	need_sampling
	echo precious > perf.data
	run "$PIPA" record ./nothing-here
	status 127
	same 'lines on standard error' "$(wc -l < err)" 1
	same 'the file' "$(cat perf.data)" precious
	[[ ! -e perf.data.old ]] || fail perf.data.old 'no such file' 'it is there'
	: > plain
	run "$PIPA" record ./plain
	status 126
}

test_the_commands_status_is_passed_on() {
	need_sampling
	run "$PIPA" record -q sh -c 'exit 7'
	status 7
	# shellcheck disable=SC2016
	run "$PIPA" record -q sh -c 'kill -9 $$'
	status 137
	readable perf.data
}

test_nothing_to_record_is_refused() {
	run "$PIPA" record
	refused 125 <<- 'END'
		pipa record: nothing to record. Specify a command, -a for all CPUs, or -p PID.
	END
	run "$PIPA" record -F 10 -c 10 true
	status 125
	run "$PIPA" record -F many true
	refused 125 <<- 'END'
		pipa record: -F: invalid rate 'many', expected samples per second or max
	END
	run "$PIPA" record --call-graph dwarf2 true
	status 125
	run "$PIPA" record -z99 true
	status 125
}

test_a_running_process_is_sampled_with_its_mappings() {
	need_sampling
	busy
	run "$PIPA" record -p "$target" --duration 0.5
	status 0
	readable perf.data
	samples perf.data 20
	"$PIPA" report --sort comm,dso perf.data > shown
	matches shown 'spin +(libc|\[vdso|spin)'
	between 'mappings' "$(events perf.data MMAP2)" 2 1000
}

# in_its_loop PID: has that pipa begun?
in_its_loop() {
	grep -qE 'ep_poll|epoll_wait' "/proc/$1/wchan"
}

has_tasks() {
	local tasks=("/proc/$1/task"/*)

	[[ ${#tasks[@]} -ge $2 ]]
}

test_no_thread_made_while_a_process_is_attached_to_is_missed_or_sampled_twice() {
	need_sampling
	start sleep 60
	until_true names_itself "$started" sleep
	until_true blocked "$started"
	[[ $(cat "/proc/$started/wchan") == *[a-z]* ]] ||
		skip 'the kernel does not say where a process waits'
	mkfifo gate
	start "$PIPA_WORKLOADS/spawn" 300 gate
	target=$started
	until_true has_tasks "$target" 20
	launch "$PIPA" record -e page-faults:u -c 1 --call-graph none -p "$target"
	until_true has_tasks "$target" 301
	until_true in_its_loop "$started"
	unblock
	landed
	status 0
	# 16 pages on each CPU, and a few of their own
	"$PIPA" script -F tid perf.data |
		awk -v least="$((16 * $(nproc)))" '{ n[$1]++ }
			END {
				for (tid in n)
					if (n[tid] >= least && n[tid] < least + 16)
						whole++
					else if (n[tid] > 8)
						odd++
				print whole, odd + 0
			}' > threads
	# the one that makes the others may have touched as many
	between 'threads with all of their samples' "$(cut -d ' ' -f 1 threads)" 300 301
	between 'threads with some of them' "$(cut -d ' ' -f 2 threads)" 0 1
}

test_a_thread_is_sampled() {
	need_sampling
	busy
	run "$PIPA" record -t "$target" --duration 0.3
	status 0
	readable perf.data
	samples perf.data 10
}

test_all_cpus_are_sampled_with_all_processes() {
	need_sampling
	need_system_wide
	busy
	run "$PIPA" record -a --duration 0.5
	status 0
	readable perf.data
	samples perf.data 20
	"$PIPA" report --sort comm perf.data > shown
	matches shown ' spin'
	between 'processes' "$(events perf.data COMM)" 2 1000000
}

test_existing_bpf_programs_are_recorded() {
	need_sampling
	need_system_wide
	mkfifo gate
	start "$PIPA_WORKLOADS/program" gate
	until_true eval "is_gone $started || blocked $started"
	! is_gone "$started" || skip 'this user may not load BPF programs'
	grep -E 'bpf_prog_[0-9a-f]{16}_pipa_(first|second)' /proc/kallsyms > symbols ||
		skip 'BPF programs are not compiled here, or not shown'
	run "$PIPA" record -a -- true
	status 0
	readable perf.data
	between 'symbols' "$(events perf.data KSYMBOL)" 2 10000
	between 'programs' "$(events perf.data BPF_EVENT)" 1 10000
	if command -v perf > /dev/null && perf --version > /dev/null 2>&1; then
		perf script -f -i perf.data --show-bpf-events > shown 2> peer.err
	fi
	while read -r address _ name _; do
		grep -qF "$name" perf.data || fail 'in perf.data' "$name" 'other names'
		[[ ! -s shown ]] ||
			matches shown "KSYMBOL addr $address len [0-9]+ type 1 flags 0x0 name $name\$"
	done < symbols
	unblock
}

test_only_the_named_cpu_is_sampled() {
	need_sampling
	need_system_wide
	need_peer
	start taskset -c 0 "$PIPA_WORKLOADS/spin" 60000
	until_true names_itself "$started" spin
	run "$PIPA" record -C 0 --duration 0.5
	status 0
	samples perf.data 10
	same CPUs "$(perf script -i perf.data -F cpu 2> /dev/null | sort -u | tr -d ' ')" '[000]'
}

test_only_the_processes_of_a_cgroup_are_sampled() {
	need_sampling
	need_cgroup
	# shellcheck disable=SC2016
	start sh -c 'echo $$ > "$0/cgroup.procs" && exec "$1" 60000' "$cgroup" "$PIPA_WORKLOADS/spin"
	until_true names_itself "$started" spin
	run "$PIPA" record --cgroup "$cgroup_name" --duration 0.5
	status 0
	readable perf.data
	samples perf.data 20
	"$PIPA" report --sort comm perf.data > shown
	same 'who was sampled' "$(awk '!/^#/ && NF { print $NF }' shown | sort -u)" spin
}

test_context_switches_are_records() {
	need_sampling
	need_counting
	run "$PIPA" record --switch-events -- "$PIPA_WORKLOADS/yield" 100
	status 0
	readable perf.data
	between 'switches' "$(events perf.data SWITCH)" 2 1000000
}

test_a_period_samples_every_nth_event() {
	need_sampling
	need_counting
	run "$PIPA" record -e page-faults -c 1 -- "$PIPA_WORKLOADS/touch" 500
	status 0
	readable perf.data
	samples perf.data 500
	run "$PIPA" record -q -e page-faults -c 100 -o less.data -- "$PIPA_WORKLOADS/touch" 500
	status 0
	between 'samples, a hundred faults each' "$(events less.data SAMPLE)" 4 40
}

test_several_events_and_groups_are_sampled_together() {
	need_sampling
	need_counting
	run "$PIPA" record -e '{cpu-clock,page-faults}' -e context-switches -- "$PIPA_WORKLOADS/spin" 100
	status 0
	readable perf.data
	"$PIPA" report --stats perf.data > stats
	has stats 'cpu-clock stats:'
	has stats 'page-faults stats:'
	need_peer
	perf evlist -g -i perf.data > list
	has list '{cpu-clock,page-faults}'
	run "$PIPA" record -e '{cpu-clock,page-faults}:S' -- "$PIPA_WORKLOADS/spin" 100
	status 0
	readable perf.data
}

test_compressed_records_are_the_same_records() {
	need_sampling
	run "$PIPA" record -z -F 5000 -- "$PIPA_WORKLOADS/spin" 200
	status 0
	readable perf.data
	samples perf.data 50
	between 'packed' "$(events perf.data COMPRESSED)" 1 10000
	run "$PIPA" record -z9 -F 5000 -- "$PIPA_WORKLOADS/spin" 50
	status 0
	"$PIPA" report --header perf.data > header
	has header 'level = 9'
}

test_a_pipe_carries_a_recording() {
	need_sampling
	"$PIPA" record -q -o - -- "$PIPA_WORKLOADS/spin" 200 > piped
	"$PIPA" report --stats - < piped > stats 2> stats.err || fail 'pipa report -' 'status 0' "$(cat stats.err)"
	between 'samples' "$(awk '$1 == "SAMPLE" { print $3; exit }' stats)" 50 100000
	"$PIPA" record -q -z -o - -- "$PIPA_WORKLOADS/spin" 100 | "$PIPA" report --header - > header
	has header 'hostname'
	need_peer
	same 'samples for perf' "$(perf report -i - --stats < piped 2> /dev/null | awk '$1 == "SAMPLE" { print $3; exit }')" \
		"$(awk '$1 == "SAMPLE" { print $3; exit }' stats)"
	perf report -i - --stdio -g none < piped > shown 2> report.err || fail 'perf report' 'status 0' "$(cat report.err)"
	matches shown ' spin '
}

test_a_named_pipe_waits_for_its_reader() {
	need_sampling
	mkfifo pipe
	launch "$PIPA" record -o pipe -- "$PIPA_WORKLOADS/spin" 100
	sleep 0.3
	! is_gone "$started" || fail 'pipa' 'waits' 'has ended'
	cat pipe > got.data
	landed
	status 0
	same 'samples said' "$(said pipe)" "$(events got.data SAMPLE)"
	samples got.data 10

	launch "$PIPA" record -o pipe -- true
	sleep 0.3
	kill -INT "$started"
	landed
	status 130
	stderr < /dev/null
}

test_a_reader_that_goes_away_does_not_end_the_command() {
	need_sampling
	# shellcheck disable=SC2016
	"$PIPA" record -q -F 5000 -m 64Ki -o - -- sh -c '"$0" 600; echo done > finished' "$PIPA_WORKLOADS/spin" | head -c 100 > part
	until_true test -s finished
}

test_samples_are_printed_as_they_come() {
	need_sampling
	run "$PIPA" record --print -- "$PIPA_WORKLOADS/spin" 100
	status 0
	matches out '^ +ip +pid +tid +time +cpu +period event$'
	matches out '^ *[0-9a-f]+ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9]{9} +[0-9]+ +[0-9]+ [a-z-]+'
	[[ ! -e perf.data ]] || fail perf.data 'no file' 'it is there'
	run "$PIPA" record --print -o both.data -- "$PIPA_WORKLOADS/spin" 100
	status 0
	same 'printed and recorded' "$(($(grep -cv '^#' out) - 1))" "$(events both.data SAMPLE)"
}

test_ctrl_c_ends_a_watch_and_finishes_the_file() {
	need_sampling
	busy
	launch "$PIPA" record -p "$target"
	until_true attached "$started"
	sleep 0.3
	kill -INT "$started"
	landed
	status 0
	readable perf.data
	samples perf.data 1
}

test_sigterm_finishes_the_file_too() {
	need_sampling
	busy
	launch "$PIPA" record -p "$target"
	until_true attached "$started"
	sleep 0.3
	kill -TERM "$started"
	landed
	status 143
	readable perf.data
}

test_a_target_that_dies_ends_the_recording() {
	need_sampling
	busy
	launch "$PIPA" record -p "$target"
	until_true attached "$started"
	kill -KILL "$target"
	landed
	status 0
	readable perf.data
}

test_all_but_the_last_thread_of_a_target_may_die() {
	need_sampling
	busy
	first=$target
	busy
	launch "$PIPA" record -p "$first,$target" --duration 1
	until_true attached "$started"
	kill -KILL "$first"
	landed
	status 0
	readable perf.data
	samples perf.data 20
}

test_duration_ends_a_command() {
	need_sampling
	run "$PIPA" record --duration 0.3 -- "$PIPA_WORKLOADS/spin" 60000
	status 143
	readable perf.data
	samples perf.data 10
}

test_a_delay_leaves_the_beginning_out() {
	need_sampling
	run "$PIPA" record -D 60000 -- "$PIPA_WORKLOADS/spin" 50
	status 0
	readable perf.data
	same samples "$(said perf.data)" 0
	between 'mappings are there all the same' "$(events perf.data MMAP2)" 3 1000
}

test_a_limit_ends_the_records_and_not_the_command() {
	need_sampling
	# shellcheck disable=SC2016
	run "$PIPA" record -F 20000 --max-size 60k -- sh -c '"$0" 500; exit 3' "$PIPA_WORKLOADS/spin"
	status 3
	has err 'perf.data has reached its limit (--max-size)'
	readable perf.data
	samples perf.data 10
	same 'samples said' "$(said perf.data)" "$(events perf.data SAMPLE)"
	between 'size' "$(stat -c %s perf.data)" 1 80000
}

test_a_full_disk_leaves_a_readable_file() {
	need_sampling
	need_root
	mkdir small
	mount -t tmpfs -o size=200k none small 2> /dev/null || skip 'no file system can be mounted'
	run "$PIPA" record -F 20000 -m 64Ki -o small/perf.data -- "$PIPA_WORKLOADS/spin" 1000
	cp small/perf.data small.data
	umount small
	refused 125 <<- 'END'
		pipa record: cannot write small/perf.data: No space left on device. It holds the data recorded so far.
	END
	readable small.data
	samples small.data 100
	"$PIPA" report --header small.data > header
	has header 'hostname'
}

test_tracepoints_bring_their_fields() {
	need_sampling
	need_tracepoints
	# not of the exit: kernels before 6.16 have taken the events of a task away by then
	run "$PIPA" record -e sched:sched_process_fork -- sh -c '(true); true'
	status 0
	readable perf.data
	samples perf.data 1
	need_peer
	perf script -i perf.data > lines 2> script.err
	matches lines 'sched:sched_process_fork: comm=sh pid=[0-9]+'
	run "$PIPA" record -e sched:sched_process_fork --filter 'parent_pid == 1' -- sh -c '(true); true'
	status 0
	same samples "$(said perf.data)" 0
}

test_perf_reads_our_header() {
	need_sampling
	need_peer
	run "$PIPA" record -- "$PIPA_WORKLOADS/spin" 50
	perf report --header-only -i perf.data > header 2> header.err
	same 'complaints' "$(cat header.err)" ''
	matches header "^# hostname : $(uname -n)\$"
	matches header "^# os release : $(uname -r)\$"
	matches header '^# perf version : pipa [0-9]'
	matches header '^# cmdline : pipa record -- .*spin 50'
	matches header '^# clockid: monotonic'
	matches header '^# pmu mappings: '
	matches header '^# time of first sample : '
	perf evlist -v -i perf.data > list 2> list.err
	matches list '^(cpu-clock|cycles).*IDENTIFIER'
	has list 'use_clockid: 1'
	if [[ -r /sys/kernel/notes ]]; then
		perf buildid-list -i perf.data > ids
		has ids '[kernel.kallsyms]'
	fi
}

test_an_unprivileged_user_samples_user_space_with_a_note() {
	need_nobody
	[[ $(cat /proc/sys/kernel/perf_event_paranoid) -eq 2 ]] || skip 'kernel.perf_event_paranoid is not 2'
	mkdir -m 777 theirs
	cd theirs || exit 1
	run as_nobody ../bin/pipa record ../bin/spin 100
	status 0
	has err 'no permission to sample the kernel: user space only. See kernel.perf_event_paranoid.'
	readable perf.data
	samples perf.data 3
	run as_nobody ../bin/pipa record -a ../bin/spin 100
	status 125
	same 'lines on standard error' "$(wc -l < err)" 1
	has err 'Permission denied'
}

test_a_rate_above_the_permitted_one_is_lowered_with_a_note() {
	need_sampling
	most=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	run "$PIPA" record -F 4000000 true
	status 0
	has err "the kernel permits $most samples per second, not 4000000"
	run "$PIPA" record -F max true
	status 0
	lacks err 'permits'
}

test_pipa_itself_can_be_left_out() {
	need_sampling
	need_system_wide
	busy
	launch "$PIPA" record -a --exclude-self -F 5000 --duration 0.5
	landed
	status 0
	readable perf.data
	samples perf.data 20
	same 'samples said' "$(said perf.data)" "$(events perf.data SAMPLE)"
	"$PIPA" report --sort pid perf.data > shown
	matches shown "(^| )$target( |:|\$)"
	! grep -qE "(^| )$started( |:|\$)" shown || fail 'processes' 'not pipa' "$(cat shown)"
}

test_progress_is_shown_on_a_terminal() {
	need_sampling
	need_terminal
	busy
	script -qec "'$PIPA' record -p $target --duration 1" typescript > /dev/null
	matches typescript '\[ [0-9.]+ s  [0-9]+ samples  [0-9.]+ MB  lost [0-9]+ \]'
	matches typescript '\[ pipa record: [0-9]+ samples'
}

run_tests "$@"
