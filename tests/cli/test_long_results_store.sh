#!/usr/bin/env bash
# The store of results of pipad is killed PIPA_LONG_ROUNDS times (default: 200).

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/results_store.sh"

test_kill_at_any_moment_loses_nothing_that_was_acknowledged() {
	crash_rounds "${PIPA_LONG_ROUNDS:-200}"
}

run_tests "$@"
