#!/usr/bin/env bash
# Call chains of recordings whose true chains are known: tests/data/chains (x86_64) and the aarch64 recordings
# of the corpus at $PIPA_CORPUS. tests/cli/chains.py has the chains and the targets, tests/cli/chain_table.sh prints
# the accuracy of all of them as a table.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/aarch64

need_corpus() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
	command -v python3 > /dev/null || skip 'no python3'
}

# accurate NAME SCRIPT-ARGUMENT...: the chains of a recording meet their target
accurate() {
	local name=$1

	shift
	pipa script --json "$@"
	status 0
	python3 "$PIPA_SOURCE/tests/cli/chains.py" "$name" < out > table ||
		fail "chains of $name" 'at most one sample with another chain' "$(cat table)"
	cat table
}

test_chains_of_code_with_and_without_call_frame_information_are_true() {
	local name

	need_corpus
	for name in dup_cfi dup_fp dup_omit nocfi_fp omit_vdso gostrip; do
		accurate "$name.dwarf" "$corpus/$name.dwarf.bundle"
	done
}

test_recorded_chains_are_true_or_marked_as_incomplete() {
	local name

	need_corpus
	for name in dup_cfi dup_fp dup_omit nocfi_fp nocfi_signal omit_vdso gostrip; do
		accurate "$name.fp" "$corpus/$name.fp.bundle"
	done
}

# The interrupted frame is beyond the 4,096 bytes that were recorded of the stack, but for its registers.
test_the_interrupted_frame_of_a_signal_handler_is_shown() {
	need_corpus
	pipa script --json "$corpus/nocfi_signal.dwarf.bundle"
	status 0
	python3 -c '
import json, sys
n = wrong = 0
for line in sys.stdin:
    names = [f.get("sym") for f in json.loads(line)["stack"]]
    if "handler" not in names:
        continue
    n += 1
    after = names[names.index("handler") + 1:]
    wrong += after[0] != "__kernel_rt_sigreturn" or "sigwork" not in after[1:3]
sys.exit(not n or wrong > 0)' < out ||
		fail 'frames of a handler' 'the stub, then what was interrupted' "$(head -n 3 out)"
}

test_jit_compiled_functions_do_not_call_themselves_falsely() {
	local name map pid

	need_corpus
	command -v zstd > /dev/null || skip 'no zstd'
	mkdir -p root/tmp
	for name in node.dwarf node.fp java.dwarf java.fp; do
		for map in "$corpus/$name".perf-*.map.zst; do
			pid=${map##*perf-}
			zstd -q -d "$map" -o "root/tmp/perf-${pid%.zst}"
		done
		accurate "$name" --symfs "$PWD/root" "$corpus/$name.data.zst"
	done
}

# true_chains NAME LEAST FILE: of one of our programs; every part of it is there
true_chains() {
	accurate "$1" "$3"
	(($(wc -l < out) >= $2)) || fail 'samples' "at least $2" "$(wc -l < out)"
}

test_chains_of_x86_64_are_true_at_every_instruction() {
	local variant

	command -v python3 > /dev/null || skip 'no python3'
	for variant in cfi fp omit; do
		true_chains program.dwarf 80 "$PIPA_SOURCE/tests/data/chains/x86_64.$variant.dwarf.bundle"
	done
	# the stack is on the stack: what recorded chains lack cannot be known without it
	true_chains program.fp 80 "$PIPA_SOURCE/tests/data/chains/x86_64.fp.fp.bundle"
}

test_chains_of_programs_recorded_here_are_true() {
	local variant

	command -v python3 > /dev/null || skip 'no python3'
	for variant in cfi fp omit; do
		[[ -x $PIPA_WORKLOADS/chains_$variant ]] || skip "no workload chains_$variant"
		pipa record -q -e cpu-clock:u -F 997 -o live.data "$PIPA_WORKLOADS/chains_$variant" x 60
		[[ $got_status -eq 0 ]] || skip "cannot record: $(head -n 1 err)"
		true_chains program.dwarf 20 live.data
	done
}

test_record_notes_stacks_that_lack_call_frame_information() {
	[[ -x $PIPA_WORKLOADS/chains_omit ]] || skip 'no workload chains_omit'
	pipa record -e cpu-clock:u -F 997 -o live.data "$PIPA_WORKLOADS/chains_omit" c 60
	[[ $got_status -eq 0 ]] || skip "cannot record: $(head -n 1 err)"
	matches err '^pipa record: [0-9.]+% of stacks have frames found by frame-pointer fallback'
	pipa record -e cpu-clock:u -F 997 -o live.data "$PIPA_WORKLOADS/chains_cfi" c 60
	status 0
	lacks err 'without call frame information'
}

run_tests "$@"
