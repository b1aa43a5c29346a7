#!/usr/bin/env bash
# Stacks that are deeper than a stack dump: how large dumps are, and stacks that are joined with the outer frames
# of an earlier sample. The innermost function of the workload `outer` identifies the true outermost one.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# recorded HOW LAPS OPTIONS...: perf.data of the workload, and ./report.json
recorded() {
	local how=$1 laps=$2

	shift 2
	need_workloads
	need_program python3
	run timeout --foreground -k 5 100 "$PIPA" record -e cpu-clock:u "$@" -o perf.data -- \
		"$PIPA_WORKLOADS/outer" "$how" "$laps"
	[[ $got_status -eq 0 ]] || skip "cannot record here: $(head -n 1 err)"
	mv err recorded.err
	"$PIPA" report --json perf.data > report.json 2> err || fail 'report' 'written' "$(cat err)"
}

# stacks KEY: percent of the stacks of report.json that are complete, or joined
stacks() {
	python3 -c '
import json, sys
stacks = json.load(open("report.json"))["stacks"]
print("%.2f" % (100 * stacks[sys.argv[1]] / stacks["unwound"]))' "$1" 2> err || fail "$1" 'a number' "$(cat err)"
}

# callers_are_true: no stack with spin_a has via_b in it, nor the other way round
callers_are_true() {
	"$PIPA" fold perf.data > folded 2> err
	grep -E 'via_a;.*spin_b|via_b;.*spin_a' folded > wrong
	same 'stacks with a wrong outer caller' "$(wc -l < wrong)" 0
	matches folded 'via_a;.*;spin_a '
}

# Rings of 16 MiB for each CPU: a 64th of the memory is for rings.
need_rings() {
	[[ $(id -u) -eq 0 ]] || skip 'rings are small for users that may not lock memory'
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" \
		'$1 == "MemTotal:" { exit $2 / 64 / cpus < 16384 }' /proc/meminfo ||
		skip 'there is too little memory for rings of 16 MiB'
}

test_stacks_of_200_calls_are_complete_at_5000_samples_per_second() {
	need_rings
	recorded fast 4 -F 5000
	between 'percent complete' "$(stacks complete)" 95 100
	callers_are_true
}

test_a_truncated_stack_is_joined_with_the_outer_frames_of_an_earlier_sample() {
	local joined

	recorded stable 5 -F 1997 --call-graph dwarf,8192
	joined=$(stacks joined)
	between 'percent joined' "$joined" 20 90
	between 'percent complete' "$(stacks complete)" 60 100
	matches recorded.err '[0-9.]+ % of stacks were longer than the stack dump and completed with outer frames'
	callers_are_true
	pipa report --stdio perf.data
	matches out '^# stacks: .*% completed with outer frames of an earlier sample'
	pipa script -F ip,sym --json perf.data
	has out '"joined": true'
}

test_frames_with_another_caller_are_different() {
	recorded stamped 5 -F 1997 --call-graph dwarf,8192
	between 'percent joined' "$(stacks joined)" 10 90
	callers_are_true
	matches folded 'via_b;.*;spin_b '
}

test_equal_stack_bytes_do_not_give_a_wrong_caller() {
	recorded fast 4 -F 1997 --call-graph dwarf,8192
	callers_are_true
	recorded same 5 -F 1997 --call-graph dwarf,8192
	callers_are_true
}

test_the_rate_that_would_be_complete_is_noted() {
	local rate max

	need_rings
	max=$(cat /proc/sys/kernel/perf_event_max_sample_rate)
	((max >= 20000)) || skip "the kernel permits only $max samples per second"
	recorded fast 4 -F 20000
	matches recorded.err '[0-9.]+ % of stacks are truncated at 20000 Hz; up to [0-9]+ Hz would be complete'
	rate=$(sed -n 's/.*; up to \([0-9]*\) Hz would be complete/\1/p' recorded.err)
	between 'the rate' "$rate" 5000 19999
	callers_are_true
	recorded fast 4 -F "$rate"
	between 'percent complete' "$(stacks complete)" 95 100
	lacks recorded.err 'would be complete'
}

run_tests "$@"
