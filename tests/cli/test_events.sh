#!/usr/bin/env bash
#
# Events that pipa stat counts: every form an event can be written in.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# counted EVENT NAME: `-e EVENT` is counted and shown under that name
counted() {
	pipa stat -x, -e "$1" true
	status 0
	matches err "^[0-9.]+,[a-z]*,$2,[^,]*,100\\.00,"
	same "lines for $1" "$(wc -l < err)" 1
}

# known EVENT: it is an event, whether or not this machine has it
known() {
	pipa stat -x\; -e "$1" true
	status 0
	same "lines for $1" "$(wc -l < err)" 1
	[[ $(cut -d\; -f3 err) == "$1" ]] || fail 'event' "$1" "$(cat err)"
}

test_software_events_count_under_all_their_names() {
	local event

	need_counting
	for event in cpu-clock task-clock page-faults faults context-switches cs cpu-migrations \
		migrations minor-faults major-faults alignment-faults emulation-faults dummy \
		cgroup-switches; do
		counted "$event" "$event"
	done
}

test_hardware_events_are_known_under_all_their_names() {
	local event

	need_counting
	for event in cycles cpu-cycles instructions cache-references cache-misses branches \
		branch-instructions branch-misses bus-cycles stalled-cycles-frontend \
		stalled-cycles-backend ref-cycles idle-cycles-frontend; do
		known "$event"
	done
}

test_hardware_cache_events_are_known() {
	local event

	need_counting
	for event in L1-dcache-loads L1-dcache-load-misses L1-icache-load-misses LLC-loads \
		LLC-store-misses dTLB-loads iTLB-load-misses branch-load-misses node-loads; do
		known "$event"
	done
}

test_raw_events_are_known() {
	need_counting
	known r1a8
	known r003c:u
}

test_an_unsupported_event_is_marked() {
	local event

	need_counting
	# some hardware event is missing nearly everywhere; find one that is
	for event in $("$PIPA" list hw --json | sed -n '/"name"/h; /"missing"/{x; p}' |
		sed -E 's/.*: "(.*)",/\1/'); do
		pipa stat -e "$event",page-faults true
		status 0
		screen_after "s/ $event/ EVENT/" '/^ note:/,$d' << 'END'

 Performance counter stats for 'true':

 <not supported> EVENT
 N page-faults

 N seconds time elapsed

 N seconds user
 N seconds sys

END
		return
	done
	skip 'this machine has every hardware event'
}

test_pmu_events_take_their_terms_from_sysfs() {
	need_counting
	[[ -d /sys/bus/event_source/devices/software ]] || skip 'no PMU of software events'
	counted software/config=2/ software/config=2/
	counted software/config=0x2,name=mine/ mine
	counted software/config=2/u software/config=2/u
}

test_tracepoints_count() {
	need_tracepoints
	need_workloads
	pipa stat -x, -e syscalls:sys_enter_write "$PIPA_WORKLOADS/writes" 1234
	status 0
	same writes "$(csv syscalls:sys_enter_write)" 1234
}

test_a_glob_counts_all_matching_tracepoints() {
	need_tracepoints
	need_workloads
	pipa stat -x, -e 'sched:sched_process_*' "$PIPA_WORKLOADS/forks" 3 0
	status 0
	same forks "$(csv sched:sched_process_fork)" 3
	same programs "$(csv sched:sched_process_exec)" 1 # not exits: before 6.16 a task has no events by then
}

test_a_filter_omits_records_that_do_not_match() {
	need_tracepoints
	need_workloads
	pipa stat -x, -e syscalls:sys_enter_write --filter 'count == 1' \
		-e syscalls:sys_exit_write --filter 'ret == 2' "$PIPA_WORKLOADS/writes" 50
	status 0
	same 'writes of one byte' "$(csv syscalls:sys_enter_write)" 50
	same 'writes of two bytes' "$(csv syscalls:sys_exit_write)" 0
}

test_breakpoints_are_known_in_all_forms() {
	local event

	need_counting
	for event in mem:0x1000 mem:0x1000:r mem:0x1000:w mem:0x1000:rw mem:0x1000/8:w \
		mem:0x1000:x mem:0x1000:rw:u; do
		known "$event"
	done
}

test_modifiers_are_kept_in_the_name() {
	local event

	need_counting
	for event in page-faults:u page-faults:k page-faults:uk page-faults:ukh page-faults:D \
		page-faults:S page-faults:I page-faults:G page-faults:H page-faults:W \
		page-faults:uppp page-faults:P page-faults:e; do
		known "$event"
	done
}

test_user_and_kernel_faults_add_up() {
	local all

	need_exact_faults
	run exactly "$PIPA" stat -x, -e page-faults,page-faults:u,page-faults:k \
		"$PIPA_WORKLOADS/touch" 1000
	all=$(csv page-faults)
	between 'faults in user space' "$(csv page-faults:u)" 1000 "$all"
	same 'their sum' $(($(csv page-faults:u) + $(csv page-faults:k))) "$all"
}

test_groups_count_together() {
	local form

	need_counting
	need_workloads
	for form in '{page-faults,minor-faults}' '{page-faults,minor-faults}:S' \
		'{page-faults,minor-faults}:W'; do
		pipa stat -x, -e "$form,major-faults" "$PIPA_WORKLOADS/touch" 1000
		status 0
		same lines "$(wc -l < err)" 3
		between 'page faults' "$(awk -F, '$3 ~ /^page-faults/ { print $1 }' err)" 1000 1300
	done
	pipa stat -x, -e '{page-faults,minor-faults}:u' "$PIPA_WORKLOADS/touch" 1000
	between 'user faults' "$(csv page-faults:u)" 1000 1300
	between 'user faults' "$(csv minor-faults:u)" 1000 1300
}

test_the_option_can_be_repeated() {
	need_counting
	pipa stat -x, -e page-faults -e cs,faults -e '{cpu-clock}' true
	status 0
	cut -d, -f3 err > events
	printf '%s\n' page-faults cs faults cpu-clock | compare events events
}

test_an_event_may_be_counted_twice() {
	need_counting
	pipa stat -x, -e page-faults,page-faults true
	status 0
	same 'different counts' "$(csv page-faults | sort -u | wc -l)" 1
	same counts "$(csv page-faults | wc -l)" 2
}

test_tool_events_measure_time() {
	need_workloads
	pipa stat -e duration_time,user_time,system_time "$PIPA_WORKLOADS/spin" 50
	status 0
	screen_after "s|$PIPA_WORKLOADS/||" << 'END'

 Performance counter stats for 'spin N':

 N ns duration_time
 N ns user_time
 N ns system_time

 N seconds time elapsed

 N seconds user
 N seconds sys

END
	pipa stat -x, -e duration_time,user_time,system_time "$PIPA_WORKLOADS/spin" 50
	between 'wall time' "$(csv duration_time)" 45000000 10000000000
	between 'CPU time' $(($(csv user_time) + $(csv system_time))) 45000000 200000000
}

test_more_details_mean_more_events() {
	local option

	need_counting
	for option in -d:12 -dd:18 -ddd:20 '--detailed:12'; do
		pipa stat -x, "${option%:*}" true
		status 0
		same "events of ${option%:*}" "$(wc -l < err)" "${option#*:}"
	done
}

test_more_details_go_with_chosen_events_too() {
	need_counting
	pipa stat -x, -d -e page-faults true
	status 0
	cut -d, -f3 err > events
	compare events events << 'END'
page-faults
L1-dcache-loads
L1-dcache-load-misses
LLC-loads
LLC-load-misses
END
}

test_a_thousand_events_are_counted() {
	local many

	need_counting
	many=$(printf 'page-faults,%.0s' {1..1000})
	pipa stat -x, -e "${many%,}" true
	status 0
	same lines "$(wc -l < err)" 1000
	same 'different counts' "$(csv page-faults | sort -u | wc -l)" 1
}

test_too_many_events_for_the_limit_are_refused_with_advice() {
	local many

	need_counting
	many=$(printf 'page-faults,%.0s' {1..200})
	run bash -c 'ulimit -n 64; exec "$0" stat -e "$1" touch ran' "$PIPA" "${many%,}"
	refused_like 125 'pipa stat: cannot count page-faults of thread [0-9]+: Too many open files. Use fewer events or CPUs, or raise the limit: ulimit -n .*'
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

test_the_soft_limit_is_raised_for_many_events() {
	local many

	need_counting
	many=$(printf 'page-faults,%.0s' {1..200})
	run bash -c 'ulimit -S -n 64; exec "$0" stat -x, -e "$1" true' "$PIPA" "${many%,}"
	status 0
	same lines "$(wc -l < err)" 200
}

test_the_command_keeps_its_own_limit_of_files() {
	local many

	need_counting
	many=$(printf 'page-faults,%.0s' {1..200})
	run bash -c 'ulimit -S -n 64; exec "$0" stat -x, -e "$1" sh -c "ulimit -S -n"' "$PIPA" \
		"${many%,}"
	status 0
	echo 64 | stdout
}

# ---- metrics -------------------------------------------------------------------------------

test_metrics_bring_their_events() {
	need_counting
	need_workloads
	pipa stat -M cpus_utilized,faults_per_second "$PIPA_WORKLOADS/spin" 30
	status 0
	screen_after "s|$PIPA_WORKLOADS/||" << 'END'

 Performance counter stats for 'spin N':

 N msec task-clock # N CPUs utilized
 N page-faults # N faults/sec

 N seconds time elapsed

 N seconds user
 N seconds sys

END
}

test_an_expression_is_a_metric() {
	local faults

	need_counting
	pipa stat -x, -M 'twice=2 * [page-faults] + 0' true
	status 0
	faults=$(csv page-faults)
	same 'metric' "$(csv page-faults 6),$(csv page-faults 7)" "$((2 * faults)).0000,twice"
}

test_an_expression_may_use_every_form_of_event() {
	local event

	need_counting
	for event in cs faults page-faults:u software/config=2/; do
		pipa stat -x, -M "x=[$event] + 7000" true
		status 0
		same "value of $event in the metric" "$(csv "$event" 6)" $(($(csv "$event") + 7000)).0000
	done
}

test_metrics_are_printed_beside_chosen_events() {
	need_counting
	pipa stat -x, -e minor-faults -M 'rate=[page-faults] / [minor-faults]' true
	status 0
	cut -d, -f3 err > events
	printf '%s\n' minor-faults page-faults | compare events events
}

test_only_metrics_can_be_shown() {
	need_counting
	pipa stat --metric-only -x, -M cpus_utilized,faults_per_second true
	status 0
	csv_screen << 'END'
CPUs utilized,faults/sec,
N,N,
END
	pipa stat --metric-only -M cpus_utilized,faults_per_second true
	screen << 'END'

 Performance counter stats for 'true':

 CPUs utilized faults/sec
 N N

 N seconds time elapsed

 N seconds user
 N seconds sys

END
}

test_topdown_is_counted_or_refused_by_name() {
	need_counting
	pipa stat --topdown true
	if [[ $got_status -eq 0 ]]; then
		has err 'retiring'
	else
		refused 125 << 'END'
pipa stat: this machine lacks the events of metric 'topdown'. See which metrics it can compute with: pipa list metric
END
	fi
}

run_tests "$@"
