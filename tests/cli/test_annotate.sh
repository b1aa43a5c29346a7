#!/bin/bash
# pipa annotate: shares beside perf annotate's on the same recording, instructions beside objdump's.
# shellcheck source-path=SCRIPTDIR source=lib.sh disable=SC2154
. "${BASH_SOURCE[0]%/*}/lib.sh"

# A program that spends its time in work(), built and recorded by perf, or where that dies by pipa: ./hot.data
recording() {
	need_program cc
	need_program perf
	cat > hot.c <<- 'END'
		volatile unsigned long v;
		static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
		{
			x ^= x >> 13;
			return x / (v | 7);
		}
		__attribute__((noinline)) unsigned long work(unsigned long n)
		{
			unsigned long s = 0;

			for (unsigned long i = 0; i < n; i++)
				s += mix(i + s);
			return s;
		}
		int main(void)
		{
			v = work(40000000);
			return 0;
		}
	END
	cc -O2 "${@:--g}" hot.c -o hot 2> err || skip "cc: $(head -n 1 err)"
	perf record -q -e cpu-clock:u -c 1000000 -o hot.data ./hot > /dev/null 2>&1 ||
		"$PIPA" record -q --call-graph none -e cpu-clock:u -c 1000000 -o hot.data ./hot > /dev/null 2>&1 ||
		skip 'neither perf nor pipa can record here'
	[[ $("$PIPA" report --no-children -s symbol hot.data 2> /dev/null) == *work* ]] ||
		skip 'no sample was caught in work()'
}

# Of a listing in perf's form: address and share of what has samples
shares() {
	sed -nE 's/^ *([0-9]+\.[0-9]+) +: +([0-9a-f]+):.*/\2 \1/p' "$1" | awk '$2 > 0' | sort
}

need_capstone() {
	if "$PIPA" annotate --asm "$1" work 2> /dev/null | grep -q 'built without capstone'; then
		skip 'this pipa was built without capstone'
	fi
}

test_shares_are_those_of_perf() {
	recording
	need_capstone hot.data
	perf annotate --stdio -i hot.data work > perfs 2> /dev/null || skip 'perf cannot annotate here'
	[[ $(shares perfs) ]] || skip 'perf shows no shares'
	pipa annotate hot.data work
	status 0
	stderr < /dev/null
	shares out > ours
	shares perfs | compare 'addresses and shares' ours
}

test_instructions_are_those_of_objdump() {
	recording
	need_capstone hot.data
	need_program objdump
	pipa annotate --asm hot.data work
	status 0
	# by address and name; objdump leaves out the letter of the operands' size
	sed -nE 's/^.* : +([0-9a-f]+): +([a-z]+).*/\1 \2/p' out > ours
	objdump -d --no-show-raw-insn --disassemble=work hot |
		sed -nE 's/^ *([0-9a-f]+):[\t ]+([a-z]+).*/\1 \2/p' > theirs
	same instructions "$(wc -l < ours)" "$(wc -l < theirs)"
	paste -d ' ' ours theirs | awk '$2 " " $4 == "nop xchg" { next } $1 != $3 || index($2, substr($4, 1, 3)) != 1' > others
	compare 'instructions that are others' others < /dev/null
	matches out ' <work(\+0x[0-9a-f]+)?>$'
}

test_source_lines_are_printed_before_their_code() {
	recording
	need_capstone hot.data
	pipa annotate hot.data
	status 0
	matches out '^# work in .*/hot: [0-9.]+% of cpu-clock:u, [0-9]+ of [0-9]+ samples$'
	matches out '^ +: hot\.c:5  .*return x / \(v \| 7\);$'
	lacks out $'\033'
}

test_without_instructions_source_lines_have_the_sums() {
	recording
	pipa annotate --source hot.data work
	status 0
	matches out '^ +: .*/hot\.c$'
	matches out '^ +: +9  .*unsigned long s = 0;$'
	between 'the sum of all shares' "$(awk -F: '/^ *[0-9.]+ :/ { n += $1 } END { print n }' out)" 99.5 100.5
	mv hot.c away.c
	pipa annotate --source hot.data work
	matches out '^ +([0-9.]+)? : +5  $'
	matches out '^# no source: .*/hot\.c not found, or it has no line [0-9]+$'
	pipa annotate --asm hot.data work
	lacks out '# no '
	mkdir -p "symfs$PWD"
	cp away.c "symfs$PWD/hot.c"
	cp hot "symfs$PWD/hot"
	pipa annotate --source --symfs symfs hot.data work
	matches out 'return x / \(v \| 7\);$'
}

test_output_is_coloured_on_request() {
	recording
	pipa annotate --color always hot.data work
	has out $'\033[31m'
	NO_COLOR=1 pipa annotate hot.data work
	lacks out $'\033'
}

test_a_file_with_another_build_id_is_not_used() {
	recording -g -Wl,--build-id
	perf buildid-list -i hot.data 2> /dev/null | grep -q 'hot$' || skip 'perf noted no build id'
	cc -O1 -g -Wl,--build-id hot.c -o hot
	HOME=$PWD pipa annotate --percent-limit 0 hot.data
	lacks out 'hot.c:'
}

test_missing_debug_information_is_reported() {
	recording -g0
	pipa annotate hot.data work
	status 0
	has out '# no lines: the file has no debug information'
	matches out '^ +[0-9.]+ : +[0-9a-f]+:  '
}

test_kernel_code_requires_vmlinux() {
	need_program perf
	perf record -q -e cpu-clock:k -c 100000 -o kernel.data dd if=/dev/zero of=/dev/null bs=1M count=3000 \
		> /dev/null 2>&1 || skip 'perf cannot record the kernel here'
	pipa annotate --percent-limit 0 kernel.data
	[[ $got_status -eq 0 ]] || skip 'no sample has a name'
	grep -q 'in \[kernel' out || skip 'no sample was in the kernel itself'
	has out "# no code: use --vmlinux FILE for kernel code"
}

test_unresolved_samples_are_an_error() {
	recording
	mv hot away
	HOME=/nonexistent pipa annotate --percent-limit 0 --symfs /nonexistent hot.data
	refused 1 <<< 'pipa annotate: all samples are unresolved. See pipa report for the reasons.'
	HOME=/nonexistent pipa annotate --symfs /nonexistent hot.data work
	refused 1 <<< 'pipa annotate: all samples are unresolved. See pipa report for the reasons.'
}

test_an_inlined_function_is_listed_where_it_was_inlined() {
	local self

	recording
	need_capstone hot.data
	pipa annotate hot.data mix
	status 0
	matches out '^# mix \(inlined into work\) in .*hot: [0-9.]+% of '
	matches out 'hot\.c:[56]'
	lacks out 'hot.c:12'
	mv out listing
	pipa annotate hot.data 'mix (inlined)'
	stdout < listing
	# the share is the self of the report, and shares of its instructions are of that
	pipa report --inline --no-children --sort symbol hot.data
	self=$(awk '$NF == "(inlined)" && $(NF - 1) == "mix" { print $1 }' out)
	has listing ": $self of "
	between 'percent of all instructions' \
		"$(sed -nE 's/^ *([0-9]+\.[0-9]+) +: +[0-9a-f]+:.*/\1/p' listing |
			awk '{ n += $1 } END { print n }')" 99 101
}

test_a_function_without_samples_is_refused() {
	recording
	pipa annotate hot.data wrok
	refused 1 <<< "pipa annotate: no samples in function 'wrok'. Did you mean work?"
	pipa annotate hot.data 'twice (inlined)'
	refused 1 <<< "pipa annotate: no samples in function 'twice (inlined)'. List functions with: pipa report --no-children"
	pipa annotate -e cycles:nothing hot.data
	status 1
	has err "pipa annotate: no event 'cycles:nothing' in the input. Available: "
	pipa annotate missing.data
	status 1
	pipa annotate a b c
	refused 2 <<< "pipa annotate: too many arguments: 'c'"
	pipa annotate --percent-limit 101 hot.data
	refused 2 <<< "pipa annotate: --percent-limit: invalid percentage '101', expected 0 to 100"
}

test_folded_stacks_have_neither_objects_nor_events() {
	printf 'main;f 1\n' > folded
	pipa annotate folded
	status 0
	has out '# f: 100.00%, 1 of 1 sample'
	has out '# no code: its address is not known, or is in no mapping'
}

run_tests "$@"
