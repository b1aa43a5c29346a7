#!/usr/bin/env bash
#
# Output that blocks: a signal ends pipa all the same, and it reports lost samples.

. "${BASH_SOURCE[0]%/*}/lib.sh"

test_signals_end_every_command_whose_output_blocks() {
	need_program python3
	need_system_wide
	run timeout 900 python3 "$PIPA_SOURCE/tests/cli/blocked_output.py" "$PIPA"
	[[ $got_status -eq 0 ]] || fail 'cases' 'all end as expected' "$(cat out)"
}

run_tests "$@"
