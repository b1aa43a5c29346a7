#!/usr/bin/env bash
#
# pipa beside other users of perf events: their recordings succeed while pipa samples the machine.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# perf_works: record one command with perf, without the wrapper of lib.sh, and read the recording
perf_works() {
	command perf record -o neighbour.data -- true > neighbour 2>&1 &&
		command perf script -i neighbour.data > /dev/null 2>> neighbour
}

need_perf_recording() {
	[[ ${PIPA_PRESET:-release} == release ]] || skip "it is perf that is tested: with the release build, not with ${PIPA_PRESET-}"
	need_root
	need_program perf
	need_system_wide
	export HOME=$PWD # perf keeps copies of files below it
	perf_works || skip "perf cannot record here, without pipa: $(tail -n 1 neighbour)"
}

# beside COMMAND...: ten perf recordings while that pipa samples
beside() {
	local i failed=0

	start "$@" > pipa.out 2> pipa.err
	until_true counts "$started"
	for ((i = 0; i < 10; i++)); do
		perf_works || failed=$((failed + 1))
	done
	kill -0 "$started" 2> /dev/null || fail 'pipa' 'running beside perf' "$(cat pipa.out pipa.err)"
	kill -TERM "$started"
	until_true is_gone "$started"
	if ((failed)) && ! perf_works; then
		skip 'perf cannot record after pipa has ended either: somebody else asks for build ids'
	fi
	command_line="perf record beside $*"
	same 'perf recordings that failed' "$failed" 0
}

test_perf_records_beside_record() {
	need_perf_recording
	beside "$PIPA" record -a -o a.data
}

test_perf_records_beside_record_with_frame_pointers() {
	need_perf_recording
	beside "$PIPA" record -a --call-graph fp -o a.data
}

test_perf_records_beside_top() {
	need_perf_recording
	beside "$PIPA" top -a -b -d 1
}

test_perf_records_beside_run() {
	need_perf_recording
	beside "$PIPA" run --keep=kept -- sleep 60
}

test_perf_records_beside_collect() {
	need_perf_recording
	export PIPA_TREE_DATA_DIR=$PWD/data PIPA_TREE_RUN_DIR=$PWD
	beside "$PIPA" collect --no-spec-info --together --duration-stat 60 --duration-record 60 \
		-o a.tar.gz
}

# recorded_id FILE PATH: the build id that a recording's header has for a path
recorded_id() {
	command perf buildid-list -i "$1" | awk -v path="$2" '$2 == path { print $1 }'
}

file_id() {
	readelf -n "$1" | awk '/Build ID:/ { print $3 }'
}

test_build_ids_are_read_from_the_files() {
	local mode

	need_root
	need_program perf
	need_program readelf
	need_workloads
	cp "$PIPA_WORKLOADS/spin" ./program
	[[ $(file_id program) ]] || skip 'the workloads have no build id'
	for mode in fp dwarf; do
		pipa record --call-graph "$mode" -o r.data -- ./program 50
		status 0
		same "build id, $mode" "$(recorded_id r.data "$PWD/program")" "$(file_id program)"
		# perf reads it from the record of the mapping too
		# shellcheck disable=SC2094
		perf script -i r.data --show-mmap-events > script
		grep -q "<$(file_id program)>.* $PWD/program" script ||
			fail 'the mapping' "its build id $(file_id program)" "$(grep MMAP2 script)"
	done
}

test_build_ids_are_requested_from_the_kernel_only_on_request() {
	need_root
	need_program perf
	pipa record -o plain.data -- true
	status 0
	pipa record --buildid-mmap -o asked.data -- true
	status 0
	# shellcheck disable=SC2094
	perf script -i asked.data --show-mmap-events > script
	grep -q 'MMAP2.*<[0-9a-f]\{32,\}>' script || fail 'mappings' 'build ids' "$(grep MMAP2 script)"
}

test_a_binary_that_is_replaced_after_recording_gives_no_wrong_symbols() {
	need_root
	need_workloads
	export HOME=$PWD # perf's cache of files by build id is another one's
	cp "$PIPA_WORKLOADS/unwinds" ./program
	pipa record -o r.data -- ./program 300
	status 0
	rm program
	cp "$PIPA_WORKLOADS/busy" ./program
	pipa report --stdio --no-children -s dso,symbol -i r.data
	status 0
	! grep -E '^ +[0-9.]+% +program +\[\.\] +[a-z_]+( |$)' out > false_names ||
		fail 'symbols of the replaced program' none "$(cat false_names)"
	grep -q '^# unresolved: .*build ID mismatch' out ||
		fail 'the note' 'that the file has changed' "$(head -n 12 out)"
}

# Without a build id a new file differs in its inode, an overwritten one in the time of its last change.
test_a_binary_without_a_build_id_that_is_changed_after_recording_gives_no_wrong_symbols() {
	local how

	need_root
	need_workloads
	need_program objcopy
	export HOME=$PWD
	for how in replaced overwritten; do
		rm -f program
		objcopy --remove-section .note.gnu.build-id "$PIPA_WORKLOADS/unwinds" program
		pipa record -o r.data -- ./program 300
		status 0
		pipa report --stdio --no-children -s dso,symbol -i r.data
		grep -qE ' program +\[\.\] +(spin|compare)$' out || fail 'symbols of the program' spin "$(cat out)"
		! grep -q '^# unverified' out || fail 'the note' 'none: device and inode agree' "$(head out)"
		[[ $how == overwritten ]] || rm program
		cat "$PIPA_WORKLOADS/busy" > program
		pipa report --stdio --no-children -s dso,symbol -i r.data
		status 0
		! grep -E ' program +\[\.\] +[a-z_]+( |$)' out > false_names ||
			fail "symbols of the program that was $how" none "$(cat false_names)"
		grep -q 'build ID mismatch' out || fail "the note, $how" 'a changed file' "$(head out)"
	done
}

run_tests "$@"
