#!/usr/bin/env bash
#
# Shell completions: generated from the option tables, tried in bash, zsh and fish.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# completed SHELL LINE WORDS: the line and Tab give these words, in an interactive shell
completed() {
	command_line="$1: $2<Tab>"
	same "arguments in $1" "$(timeout 60 python3 "$PIPA_SOURCE/tests/cli/complete.py" "$1" "$PWD/_pipa" "$2")" "$3"
}

generate() {
	pipa completion "$1"
	status 0
	stderr < /dev/null
	cp out _pipa
}

# the events come from the program itself
program_in_path() {
	mkdir -p bin
	ln -sf "$PIPA" bin/pipa
	PATH=$PWD/bin:$PATH
}

# Every shell completes these, where one candidate is left.
common_lines() {
	local shell=$1

	completed "$shell" 'pipa recor' 'record'
	completed "$shell" 'pipa report --no-chil' 'report --no-children'
	completed "$shell" 'pipa stat --per-so' 'stat --per-socket'
	completed "$shell" 'pipa help form' 'help formats'
	program_in_path
	completed "$shell" 'pipa stat -e alignment-f' 'stat -e alignment-faults'
	completed "$shell" 'pipa record -e cpu-clock,alignment-f' 'record -e cpu-clock,alignment-faults'
	completed "$shell" 'pipa stat --event=alignment-f' 'stat --event=alignment-faults'
	touch some-recording.data
	completed "$shell" 'pipa report some-rec' 'report some-recording.data'
}

test_bash_completes_commands_options_and_files() {
	need_program python3
	generate bash
	bash -n _pipa || fail 'syntax' 'none wrong' "$(bash -n _pipa 2>&1)"
	common_lines bash
	completed bash 'pipa record -o some-rec' 'record -o some-recording.data'
}

# of all words that bash offers
offered() {
	bash -c 'source ./_pipa; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _pipa 2> /dev/null; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" | sort
}

test_bash_offers_the_options_of_the_help() {
	local command

	generate bash
	for command in stat record report annotate list monitor; do
		pipa "$command" --help
		{
			grep -oE '^  (-[a-zA-Z], |    )--[a-z0-9-]+' out | tr -s ' ,' '\n' | grep .
			printf '%s\n' -h --help
		} | sort -u > want
		offered pipa "$command" - | sort -u > got
		command_line="pipa $command -<Tab>"
		compare "options of $command" got < want
	done
	# a value that is not a file name is not completed, a program is
	same 'values of -C' "$(offered pipa stat -C 0)" ''
	offered pipa stat tru > got
	has got true
	same 'arguments of a program' "$(offered pipa stat true --no-)" ''
}

test_bash_completes_names_of_tracepoints() {
	generate bash
	program_in_path
	"$PIPA" list --names tracepoint 'sched:sched_switch' | grep -qx sched:sched_switch ||
		skip 'no tracepoints here'
	# readline splits words at colons
	same 'names' "$(offered pipa record -e sched : sched_swi | head -n 1)" 'sched_switch'
	same 'a second name' "$(offered pipa record -e cs,sched : sched_swi | head -n 1)" 'sched_switch'
	offered pipa record -e sched : sched_switch tru > got
	has got true
}

test_zsh_completes_commands_options_and_files() {
	need_program zsh
	need_program python3
	generate zsh
	zsh -n _pipa || fail 'syntax' 'none wrong' "$(zsh -n _pipa 2>&1)"
	common_lines zsh
	completed zsh 'pipa stat tru' 'stat true'
}

test_fish_completes_commands_options_and_files() {
	need_program fish
	generate fish
	export HOME=$PWD XDG_CONFIG_HOME=$PWD XDG_DATA_HOME=$PWD
	run fish -n _pipa
	status 0
	fish_offers() {
		fish -c "source ./_pipa; complete -C '$1'" 2> /dev/null | cut -f 1 | sort -u
	}
	same 'a command' "$(fish_offers 'pipa recor')" record
	same 'an option' "$(fish_offers 'pipa report --no-chil')" --no-children
	same 'a topic' "$(fish_offers 'pipa help form')" formats
	touch some-recording.data
	same 'a file' "$(fish_offers 'pipa report some-rec')" some-recording.data
	fish_offers 'pipa report -' > got
	has got '--percentage'
	has got '-n'
}

test_other_shells_are_refused() {
	pipa completion csh
	refused 2 <<< "pipa: invalid shell 'csh', expected bash, zsh or fish"
	pipa completion
	refused 2 <<< 'pipa: completion: expected one shell: bash, zsh or fish'
}

test_completions_are_installed() {
	local build

	need_program cmake
	build=${PIPA%/*}
	[[ -f $build/cmake_install.cmake ]] || skip 'not in a build directory'
	DESTDIR=$PWD/root cmake --install "$build" --prefix /usr > log 2>&1 || fail 'cmake --install' success "$(cat log)"
	"$PIPA" completion bash | cmp - root/usr/share/bash-completion/completions/pipa || fail bash same different
	"$PIPA" completion zsh | cmp - root/usr/share/zsh/site-functions/_pipa || fail zsh same different
	"$PIPA" completion fish | cmp - root/usr/share/fish/vendor_completions.d/pipa.fish || fail fish same different
	[[ -s root/usr/share/man/man1/pipa-report.1 ]] || fail 'manual page' installed missing
}

run_tests "$@"
