#!/usr/bin/env bash
#
# ./check in a small tree with stand-ins for tools/setup, cmake and ctest: its exit status and
# its output. Prints failures; exit status 1 if any did.

set -euo pipefail

check=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/check
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
unset PIPA_SKIP_LOG PIPA_UNSTEADY_LOG

# program NAME LINE...: a stand-in; the first one found is run
program() {
	local path=$tmp/bin/$1

	[[ $1 != */* ]] || path=$tmp/t/$1
	shift
	printf '%s\n' '#!/usr/bin/env bash' "$@" > "$path"
	chmod +x "$path"
}

# fresh: a tree in which everything passes
fresh() {
	rm -rf "${tmp:?}/t" "${tmp:?}/bin"
	mkdir -p "$tmp/t/tools" "$tmp/bin"
	cp "$check" "$tmp/t/check"
	program tools/setup 'exit 0'
	program cmake 'echo "cmake $*"'
	# shellcheck disable=SC2016
	program ctest 'printf "%s\n" "$@" > args' 'echo "1/1 Test #1: unit/base ... Passed"' 'sleep 0.3' \
		'echo "100% tests passed, 0 tests failed out of 1"'
}

fail() {
	echo "FAIL $1"
	shift
	printf '    %s\n' "$@"
	sed 's/^/    out: /' "$tmp/out"
	sed 's/^/    err: /' "$tmp/err"
	failed=1
}

# check_in_tree ARGS...: run it; status in $status, output in $tmp/out and $tmp/err
check_in_tree() {
	status=0
	(cd "$tmp/t" && PATH=$tmp/bin:$PATH ./check "$@") > "$tmp/out" 2> "$tmp/err" || status=$?
}

# expect NAME STATUS FILE REGEX [FILE REGEX]...: of the last run
expect() {
	local name=$1

	[[ $status -eq $2 ]] || fail "$name" "status $status, expected $2"
	shift 2
	while [[ $# -gt 0 ]]; do
		grep -qE -e "$2" "$tmp/$1" || fail "$name" "no line like '$2' in $1"
		shift 2
	done
}

fresh
check_in_tree
expect "all tests passed" 0 out '^building asan' out 'unit/base' out '^100% tests passed'
[[ ! -s $tmp/err ]] || fail "nothing on standard error when all passed"
expect "the long tier is left out" 0 t/args '^-LE$' t/args '^\^long\$$'

check_in_tree --long -R x
expect "the long tier" 0 t/args '^-L$' t/args '^\^long\$$' t/args '^x$'
check_in_tree -LE web
expect "what the user leaves out" 0 t/args '^\^long\$\|web$'
check_in_tree --only something
expect "an unknown part" 2 err "^check: --only: invalid part 'something', expected lint$"
check_in_tree --help
expect "help" 0 out '^  \./check --long '

fresh
# shellcheck disable=SC2016
program ctest 'sleep 0.5' 'echo "100% tests passed, 0 tests failed out of 1"'
for _ in 1 2 3; do
	rm -rf "$tmp/t/build"
	check_in_tree
	expect "a ctest that is slow to start" 0 out '^100% tests passed'
done

fresh
program tools/setup 'exit 3'
check_in_tree
expect "setup fails" 3 err '^check: tools/setup failed with status 3: '

fresh
# shellcheck disable=SC2016
program tools/setup '[[ $1 == check ]] || { sleep 0.5; echo "setup: no chromium"; exit 5; }'
check_in_tree
expect "setup fails beside the builds" 5 out '^setup: no chromium$' err '^check: tools/setup failed with status 5: '
[[ ! -e $tmp/t/args ]] || fail "setup fails beside the builds" "the tests ran"

fresh
# shellcheck disable=SC2016
program tools/setup '[[ $1 == check ]] || { echo $$ > pid; exec sleep 60; }'
program cmake 'sleep 0.5; exit 4'
check_in_tree
expect "the build fails beside the installation" 4 err '^check: building release failed with status 4'
for ((i = 0; i < 100; i++)); do
	kill -0 "$(cat "$tmp/t/pid")" 2> /dev/null || break
	sleep 0.02
done
((i < 100)) || fail "the build fails beside the installation" "it goes on"

fresh
# shellcheck disable=SC2016
program cmake 'case $* in *--build*asan*) echo "x.c:1: error: no"; exit 4;; esac'
check_in_tree
expect "the build fails" 4 out 'x.c:1: error: no' err '^check: building asan failed with status 4'

fresh
echo > "$tmp/t/build"
check_in_tree
expect "build cannot be written" 1 err '^check: cannot create build/check$'
rm "$tmp/t/build"
mkdir -p "$tmp/t/build/check/ctest.log"
check_in_tree
expect "a log cannot be written" 1 err '^check: cannot write build/check/ctest.log$'

fresh
program ctest 'echo "1/1 Test  #1: unit/base ...***Failed"' \
	'echo "0% tests passed, 1 tests failed out of 1"' 'exit 8'
check_in_tree
expect "tests fail" 8 out '^0% tests passed' err '^check: tests failed \(ctest: 8\)'

fresh
program ctest 'echo "1/2 Test #1: unit/x ....***Skipped 0.0 sec"' 'echo "100% tests passed"'
check_in_tree
expect "a skipped test is named" 0 out '^skipped: 1$' out '^  unit/x: the whole test'

fresh
program ctest 'echo "No tests were found!!!"' 'exit 8'
check_in_tree -R nothing
expect "no test matches" 8 err '^check: no test matches: .*nothing'

fresh
program tail 'exit 1'
check_in_tree
expect "tail fails" 0 out '^100% tests passed' err '^check: results could not be shown as they came'

# standard output closed: nothing else may become file 1, and all goes on
fresh
# shellcheck disable=SC2016
program ctest 'readlink /proc/$PPID/fd/1 > where' 'echo "100% tests passed"' 'exit 5'
status=0
(cd "$tmp/t" && PATH=$tmp/bin:$PATH ./check) >&- 2> "$tmp/err" || status=$?
: > "$tmp/out"
expect "closed standard output" 5 t/where '^/dev/null$' err '^check: tests failed \(ctest: 5\)'

fresh
status=0
(cd "$tmp/t" && PATH=$tmp/bin:$PATH ./check 2> "$tmp/err" || echo $? > "$tmp/status") | head -n 1 > "$tmp/out"
[[ ! -s $tmp/status ]] || status=$(cat "$tmp/status")
expect "a reader that goes" 0 out '^building release' err '^check: standard output was closed by its reader' \
	t/build/check/ctest.log '^100% tests passed'

# the reason is given for signals, at once, and what was started is ended
for signal in INT TERM HUP; do
	fresh
	# shellcheck disable=SC2016
	program ctest 'echo $$ > pid' 'exec sleep 60'
	(cd "$tmp/t" && PATH=$tmp/bin:$PATH exec env --default-signal=INT ./check) \
		> "$tmp/out" 2> "$tmp/err" &
	pid=$!
	for ((i = 0; i < 500; i++)); do
		[[ ! -s $tmp/t/pid ]] || break
		sleep 0.02
	done
	status=0
	kill -s "$signal" "$pid"
	wait "$pid" || status=$?
	expect "SIG$signal" $((128 + $(kill -l "$signal"))) \
		err "^check: ended by SIG$signal while running the tests$"
	for ((i = 0; i < 100; i++)); do
		kill -0 "$(cat "$tmp/t/pid")" 2> /dev/null || break
		sleep 0.02
	done
	((i < 100)) || fail "SIG$signal ends ctest"
done

exit "$failed"
