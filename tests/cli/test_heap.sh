#!/bin/bash
# `pipa heap`: sums of known allocations, reports, profiles, leaks, control, statuses and refusals.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=terminal.sh
. "${BASH_SOURCE[0]%/*}/terminal.sh"
# shellcheck source-path=SCRIPTDIR source=otlp_receiver.sh
. "${BASH_SOURCE[0]%/*}/otlp_receiver.sh"

need_allocs() {
	need_workloads
	allocs=$PIPA_WORKLOADS/allocs
	[[ -x $allocs ]] || skip 'the workload allocs is not built'
}

need_workloads_of_heap() {
	[[ -x ${PIPA_WORKLOADS-}/heap_allocates ]] || skip 'heap_allocates is not built'
}

# heap ARGS...: every allocation, the report as JSON in ./heap.json
heap() {
	pipa heap --rate 1 -f json --report-to heap.json "$@"
}

# value PATH...: of ./heap.json, keys and indexes: value allocated bytes
value() {
	python3 -c '
import json, sys
at = json.load(open("heap.json"))
for key in sys.argv[1:]:
    at = at[int(key) if key.lstrip("-").isdigit() else key]
print(str(at).lower() if isinstance(at, bool) else at)' "$@"
}

# alive: the sums of blocks at the exit, by what the search has found: "lost 7 700"
alive() {
	python3 -c '
import json
sums = {}
for site in json.load(open("heap.json"))["sites"]:
    for kind, amount in site.get("alive", {}).items():
        if isinstance(amount, dict):
            old = sums.get(kind, (0, 0))
            sums[kind] = (old[0] + amount["objects"], old[1] + amount["bytes"])
for kind in sorted(sums):
    print(kind, *sums[kind])'
}

# amounts OBJECTS BYTES KEY...: of ./heap.json
amounts() {
	same "objects of ${*:3}" "$(value "${@:3}" objects)" "$1"
	same "bytes of ${*:3}" "$(value "${@:3}" bytes)" "$2"
}

# own_malloc: compile ./own, a program that defines malloc itself
own_malloc() {
	printf '#include <stddef.h>\nchar pool[64]; void *malloc(size_t n) { return n < 64 ? pool : 0; }\nint main(void) { return malloc(1) == 0; }\n' > own.c
	cc -fno-builtin -o own own.c
}

# ---- sums ------------------------------------------------------------------------------------------

test_sums_of_known_allocations_are_exact_at_rate_1() {
	need_allocs
	heap -- "$allocs" kept
	status 0
	same complete "$(value complete)" true
	amounts 10 10000 allocated
	amounts 10 10000 in_use
	amounts 10 10000 peak
	heap -- "$allocs" churn
	amounts 1000 64000 allocated
	amounts 0 0 in_use
	amounts 1 64 peak
	same temporary "$(value sites 0 temporary objects)" 1000
	same 'function of the site' "$(value sites 0 stack 0 function)" churn_blocks
	same 'class of the sizes' "$(value processes 0 sizes 0 below)" 128
	same 'blocks of the class' "$(value processes 0 sizes 0 objects)" 1000
}

test_the_peak_has_the_memory_in_use_at_that_time() {
	need_allocs
	heap -- "$allocs" peak
	amounts 110 1100000 allocated
	amounts 100 1000000 peak
	amounts 10 100000 in_use
}

test_a_block_that_is_resized_is_in_use_once() {
	need_allocs
	heap -- "$allocs" resize
	amounts 3 6291456 allocated
	amounts 1 3145728 peak
	amounts 1 3145728 in_use
}

test_estimates_are_near_the_truth() {
	need_allocs
	pipa heap --rate 64Ki -f json --report-to heap.json -- "$allocs" grow 2000
	status 0
	same allocations "$(value processes 0 rate)" 65536
	# 2,000 blocks of 4 KiB, one in 16 sampled: 3 sigma are 27 %
	between bytes "$(value allocated bytes)" 5980000 10400000
}

test_call_sites_that_take_turns_are_all_timed() {
	need_allocs
	heap -- "$allocs" turns
	status 0
	same sites "$(value sites | grep -o "'[a-z]*_of_turn'" | sort | tr '\n' ' ')" "'first_of_turn' 'second_of_turn' "
	for site in 0 1; do
		between 'time in the allocator' "$(value sites "$site" allocator_ns)" 1 100000000000
	done
}

test_small_blocks_are_left_out_on_request() {
	need_allocs
	heap --min-size 1000 -- "$allocs" kept
	amounts 10 10000 allocated
	heap --min-size 1001 -- "$allocs" kept
	amounts 0 0 allocated
	status 0
}

test_frees_are_not_followed_on_request() {
	need_allocs
	heap --no-frees -- "$allocs" churn
	amounts 1000 64000 allocated
	same frees "$(value processes 0 frees)" false
	for key in in_use peak; do
		lacks heap.json "\"$key"
	done
	pipa heap --no-frees --rate 1 -o heap.pb.gz -- "$allocs" churn
	has err 'Allocated'
	lacks err 'In use'
	pipa report heap.pb.gz
	status 0
	matches out '100.00% .* churn_blocks'
	pipa heap --no-frees --rate 1 -- sh -c "'$allocs' churn; :"
	matches err '^ +[0-9]+ +[0-9.]+ [KM]iB +- +- +exited'
}

# ---- processes -------------------------------------------------------------------------------------

test_children_and_their_programs_are_included() {
	need_allocs
	heap -- "$allocs" fork
	same processes "$(value processes | grep -o "'pid'" | wc -l)" 2
	amounts 5 10000 allocated
	heap --sort pid -- "$allocs" exec
	amounts 10 10000 allocated
	same 'end of the program that was replaced' \
		"$(python3 -c 'import json; print(*sorted(p["end"] for p in json.load(open("heap.json"))["processes"]))')" 'exited replaced'
	heap -- sh -c "'$allocs' kept; '$allocs' kept; exit 4"
	status 4
	between 'blocks of both' "$(value allocated objects)" 20 1000
	pipa heap --rate 1 -- sh -c "'$allocs' kept; :"
	matches err '^Processes$'
	has err ' blocks at the end of each process'
}

test_memory_of_a_program_that_was_replaced_is_not_in_use() {
	need_allocs
	heap -o heap.pb.gz -- sh -c "exec '$allocs' kept"
	status 0
	same 'in use of programs that exec replaced' "$(python3 -c 'import json
print(*(p["in_use"]["bytes"] for p in json.load(open("heap.json"))["processes"] if p["end"] == "replaced"))')" 0
	amounts 10 10000 in_use
	pipa export --value inuse_space -f folded heap.pb.gz
	same 'in use in the profile' "$(awk '{ sum += $NF } END { print sum }' out)" 10000
}

test_a_child_of_vfork_does_not_end_its_parent() {
	need_allocs
	heap --leaks -- "$allocs" vfork
	status 0
	amounts 7 700 allocated
	same alive "$(alive)" 'lost 7 700'
	same end "$(value processes 0 end)" exited
}

test_a_killed_process_leaves_its_sums() {
	need_allocs
	heap --leaks -- "$allocs" kill
	status 137
	amounts 10 10000 in_use
	same end "$(value processes 0 end)" killed
	same alive "$(alive)" 'unknown 10 10000'
	same searched "$(value searched)" false
}

test_ages_of_a_killed_process_are_those_at_its_end() {
	waiting wait --leaks
	sleep 0.5
	kill -KILL "$target"
	landed
	status 137
	same end "$(value processes 0 end)" killed
	between age "$(value sites 0 alive oldest_ns)" 400000000 100000000000
	same growth "$(value sites 0 alive growth)" start
}

# ---- leaks -----------------------------------------------------------------------------------------

test_leaks_are_distinguished_from_reachable_blocks() {
	need_allocs
	heap --leaks -- "$allocs" lost
	same alive "$(alive)" 'lost 7 700'
	same searched "$(value searched)" true
	heap --leaks -- "$allocs" kept
	same alive "$(alive)" 'reachable 10 10000'
	heap --leaks -- "$allocs" inside
	same alive "$(alive)" 'possibly_lost 1 500'
	heap --leaks -- "$allocs" none
	same alive "$(alive)" ''
}

test_verdicts_are_those_of_valgrind() {
	need_allocs
	need_program valgrind
	for what in lost list cycle kept inside none peak; do
		heap --leaks -- "$allocs" "$what"
		alive > ours
		valgrind --leak-check=full --show-leak-kinds=all "$allocs" "$what" > grind 2>&1 || skip 'valgrind does not run here'
		sed -nE 's/,//g
			s/^==[0-9]+== +definitely lost: ([0-9]+) bytes in ([0-9]+) blocks/lost \2 \1/p
			s/^==[0-9]+== +indirectly lost: ([0-9]+) bytes in ([0-9]+) blocks/indirectly_lost \2 \1/p
			s/^==[0-9]+== +possibly lost: ([0-9]+) bytes in ([0-9]+) blocks/possibly_lost \2 \1/p
			s/^==[0-9]+== +still reachable: ([0-9]+) bytes in ([0-9]+) blocks/reachable \2 \1/p' grind |
			grep -v ' 0 0$' | sort > theirs
		compare "verdicts on allocs $what" ours < theirs
	done
}

test_leaks_fail_with_status_3() {
	need_allocs
	pipa heap --rate 1 --leaks=fail -q -- "$allocs" lost
	status 3
	stderr <<< 'pipa heap: leaks: 7 blocks, 700 bytes'
	pipa heap --rate 1 --leaks=fail -q -- "$allocs" kept
	status 0
	pipa heap --rate 1 --leaks=fail -q -- sh -c "'$allocs' lost; exit 5"
	status 5
	pipa heap --rate 1 --leaks=fail -q -- "$allocs" kill
	status 137
}

test_leaks_fail_does_not_succeed_without_a_complete_recording() {
	need_allocs
	need_program cc
	pipa heap --rate 1 --off --leaks=fail -q -- "$allocs" lost
	refused 125 <<< 'pipa heap: --leaks=fail: no allocation was recorded'
	pipa heap --rate 4Gi --leaks=fail -q -- "$allocs" lost
	refused 125 <<< 'pipa heap: --leaks=fail: no allocation was recorded'
	pipa heap --rate 64 --leaks=fail -q -- "$allocs" kept
	refused 0 <<< 'pipa heap: --leaks=fail: only sampled blocks were searched for; --rate 1 finds all leaks'
	own_malloc
	pipa heap --mmap --leaks=fail -q -- ./own
	refused 125 <<< 'pipa heap: --leaks=fail: the recording is incomplete, and leaks may be missing'
}

test_mappings_are_recorded_on_request() {
	need_allocs
	heap --mmap --leaks --resident -- "$allocs" mapped
	status 0
	same 'bytes that were mapped' "$(python3 -c 'import json
print(sum(s["in_use"]["bytes"] for s in json.load(open("heap.json"))["sites"] if s.get("mapping") and s["stack"][0]["function"] == "main"))')" 1048576
	heap --mmap --leaks -- "$allocs" lost
	alive > found
	has found 'lost 7 700'
	heap -- "$allocs" mapped
	amounts 0 0 in_use
}

test_memory_of_sbrk_is_searched_for_pointers() {
	need_allocs
	heap --leaks=fail -- "$allocs" break
	status 0
	same alive "$(alive)" 'reachable 2 5010'
	heap --leaks=fail --mmap -- "$allocs" break
	status 0
}

test_growth_is_judged_by_ages() {
	need_allocs
	heap --leaks -- "$allocs" grow 200
	same growth "$(value sites 0 alive growth)" steady
	pipa heap --rate 1 --leaks -- "$allocs" grow 200
	has err 'grows steadily'
}

test_pages_of_blocks_are_read() {
	need_allocs
	heap --resident -- "$allocs" kept
	same 'bytes with pages' "$(($(value sites 0 alive resident) + $(value sites 0 alive swapped) + $(value sites 0 alive untouched)))" 10000
	pipa heap --rate 1 --resident -- "$allocs" kept
	has err 'Pages of blocks at the exit'
}

# ---- report ----------------------------------------------------------------------------------------

test_the_report_has_its_sections() {
	need_allocs
	pipa heap --rate 1 --leaks -- "$allocs" lost
	status 0
	stdout < /dev/null
	normalize err 's/[0-9.]+ (ns|us|ms|s)\b/N T/g' > screen
	for line in '# Samples: N, every allocation' '# Allocated: N B in N blocks' '# In use: N B in N blocks at the end' \
		'In use at the peak' 'In use at the end' Allocated 'Sizes of allocated blocks' Leaks ' lost: N B in N blocks'; do
		has screen "$line"
	done
	lacks err Incomplete
	matches err ' lose_blocks  '
	pipa heap -q -- "$allocs" lost
	stderr < /dev/null
	pipa heap --report-to report.txt -- "$allocs" lost
	stderr < /dev/null
	has report.txt '# Command:'
}

test_output_and_input_of_the_command_are_unchanged() {
	run timeout 100 "$PIPA" heap -q -- sed s/a/b/ <<< 'aha'
	status 0
	stdout <<< 'bha'
	pipa heap -q -- sh -c 'echo out; echo err >&2'
	stdout <<< out
	stderr <<< err
}

test_libraries_preloaded_by_the_user_stay() {
	need_allocs
	[[ -e /usr/lib/$(uname -m)-linux-gnu/libjemalloc.so.2 ]] || skip 'needs libjemalloc2'
	[[ ${PIPA_PRESET-} != asan ]] || skip 'the sanitizer has to be the first library of pipa'
	LD_PRELOAD=libjemalloc.so.2 heap -- "$allocs" kept
	status 0
	# with what the C++ library of jemalloc allocates
	between 'blocks in use' "$(value in_use objects)" 10 20
	same 'blocks of the program' "$(python3 -c 'import json
print(sum(s["in_use"]["objects"] for s in json.load(open("heap.json"))["sites"] if s["stack"][0]["function"] == "keep_blocks"))')" 10
	# shellcheck disable=SC2016
	LD_PRELOAD=libjemalloc.so.2 run timeout 100 "$PIPA" heap -q -- sh -c 'echo "$LD_PRELOAD"'
	matches out '^[^:]+:libjemalloc.so.2$'
}

test_the_library_is_written_where_it_can_be_preloaded() {
	need_allocs
	for name in 'a b' a:b "a\$LIB"; do
		mkdir "$name"
		TMPDIR=$PWD/$name heap -- "$allocs" kept
		stderr < /dev/null
		status 0
		amounts 10 10000 allocated
	done
	mkdir relative
	TMPDIR=relative heap -- "$allocs" kept
	stderr < /dev/null
	status 0
	amounts 10 10000 allocated
}

test_a_profile_of_no_process_is_a_failure() {
	need_program prlimit
	run prlimit --fsize=1000000 "$PIPA" heap -q -o heap.pb.gz -- true
	status 125
	has err 'the command was not profiled: '
	run prlimit --fsize=1000000 "$PIPA" heap -q -o heap.pb.gz -- sh -c 'exit 7'
	status 7
	run prlimit --fsize=1000000 "$PIPA" heap --rate 1 --leaks=fail -q -- true
	status 125
	has err '--leaks=fail: no allocation was recorded'
}

test_a_full_disk_loses_the_profile_and_not_the_report() {
	need_allocs
	need_root
	mkdir small
	mount -t tmpfs -o size=4k none small 2> /dev/null || skip 'no file system can be mounted'
	head -c 5000 /dev/zero > small/filler 2> /dev/null
	pipa heap --rate 1 -o small/heap.pb.gz -- "$allocs" kept
	umount small
	status 125
	has err 'No space left on device'
	has err '# Allocated:'
}

# ---- profiles --------------------------------------------------------------------------------------

test_the_profile_has_the_same_sums_for_go_tool_pprof() {
	need_allocs
	need_program go
	heap -o heap.pb.gz -- "$allocs" peak
	for column in alloc_objects=110 alloc_space=1100000 inuse_objects=10 inuse_space=100000; do
		go tool pprof -top -unit=B -sample_index="${column%=*}" heap.pb.gz > top 2> /dev/null || skip 'go tool pprof does not run here'
		matches top "^Showing nodes accounting for ${column#*=}B?, 100% of ${column#*=}B? total"
		matches top ' make_peak'
	done
	go tool pprof -raw heap.pb.gz > raw 2> /dev/null
	matches raw '^PeriodType: space bytes$'
	matches raw 'inuse_space/bytes\[dflt\]'
}

test_every_view_takes_each_value_column() {
	need_allocs
	heap -o heap.pb.gz -- "$allocs" peak
	heap -o other.pb.gz -- "$allocs" kept
	for column in alloc_objects alloc_space inuse_objects inuse_space; do
		pipa report --value "$column" heap.pb.gz
		status 0
		matches out '100.00% .* make_peak'
		pipa flamegraph --value "$column" heap.pb.gz -o flame.html
		status 0
		has flame.html make_peak
		pipa diff --value "$column" other.pb.gz heap.pb.gz
		status 0
		has out make_peak
		has out keep_blocks
		pipa export --value "$column" -f folded heap.pb.gz
		status 0
		has out make_peak
		pipa graph --value "$column" heap.pb.gz -o graph.svg
		status 0
		has graph.svg make_peak
	done
	pipa export -f otlp-json heap.pb.gz
	status 0
	has out inuse_space
	pipa export -f otlp -o heap.otlp heap.pb.gz
	pipa report --value alloc_space heap.otlp
	matches out '100.00% .* make_peak'
}

test_the_screen_shows_a_value_column() {
	need_allocs
	heap -o heap.pb.gz -- "$allocs" peak
	terminal 100 30 "'$PIPA' report --value alloc_space heap.pb.gz"
	sees make_peak
	keys q
	until_true test -s ended
	same status "$(cat ended)" 0
}

test_a_receiver_gets_the_profile() {
	need_allocs
	heap -o heap.pb.gz -- "$allocs" peak
	receive grpc ok
	pipa export --otlp="http://127.0.0.1:$port" --value inuse_space heap.pb.gz
	status 0
	pipa export --otlp="http://127.0.0.1:$port" heap.pb.gz
	status 0
}

test_snapshots_are_profiles_and_a_chart() {
	need_allocs
	heap --snapshot 50ms -o heap.pb.gz --growth growth.svg -- "$allocs" grow 400
	status 0
	[[ -s heap.0001.pb.gz && -s heap.0003.pb.gz ]] || fail 'profiles of snapshots' 'at least 3' "$(ls)"
	for snapshot in heap.0*.pb.gz; do # the first ones may be of a program that has not started yet
		first=$("$PIPA" export --value inuse_space -f folded "$snapshot" 2> /dev/null | awk '{ sum += $NF } END { print sum }')
		[[ -z $first ]] || break
	done
	last=$("$PIPA" export --value inuse_space -f folded heap.pb.gz 2> /dev/null | awk '{ sum += $NF } END { print sum }')
	between 'first snapshot' "$first" 4096 $((last - 4096))
	same 'at the end' "$last" $((400 * 4096))
	has growth.svg grow
	pipa heap chart -o later.svg heap.0*.pb.gz
	status 0
	has later.svg grow
	pipa heap chart -o later.png --value alloc_space heap.0*.pb.gz
	status 0
	same 'signature' "$(head -c 4 later.png | tail -c 3)" PNG
}

# snapshot_has FUNCTION: does a profile of a snapshot have it?
snapshot_has() {
	local snapshot

	for snapshot in heap.0*.pb.gz; do
		! "$PIPA" report --value inuse_space "$snapshot" 2> /dev/null | grep -q "$1" || return 0
	done
	return 1
}

test_a_snapshot_is_written_when_it_is_taken() {
	need_allocs
	launch "$PIPA" heap --rate 1 --snapshot 50ms -o heap.pb.gz -q -- "$allocs" wait
	until_true snapshot_has keep_blocks
	target=$(cat "/proc/$started/task/$started/children")
	target=${target%% *}
	tr '\0' '\n' < "/proc/$target/environ" > environment
	kill -KILL "$started"
	landed
	kill -KILL "$target"
	rm -rf "$(sed -n 's/^PIPA_HEAP=.* dir=//p' environment)" # files that pipa could not remove
	library=$(sed -n 's/^LD_PRELOAD=\([^:]*\).*/\1/p' environment)
	[[ $library != */pipa-heap-* ]] || rm -rf "${library%/*}"
	[[ ! -e heap.pb.gz ]] || fail 'the profile of the end' none "$(ls)"
}

test_a_snapshot_has_only_programs_that_are_running() {
	local last

	need_allocs
	# shellcheck disable=SC2016
	pipa heap --rate 1 --snapshot 50ms -o heap.pb.gz -q -- sh -c '"$0" kept & exec sleep 1' "$allocs"
	status 0
	last=$(printf '%s\n' heap.0*.pb.gz | tail -n 1)
	pipa report --value inuse_space "$last"
	lacks out keep_blocks # has ended, and nothing waits for it
	lacks out '  sh  '    # replaced by exec
}

test_peaks_of_processes_that_follow_each_other_are_not_at_once() {
	need_allocs
	heap -- sh -c "'$allocs' kept; '$allocs' kept"
	status 0
	total=$(value peak bytes)
	between 'at once' "$(value peak_at_once_bytes)" 10000 $((total - 10000))
	same 'the first process' "$(value processes 0 command)" "sh -c '$allocs' kept; '$allocs' kept"
}

# ---- control ---------------------------------------------------------------------------------------

# waiting WHAT [OPTION...]: `allocs WHAT` below pipa in the background; its PID in $target
waiting() {
	need_allocs
	launch "$PIPA" heap --rate 1 "${@:2}" -f json --report-to heap.json -- "$allocs" "$1"
	until_true grep -q ready out
	target=$(cat "/proc/$started/task/$started/children")
	target=${target%% *}
}

test_a_running_process_is_controlled() {
	waiting wait
	run "$PIPA" heap snapshot -p "$target"
	status 0
	has out '# In use:    9.8 KiB in 10 blocks'
	run "$PIPA" heap snapshot -p "$target" -o now.pb.gz -q
	status 0
	run "$PIPA" report --value inuse_space now.pb.gz
	has out keep_blocks
	run "$PIPA" heap off -p "$target"
	status 0
	run "$PIPA" heap on -p "$target"
	status 0
	kill "$started"
	landed
	status 15
	has out signalled
	amounts 10 10000 in_use
}

test_signals_are_passed_on() {
	waiting wait
	kill -USR1 "$started"
	landed
	status 10
	has out signalled
}

test_other_processes_cannot_be_controlled() {
	start sleep 100
	pipa heap on -p "$started"
	refused_like 1 "pipa heap: cannot control process $started: libpipa-heap.so was not preloaded into it. Start it with pipa heap -- COMMAND; .*"
	pipa heap snapshot -p 4194305
	refused 1 <<< 'pipa heap: cannot control process 4194305: No such process'
	pipa heap off
	refused 125 <<< 'pipa heap: off requires -p PID'
	pipa heap -p "$started"
	refused_like 125 'pipa heap: -p requires on, off or snapshot. .*'
}

test_a_forked_process_is_controlled_after_its_first_sample() {
	mkfifo gate
	# shellcheck disable=SC2016
	launch "$PIPA" heap -q -- sh -c '(: > forked; read -r line < gate; exec true) & wait'
	until_true test -e forked
	target=$(cat "/proc/$started/task/$started/children")
	target=$(cat "/proc/${target%% *}/task/${target%% *}/children")
	for verb in on off snapshot; do
		run "$PIPA" heap "$verb" -p "${target%% *}"
		refused_like 1 "pipa heap: cannot control process ${target%% *}: it was forked, and its recording begins with its first sample. .*"
	done
	: > gate
	landed
}

test_recording_starts_switched_off_on_request() {
	need_allocs
	heap --off -- "$allocs" kept
	status 0
	amounts 0 0 allocated
}

test_blocks_from_before_the_switch_may_have_the_only_pointers() {
	waiting late --off --leaks=fail
	run "$PIPA" heap on -p "$target"
	status 0
	kill -USR1 "$target"
	landed
	status 0
	same alive "$(alive)" 'reachable 1 48'
}

test_children_and_their_programs_inherit_the_switch() {
	local switch

	for switch in on off; do
		rm -f out
		if [[ $switch == on ]]; then waiting descend --off; else waiting descend; fi
		"$PIPA" heap "$switch" -p "$target" || fail "pipa heap $switch" 0 $?
		kill -USR1 "$target"
		landed
		status 0
		if [[ $switch == on ]]; then amounts 15 20000 allocated; else amounts 0 0 allocated; fi
		same processes "$(value processes | grep -o "'pid'" | wc -l)" 3
	done
}

test_the_library_can_be_written() {
	need_allocs
	pipa heap library -o lib.so
	status 0
	mkdir shared
	LD_PRELOAD=$PWD/lib.so PIPA_HEAP="rate=1 dir=$PWD/shared" "$allocs" kept
	compgen -G 'shared/*.heap' > /dev/null || fail 'a recording' shared/*.heap "$(ls shared)"
}

# ---- refusals --------------------------------------------------------------------------------------

test_statuses_are_those_of_the_command() {
	pipa heap -q -- sh -c 'exit 7'
	status 7
	pipa heap -- /nonexistent/program
	status 127
	touch plain
	pipa heap -- ./plain
	status 126
	pipa heap
	refused 125 <<< 'pipa heap: no command given. pipa heap -- COMMAND.'
}

test_programs_that_cannot_be_preloaded_are_refused() {
	need_program cc
	echo 'int main(void) { return 0; }' > main.c
	cc -static -o static main.c
	pipa heap -- ./static
	refused_like 125 "pipa heap: cannot preload the heap profiler into .*: it is statically linked. .*"
	printf '#!%s\n' "$PWD/static" > script
	chmod +x script
	pipa heap -- ./script
	refused_like 125 "pipa heap: cannot preload the heap profiler into .*: it is statically linked. .*"
	cc -Wl,--dynamic-linker=/lib/ld-musl-x.so.1 -o musl main.c
	pipa heap -- ./musl
	refused_like 125 'pipa heap: cannot preload .*: its C library is musl, .*'
	own_malloc
	pipa heap -- ./own
	refused_like 125 'pipa heap: cannot preload .*: it defines malloc itself, .*'
	pipa heap -q --mmap -- ./own
	status 0
}

test_a_setuid_program_is_refused() {
	need_nobody
	cp "$(type -P true)" suid
	chown 1 suid
	chmod 4755 suid
	pipa heap -- ./suid
	refused_like 125 'pipa heap: cannot preload .*: it is setuid, .*'
}

test_bad_options_are_refused() {
	pipa heap --rate 0 -- true
	refused 125 <<< "pipa heap: --rate: invalid size '0', expected 1 for every allocation, or more"
	pipa heap --rate many -- true
	refused 125 <<< "pipa heap: --rate: invalid size 'many', expected bytes such as 4096, 512Ki or 1M"
	pipa heap --leaks=never -- true
	refused 125 <<< "pipa heap: --leaks: invalid value 'never', expected fail"
	pipa heap --no-frees --leaks -- true
	refused 125 <<< 'pipa heap: --no-frees cannot be combined with --leaks'
	pipa heap --growth g.svg -- true
	refused 125 <<< 'pipa heap: --growth requires --snapshot TIME'
	pipa heap --no-frees --snapshot 1 --growth g.svg -- true
	refused 125 <<< 'pipa heap: --no-frees cannot be combined with --growth'
	pipa heap --snapshot 1 --growth g.gif -- true
	refused_like 125 "pipa heap: --growth: unknown format of 'g.gif', .*"
	pipa heap -o - -- true
	refused_like 125 'pipa heap: -o: standard output is the command.s. .*'
	pipa heap --report-to - -- true
	refused_like 125 'pipa heap: --report-to: standard output is the command.s. .*'
	[[ ! -e - ]] || fail 'with --report-to -' 'no file' "$(ls)"
}

test_verbs_refuse_options_of_other_commands() {
	for arguments in 'on -p 1 -o x' 'off -p 1 --leaks=fail' 'off --growth y.svg -p 1' '-q off -p 1' 'snapshot -p 1 --rate 1M' \
		'snapshot -p 1 --min-size 1M' 'snapshot -p 1 --resident' 'snapshot -p 1 --leaks' 'snapshot -p 1 --value z' \
		'library -o x -p 3' 'library -o x --mmap' '--rate 1 library -o x' 'chart -o x.svg y --snapshot 1' 'chart -o x.svg y -n 3'; do
		# shellcheck disable=SC2086
		pipa heap $arguments
		refused_like 125 'pipa heap: --[a-z-]+ cannot be combined with (on|off|snapshot|library|chart)'
	done
	pipa heap --snapshot 0.05 -- touch ran
	refused 125 <<< 'pipa heap: --snapshot requires -o FILE or --growth FILE'
	[[ ! -e ran && ! -e x ]] || fail files none "$(ls)"
}

test_outputs_of_the_same_name_are_refused() {
	pipa heap -o same.svg --report-to ./same.svg -- touch ran
	refused 125 <<< 'pipa heap: -o and --report-to name the same file'
	: > same.svg
	ln -s same.svg link.svg
	pipa heap --snapshot 1 --growth same.svg --report-to link.svg -- touch ran
	refused 125 <<< 'pipa heap: --report-to and --growth name the same file'
	[[ ! -e ran ]] || fail 'the command' 'it is not run' ran
	pipa heap -o /dev/null --report-to /dev/null -- true
	status 0
}

test_outputs_that_cannot_be_written_are_refused_before_the_command_runs() {
	mkdir folder
	for option in '-o missing/heap.pb.gz' '--report-to missing/heap' '--snapshot 1 --growth missing/g.svg' '-o folder'; do
		# shellcheck disable=SC2086
		run "$PIPA" heap $option -- touch ran
		status 125
		has err 'for writing: '
		[[ ! -e ran ]] || fail "with $option" 'the command is not run' ran
	done
}

# An unprivileged user, and a command that changes its user while pipa is root.
test_other_users_are_profiled() {
	need_allocs
	need_nobody
	mkdir -m 777 theirs
	cd theirs || exit 1
	run as_nobody ../bin/pipa heap --rate 1 -f json --report-to heap.json -- ../bin/allocs kept
	status 0
	amounts 10 10000 in_use
	rm heap.json
	cd ..
	heap -- setpriv --reuid 65534 --regid 65534 --clear-groups bin/allocs kept
	status 0
	between 'blocks of both programs' "$(value in_use objects)" 10 1000
}

# ---- other programs ----------------------------------------------------------------------------------

# as_without COMMAND...: output and status are the same below pipa, and something was recorded
as_without() {
	run "$@"
	mv out expected
	expected_status=$got_status
	pipa heap --rate 64Ki -f json --report-to heap.json -- "$@"
	status "$expected_status"
	compare "output of $1" out < expected
	same complete "$(value complete)" true
	between 'samples' "$(value samples)" 1 100000000
}

test_programs_of_the_distribution_run_as_without_it() {
	as_without /usr/bin/python3 -c 'import json
rows = [{"n": i, "text": "x" * (i % 100)} for i in range(20000)]
print(len(json.dumps(json.loads(json.dumps(rows)))))'
	need_program sqlite3
	as_without sqlite3 :memory: 'create table t(a, b);
		with recursive n(i) as (select 1 union all select i + 1 from n where i < 50000)
		insert into t select i, hex(i) from n;
		create index k on t(b); select count(*), max(b) from t;'
	seq 100000 > numbers
	as_without sort -S 4M -R --random-source=/dev/zero numbers
}

test_the_largest_call_stack_is_that_of_heaptrack() {
	need_allocs
	need_program heaptrack
	for what in peak churn kept; do
		heap -- "$allocs" "$what"
		heaptrack -o track "$allocs" "$what" > /dev/null 2>&1 || skip 'heaptrack does not run here'
		heaptrack_print track.* > theirs 2> /dev/null || heaptrack --analyze track.* > theirs 2> /dev/null || skip 'heaptrack_print does not run here'
		rm -f track.*
		calls=$(sed -nE 's/^calls to allocation functions: ([0-9]+) .*/\1/p' theirs)
		# with a few of the loader, which heaptrack counts too
		between "calls of $what" "$calls" "$(value allocated objects)" $(($(value allocated objects) + 20))
		has theirs "$(value sites 0 stack 0 function)"
	done
}

test_the_largest_function_is_that_of_gperftools() {
	need_allocs
	need_program google-pprof
	library=$(find /usr/lib -name 'libtcmalloc.so.4' 2> /dev/null | head -n 1)
	[[ $library ]] || skip 'needs libtcmalloc'
	for what in kept 'grow 50'; do
		# shellcheck disable=SC2086
		heap -- "$allocs" $what
		# shellcheck disable=SC2086
		LD_PRELOAD=$library HEAPPROFILE=$PWD/theirs HEAP_PROFILE_ALLOCATION_INTERVAL=0 HEAP_PROFILE_INUSE_INTERVAL=1000 \
			"$allocs" $what 2> /dev/null
		compgen -G 'theirs.*.heap' > /dev/null || skip 'gperftools writes no profile here'
		google-pprof --text --inuse_space "$allocs" "$(find . -name 'theirs.*.heap' | sort | tail -n 1)" > top 2> /dev/null
		has top "$(value sites 0 stack 0 function)"
		rm -f theirs.*
	done
}

# ---- what a process overwrites ---------------------------------------------------------------------

test_a_process_may_overwrite_its_recording() {
	need_program python3
	cat > vandal.py <<- 'END'
		import mmap, os, random, re, sys
		kept = [bytearray(1000) for i in range(1000)]
		path = re.search(r"\S+\.heap", open("/proc/self/maps").read()).group()
		random.seed(int(sys.argv[1]))
		with open(path, "r+b") as file:
		    size = os.fstat(file.fileno()).st_size
		    for i in range(3000):
		        at = random.choice([random.randrange(12288), random.randrange(12288, 200000)])
		        file.seek(at if at != 4096 else 0)
		        file.write(os.urandom(random.choice([1, 8, 40])))
		os._exit(0)
	END
	for seed in 1 2 3; do
		pipa heap --rate 1 -f json --report-to heap.json -- /usr/bin/python3 vandal.py "$seed"
		[[ $got_status -lt 128 ]] || fail 'status' 'below 128' "$got_status"
	done
}

test_more_processes_than_descriptors_are_recorded() {
	need_workloads_of_heap
	ulimit -n 64
	heap -- "$PIPA_WORKLOADS/heap_allocates" forks 150
	status 0
	same complete "$(value complete)" true
	same processes "$(value processes | grep -o "'pid'" | wc -l)" 151
}

test_a_limit_of_file_sizes_is_not_exceeded() {
	need_allocs
	for kilobytes in 1000 100000; do
		# shellcheck disable=SC2016
		run sh -c 'ulimit -f "$1" && shift && exec "$@"' sh "$kilobytes" "$PIPA" heap --rate 1 -f json --report-to heap.json -- "$allocs" kept
		status 0
	done
	amounts 10 10000 in_use
}

test_a_process_may_truncate_its_recording() {
	need_program python3
	cat > cut.py <<- 'END'
		import os, re, sys, time
		path = re.search(r"\S+\.heap", open("/proc/self/maps").read()).group()
		time.sleep(0.3) # until pipa has opened it
		os.truncate(path, int(sys.argv[1]))
		os.execv("/bin/sleep", ["sleep", "0.3"])
	END
	for size in 0 4096 9000; do
		pipa heap --rate 1 --leaks --snapshot 50ms -o heap.pb.gz -f json --report-to heap.json -- /usr/bin/python3 cut.py "$size"
		status 0
		same 'the next program' "$(value processes -1 command)" 'sleep 0.3'
	done
}

test_a_process_that_overwrites_its_header_is_not_held_up() {
	need_program python3
	cat > header.py <<- 'END'
		import re
		path = re.search(r"\S+\.heap", open("/proc/self/maps").read()).group()
		with open(path, "r+b") as file:
		    file.write(b"\xff" * 12288)
	END
	run timeout 30 "$PIPA" heap --rate 1 -q -- /usr/bin/python3 header.py
	status 0
	has err 'malformed recordings, removed or overwritten by their processes: 1'
	run timeout 60 "$PIPA" heap --rate 1 -q --leaks -- /usr/bin/python3 header.py
	status 0
}

run_tests "$@"
