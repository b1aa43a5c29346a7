#!/usr/bin/env bash
#
# Programs with a root directory of their own: their files are found through the process while it runs, and
# in the recording when the container is gone.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# need_container KIND: a root directory in ./from with the program /app/inside, whose path does not exist here
need_container() {
	local library

	need_root
	need_workloads
	need_program ldd
	export HOME=$PWD # perf's cache of files by build id is another one's
	[[ ! -e /app/inside ]] || skip '/app/inside exists here'
	mkdir -p from/app from/tmp root
	cp "$PIPA_WORKLOADS/unwinds" from/app/inside
	for library in $(ldd "$PIPA_WORKLOADS/unwinds" | grep -o '/[^ ]*'); do
		mkdir -p "from/${library%/*}"
		cp -L "$library" "from/$library"
	done
	"$PIPA_WORKLOADS/contain" "$1" "$PWD/from" "$PWD/root" /app/inside 1 2> why ||
		skip "no container of kind $1 here: $(cat why)"
}

# contained KIND MS: the program in a container, for so much time of the processor; its id in $inside
contained() {
	start "$PIPA_WORKLOADS/contain" "$1" "$PWD/from" "$PWD/root" /app/inside "$2"
	until_true runs_inside
}

# runs_inside: the program has started; its id in $inside
runs_inside() {
	inside=$(cat "/proc/$started/task/$started/children" 2> /dev/null)
	inside=${inside% }
	[[ $inside ]] && names_itself "$inside" inside
}

# has_names FILE: functions of the program are among the rows
has_names() {
	grep -qE '% +inside +\[\.\] +(spin|compare|call_libraries)$' "$1"
}

for_kinds() {
	local name kind

	for name in "$@"; do
		for kind in bind tmpfs overlay; do
			eval "test_${name}_${kind}() { in_container_${name} $kind; }"
		done
	done
}

in_container_top_names_functions_on() {
	need_container "$1"
	contained "$1" 60000
	pipa top -b -n 2 -d 1 -p "$inside" -s dso,symbol
	status 0
	has_names out || fail 'functions of the program' 'spin or compare' "$(cat out)"
}

# recorded KIND ARGS...: ./r.data of the program while it runs; then the container is gone
recorded() {
	contained "$1" 60000
	pipa record "${@:2}" -p "$inside" --duration 0.5 -o r.data
	status 0
	kill -KILL "$inside"
	until_true is_gone "$started"
}

reported() {
	pipa report --stdio --no-children -s dso,symbol -i "$@"
	status 0
}

in_container_report_names_functions_when_it_is_gone_on() {
	need_container "$1"
	recorded "$1"
	reported r.data
	has_names out || fail 'functions of the program' 'spin or compare' "$(cat out)"
	# deep() calls itself: stacks were unwound with the file's CFI
	pipa report --stdio --no-children --tree -s symbol -i r.data
	grep -q 'main$' out || fail 'the callers' main "$(head -n 40 out)"
	recorded "$1" --call-graph fp
	reported r.data
	has_names out || fail 'functions of the program, by frame pointers' 'spin or compare' "$(cat out)"
}

for_kinds top_names_functions_on report_names_functions_when_it_is_gone_on

# Another program is at the same path outside: neither live nor later are its names taken.
in_container_same_path_on() {
	local here=$PWD

	need_program objcopy
	need_container "$1"
	mkdir -p "from$here"
	cp from/app/inside "from$here/inside"
	cp "$PIPA_WORKLOADS/spin" inside
	if [[ $2 == without_build_id ]]; then
		objcopy --remove-section .note.gnu.build-id inside
		objcopy --remove-section .note.gnu.build-id "from$here/inside"
	fi
	start "$PIPA_WORKLOADS/contain" "$1" "$PWD/from" "$PWD/root" "$here/inside" 60000
	until_true runs_inside
	pipa top -b -n 2 -d 1 -p "$inside" -s dso,symbol
	has_names out || fail 'functions of the program, live' 'spin or compare' "$(cat out)"
	pipa record -p "$inside" --duration 0.5 -o r.data
	status 0
	kill -KILL "$inside"
	until_true is_gone "$started"
	reported r.data
	has_names out || fail 'functions of the program' 'spin or compare' "$(cat out)"
	# without the kept file nothing is named by the other program
	start "$PIPA_WORKLOADS/contain" "$1" "$PWD/from" "$PWD/root" "$here/inside" 60000
	until_true runs_inside
	pipa record --keep-files 0 -p "$inside" --duration 0.5 -o none.data
	status 0
	grep -q 'not stored in the recording. See --keep-files' err || fail 'the note' 'files not kept' "$(cat err)"
	kill -KILL "$inside"
	until_true is_gone "$started"
	reported none.data
	! grep -E ' inside +\[\.\] +[a-z_]+$' out > false_names ||
		fail 'names of the other program' none "$(cat false_names)"
	grep -q 'build ID mismatch' out || fail 'the note' 'another file' "$(head out)"
}

test_another_program_at_the_same_path() {
	in_container_same_path_on tmpfs with_build_id
}

test_another_program_at_the_same_path_without_build_ids() {
	in_container_same_path_on tmpfs without_build_id
}

test_another_program_at_the_same_path_on_an_overlay_without_build_ids() {
	in_container_same_path_on overlay without_build_id
}

test_perf_resolves_the_same_functions_while_the_container_runs() {
	local function meanwhile

	# for as long as the program takes to run for 0.5 s: on a busy machine that is longer
	# shellcheck disable=SC2016
	meanwhile=(bash -c '
		ticks() { read -ra stat < "/proc/$0/stat" && echo $((stat[13] + stat[14])); }
		end=$(($(ticks) + 50))
		while now=$(ticks) && ((now < end)); do sleep 0.02; done' )
	need_program perf
	need_container overlay
	contained overlay 60000
	meanwhile+=("$inside")
	perf record -o theirs.data -p "$inside" -- "${meanwhile[@]}" > perf.log 2>&1 || skip 'perf cannot record here'
	perf report --stdio -s dso,symbol -i theirs.data > theirs 2> /dev/null
	pipa record -o ours.data -p "$inside" -- "${meanwhile[@]}"
	status 0
	reported ours.data
	for function in spin compare; do
		grep -qE "\[\.\] $function( |\$)" theirs || skip "perf does not resolve $function"
		grep -q "\[\.\] $function\$" out || fail "function $function" 'as perf has it' "$(cat out)"
	done
}

test_a_program_that_is_deleted_while_it_runs_keeps_its_names() {
	need_root
	need_workloads
	export HOME=$PWD
	cp "$PIPA_WORKLOADS/unwinds" inside
	start ./inside 60000
	until_true names_itself "$started" inside
	rm inside
	pipa record -p "$started" --duration 0.5 -o r.data
	status 0
	kill -KILL "$started"
	until_true is_gone "$started"
	reported r.data
	grep -qE '\[\.\] +(spin|compare)$' out || fail 'functions of the program' 'spin or compare' "$(cat out)"
}

test_the_file_of_a_container_is_annotated_and_bundled() {
	need_container tmpfs
	recorded tmpfs
	pipa annotate r.data spin
	status 0
	grep -q 'inside' out || fail 'the code' 'of inside' "$(cat out err)"
	pipa bundle -i r.data -o r.tar.zst
	status 0
	rm r.data
	reported r.tar.zst
	has_names out || fail 'functions of the program' 'spin or compare' "$(cat out)"
}

test_run_names_functions_of_a_container() {
	need_container tmpfs
	pipa run --format json -o run.json -- "$PIPA_WORKLOADS/contain" tmpfs "$PWD/from" "$PWD/root" /app/inside 700
	status 0
	grep -qE '"(spin|compare)"' run.json || fail 'hot functions' 'spin or compare' "$(cat run.json)"
}

# jit_contained ARGS...: tests/workloads/jit in a container, where it is process 1
jit_contained() {
	need_container tmpfs
	cp "$PIPA_WORKLOADS/jit" from/app/inside
	start "$PIPA_WORKLOADS/contain" tmpfs "$PWD/from" "$PWD/root" /app/inside "$@"
	until_true runs_inside
}

test_a_perf_map_is_kept_when_the_container_is_gone() {
	jit_contained map 3000 /tmp/perf-1.map
	until_true test -s "/proc/$inside/root/tmp/perf-1.map"
	pipa record -p "$inside" --duration 0.5 -o r.data
	status 0
	kill -KILL "$inside"
	until_true is_gone "$started"
	reported r.data
	grep -q 'jit_mapped$' out || fail 'the function of the map' jit_mapped "$(cat out)"
}

test_a_jitdump_is_kept_when_the_container_is_gone() {
	need_container tmpfs
	cp "$PIPA_WORKLOADS/jit" from/app/inside
	pipa record -o r.data -- "$PIPA_WORKLOADS/contain" tmpfs "$PWD/from" "$PWD/root" /app/inside dump 300 300
	status 0
	reported r.data
	grep -q 'jit_first$' out || fail 'functions of the dump' jit_first "$(cat out)"
	grep -q 'jit_second$' out || fail 'functions of the dump' jit_second "$(cat out)"
}

# A short-lived program in a container that goes on: its file is found through its parent.
test_a_program_that_has_ended_is_found_through_its_parent() {
	local shell

	need_container tmpfs
	shell=$(command -v dash || command -v sh)
	mkdir -p from/bin
	cp -L "$shell" from/bin/sh
	for library in $(ldd "$shell" | grep -o '/[^ ]*'); do
		mkdir -p "from/${library%/*}"
		cp -L "$library" "from/$library"
	done
	start "$PIPA_WORKLOADS/contain" tmpfs "$PWD/from" "$PWD/root" /bin/sh -c \
		'while :; do /app/inside 1; done'
	sleep 0.3
	pipa record -a --duration 1 -o r.data
	status 0
	kill -KILL "$started"
	reported r.data --comms inside
	has_names out || fail 'functions of the program' 'spin or compare' "$(cat out)"
}

run_tests "$@"
