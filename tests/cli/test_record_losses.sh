#!/bin/bash
# `pipa record` loses nothing silently: samples in the file + lost = what the kernel counted.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

need_switches() {
	need_workloads
	need_system_wide
	need_tracepoints
	"$PIPA" record -q -e sched:sched_switch -a -o probe.data true > /dev/null 2>&1 ||
		skip 'this user may not sample tracepoints of whole CPUs'
	rm -f probe.data
}

# of_command FILE NAME: samples of the command in a recording
of_command() {
	"$PIPA" fold "$1" 2> /dev/null | awk -F\; -v name="$2" '
		$1 == name { k = split($0, words, " "); n += words[k] } END { print n + 0 }'
}

# said_lost: the lost samples in the last line of standard error
said_lost() {
	sed -nE 's/^\[ pipa record: [0-9]+ samples, .*; lost ([0-9]+) \]$/\1/p' err
}

# Dumps that grew while it ran lost half of these switches without a word.
test_switches_with_stack_dumps_are_in_the_file_or_lost() {
	need_switches
	for how in dwarf dwarf,8192 fp auto; do
		pipa record -e sched:sched_switch -a --call-graph "$how" -o perf.data \
			"$PIPA_WORKLOADS/relay" 3000 60
		status 0
		between "switches of relay, $how" \
			"$(($(of_command perf.data relay) + $(said_lost)))" 6000 1000000
	done
}

test_the_command_keeps_its_priority() {
	pipa record -q -o perf.data nice
	[[ $got_status -eq 0 ]] || skip 'this user may not sample'
	same 'nice value of the command' "$(cat out)" "$(nice)"
}

run_tests "$@"
