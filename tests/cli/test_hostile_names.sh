#!/usr/bin/env bash
#
# Names with control characters: none gets to the terminal, and none makes a line of its own.

. "${BASH_SOURCE[0]%/*}/lib.sh"

test_no_control_character_of_a_name_gets_out() {
	local apart=()

	need_program python3
	need_program objcopy
	need_system_wide
	# mount points, interfaces and a host name of our own, where that is permitted
	if unshare -m -n -u true 2> /dev/null; then
		apart=(env HOSTILE_NAMESPACES=1 unshare -m -n -u)
	fi
	run timeout 900 "${apart[@]}" python3 "$PIPA_SOURCE/tests/cli/hostile_names.py" "$PIPA"
	[[ $got_status -ne 77 ]] || skip "$(cat out)"
	[[ $got_status -eq 0 ]] || fail 'commands' 'all are clean' "$(cat out)"
}

run_tests "$@"
