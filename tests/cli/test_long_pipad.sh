#!/usr/bin/env bash
#
# pipad under load of all kinds, with stops and kills in the middle of it. PIPA_LONG_SECONDS is the number of seconds
# (default: 600).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/pipad.sh"
. "${BASH_SOURCE[0]%/*}/pipad_load.sh"

test_ten_minutes_of_load_lose_no_acknowledged_row() {
	load_pipad "${PIPA_LONG_SECONDS:-600}" kill
}

run_tests "$@"
