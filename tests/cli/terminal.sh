# A terminal to run full screens in (tmux), keys to type on it and what is seen there. Sourced after
# lib.sh; where there is no tmux the case is skipped by name.
# shellcheck shell=bash disable=SC2034,SC2154

terminals=0

tm() {
	tmux -S "$PWD/socket$terminals" -f /dev/null "$@"
}

# terminal WIDTH HEIGHT COMMAND: a terminal of its own that runs it and stays; the command's status
# comes into ./ended, the terminal's settings into ./before and ./after
terminal() {
	need_program tmux
	command_line=$3
	[[ $terminals -eq 0 ]] || tm kill-server
	terminals=$((terminals + 1))
	rm -f before after ended pid
	LC_ALL=C.UTF-8 tm new-session -d -x "$1" -y "$2" \
		"stty -g > before; $3; echo \$? > ended; stty -g > after; sleep 1000" 2> tmux.err ||
		skip "tmux has no terminal: $(cat tmux.err)"
	tm display -p '#{pid}' >> "$case_dir/started"
}

keys() {
	tm send-keys "$@"
}

# on_screen REGEX: some line is like this
on_screen() {
	tm capture-pane -p > screen
	LC_ALL=C.UTF-8 grep -qE -e "$1" screen
}

not_on_screen() {
	! on_screen "$1"
}

# sees REGEX: wait for it
sees() {
	until_true on_screen "$1"
}

ask() {
	tm display -p "#{$1}"
}

is() {
	[[ $(ask "$1") == "$2" ]]
}

# left STATUS: it has ended with it, and the terminal is as it was
left() {
	until_true test -s after
	same 'exit status' "$(cat ended)" "$1"
	same 'terminal settings' "$(cat after)" "$(cat before)"
	until_true is alternate_on 0
	until_true is cursor_flag 1
}

# last_line_is NUMBER TEXT: line NUMBER starts with it
last_line_is() {
	tm capture-pane -p | sed -n "${1}p" | grep -q "^$2"
}

colours() {
	tm capture-pane -e -p | grep -cE $'\e\\[([0-9]+;)*3[0-7](;|m)'
}
