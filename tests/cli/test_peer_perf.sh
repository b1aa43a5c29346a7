#!/usr/bin/env bash
#
# pipa stat beside perf stat: the same counts of the same process, the same columns.

. "${BASH_SOURCE[0]%/*}/lib.sh"

need_perf() {
	need_counting
	need_workloads
	need_program perf
	perf stat -x, -e page-faults true 2>&1 | grep -q ',page-faults,' ||
		skip 'perf is installed but does not count'
}

# Perf's files begin with a comment and an empty line.
perf_lines() {
	grep -v -e '^#' -e '^$' "$1"
}

# ---- both attached to one process -----------------------------------------------------------

# both EVENTS COMMAND...: block the command, attach pipa and perf, let it go; ./pipa.csv, ./perf.csv
both() {
	local events=$1 ours theirs

	shift
	command_line="pipa stat, perf stat -x, -e $events -p PID of $*"
	block "$@"
	attach_both "$events"
}

# attach_both EVENTS: to $target, which is blocked
attach_both() {
	local ours theirs

	start "$PIPA" stat -x, -e "$1" -o pipa.csv -p "$target"
	ours=$started
	start env perf stat -x, -e "$1" -o perf.csv -p "$target"
	theirs=$started
	until_true attached "$ours"
	until_true attached "$theirs"
	unblock
	until_true is_gone "$theirs"
	until_true is_gone "$ours"
	wait "$ours"
	got_status=$?
	status 0
	perf_lines perf.csv > perf.lines
}

# equal EVENT LEAST: both have the same count of it, and at least so much
equal() {
	local ours theirs

	ours=$(csv "$1" 1 pipa.csv)
	theirs=$(csv "$1" 1 perf.lines)
	between "perf's $1" "$theirs" "$2" 1000000000
	same "$1" "$ours" "$theirs"
}

# close EVENT LEAST: both are within one percent of each other, and at least so much
close() {
	local ours theirs

	ours=$(csv "$1" 1 pipa.csv)
	theirs=$(csv "$1" 1 perf.lines)
	between "perf's $1" "$theirs" "$2" 1000000000
	between "$1" "$ours" "$(awk -v n="$theirs" 'BEGIN { print n * 0.99 }')" \
		"$(awk -v n="$theirs" 'BEGIN { print n * 1.01 }')"
}

test_page_faults_of_a_process_are_equal() {
	need_perf
	both page-faults,minor-faults "$PIPA_WORKLOADS/touch" 20000
	equal page-faults 20000
	equal minor-faults 20000
}

test_tracepoints_of_a_process_are_equal() {
	need_perf
	need_tracepoints
	both syscalls:sys_enter_write,sched:sched_process_exec "$PIPA_WORKLOADS/writes" 5000
	equal syscalls:sys_enter_write 5000
	equal sched:sched_process_exec 1
}

test_context_switches_of_a_process_are_within_a_percent() {
	need_perf
	both context-switches "$PIPA_WORKLOADS/yield" 5000
	close context-switches 5000
}

test_the_clock_of_a_process_is_within_a_percent() {
	need_perf
	both task-clock "$PIPA_WORKLOADS/spin" 500
	close task-clock 490
}

test_threads_of_a_process_are_counted_alike() {
	need_perf
	mkfifo gate
	start "$PIPA_WORKLOADS/threads" 4 5000 gate
	target=$started
	until_true has_threads "$target" 5
	until_true blocked "$target"
	command_line="pipa stat, perf stat -x, -e page-faults -p PID of threads 4 5000"
	attach_both page-faults
	equal page-faults 20000
}

# has_threads PID N
has_threads() {
	[[ $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l) -eq $2 ]]
}

test_threads_that_come_later_are_counted_alike() {
	need_perf
	both page-faults "$PIPA_WORKLOADS/threads" 4 5000
	equal page-faults 20000
}

test_children_are_counted_alike() {
	need_perf
	both page-faults "$PIPA_WORKLOADS/forks" 5 3000
	equal page-faults 15000
}

test_forks_are_counted_alike() {
	need_perf
	need_tracepoints
	both sched:sched_process_fork,sched:sched_process_exec "$PIPA_WORKLOADS/forks" 20 0
	equal sched:sched_process_fork 20
	equal sched:sched_process_exec 1
}

test_user_and_kernel_counts_are_equal() {
	need_perf
	both page-faults:u,page-faults:k "$PIPA_WORKLOADS/touch" 5000
	equal page-faults:u 5000
	same page-faults:k "$(csv page-faults:k 1 pipa.csv)" "$(csv page-faults:k 1 perf.lines)"
}

test_a_filter_counts_alike() {
	need_perf
	need_tracepoints
	block "$PIPA_WORKLOADS/writes" 3000
	command_line="pipa stat, perf stat -e syscalls:sys_enter_write --filter 'count == 1'"
	start "$PIPA" stat -x, -e syscalls:sys_enter_write --filter 'count == 1' -o pipa.csv \
		-p "$target"
	ours=$started
	start env perf stat -x, -e syscalls:sys_enter_write --filter 'count == 1' -o perf.csv \
		-p "$target"
	theirs=$started
	until_true attached "$ours"
	until_true attached "$theirs"
	unblock
	wait "$ours" "$theirs"
	perf_lines perf.csv > perf.lines
	equal syscalls:sys_enter_write 3000
}

# ---- a command each ------------------------------------------------------------------------

# each EVENT WORKLOAD ARGS...: the same counts in three runs of both
each() {
	local event=$1 workload=$PIPA_WORKLOADS/$2 i ours theirs

	shift 2
	command_line="pipa stat, perf stat -x, -e $event $workload $*"
	for i in 1 2 3; do
		ours=$(exactly "$PIPA" stat -x, -e "$event" "$workload" "$@" 2>&1 | cut -d, -f1)
		theirs=$(exactly "$perf" stat -x, -e "$event" "$workload" "$@" 2>&1 | cut -d, -f1)
		same "$event in run $i" "$ours" "$theirs"
	done
}

test_exact_events_of_a_command_are_equal_across_runs() {
	need_perf
	need_exact_faults
	perf=$(type -P perf)
	each page-faults touch 1000
	each page-faults touch 5000
	need_tracepoints
	each syscalls:sys_enter_write writes 1000
	each sched:sched_process_fork forks 5 0
	each sched:sched_process_exec touch 0
}

# ---- the columns of -x ----------------------------------------------------------------------

events=task-clock,context-switches,cpu-migrations,page-faults,cycles,instructions

# columns < CSV: numbers as N; whether a rate is in thousands, and whether a sleeping thread ran for
# a moment, depends on the run
columns() {
	sed -E -e 's/[0-9]+(\.[0-9]+)?/N/g' -e 's/,[KMG]\/sec/,\/sec/' \
		-e 's/<not counted>(.*),,$/N\1,N,\/sec/' -e 's/,N,CPUs utilized$/,N,\/sec/'
}

# alike ARGS...: both print the same columns for `stat -x, ARGS`. Chance may come between (an
# interval too many on a busy machine), so they have three tries; a real difference stays.
alike() {
	local try

	command_line="pipa stat, perf stat -x, $*"
	for try in 1 2 3; do
		"$PIPA" stat -x, -o pipa.csv "$@" > /dev/null 2> err || fail "try $try" 'success' failure
		perf stat -x, -o perf.csv "$@" > /dev/null 2>&1
		columns < pipa.csv > ours
		perf_lines perf.csv | columns > theirs
		! cmp -s ours theirs || return 0
	done
	compare "perf's columns" ours < theirs
}

test_plain_columns_are_perfs() {
	need_perf
	alike -e "$events" true
	alike -e page-faults,page-faults:u,minor-faults,duration_time true
	alike -e '{page-faults,minor-faults},cs' true
	alike -n true
}

test_columns_of_other_separators_are_perfs() {
	need_perf
	"$PIPA" stat -x\; -o pipa.csv -e page-faults,cs true
	perf stat -x\; -o perf.csv -e page-faults,cs true
	columns < pipa.csv > ours
	perf_lines perf.csv | columns | compare "perf's columns" ours
}

test_columns_of_every_kind_of_event_are_perfs() {
	need_perf
	need_tracepoints
	alike -e sched:sched_process_exec,software/config=2/,r1a8,mem:0x1000:rw,L1-dcache-loads true
}

test_columns_of_cpus_are_perfs() {
	need_perf
	need_system_wide
	alike -a -A -e "$events" sleep 0.05
}

test_columns_of_cores_dies_sockets_and_nodes_are_perfs() {
	local by

	need_perf
	need_system_wide
	for by in --per-core --per-die --per-socket --per-node; do
		alike -a "$by" -e "$events" sleep 0.05
	done
}

test_columns_of_threads_are_perfs() {
	need_perf
	block true
	alike --per-thread -p "$target" -e "$events" sleep 0.05
	unblock
}

test_columns_of_repeats_are_perfs() {
	need_perf
	alike -r 3 -e "$events" true
	alike -r 2 -a --per-socket -e cpu-clock,page-faults sleep 0.05
}

test_columns_of_intervals_are_perfs() {
	need_perf
	need_system_wide
	alike -I 200 -e task-clock,page-faults sleep 0.3
	alike -I 200 -a -e cpu-clock,context-switches sleep 0.3
	alike -I 200 -a -A -e cpu-clock sleep 0.3
	alike -I 100 --interval-count 2 -a --per-socket -e cpu-clock
}

test_columns_of_a_summary_are_perfs() {
	need_perf
	alike -I 200 --summary -e task-clock,page-faults sleep 0.3
}

test_columns_of_cgroups_are_perfs() {
	need_perf
	need_cgroup
	alike -a --for-each-cgroup "$cgroup_name" -e cpu-clock,page-faults sleep 0.05
}

run_tests "$@"
