#!/usr/bin/env bash
#
# libpipa-heap.so in many programs: what it counts, and that the programs do not notice it. A second
# preloaded library (tests/preload/count.c) counts what reaches the allocator.

. "${BASH_SOURCE[0]%/*}/lib.sh"

library=$(dirname "$PIPA")/libpipa-heap.so
need_workloads_of_heap() {
	[[ -r $library ]] || skip "no libpipa-heap.so beside $PIPA"
	[[ -x ${PIPA_WORKLOADS-}/heap_allocates ]] || skip "no heap_allocates"
}

# value KEY [FILE]
value() {
	sed -n "s/^$1=//p" "${2-sums}"
}

# exact: the sums are those of the counting library
exact() {
	local key

	for key in allocs frees alloc_bytes; do
		same "$key" "$(value "$key")" "$(value "$key" count)"
	done
	same lost "$(value lost)" 0
}

# allocates ARGS...: each allocation is tracked, and the sums are exact
allocates() {
	need_workloads_of_heap
	rm -rf files count
	mkdir files
	run env "LD_PRELOAD=$library:$PIPA_WORKLOADS/libheap_count.so" COUNT_FILE="$PWD/count" \
		PIPA_HEAP="rate=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" "$@"
	status 0
	stderr < /dev/null
	"$PIPA_WORKLOADS/heap_sums" files > sums
}

test_the_totals_of_all_functions_are_exact() {
	allocates churn 20000
	exact
	same "blocks that are left" "$(value blocks)" 0
	same "stacks that are incomplete" "$(value truncated)" 0
}

test_the_totals_of_threads_are_exact() {
	allocates threads 50
	exact
	same "blocks that are left" "$(value blocks)" 50
}

test_a_thousand_threads_lose_nothing() {
	allocates threads 1000
	exact
}

test_forked_children_have_files_of_their_own() {
	allocates forks 30
	same files "$(value files)" 31
	same forked "$(value forked)" 30
	same exited "$(value exited)" 31
	same lost "$(value lost)" 0
}

test_libraries_that_are_loaded_and_unloaded_do_no_harm() {
	allocates dlopens 50
	exact
	same "stacks that are incomplete" "$(value truncated)" 0
}

test_stacks_stay_the_same_when_a_library_stays_loaded() {
	local stacks

	allocates handles 1
	stacks=$(value stacks)
	allocates handles 100
	exact
	between stacks "$(value stacks)" "$stacks" $((stacks + 10))
}

test_signals_interrupt_it_without_harm() {
	allocates signals 50000
	exact
}

test_stacks_go_through_signal_handlers() {
	allocates handler
	exact
	same "stacks that are incomplete" "$(value truncated)" 0
	between "the deepest stack" "$(value deepest)" 7 30
}

test_stacks_of_coroutines_may_be_unmapped() {
	allocates coroutines
	exact
}

test_errno_and_failures_are_those_of_the_allocator() {
	allocates errno
	allocates refused
	exact
}

test_the_counter_of_the_processor_may_be_forbidden() {
	allocates counter
	exact
}

test_strict_seccomp_ends_the_recording() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" strict
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	between allocs "$(value allocs)" 1 10
	same exited "$(value exited)" 0
}

test_deep_recursion_is_truncated_and_counted() {
	allocates recursion 1000
	exact
	same deepest "$(value deepest)" 128
	between truncated "$(value truncated)" 800 1001
}

test_a_killed_process_leaves_all_sums() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" killed 1000
	status 137
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same exited "$(value exited)" 0
	same blocks "$(value blocks)" 100
	same "bytes of blocks" "$(value block_bytes)" 100000
}

test_exit_without_handlers_is_noticed() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" _exit
	status 7
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same exited "$(value exited)" 1
}

test_estimates_are_near_the_truth() {
	local sum=0

	need_workloads_of_heap
	for _ in {1..10}; do
		rm -rf files
		mkdir files
		env "LD_PRELOAD=$library" PIPA_HEAP="rate=65536 dir=$PWD/files" \
			"$PIPA_WORKLOADS/heap_allocates" leaks 20000 || fail status 0 $?
		"$PIPA_WORKLOADS/heap_sums" files > sums
		sum=$((sum + $(value scaled_bytes)))
	done
	# 200 MB, about 3,050 samples: 1.8 % are one sigma
	between bytes "$sum" 185000000 215000000
}

test_small_allocations_are_left_out() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 min=1001 dir=$PWD/files" \
		"$PIPA_WORKLOADS/heap_allocates" leaks 100
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same allocs "$(value allocs)" 0
}

test_without_frees_only_allocations_are_summed() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 frees=0 dir=$PWD/files" \
		"$PIPA_WORKLOADS/heap_allocates" churn 1000
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	between allocs "$(value allocs)" 500 1000
	same frees "$(value frees)" 0
	same blocks "$(value blocks)" 0
}

test_switched_off_it_records_nothing() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 on=0 dir=$PWD/files" \
		"$PIPA_WORKLOADS/heap_allocates" churn 1000
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same files "$(value files)" 1
	same allocs "$(value allocs)" 0
}

test_a_directory_that_is_missing_does_no_harm() {
	need_workloads_of_heap
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/none" "$PIPA_WORKLOADS/heap_allocates" churn 1000
	status 0
	stderr < /dev/null
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=what dir=$PWD" "$PIPA_WORKLOADS/heap_allocates" churn 1000
	status 0
	stderr < /dev/null
	run env "LD_PRELOAD=$library" "$PIPA_WORKLOADS/heap_allocates" churn 1000
	status 0
	stderr < /dev/null
}

test_most_of_a_limited_address_space_is_left_to_the_program() {
	need_workloads_of_heap
	mkdir files
	# shellcheck disable=SC2016
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" \
		bash -c 'ulimit -v 1700000 && exec "$0" large 700' "$PIPA_WORKLOADS/heap_allocates"
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	between "bytes of blocks" "$(value block_bytes)" $((700 << 20)) $((701 << 20))
}

test_the_file_takes_no_locked_memory() {
	need_workloads_of_heap
	"$PIPA_WORKLOADS/heap_allocates" locked 16 || skip 'memory cannot be locked'
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=524288 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" locked 32
	status 0
}

# allocator NAME: the program's allocator is another one, preloaded after the library
allocator() {
	local found

	need_workloads_of_heap
	found=$(find /usr/lib -name "$1*" -print -quit)
	[[ -n $found ]] || skip "no $1"
	mkdir -p files
	run env "LD_PRELOAD=$library:$found" PIPA_HEAP="rate=1 dir=$PWD/files" \
		"$PIPA_WORKLOADS/heap_allocates" threads 20
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same lost "$(value lost)" 0
	same blocks "$(value blocks)" $(($(value allocs) - $(value frees)))
	between allocs "$(value allocs)" 10000 10100
}

test_jemalloc_is_profiled() {
	allocator libjemalloc.so.2
}

test_tcmalloc_is_profiled() {
	allocator libtcmalloc_minimal.so.4
}

test_mimalloc_is_profiled() {
	allocator libmimalloc.so.2
}

test_programs_of_the_system_run_as_without_it() {
	local rate

	need_workloads_of_heap
	cat > script.py << 'END'
import collections, json, re, threading
words = collections.Counter(re.findall(r"\w+", json.dumps({str(i): list(range(i % 50)) for i in range(2000)})))
lines = []
threads = [threading.Thread(target=lambda n=n: lines.append(sum(len(str(i)) for i in range(n)))) for n in range(8)]
for t in threads: t.start()
for t in threads: t.join()
print(sum(words.values()), sorted(lines))
END
	for rate in 1 4096 524288; do
		for program in "ls -l /usr/bin" "sort -S 1M script.py" "bash -c 'for i in 1 2 3; do (echo \$i | cat); done'" \
			"python3 script.py" "sqlite3 :memory: 'with recursive c(n) as (select 1 union all select n+1 from c where n<20000) select count(*), sum(length(hex(n))) from c order by 1;'"; do
			command -v "${program%% *}" > /dev/null || continue
			mkdir -p files
			bash -c "$program" > want
			LD_PRELOAD=$library PIPA_HEAP="rate=$rate dir=$PWD/files" bash -c "$program" > got 2> got_err ||
				fail "status of $program" 0 $?
			compare got got < want
			compare got_err got_err < /dev/null
		done
	done
}

test_an_executed_program_is_profiled_with_an_empty_environment() {
	need_workloads_of_heap
	mkdir files
	LD_PRELOAD=$library PIPA_HEAP="rate=1 dir=$PWD/files" env -i "$PIPA_WORKLOADS/heap_allocates" leaks 3 ||
		fail status 0 $?
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same files "$(value files)" 2
	LD_PRELOAD=$library PIPA_HEAP="rate=1 follow=0 dir=$PWD/files" env -i "$PIPA_WORKLOADS/heap_allocates" leaks 3
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same files "$(value files)" 3
}

test_mapped_memory_is_recorded_on_request() {
	need_workloads_of_heap
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 mmap=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" mmap
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same mmaps "$(value mmaps)" 3 # mapped, moved, mapped
	same "bytes of mappings" "$(value alloc_bytes)" $((7 << 20))
	same blocks "$(value blocks)" 1
	same "bytes of blocks" "$(value block_bytes)" $((4 << 20))
	rm -r files
	mkdir files
	env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" mmap
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same allocs "$(value allocs)" 0
}

test_unmapped_parts_are_subtracted_from_mapped_memory() {
	need_workloads_of_heap
	for rate in 1 65536; do
		rm -rf files
		mkdir files
		run env "LD_PRELOAD=$library" PIPA_HEAP="rate=$rate mmap=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" cut
		status 0
		"$PIPA_WORKLOADS/heap_sums" files > sums
		# 16 MiB, cut at both ends and in the middle, of which one part is unmapped
		same mmaps "$(value mmaps)" 2
		same "bytes of mappings" "$(value alloc_bytes)" $((16 << 20))
		same frees "$(value frees)" 1
		same "bytes that were unmapped" "$(value free_bytes)" $((12 << 20))
		same "bytes of blocks" "$(value block_bytes)" $((4 << 20))
		same lost "$(value lost)" 0
	done
}

# mappings N: that many mappings at the same time, all unmapped
mappings() {
	need_workloads_of_heap
	rm -rf files
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 mmap=1 dir=$PWD/files" "$PIPA_WORKLOADS/heap_allocates" mappings "$1"
	status 0
	"$PIPA_WORKLOADS/heap_sums" files > sums
	same mmaps "$(value mmaps)" "$1"
	same blocks "$(value blocks)" 0
}

test_thousands_of_mappings_are_followed() {
	mappings 10000
	same lost "$(value lost)" 0
}

test_mappings_that_are_not_followed_are_counted() {
	mappings 20000
	same lost "$(value lost)" $((20000 - 16384))
}

# own_code [MDWE]: print the permissions of the library's code in a process, and whether pages of it were changed; with
# MDWE executable memory cannot be made from memory that was writable
own_code() {
	cat > own_code.py <<- 'END'
		import ctypes, os, re, sys
		if len(sys.argv) > 1:
		    if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):  # PR_SET_MDWE
		        sys.exit(77)
		    os.execv(sys.executable, [sys.executable, sys.argv[0]])
		seen = set()
		for line in open("/proc/self/smaps"):
		    if re.match("[0-9a-f]+-", line):
		        ours = "libpipa-heap.so" in line and "x" in line.split()[1]
		        if ours:
		            seen.add(line.split()[1])
		    elif ours and line.startswith("Anonymous:") and line.split()[1] != "0":
		        seen.add("changed")
		print(*sorted(seen))
	END
	mkdir files
	run env "LD_PRELOAD=$library" PIPA_HEAP="rate=1 dir=$PWD/files" python3 own_code.py "$@"
}

# The code of the library is changed once, at its start, and cannot be written afterwards.
test_jumps_to_the_allocator_are_direct_on_x86_64() {
	[[ $(uname -m) == x86_64 ]] || skip 'of x86_64 only'
	need_workloads_of_heap
	own_code
	status 0
	stdout <<< 'changed r-xp'
}

test_code_that_may_not_be_changed_stays_as_it_is() {
	need_workloads_of_heap
	own_code MDWE
	[[ $got_status -ne 77 ]] || skip 'this kernel has no PR_SET_MDWE'
	status 0
	stdout <<< 'r-xp'
}

# A hook leaves by a jump, so it must not have changed the stack (src/preload/jumps.h).
test_hooks_do_not_change_the_stack_before_they_jump() {
	[[ $(uname -m) == x86_64 ]] || skip 'of x86_64 only'
	need_workloads_of_heap
	command -v objdump > /dev/null || skip 'needs objdump'
	objdump -d --no-show-raw-insn "$library" | awk '
		/^[0-9a-f]+ <.*>:$/ { name = $2; changed = 0 }
		/\t(push|pop|call|leave|enter) / || /,%[re]sp$/ { changed = 1 }
		/\tjmp +\*0x[0-9a-f]+\(%rip\)/ && name ~ /^<[a-z_]*(alloc|align|free|_Z)[A-Za-z0-9_]*>:$/ { print (changed ? "changed " : "unchanged ") name }' > jumps
	(($(grep -c '^unchanged' jumps) >= 30)) || fail 'jumps of hooks' 'at least 30' "$(< jumps)"
	same 'hooks that change the stack' "$(grep '^changed' jumps)" ''
}

test_the_library_depends_on_no_other_library() {
	need_workloads_of_heap
	need_program readelf
	readelf -dW "$library" > dynamic
	lacks dynamic NEEDED
	readelf -VW "$library" > versions
	lacks versions GLIBC
	readelf --dyn-syms -W "$library" | awk '$7 == "UND" && $5 != "WEAK" && $8 != ""' > undefined
	compare undefined undefined < /dev/null
}

test_the_library_has_probes_with_the_names_of_opentelemetry() {
	need_workloads_of_heap
	need_program readelf
	readelf -n "$library" > notes
	has notes "Provider: otel_memory"
	has notes "Name: alloc"
	has notes "Name: free"
	matches notes "Arguments: 8@[^ ]+ 8@[^ ]+ 8@"
}

run_tests "$@"
