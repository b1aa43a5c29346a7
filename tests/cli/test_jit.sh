#!/usr/bin/env bash
#
# Code made at run time: named from jitdumps, by address and time, and from perf maps.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# share NAME: of the symbol in ./out, whole percents; 0 when it is not there
share() {
	awk -v name="$1" '!/^#/ && $NF == name { p = int($1) } END { print p + 0 }' out
}

# jit_rows FILE: "percent symbol" of the functions that were made
jit_rows() {
	awk '!/^#/ { for (i = 1; i <= NF; i++) if ($i ~ /^jit_/) print $1, $i }' "$1" | sort
}

record_dump() {
	need_workloads
	pipa record -o jit.data -- "$PIPA_WORKLOADS/jit" dump 450 150
	status 0
}

test_functions_at_one_address_are_distinguished_by_time() {
	record_dump
	pipa report --no-children --sort dso,symbol jit.data
	status 0
	between 'share of the first' "$(share jit_first)" 55 90
	between 'share of the second' "$(share jit_second)" 10 45
	matches out 'jit-[0-9]+\.dump +\[\.\] jit_first'
	pipa fold jit.data
	matches out ';jit_first [0-9]+$'
	matches out ';jit_second [0-9]+$'
	pipa script -F ip,sym jit.data
	has out jit_first
	has out jit_second
}

test_shares_are_those_of_perf_inject() {
	need_workloads
	need_program perf
	perf record -q -k mono -g -o mono.data -- "$PIPA_WORKLOADS/jit" dump 300 100 > /dev/null 2>&1 ||
		skip 'perf record does not run here'
	perf inject --jit -i mono.data -o injected.data > /dev/null 2>&1 ||
		skip 'perf inject --jit does not run here'
	perf report --stdio --no-children -g none --sort symbol -i injected.data > theirs 2> /dev/null
	jit_rows theirs > expected
	has expected jit_second
	pipa report --no-children --sort symbol mono.data
	jit_rows out > got
	compare 'shares out of the jitdump' got < expected
	pipa report --no-children --sort symbol injected.data
	jit_rows out > got
	compare 'shares out of what perf made of it' got < expected
}

# The function that was made has neither CFI nor a frame record: its callers are found by decoding the
# instructions that the jitdump holds.
test_stacks_through_code_without_cfi_are_unwound_by_the_jitdump() {
	need_workloads
	pipa record -o calls.data --call-graph dwarf --unwind later -- \
		"$PIPA_WORKLOADS/jit" calls 300 jit_caller
	status 0
	pipa fold calls.data
	status 0
	awk '/jit_caller;called/ { n += $NF; if (/main;.*jit_caller;called/) whole += $NF }
		END { exit !(n && whole > 0.98 * n) }' out ||
		fail 'stacks with jit_caller' 'main in all' "$(cat out)"
	rm -f jit-*.dump
	pipa fold calls.data # the oracle: without the dump the callers are not found
	status 0
	! grep -q 'main;.*;called' out || fail 'stacks without the dump' 'no main' "$(cat out)"
}

test_functions_of_a_jitdump_have_their_instructions() {
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip 'code of this architecture is disassembled by capstone 5 only' ;;
	esac
	record_dump
	pipa annotate -s jit_first jit.data
	status 0
	lacks out 'no code'
	matches out '^ +[0-9]+\.[0-9]+ : +[0-9a-f]+: +(dec|sub)'
	matches out ': +(jne|b\.ne) .*<jit_first>'
	same 'instructions' "$(grep -c ': *[0-9a-f]*: ' out)" 3
}

# Clocks that cannot be compared: the last function at the address has it all.
test_without_the_clock_the_last_function_is_named() {
	need_workloads
	need_program perf
	perf record -q -g -o local.data -- "$PIPA_WORKLOADS/jit" dump 50 50 > /dev/null 2>&1 ||
		skip 'perf record does not run here'
	pipa report --no-children --sort symbol local.data
	has out jit_second
	lacks out jit_first
}

test_without_a_valid_jitdump_code_is_unresolved() {
	record_dump
	dump=$(echo jit-*.dump)
	cp "$dump" kept
	rm "$dump"
	pipa report --no-children --sort symbol jit.data
	status 0
	lacks out jit_first
	has out 'JIT code without a perf map'
	matches out '^# [0-9.]+% in JIT code without symbols: run node with --perf-basic-prof, java with '
	head -c 20 kept > "$dump"
	pipa report --no-children --sort symbol jit.data
	status 0
	lacks out jit_first
}

# In a container it has other directories and another PID; from outside its map is read through its root.
test_a_perf_map_in_a_container_is_found_while_its_process_lives() {
	need_workloads
	need_root
	need_program unshare
	unshare --mount --pid --fork true 2> /dev/null || skip 'no namespaces of our own here'
	# opened before: the program may itself be below /tmp
	start unshare --mount --pid --fork --kill-child sh -c "
		exec 3< '$PIPA_WORKLOADS/jit'
		mount -t tmpfs none /tmp && exec /proc/self/fd/3 map 2000 /tmp/perf-1.map"
	until_true has_map "$started"
	target=$(cat "/proc/$started/task/$started/children")
	target=${target% }
	pipa record -p "$target" --duration 300ms -o box.data
	status 0
	pipa report --no-children --sort symbol box.data
	status 0
	has out jit_mapped
	[[ ! -e /tmp/perf-$target.map ]] || fail 'outside' 'no map' "/tmp/perf-$target.map"
}

# has_map PID: has the child of that one written its map?
has_map() {
	local child

	child=$(cat "/proc/$1/task/$1/children" 2> /dev/null)
	[[ $child && -s /proc/${child% }/root/tmp/perf-1.map ]]
}

# The kernel names what it makes: a program that it runs for us.
test_bpf_programs_have_the_kernels_name() {
	need_workloads
	need_counting
	"$PIPA_WORKLOADS/bpf" 1 || skip 'no BPF program can be run here'
	pipa record -o bpf.data -- "$PIPA_WORKLOADS/bpf" 40
	status 0
	pipa report --no-children --sort dso,symbol bpf.data
	matches out ' bpf_prog_[0-9a-f]+_spinner +\[k\] bpf_prog_[0-9a-f]+_spinner$'
	pipa fold --kernel bpf.data
	matches out ';bpf_prog_[0-9a-f]+_spinner_\[k\] [0-9]+$'
}

run_tests "$@"
