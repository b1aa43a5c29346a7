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

for_kinds top_names_functions_on

run_tests "$@"
