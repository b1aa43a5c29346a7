#!/usr/bin/env bash
#
# Targets of pipa stat: a command, processes, threads, CPUs, cgroups; and how it sums.
# shellcheck disable=SC2016 # $ in a script for another shell

. "${BASH_SOURCE[0]%/*}/lib.sh"

# ---- a command -----------------------------------------------------------------------------

test_the_default_set_is_perfs() {
	need_counting
	pipa stat -x, true
	status 0
	cut -d, -f3 err > events
	compare events events << 'END'
task-clock
context-switches
cpu-migrations
page-faults
cycles
instructions
branches
branch-misses
END
}

test_a_command_is_counted_with_derived_columns() {
	need_counting
	need_workloads
	pipa stat -e task-clock,context-switches,page-faults "$PIPA_WORKLOADS/touch" 100
	status 0
	screen_after "s|$PIPA_WORKLOADS/||" 's/[KMG](\/sec)/\1/' << 'END'

 Performance counter stats for 'touch N':

 N msec task-clock # N CPUs utilized
 N context-switches # N /sec
 N page-faults # N /sec

 N seconds time elapsed

 N seconds user
 N seconds sys

END
}

# faults COMMAND...: how many pages it faults, counted under exact conditions
faults() {
	command_line="pipa stat -x, -e page-faults $*"
	exactly "$PIPA" stat -x, -e page-faults "$@" 2>&1 | awk -F, '{ print $1 }'
}

test_page_faults_are_exact() {
	local base i

	need_exact_faults
	base=$(faults "$PIPA_WORKLOADS/touch" 1000)
	between 'page faults' "$base" 1000 1300
	for i in 1 2 3; do
		same 'page faults again' "$(faults "$PIPA_WORKLOADS/touch" 1000)" "$base"
	done
	same 'faults of 3000 more pages' "$(faults "$PIPA_WORKLOADS/touch" 4000)" $((base + 3000))
}

test_threads_are_counted() {
	local some more

	need_exact_faults
	some=$(faults "$PIPA_WORKLOADS/threads" 4 1000)
	more=$(faults "$PIPA_WORKLOADS/threads" 4 3000)
	between 'faults of 4 x 2000 more pages' $((more - some)) 7990 8010
}

test_children_are_counted() {
	local some more

	need_exact_faults
	some=$(faults "$PIPA_WORKLOADS/forks" 3 1000)
	more=$(faults "$PIPA_WORKLOADS/forks" 3 3000)
	between 'faults of 3 x 2000 more pages' $((more - some)) 5990 6010
}

test_no_inherit_leaves_out_children_and_threads() {
	need_counting
	need_workloads
	for workload in forks threads; do
		pipa stat -x, --no-inherit -e page-faults "$PIPA_WORKLOADS/$workload" 3 3000
		between 'page faults' "$(csv page-faults)" 1 2999
	done
}

test_the_clock_counts_time_on_the_cpu_and_not_asleep() {
	need_counting
	need_workloads
	pipa stat -x, -e task-clock "$PIPA_WORKLOADS/spin" 100
	between 'milliseconds of a spin' "$(csv task-clock)" 95 150
	pipa stat -x, -e task-clock sleep 0.3
	between 'milliseconds of a sleep' "$(csv task-clock)" 0.01 100
}

test_context_switches_are_counted() {
	need_counting
	need_workloads
	pipa stat -x, -e context-switches "$PIPA_WORKLOADS/yield" 3000
	between 'context switches' "$(csv context-switches)" 3000 13000
}

test_a_command_is_counted_from_its_start_on_and_not_before() {
	need_tracepoints
	pipa stat -x, -e sched:sched_process_exec,sched:sched_process_fork true
	same 'programs started' "$(csv sched:sched_process_exec)" 1
	same 'processes made' "$(csv sched:sched_process_fork)" 0
}

test_nothing_is_spawned_but_the_command() {
	need_tracepoints
	# leak checkers have a thread of their own
	run env ASAN_OPTIONS=detect_leaks=0 "$PIPA" stat -x, \
		-e sched:sched_process_fork,sched:sched_process_exec "$PIPA" stat -o report true
	status 0
	same 'processes started by a pipa that runs true' "$(csv sched:sched_process_fork)" 1
	same 'programs executed, itself included' "$(csv sched:sched_process_exec)" 2
}

test_a_null_run_counts_nothing_but_time() {
	pipa stat -n true
	screen << 'END'

 Performance counter stats for 'true':


 N seconds time elapsed

 N seconds user
 N seconds sys

END
}

test_a_long_command_line_is_shortened() {
	pipa stat -n true "$(head -c 100000 /dev/zero | tr '\0' x)"
	status 0
	has err "Performance counter stats for 'true ...':"
}

# ---- processes and threads that run already ------------------------------------------------

test_a_running_process_is_counted_until_it_ends() {
	need_counting
	block "$PIPA_WORKLOADS/touch" 5000
	launch "$PIPA" stat -p "$target" -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	screen << 'END'

 Performance counter stats for process id 'N':

 N page-faults

 N seconds time elapsed

END
	between 'page faults' "$(awk '/page-faults/ { gsub(",", ""); print $1 }' err)" 5000 5300
}

test_all_threads_of_a_process_are_counted() {
	need_counting
	need_workloads
	mkfifo gate
	start "$PIPA_WORKLOADS/threads" 4 2000 gate
	target=$started
	until_true has_threads "$target" 5
	until_true blocked "$target"
	launch "$PIPA" stat -x, -p "$target" -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	between 'page faults' "$(csv page-faults)" 8000 8300
}

# in_its_loop PID: has that pipa begun?
in_its_loop() {
	grep -qE 'ep_poll|epoll_wait' "/proc/$1/wchan"
}

has_at_least() {
	local tasks=("/proc/$1/task"/*)

	[[ ${#tasks[@]} -ge $2 ]]
}

# It makes threads as fast as it can while its threads are listed and opened.
test_no_thread_made_while_a_process_is_attached_to_is_missed_or_counted_twice() {
	local each=$((16 * $(nproc)))

	need_counting
	need_workloads
	start sleep 60
	until_true blocked "$started"
	[[ $(cat "/proc/$started/wchan") == *[a-z]* ]] ||
		skip 'the kernel does not say where a process waits'
	mkfifo gate
	start "$PIPA_WORKLOADS/spawn" 800 gate
	target=$started
	until_true has_at_least "$target" 20
	launch "$PIPA" stat -x, -p "$target" -e page-faults:u
	until_true has_at_least "$target" 801
	until_true in_its_loop "$started"
	unblock
	landed
	status 0
	# 16 pages on each CPU, and a few of their own
	between 'page faults' "$(csv page-faults:u)" "$((800 * each))" "$((800 * (each + 8)))"
}

# others PID: its threads but the first
others() {
	find "/proc/$1/task" -mindepth 1 -maxdepth 1 -not -name "$1" -printf '%f\n' | sort -n
}

# has_threads PID N
has_threads() {
	[[ $(find "/proc/$1/task" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l) -eq $2 ]]
}

test_threads_have_separate_rows() {
	local tid tids

	need_counting
	need_workloads
	mkfifo gate
	start "$PIPA_WORKLOADS/threads" 2 2000 gate
	target=$started
	until_true has_threads "$target" 3
	until_true blocked "$target"
	tids=$(others "$target")
	launch "$PIPA" stat -x, -p "$target" --per-thread -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	same lines "$(wc -l < err)" 3
	for tid in $tids; do
		between "page faults of thread $tid" \
			"$(awk -F, -v id="threads-$tid" '$1 == id { print $2 }' err)" 2000 2100
	done
}

test_a_single_thread_is_counted() {
	need_counting
	need_workloads
	mkfifo gate
	start "$PIPA_WORKLOADS/threads" 2 2000 gate
	target=$started
	until_true has_threads "$target" 3
	until_true blocked "$target"
	launch "$PIPA" stat -x, -t "$(others "$target" | head -n 1)" -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	between 'page faults' "$(csv page-faults)" 2000 2100
}

test_children_of_a_running_process_are_counted() {
	need_counting
	block "$PIPA_WORKLOADS/forks" 3 2000
	launch "$PIPA" stat -x, -p "$target" -e page-faults
	until_true attached "$started"
	unblock
	landed
	between 'page faults' "$(csv page-faults)" 6000 6600
}

test_several_processes_are_summed() {
	local first

	need_counting
	block "$PIPA_WORKLOADS/touch" 3000
	first=$target
	block "$PIPA_WORKLOADS/touch" 5000
	launch "$PIPA" stat -x, -p "$first,$target" -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	between 'page faults' "$(csv page-faults)" 8000 8500
}

test_a_process_that_is_named_twice_is_counted_once() {
	need_counting
	block "$PIPA_WORKLOADS/touch" 5000
	launch "$PIPA" stat -x, -p "$target,$target" -t "$target" -e page-faults
	until_true attached "$started"
	unblock
	landed
	status 0
	between 'page faults' "$(csv page-faults)" 5000 5300
}

test_a_long_list_of_processes_is_shortened() {
	local many

	many=$(printf "$$,%.0s" {1..20000})
	pipa stat -n -p "${many%,}" --timeout 10
	status 0
	has err " ...':"
}

test_a_process_is_counted_while_a_command_runs() {
	need_counting
	block true
	pipa stat -x, -p "$target" -e page-faults,duration_time sh -c 'sleep 0.1; exit 3'
	status 3
	between 'nanoseconds' "$(csv duration_time)" 100000000 20000000000
	unblock
}

test_a_process_that_only_slept_is_not_counted() {
	need_counting
	block true
	pipa stat -x, -p "$target" -e page-faults --timeout 100
	status 0
	csv_screen << 'END'
<not counted>,,page-faults,N,N,,
END
	unblock
}

test_a_process_that_is_killed_ends_the_count() {
	need_counting
	block true
	launch "$PIPA" stat -p "$target" -e page-faults
	until_true attached "$started"
	kill -KILL "$target"
	landed
	status 0
	has err 'seconds time elapsed'
}

test_a_process_that_has_gone_is_named() {
	start true
	wait "$started"
	pipa stat -p "$started"
	refused_like 125 'pipa stat: process [0-9]+ does not exist. List running processes with: ps -e'
	pipa stat -t "$started"
	refused_like 125 'pipa stat: thread [0-9]+ does not exist. List running processes with: ps -e'
}

# ---- CPUs ----------------------------------------------------------------------------------

# online: the numbers of the CPUs at work
online() {
	awk -F: '/^processor/ { print $2 + 0 }' /proc/cpuinfo
}

test_all_cpus_are_counted() {
	local n

	need_system_wide
	need_workloads
	n=$(online | wc -l)
	pipa stat -a -x, -e cpu-clock,page-faults,duration_time "$PIPA_WORKLOADS/touch" 10000
	status 0
	between 'CPUs utilized' "$(csv cpu-clock 6)" "$(awk -v n="$n" 'BEGIN { print n * 0.8 }')" \
		"$(awk -v n="$n" 'BEGIN { print n * 1.2 }')"
	between 'page faults' "$(csv page-faults)" 10000 10000000
}

test_without_a_command_counting_ends_with_the_time() {
	need_system_wide
	pipa stat -a -e cpu-clock --timeout 100
	status 0
	screen << 'END'

 Performance counter stats for 'system wide':

 N msec cpu-clock # N CPUs utilized

 N seconds time elapsed

END
}

test_some_cpus_are_counted() {
	local cpu

	need_system_wide
	cpu=$(online | tail -n 1)
	pipa stat -C "$cpu" -A -e cpu-clock sleep 0.1
	status 0
	screen_after 's/CPU\(s\) [0-9]+/CPU(s) X/' 's/^CPU[0-9]+/CPUX/' << 'END'

 Performance counter stats for 'CPU(s) X':

CPUX N msec cpu-clock # N CPUs utilized

 N seconds time elapsed

 N seconds user
 N seconds sys

END
	has err "CPU$cpu "
}

test_each_cpu_has_its_line() {
	need_system_wide
	pipa stat -a -A -x, -e cpu-clock,page-faults sleep 0.05
	status 0
	cut -d, -f1,4 err > lines
	{
		online | sed 's/.*/CPU&,cpu-clock/'
		online | sed 's/.*/CPU&,page-faults/'
	} | compare 'CPUs and events' lines
}

# sums_up OPTION PREFIX: per-something counts add up to the whole
sums_up() {
	pipa stat -a "$1" -x, -e cpu-clock sleep 0.05
	status 0
	matches err "^$2,[0-9]+,[0-9.]+,msec,cpu-clock,"
	same 'CPUs in all' "$(awk -F, '{ n += $2 } END { print n }' err)" "$(online | wc -l)"
	same 'other lines' "$(grep -cvE "^$2," err)" 0
}

test_cores_dies_sockets_and_nodes_add_up() {
	need_system_wide
	sums_up --per-core 'S[0-9]+-D[0-9]+-C[0-9]+'
	sums_up --per-die 'S[0-9]+-D[0-9]+'
	sums_up --per-socket 'S[0-9]+'
	sums_up --per-node 'N[0-9]+'
}

test_all_threads_of_the_system_have_separate_rows() {
	need_system_wide
	mkfifo end
	block "$PIPA_WORKLOADS/touch" 5000
	launch "$PIPA" stat -a --per-thread -x, -e page-faults sh -c ': < end'
	until_true attached "$started"
	unblock
	until_true is_gone "$target"
	: > end
	landed
	status 0
	between 'page faults of the workload' \
		"$(awk -F, -v id="$target" '$1 ~ "-" id "$" { print $2 }' err)" 5000 5300
}

# ---- cgroups -------------------------------------------------------------------------------

# in_cgroup COMMAND...: run it there
in_cgroup() {
	(
		echo "$BASHPID" > "$cgroup/cgroup.procs"
		exec "$@"
	)
}

test_a_cgroup_is_counted_and_the_rest_is_not() {
	need_cgroup
	need_workloads
	"$PIPA_WORKLOADS/touch" 1
	launch "$PIPA" stat --cgroup "$cgroup_name" -x, -e page-faults
	until_true attached "$started"
	"$PIPA_WORKLOADS/touch" 20000
	in_cgroup "$PIPA_WORKLOADS/touch" 5000
	kill -INT "$started"
	landed
	status 0
	same 'the cgroup' "$(csv page-faults 4)" "$cgroup_name"
	between 'page faults' "$(csv page-faults)" 5000 6000
}

test_each_cgroup_has_its_lines() {
	need_cgroup
	mkdir "$cgroup/a" "$cgroup/b"
	printf '%s\n' "$cgroup/a" "$cgroup/b" "$cgroup" > "$case_dir/cgroups"
	pipa stat --for-each-cgroup "$cgroup_name/a,$cgroup_name/b" -e page-faults,cpu-clock \
		sleep 0.05
	status 0
	screen_after "s|$cgroup_name|G|" << 'END'

 Performance counter stats for 'system wide':

 <not counted> page-faults G/a
 <not counted> msec cpu-clock G/a
 <not counted> page-faults G/b
 <not counted> msec cpu-clock G/b

 N seconds time elapsed

 N seconds user
 N seconds sys

END
}

test_a_cgroup_can_be_named_by_its_path() {
	need_cgroup
	pipa stat --cgroup "$cgroup" -x, -e page-faults sleep 0.05
	status 0
	same 'the cgroup' "$(csv page-faults 4)" "$cgroup"
}

test_threads_of_the_whole_machine_that_did_nothing_are_not_shown() {
	need_system_wide
	pipa stat -a --per-thread -e task-clock -x, --timeout 50
	status 0
	lacks err '<not counted>'
	lacks err ',task-clock,0,'
}

run_tests "$@"
