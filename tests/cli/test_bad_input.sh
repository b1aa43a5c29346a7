#!/usr/bin/env bash
#
# Input that pipa stat refuses: one line with the error and the remedy, status 125, and the
# command has not run.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# refuse ARGS... < LINE: `pipa stat ARGS touch ran` is refused with exactly this line
refuse() {
	pipa stat "$@" touch ran
	refused 125
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

# refuse_like REGEX ARGS...: the same for lines that differ between machines
refuse_like() {
	local regex=$1

	shift
	pipa stat "$@" touch ran
	refused_like 125 "$regex"
	[[ ! -e ran ]] || fail 'the command' 'not run' 'run'
}

# ---- options -------------------------------------------------------------------------------

test_an_unknown_option_gets_the_nearest_ones() {
	refuse --no-inhert << 'END'
pipa stat: unknown option '--no-inhert'. Did you mean --no-inherit?
END
	refuse -Z << 'END'
pipa stat: unknown option '-Z'. --help lists all options.
END
	refuse --zzzzzzzz << 'END'
pipa stat: unknown option '--zzzzzzzz'. --help lists all options.
END
}

test_an_option_without_its_value_is_refused() {
	pipa stat -e
	refused 125 << 'END'
pipa stat: -e needs a value: LIST
END
	pipa stat --cpu
	refused 125 << 'END'
pipa stat: --cpu needs a value: LIST
END
}

test_a_value_for_a_flag_is_refused() {
	refuse --json=yes << 'END'
pipa stat: --json takes no value
END
}

test_bad_numbers_are_refused() {
	local value

	for value in x - -x 1x 1.5 ''; do
		refuse -r "$value" << END
pipa stat: -r: invalid number '$value', expected an integer above 0
END
		refuse --interval-count "$value" << END
pipa stat: --interval-count: invalid number '$value', expected an integer
END
	done
}

test_numbers_out_of_range_are_refused_with_their_bounds() {
	local value

	for value in 0 -1 4294967296 99999999999999999999; do
		refuse -r "$value" << END
pipa stat: -r: invalid number '$value', expected an integer from 1 to 4294967295
END
	done
	for value in -1 99999999999999999999; do
		refuse --interval-count "$value" << END
pipa stat: --interval-count: invalid number '$value', expected an integer from 0 to 18446744073709551615
END
	done
	refuse --log-fd -1 << 'END'
pipa stat: --log-fd: invalid number '-1', expected an integer from 0 to 4294967295
END
	pipa monitor -n -1
	refused 2 << 'END'
pipa monitor: -n: invalid number '-1', expected an integer from 0 to 18446744073709551615
END
}

test_bad_durations_are_refused() {
	local value

	for value in x - '' 1x 1.2.3 1e400; do
		refuse -I "$value" << END
pipa stat: -I: invalid duration '$value', expected a duration such as 250ms, 1.5s or 2m
END
		refuse --timeout "$value" << END
pipa stat: --timeout: invalid duration '$value', expected a duration such as 250ms, 1.5s or 2m
END
		refuse --delay "$value" << END
pipa stat: --delay: invalid duration '$value', expected a duration such as 250ms, 1.5s or 2m
END
	done
	for value in 0 0s -1 -0.5s; do
		refuse -I "$value" << END
pipa stat: -I: invalid duration '$value', expected a duration above 0, such as 250ms, 1.5s or 2m
END
	done
	refuse --delay -1 << 'END'
pipa stat: --delay: invalid duration '-1', expected a duration of 0 or more, such as 250ms, 1.5s or 2m
END
	pipa monitor -i 0
	refused 2 << 'END'
pipa monitor: -i: invalid duration '0', expected a duration above 0, such as 250ms, 1.5s or 2m
END
	refuse -I 100us << 'END'
pipa stat: -I: invalid interval, expected 1 ms or more. A number without a unit is in milliseconds: -I 100
END
}

test_a_bad_colour_choice_is_refused() {
	refuse --color sometimes << 'END'
pipa stat: --color: invalid mode 'sometimes', expected auto, always or never
END
}

test_options_that_exclude_each_other_are_refused() {
	refuse -x, --json << 'END'
pipa stat: only one of -x, --json and --yaml can be given
END
	refuse -r 3 -I 100 << 'END'
pipa stat: -r cannot be combined with -I
END
	refuse -a -A --per-core << 'END'
pipa stat: only one of -A and the --per-... options can be given
END
	refuse -a -p 1 << 'END'
pipa stat: -p and -t count threads, -a, -C and --cgroup whole CPUs. These cannot be combined.
END
	refuse -C 0 -t 1 << 'END'
pipa stat: -p and -t count threads, -a, -C and --cgroup whole CPUs. These cannot be combined.
END
	refuse --baseline x -x, << 'END'
pipa stat: --baseline cannot be combined with -I or -x
END
	refuse -o x --log-fd 2 << 'END'
pipa stat: only one of -o and --log-fd can be given
END
}

test_options_that_need_another_are_refused_without_it() {
	refuse --interval-count 3 << 'END'
pipa stat: --interval-count and --summary require -I
END
	refuse --summary << 'END'
pipa stat: --interval-count and --summary require -I
END
	refuse --append << 'END'
pipa stat: --append requires -o FILE
END
	pipa stat -r 3 -p 1
	refused 125 << 'END'
pipa stat: -r requires a command
END
	refuse -A << 'END'
pipa stat: per CPU, core, die, socket or node counts need whole CPUs. Add -a.
END
	refuse --per-socket << 'END'
pipa stat: per CPU, core, die, socket or node counts need whole CPUs. Add -a.
END
	refuse --per-thread << 'END'
pipa stat: --per-thread needs existing threads. Add -p PID, -t TID, or -a for all threads.
END
	refuse --filter 'a == 1' << 'END'
pipa stat: --filter: no preceding -e. Give the tracepoint first: -e sched:sched_switch --filter '...'
END
}

test_an_empty_separator_is_refused() {
	refuse -x '' << 'END'
pipa stat: -x: empty separator
END
}

test_nothing_to_count_is_refused() {
	pipa stat
	refused 125 << 'END'
pipa stat: nothing to count. Specify a command, -a for all CPUs, or -p PID.
END
	pipa stat -e page-faults --
	refused 125 << 'END'
pipa stat: nothing to count. Specify a command, -a for all CPUs, or -p PID.
END
}

# ---- events --------------------------------------------------------------------------------

test_an_unknown_event_gets_the_nearest_ones() {
	refuse -e pagefaults << 'END'
pipa stat: unknown event 'pagefaults'. Did you mean page-faults or faults?
END
	refuse -e page-faults,zzzzzzzz << 'END'
pipa stat: unknown event 'zzzzzzzz'. List known ones with: pipa list
END
	refuse -e L1-dcache-load-mises << 'END'
pipa stat: unknown event 'L1-dcache-load-mises'. Did you mean L1-dcache-load-misses, L1-icache-load-misses or L1-dcache-loads?
END
}

test_an_unknown_modifier_is_named() {
	refuse -e page-faults:zz << 'END'
pipa stat: unknown modifier 'zz' in 'page-faults:zz'. Expected letters of: u k h G H I p P S D W e
END
}

test_an_unknown_tracepoint_gets_the_nearest_ones() {
	need_tracepoints
	refuse_like "pipa stat: unknown tracepoint 'sched:sched_swich'. Did you mean sched:sched_switch.*" \
		-e sched:sched_swich
	refuse_like "pipa stat: unknown tracepoint 'zzzz:\\*'. List known ones with: .*" -e 'zzzz:*'
}

test_an_unknown_pmu_gets_the_nearest_ones() {
	[[ -d /sys/bus/event_source/devices/software ]] || skip 'no PMU of software events'
	refuse_like "pipa stat: this machine has no PMU 'softwar'. Did you mean software.*" \
		-e softwar/config=1/
	refuse -e no_such_pmu_here/x=1/ << 'END'
pipa stat: this machine has no PMU 'no_such_pmu_here'. List known ones with: pipa list pmu
END
}

test_an_unknown_term_of_a_pmu_is_named() {
	[[ -d /sys/bus/event_source/devices/software ]] || skip 'no PMU of software events'
	refuse -e software/nope=1/ << 'END'
pipa stat: PMU software has no term or event 'nope'. List what it has with: pipa list pmu 'software/*'
END
	refuse_like 'pipa stat: invalid value of config in software/config=zz/, expected a number: zz.*' \
		-e software/config=zz/
}

test_malformed_event_lists_are_refused_with_the_position() {
	local hint='See EVENTS in pipa-stat(1), or list known ones with: pipa list'

	refuse -e '' << END
pipa stat: invalid event list '' at column 1: missing event name. $hint
END
	refuse -e 'page-faults,' << END
pipa stat: invalid event list 'page-faults,' at column 13: missing event name. $hint
END
	refuse -e '{page-faults' << END
pipa stat: invalid event list '{page-faults' at column 13: missing closing } of the group. $hint
END
	refuse -e 'page-faults}' << END
pipa stat: invalid event list 'page-faults}' at column 12: missing comma. $hint
END
	refuse -e 'mem:xyz' << END
pipa stat: invalid event list 'mem:xyz' at column 5: expected mem:ADDRESS[/LEN][:rwx]. $hint
END
}

test_a_bad_filter_is_refused() {
	need_tracepoints
	refuse -e sched:sched_switch --filter 'no_such_field == 1' << 'END'
pipa stat: cannot set filter 'no_such_field == 1' on sched:sched_switch: Invalid argument. The fields are in events/sched:sched_switch/format of tracefs (with / for :).
END
	refuse -e page-faults --filter 'a == 1' << 'END'
pipa stat: page-faults is not a tracepoint: no filter possible. --filter applies to the preceding -e.
END
}

test_an_unknown_metric_gets_the_nearest_ones() {
	refuse -M cpus_utilised << 'END'
pipa stat: unknown metric 'cpus_utilised'. Did you mean cpus_utilized?
END
	refuse -M zzzzzzzzz << 'END'
pipa stat: unknown metric 'zzzzzzzzz'. List known ones with: pipa list metric
END
}

test_a_malformed_metric_is_refused() {
	refuse -M '[page-faults' << 'END'
pipa stat: invalid metric '[page-faults' at column 2: missing ]. Write events in brackets: [instructions] / [cycles]
END
	refuse -M 'x=1 + 1' << 'END'
pipa stat: metric 'x=1 + 1' uses no event. Write events in brackets: [instructions] / [cycles]
END
}

# ---- targets -------------------------------------------------------------------------------

test_bad_process_ids_are_refused() {
	local value

	for value in x 0 -1 '' 1.5 99999999999; do
		refuse -p "$value" << END
pipa stat: invalid process id '$value'. Expected comma-separated numbers: 123,456
END
		refuse -t "$value" << END
pipa stat: invalid thread id '$value'. Expected comma-separated numbers: 123,456
END
	done
	refuse -p 2147483646 << 'END'
pipa stat: process 2147483646 does not exist. List running processes with: ps -e
END
}

test_bad_cpu_lists_are_refused() {
	refuse -C x << 'END'
pipa stat: invalid CPU list 'x' at 'x'. Expected e.g. 0-3,7; CPUs are below 65536.
END
	refuse -C 0- << 'END'
pipa stat: invalid CPU list '0-' at its end. Expected e.g. 0-3,7; CPUs are below 65536.
END
	refuse -C 0,3-1,5 << 'END'
pipa stat: invalid CPU list '0,3-1,5': the range 3-1 ends before it begins. Expected e.g. 0-3,7; CPUs are below 65536.
END
	refuse -C 1,65536 << 'END'
pipa stat: invalid CPU list '1,65536' at '65536'. Expected e.g. 0-3,7; CPUs are below 65536.
END
	refuse -C '' << 'END'
pipa stat: empty CPU list, expected e.g. 0-3,7
END
	refuse -C 65000 << 'END'
pipa stat: CPU 65000 is not online. See /sys/devices/system/cpu/online.
END
}

test_an_unknown_cgroup_is_refused() {
	grep -qE ' cgroup2? ' /proc/mounts || skip 'no cgroup hierarchy is mounted'
	refuse_like 'pipa stat: cannot open cgroup no/such: No such file or directory. Cgroup names are relative to .*' \
		--cgroup no/such
	refuse_like 'pipa stat: cannot open cgroup no/such: No such file or directory. Cgroup names are relative to .*' \
		--for-each-cgroup no/such
}

test_an_empty_cgroup_name_is_refused() {
	refuse --cgroup '' << 'END'
pipa stat: empty cgroup name in '', expected comma-separated names
END
}

# ---- files ---------------------------------------------------------------------------------

test_a_baseline_that_cannot_be_read_is_refused() {
	refuse --baseline nowhere.json << 'END'
pipa stat: cannot open nowhere.json: No such file or directory. Make one with: pipa stat --json -o FILE
END
	echo 'this is no JSON' > text
	refuse_like 'pipa stat: cannot read text: line 1 is not JSON.*. Make one with: pipa stat --json -o FILE' \
		--baseline text
	echo '{"schema": "other/1"}' > other.json
	refuse_like 'pipa stat: cannot read other\.json: .*. .*' --baseline other.json
}

test_a_long_name_does_not_push_the_reason_out() {
	pipa stat "$(head -c 1000 /dev/zero | tr '\0' x)"
	refused_like 126 'pipa stat: cannot run x+\.\.\.: File name too long'
	pipa stat -o "$(head -c 1000 /dev/zero | tr '\0' x)" true
	refused_like 125 'pipa stat: cannot open x+\.\.\.: File name too long'
}

test_control_characters_do_not_reach_the_terminal() {
	pipa stat -e $'\033[31mred\nline' true
	same 'lines on standard error' "$(wc -l < err)" 1
	! grep -q $'\033' err || fail 'standard error' 'no escape character' "$(cat -v err)"
	status 125
}

run_tests "$@"
