#!/usr/bin/env bash
# Recordings read, written and read again: the same stream of records, in both byte orders.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata

# again FILE...: each of them
again() {
	[[ -x ${PIPA_ROUND_TRIP:-} ]] || skip 'the tool round_trip is not built'
	run timeout -k 5 200 "$PIPA_ROUND_TRIP" "$@"
	[[ $got_status -eq 0 ]] || fail 'the stream' 'the same again' "$(tail -n 20 out)"
	same 'recordings' "$(grep -c ' records$' out)" $#
}

# by_pipa FILE ARGS...: a recording by ourselves
by_pipa() {
	pipa record -o "$@"
	[[ $got_status -eq 0 && -s $1 ]] || skip "pipa cannot record here: $(tail -n 1 err)"
}

by_perf() {
	need_program perf
	perf record -q -N -o "$@" > record.log 2>&1 || skip "perf cannot record here: $(tail -n 1 record.log)"
	[[ -s $1 ]] || skip 'perf has recorded nothing'
}

test_the_corpus_is_the_same_again() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
	again "$corpus"/*
}

test_our_own_recordings_are_the_same_again() {
	by_pipa plain -e page-faults -c 1 -- ls /
	by_pipa packed -z -e page-faults -c 1 -- ls /
	by_pipa several -e page-faults,cpu-clock -d -g -- ls /
	by_pipa group -e '{page-faults,cpu-clock}' -- ls /
	by_pipa switches -e page-faults -c 1 --switch-events -- ls /
	pipa record -o - -e page-faults -c 1 -- true
	cp out piped
	again plain packed several group switches piped
}

test_our_recordings_of_the_whole_machine_are_the_same_again() {
	need_system_wide
	by_pipa all -a -e cpu-clock -F 499 -- sleep 0.1
	again all
}

test_our_recordings_of_tracepoints_are_the_same_again() {
	need_tracepoints
	by_pipa raw -e sched:sched_process_exec,sched:sched_process_exit -R -c 1 -- sh -c 'ls /; ls /'
	again raw
}

test_recordings_of_perf_are_the_same_again() {
	by_perf plain -e page-faults -c 1 -- ls /
	by_perf stacks -e page-faults -c 1 --call-graph dwarf -- ls /
	by_perf registers -e page-faults -c 1 --intr-regs --user-regs -d -W -- ls /
	by_perf group -e '{page-faults,cpu-clock}:S' -c 10 -- ls /
	by_perf ids -e page-faults -c 1 --all-cgroups --namespaces --switch-events --sample-cpu -- ls /
	again plain stacks registers group ids
}

test_compressed_recordings_of_perf_are_the_same_again() {
	by_perf packed -z -e page-faults -c 1 -- ls /
	again packed
}

test_piped_recordings_of_perf_are_the_same_again() {
	need_program perf
	perf record -q -e page-faults -c 1 -g -o - -- ls / 2> record.log > piped
	[[ -s piped ]] || skip "perf cannot record here: $(tail -n 1 record.log)"
	again piped
}

run_tests "$@"
