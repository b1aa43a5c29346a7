#!/usr/bin/env bash
#
# pipa monitor on a terminal: the contents of the screen, keys, sizes, and the restored terminal.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/terminal.sh"

# monitor ARGS...: 80 by 24, its id in ./pid
monitor() {
	terminal "${columns:-80}" "${high:-24}" "XDG_CONFIG_HOME='$PWD/config' LC_ALL=C.UTF-8 sh -c 'echo \$\$ > pid; exec \"\$0\" monitor \"\$@\"' '$PIPA' $*"
}

# running: the first tick is on the screen
running() {
	sees '^Mem .*/'
	until_true is alternate_on 1
}

test_a_terminal_gets_the_full_screen_and_q_leaves_it() {
	monitor
	running
	sees "$(uname -n | cut -c 1-20).* load [0-9.]+ [0-9.]+ [0-9.]+ .* 1s  [0-9:]{8} *$"
	sees '^  0 .*[0-9.]+%'
	sees 'cpu .*[0-9.]+%$'
	sees '^ q quit  \? help  space pause  '
	is cursor_flag 0 || fail 'the cursor' hidden shown
	keys q
	left 0
	not_on_screen 'q quit' || fail 'the screen' 'what was there before' "$(cat screen)"
}

test_plain_and_options_of_tables_give_tables() {
	local args

	for args in --plain --cswch '-P 0' --csv --json; do
		monitor "$args" -i 20ms -n 1
		left 0
		on_screen '(proc/s|Average|# hostname|"average": true)' ||
			fail "with $args" tables "$(cat screen)"
	done
}

test_without_a_terminal_for_input_there_are_tables() {
	terminal 80 24 "'$PIPA' monitor -i 20ms -n 1 < /dev/null"
	left 0
	sees '^Average'
}

test_the_screen_ends_after_the_number_of_intervals() {
	monitor -i 20ms -n 5
	left 0
}

test_keys_pause_and_change_the_interval() {
	monitor
	running
	keys +
	sees ' 2s  [0-9:]{8}'
	keys - -
	sees ' 500ms  [0-9:]{8}'
	keys - -
	sees ' 100ms  [0-9:]{8}'
	keys Space
	sees 'PAUSED  100ms'
	keys Space
	until_true not_on_screen PAUSED
	keys q
	left 0
}

# the time of day on the screen
clock() {
	tm capture-pane -p | head -n 1 | grep -oE '[0-9:]{8} *$'
}

clock_is_not() {
	[[ $(clock) != "$1" ]]
}

test_a_paused_screen_does_not_change_and_continues() {
	local stood

	monitor -i 50ms
	running
	keys Space
	sees PAUSED
	stood=$(tm capture-pane -p)
	sleep 1.2
	same 'the paused screen' "$(tm capture-pane -p)" "$stood"
	stood=$(clock)
	keys Space
	until_true clock_is_not "$stood"
	keys q
	left 0
}

test_help_comes_and_goes() {
	monitor
	running
	keys h
	sees 'longer or shorter interval'
	keys x
	until_true not_on_screen 'longer and shorter'
	keys '?'
	sees 'longer or shorter interval'
	keys q # closes the help only
	until_true not_on_screen 'longer or shorter'
	keys q
	left 0
}

test_one_bar_for_all_cpus() {
	monitor
	running
	keys 1
	sees '^CPU .*%  us +[0-9.]+  sy +[0-9.]+'
	keys 1
	until_true not_on_screen '^CPU '
	keys q
	left 0
}

test_a_filter_is_typed() {
	monitor
	running
	keys / q + h
	sees '^ filter: q\+h '
	keys BSpace
	sees '^ filter: q\+ '
	keys Escape
	sees '^ q quit'
	keys q
	left 0
}

# first_is REGEX: the process at the top
first_is() {
	tm capture-pane -p | grep -A 1 'CPU%.*COMMAND' | tail -n 1 | grep -qE -e "$1"
}

test_processes_are_sorted_filtered_and_selected() {
	monitor -i 100ms
	running
	on_screen 'CPU%.*COMMAND' || skip 'this build shows no processes'
	sees '▾CPU%'
	keys m
	sees '▾MEM'
	keys r
	sees '▴MEM'
	keys c
	sees '▾CPU%'
	keys /
	keys -l "$(cat pid) "
	keys Enter
	sees '1 of [0-9]+ match'
	until_true first_is " $(cat pid) .* pipa"
	keys Escape
	sees '[0-9]+ processes'
	keys q
	left 0
}

test_the_screen_fits_the_window() {
	monitor
	running
	tm resize-window -x 120 -y 40
	sees '^.{111} *[0-9:]{8} *$'
	until_true is pane_height 40
	until_true last_line_is 40 ' q quit'
	tm resize-window -x 40 -y 10
	until_true last_line_is 10 ' q quit'
	sees '^Mem .{36}$'
	tm resize-window -x 5 -y 2
	tm resize-window -x 80 -y 24
	until_true last_line_is 24 ' q quit'
	keys q
	left 0
}

test_signals_end_it_with_their_status_and_the_terminal_restored() {
	local signal

	for signal in INT:0 TERM:143 HUP:129 QUIT:131; do
		monitor
		running
		kill -s "${signal%:*}" "$(cat pid)"
		left "${signal#*:}"
	done
}

test_ctrl_c_is_a_way_to_quit() {
	monitor
	running
	keys C-c
	left 0
}

stopped() {
	grep -q $'^State:\tT' "/proc/$1/status"
}

test_a_stopped_screen_continues_after_sigcont() {
	local stood

	monitor -i 100ms
	running
	kill -STOP "$(cat pid)"
	until_true stopped "$(cat pid)"
	stood=$(clock)
	tm send-keys -R # the terminal forgets its screen
	until_true not_on_screen Mem
	kill -CONT "$(cat pid)"
	running
	until_true clock_is_not "$stood"
	keys q
	left 0
}

test_ctrl_z_gives_the_terminal_back_and_fg_takes_it_again() {
	terminal 80 24 "PS1='ready> ' LC_ALL=C.UTF-8 bash --norc --noprofile -i"
	sees '^ready>'
	keys "stty -g > cooked; '$PIPA' monitor" Enter
	running
	keys C-z
	sees 'Stopped.*monitor'
	until_true is alternate_on 0
	until_true is cursor_flag 1
	keys 'stty -g > meanwhile' Enter
	until_true test -s meanwhile
	same 'terminal settings' "$(cat meanwhile)" "$(cat cooked)"
	keys fg Enter
	running
	keys h
	sees 'longer or shorter interval'
	keys q # closes the help
	until_true not_on_screen 'longer or shorter interval'
	keys q
	until_true is alternate_on 0
	keys 'echo status $?' Enter
	sees '^status 0'
}

test_a_terminal_that_hangs_up_ends_the_screen() {
	monitor
	running
	tm kill-server
	until_true is_gone "$(cat pid)"
}

test_a_terminal_that_cannot_place_text_gets_tables_and_a_line() {
	terminal 120 50 "TERM=dumb '$PIPA' monitor -i 20ms -n 1"
	left 0
	sees "^pipa monitor: text cannot be placed on a terminal of type 'dumb'; printing tables instead$"
	sees '^Average'
	terminal 120 50 "env -u TERM '$PIPA' monitor -i 20ms -n 1"
	left 0
	sees '^pipa monitor: TERM is not set; printing tables instead$'
}

test_an_unknown_terminal_is_treated_as_ansi() {
	terminal 80 24 "TERM=no-such-terminal LC_ALL=C.UTF-8 '$PIPA' monitor"
	running
	keys + Down
	sees ' 2s  [0-9:]{8}'
	keys q
	left 0
}

test_no_color_is_heeded() {
	monitor
	running
	[[ $(colours) -gt 0 ]] || fail 'coloured lines' some none
	keys q
	left 0
	terminal 80 24 "NO_COLOR=1 LC_ALL=C.UTF-8 '$PIPA' monitor"
	running
	same 'coloured lines' "$(colours)" 0
	keys q
	left 0
}

test_a_locale_without_utf8_gets_ascii() {
	terminal 80 24 "LC_ALL=C '$PIPA' monitor"
	running
	same 'lines with other characters' "$(tm capture-pane -p | LC_ALL=C grep -cP '[^\x00-\x7f]')" 0
	keys q
	left 0
}

test_a_locale_that_is_not_installed_can_be_utf8() {
	terminal 80 24 "LC_ALL=xx_XX.UTF-8 '$PIPA' monitor"
	running
	sees '[■·▁]'
	keys q
	left 0
}

# Ctrl-S stops a terminal by flow control, and would stop the screen; here it is a key that means nothing.
test_flow_control_is_off() {
	terminal 100 30 "'$PIPA' monitor"
	sees 'Mem'
	stty -a -F "$(ask pane_tty)" > modes
	matches modes '(^| )-ixon( |;|$)'
	keys C-s
	keys q
	left 0
}

# victim: a process of ours with a name of its own and a hostile command line; its id in $victim
victim() {
	cp "$(command -v sleep)" "pvictim$$"
	bash -c "exec -a \$'bad\\x1b[31m\\nline' './pvictim$$' 1000" &
	victim=$!
	until_true grep -q "pvictim" "/proc/$victim/comm"
}

# chosen: only the victim is in the list, and it is selected
chosen() {
	keys /
	sees 'filter: '
	keys pvictim Enter
	sees '1 of [0-9]+ match pvictim'
	keys Down
}

test_command_lines_are_escaped_and_preferences_come_back() {
	victim
	monitor
	running
	chosen
	sees "^ *$victim [a-z0-9]+ +S .* pvictim"
	keys a
	sees "^ *$victim .* bad\\\\x1b\\[31m\\\\x0aline 1000"
	keys t m q
	left 0
	has config/pipa/monitor 'args yes'
	has config/pipa/monitor 'tree yes'
	has config/pipa/monitor 'sort memory'
	monitor
	running
	chosen
	sees '▾MEM'
	sees "^ *$victim .* bad\\\\x1b\\[31m"
	keys q
	left 0
	kill "$victim"
	wait "$victim" 2> /dev/null || true
}

test_a_process_is_signalled_and_reniced_after_a_confirmation() {
	victim
	columns=100 monitor
	running
	chosen
	keys n 7 Enter
	sees "set nice value 7 for $victim pvictim.*y yes"
	keys y
	sees "^ *$victim [a-z0-9]+ +S +7 "
	keys k Enter
	sees "send SIGTERM to $victim pvictim"
	keys n
	sees 'q quit'
	kill -0 "$victim" || fail 'the process' running ended
	keys k Enter y
	wait "$victim" 2> /dev/null
	same 'status of the process' $? 143
	sees '0 of [0-9]+ match pvictim'
	keys q
	left 0
}

test_threads_are_shown_and_left_again() {
	monitor
	running
	keys H
	sees 'COMMAND +[0-9]+ threads'
	keys H
	sees 'COMMAND +[0-9]+ processes'
	keys q
	left 0
}

test_a_wide_screen_is_used() {
	columns=200 high=50 monitor
	running
	sees '^  0 .*%  +PID USER     S  NI  THR'
	# a row of a process: PID, user, state (running ones are at the top of a busy machine), nice value, threads
	sees '^Mem .* [0-9]+ [^ ]+ +[RSDIZTt] +-?[0-9]+ +[0-9]+ '
	keys q
	left 0
}

run_tests "$@"
