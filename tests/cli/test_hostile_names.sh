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

# Bytes that a terminal must not get: controls other than tabs and ends of lines, C1, direction marks.
hostile_bytes='[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\r?$)|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xff'

test_data_on_a_terminal_is_escaped() {
	local evil=$'e\x1b[31m\x7f\xc2\x9b\xe2\x80\xae\x08\xff' args

	need_terminal
	printf '%s  1/1 [000] 1.5: 7 cycles: \n\t 4005 fn%s+0x5 (/lib/%s)\n\n' "${evil:0:6}" "$evil" "$evil" > text
	while read -r args; do
		# shellcheck disable=SC2086
		pipa $args text
		status 0
		script -qec "'$PIPA' $args text" /dev/null < /dev/null > screen 2>&1
		! LC_ALL=C grep -qaP "$hostile_bytes" screen ||
			fail "$args on a terminal" 'escapes' "$(LC_ALL=C grep -aP "$hostile_bytes" screen | cat -v | cut -c-300)"
		LC_ALL=C grep -qaE 'fn|31m|<html' screen || fail "$args" 'names' "$(head -c 300 screen)"
	done <<- 'END'
		export -f csv --frame samples
		export -f csv --frame functions
		export -f csv --frame locations
		export -f otlp-json
		export -f json
		export -f folded
		flamegraph -o -
		flamegraph -f svg -o -
		heatmap -o -
		graph -f html -o -
		diff --html -o - text
	END
	pipa export -f csv --frame functions text # a pipe gets the bytes as they are
	LC_ALL=C grep -qaF "fn${evil%$'\xff'}" out || fail 'a name in a pipe' "fn$evil" "$(cat -v out)"
}

run_tests "$@"
