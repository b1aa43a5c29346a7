#!/usr/bin/env bash
#
# pipa as an ordinary user (nobody), at the level of perf_event_paranoid that this machine has.

. "${BASH_SOURCE[0]%/*}/lib.sh"

paranoid() {
	cat /proc/sys/kernel/perf_event_paranoid
}

# Some levels are stricter than the kernel's own; there nothing can be counted at all.
need_level() {
	need_nobody
	[[ $(paranoid) -ge $1 && $(paranoid) -le $2 ]] ||
		skip "perf_event_paranoid is $(paranoid), not $1 to $2"
}

user() {
	run as_nobody bin/pipa "$@"
}

test_user_space_is_counted_with_a_note() {
	need_level 2 2
	user stat -e page-faults,task-clock bin/touch 1000
	status 0
	screen_after 's/[KMG](\/sec)/\1/' << 'END'

 Performance counter stats for 'bin/touch N':

 N page-faults:u # N /sec
 N msec task-clock:u # N CPUs utilized

 N seconds time elapsed

 N seconds user
 N seconds sys

 note: only user space was counted (:u). Include the kernel with: sudo sysctl kernel.perf_event_paranoid=N

END
	between 'page faults' "$(awk '/page-faults/ { gsub(",", ""); print $1 }' err)" 1000 1300
}

test_kernel_samples_are_shown() {
	need_level 2 2
	user stat -e context-switches,cpu-migrations sleep 0.05
	status 0
	has err 'context-switches:u and cpu-migrations:u happen in the kernel and read 0'
}

test_an_event_requested_for_user_space_has_no_note() {
	need_level -1 2
	user stat -e page-faults:u bin/touch 1000
	status 0
	lacks err note:
	between 'page faults' "$(awk '/page-faults/ { gsub(",", ""); print $1 }' err)" 1000 1300
}

test_json_has_the_modifier() {
	need_level 2 2
	user stat --json -e page-faults true
	status 0
	has err '"user_only": true'
	has err '"event": "page-faults:u"'
}

test_csv_has_the_modifier_in_the_name() {
	need_level 2 2
	user stat -x, -e page-faults,faults:u true
	status 0
	csv_screen << 'END'
N,,page-faults:u,N,N,,
N,,faults:u,N,N,,
END
}

test_counting_only_the_kernel_is_refused() {
	need_level 2 2
	user stat -e page-faults:k true
	refused 125 << 'END'
pipa stat: cannot count page-faults:k: Permission denied. Counting the kernel needs root or CAP_PERFMON, or: sudo sysctl kernel.perf_event_paranoid=1 (now 2)
END
}

test_with_the_kernel_allowed_both_are_counted() {
	need_level -1 1
	user stat -e page-faults true
	status 0
	lacks err page-faults:u
	lacks err note:
}

test_system_wide_counting_is_refused_with_advice() {
	local target

	need_level 1 2
	for target in -a '-C 0'; do
		# shellcheck disable=SC2086 # two words
		user stat $target -e cpu-clock true
		refused_like 125 'pipa stat: cannot count cpu-clock: Permission denied. Counting whole CPUs needs root or CAP_PERFMON, or: sudo sysctl kernel\.perf_event_paranoid=0 \(now [0-9]\)'
	done
}

test_tracepoints_are_refused_with_advice() {
	need_level 0 2
	user stat -e sched:sched_switch true
	refused_like 125 'pipa stat: .*sched:sched_switch.*. .*(remount|sysctl|mount -t tracefs).*'
}

test_a_process_of_another_user_is_refused() {
	need_level 0 2
	start sleep 100
	user stat -p "$started" -e page-faults
	refused_like 125 "pipa stat: cannot count page-faults(:u)?: Permission denied. Run as root if it is another user's process; pipa doctor shows what is missing."
}

test_a_process_of_ones_own_is_counted() {
	need_level -1 2
	mkfifo gate
	chmod a+r gate
	start setpriv --reuid 65534 --regid 65534 --clear-groups bin/block gate bin/touch 3000
	target=$started
	until_true names_itself "$target" block
	until_true blocked "$target"
	launch setpriv --reuid 65534 --regid 65534 --clear-groups env GCOV_PREFIX="$PWD/notes" \
		bin/pipa stat -x, -e page-faults:u -p "$target"
	until_true attached "$started"
	unblock
	landed
	status 0
	between 'page faults' "$(csv page-faults:u)" 3000 3300
}

test_nothing_can_be_counted_at_a_stricter_level() {
	need_level 3 9
	user stat -e page-faults true
	[[ $got_status -ne 0 ]] || skip 'this kernel takes 3 for 2'
	refused_like 125 'pipa stat: cannot count page-faults:u: Permission denied. kernel\.perf_event_paranoid is [0-9]: sudo sysctl kernel\.perf_event_paranoid=2 allows counting user space'
}

test_without_events_no_permission_is_needed() {
	need_nobody
	user stat -e duration_time sh -c 'exit 3'
	status 3
	has err duration_time
}

test_the_doctor_names_missing_permissions_and_how_to_get_them() {
	need_level 2 2
	user doctor
	status 0
	stderr < /dev/null
	head -n 4 out > got
	compare doctor got << 'END'
partial counting           only user space of your own processes (perf_event_paranoid is 2)
                            try: sudo sysctl kernel.perf_event_paranoid=1
no      system-wide        not allowed (perf_event_paranoid is 2)
                            try: sudo sysctl kernel.perf_event_paranoid=0
END
}

test_the_list_marks_user_space_only_events() {
	need_level 2 2
	user list sw page-faults
	status 0
	stdout << 'END'
Software events:
  page-faults                          user space only; or faults
END
}

test_the_list_knows_missing_from_forbidden() {
	local event

	need_level 2 2
	event=$("$PIPA" list hw --json | sed -n '/"name"/h; /"missing"/{x; p}' |
		sed -E 's/.*: "(.*)",/\1/' | head -n 1)
	[[ $event ]] || skip 'this machine has every hardware event'
	user list hw "$event"
	has out 'not supported here'
}

run_tests "$@"
