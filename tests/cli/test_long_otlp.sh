#!/usr/bin/env bash
#
# The sender of OTLP profiles at 100 requests per second: memory stays the same. PIPA_LONG_SECONDS is the number of
# seconds (default: 600, with the address sanitizer 60).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

test_ten_minutes_of_sending_do_not_grow_the_memory() {
	local seconds=${PIPA_LONG_SECONDS:-600} word delivered dropped refused before after

	if [[ ${PIPA_PRESET-} == asan ]]; then
		# freed memory waits in the quarantine of the sanitizer, 256 MB by default: that would be measured
		export ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1:thread_local_quarantine_size_kb=64
		seconds=${PIPA_LONG_SECONDS:-60}
	fi
	need_program node
	[[ -d $PIPA_SOURCE/tests/otlp/node_modules/@grpc/grpc-js ]] || skip 'there is no @grpc/grpc-js (npm ci in tests/otlp)'
	[[ -x $PIPA_WORKLOADS/otlp_load ]] || skip 'otlp_load was not built'
	start node "$PIPA_SOURCE/tests/otlp/receiver.js" grpc discard > receiver.log 2>&1
	until_true test -e port || skip "the receiver does not start: $(tail -n 1 receiver.log)"
	run "$PIPA_WORKLOADS/otlp_load" "http://127.0.0.1:$(< port)" 100 "$seconds" 20000
	status 0
	read -r word delivered word dropped word refused word before after < out
	same 'requests dropped and refused' "$dropped $refused" '0 0'
	same 'requests delivered' "$delivered" $((100 * seconds))
	between 'resident memory at the end, in KiB' "$after" 0 $((before + 1024))
}

run_tests "$@"
