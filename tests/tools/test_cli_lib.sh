#!/usr/bin/env bash
#
# The verdicts of tests/cli/lib.sh with stand-ins for pipa and perf: a peer that dies excuses a comparison, never a
# failure of ours. Prints what failed; exit status 1 if any did.

set -euo pipefail

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/cli/lib.sh
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
unset PIPA_SKIP_LOG PIPA_UNSTEADY_LOG
export TMPDIR=$tmp PATH=$tmp/bin:$PATH

mkdir "$tmp/bin"
printf '%s\n' '#!/bin/bash' 'kill -ABRT $$' > "$tmp/bin/perf"
# shellcheck disable=SC2016
printf '%s\n' '#!/bin/bash' 'echo "$1" >&2' '[[ $2 != *[A-Z]* ]] || kill -"$2" $$' 'exit "$2"' > "$tmp/bin/pipa"
chmod +x "$tmp/bin/perf" "$tmp/bin/pipa"

{
	echo ". '$lib'"
	cat << 'SUITE'
perf_dies() {
	perf "$1" > theirs 2> /dev/null
}

test_skip_a_comparison() {
	perf_dies script
	pipa text 0
	same 'text' "$(cat theirs)" text
}

test_skip_input_that_a_peer_did_not_write() {
	perf_dies record
	pipa text 1
	status 0
}

test_fail_a_signal() {
	perf_dies script
	pipa text SEGV
	same 'text' "$(cat theirs)" text
}

test_fail_a_signal_without_the_function_pipa() {
	perf_dies script
	run env "$PIPA" text BUS
	run true
	same 'text' "$(cat theirs)" text
}

test_fail_a_signal_in_the_background() {
	perf_dies script
	launch "$PIPA" text ABRT
	landed
	same 'text' "$(cat theirs)" text
}

test_fail_a_sanitizer() {
	perf_dies script
	pipa 'ERROR: AddressSanitizer: heap-use-after-free' 1
	run true
	same 'text' "$(cat theirs)" text
}

test_fail_a_wrong_status() {
	perf_dies script
	pipa text 3
	status 0
}

test_fail_without_a_peer() {
	pipa text 0
	same 'text' text another
}

test_pass() {
	perf_dies script
	pipa text 0
	status 0
}

run_tests "$@"
SUITE
} > "$tmp/test_suite.sh"

PIPA=$tmp/bin/pipa bash "$tmp/test_suite.sh" > "$tmp/out" 2>&1 || true
grep -oE '^(skip|FAIL) .*|^[0-9]+ passed.*' "$tmp/out" | sed 's/:.*//' > "$tmp/verdicts"
diff -u --label expected --label got - "$tmp/verdicts" << 'EXPECTED'
skip skip a comparison
skip skip input that a peer did not write
FAIL fail a signal
FAIL fail a signal without the function pipa
FAIL fail a signal in the background
FAIL fail a sanitizer
FAIL fail a wrong status
FAIL fail without a peer
1 passed, 6 failed, 2 skipped
EXPECTED
