# Library of the end-to-end tests: a workload, a command, its expected output.
#
#	. "${BASH_SOURCE[0]%/*}/lib.sh"
#
#	test_the_exit_status_is_the_commands_own() {
#		run "$PIPA" stat -n sh -c 'exit 7'
#		status 7
#		stdout < /dev/null
#	}
#
#	run_tests "$@"
#
# Every function named test_... is a case. Each runs in its own shell and empty directory and ends at
# its first failure, which prints the command, the expected and the actual result. `skip` ends a case
# that this machine cannot run. With arguments only cases run whose names contain one of them.
#
# Environment: PIPA (the program), PIPA_WORKLOADS (directory of built tests/workloads), PIPA_SOURCE
# (this repository), PIPA_SKIP_LOG and PIPA_UNSTEADY_LOG (files to append the skipped cases to, and
# those that passed only the second time, with the reason).
# shellcheck shell=bash

set -u -o pipefail
export LC_ALL=C GCOV_ERROR_FILE=/dev/null
unset NO_COLOR COLUMNS DEBUGINFOD_URLS

: "${PIPA:?must be the program under test}"
PIPA=$(realpath "$PIPA")
PIPA_SOURCE=${PIPA_SOURCE:-$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)}
suite=${0##*/test_}
suite=${suite%.sh}

# Close descriptors that the test runner left open; 255 is bash's own.
for fd in /proc/self/fd/*; do
	fd=${fd##*/}
	if ((fd > 2 && fd != 255)); then
		exec {fd}>&-
	fi
done

# ---- running and checking ------------------------------------------------------------------

command_line='(none yet)'
got_status=0

# run COMMAND...: run it with standard output to ./out and standard error to ./err; keep its status
run() {
	command_line=$*
	"$@" > out 2> err
	got_status=$?
	note_own_failure
}

# note_own_failure: record that pipa crashed, hung or had a report of a sanitizer in the last command, which
# makes the case fail in any event
note_own_failure() {
	[[ $command_line == *"$PIPA"* ]] || return 0
	if ((got_status == 124 || got_status >= 132 && got_status <= 139)) || sanitizer_message err; then
		echo "$command_line: status $got_status" >> "$case_dir/own_failure"
	fi
}

# sanitizer_message FILE...: does one of the files have a report of a sanitizer?
sanitizer_message() {
	grep -qs 'Sanitizer: \|runtime error: ' "$@"
}

# pipa ARGS...: run the program under test, with a time limit
pipa() {
	run timeout --foreground -k 5 100 "$PIPA" "$@"
	command_line="pipa $*"
}

# fail WHAT EXPECTED GOT: print a failure and end the case
fail() {
	printf 'command:  %.1000s\nwhat:     %s\nexpected: %.4000s\ngot:      %.4000s\n' \
		"$command_line" "$1" "$2" "$3"
	if [[ -s err ]]; then
		sed 's/^/stderr:   /' err | head -n 20
	fi | cut -c 1-1000
	exit 1
}

skip() {
	echo "$*" > "$case_dir/skipped"
	exit 77
}

# status N: check the status of the last command. A wrong status of pipa is a failure of pipa, unless a peer died
# that had to write its input.
status() {
	[[ $got_status -ne $1 ]] || return 0
	if [[ $command_line == pipa\ * || $command_line == *"$PIPA"* ]] && [[ ! -e $case_dir/input_lost ]]; then
		echo "$command_line: status $got_status, not $1" >> "$case_dir/own_failure"
	fi
	fail 'exit status' "$1" "$got_status"
}

# same WHAT GOT EXPECTED: compare two strings
same() {
	[[ $2 == "$3" ]] || fail "$1" "$3" "$2"
}

# compare WHAT FILE < EXPECTED: compare a file line by line
compare() {
	local diff

	if ! diff=$(diff -u --label expected --label got - "$2"); then
		fail "$1" 'the lines marked -' "those marked +"$'\n'"$diff"
	fi
}

stdout() {
	compare 'standard output' out
}

stderr() {
	compare 'standard error' err
}

# screen < EXPECTED: compare standard error with every number as N and runs of spaces as one
screen() {
	screen_after ''
}

# screen_after SED... < EXPECTED: the same, after applying sed scripts
screen_after() {
	normalize err "$@" > screen
	compare 'screen' screen
}

# csv_screen < EXPECTED: the same for `-x,`, where a comma is not part of a number
csv_screen() {
	normalize err 's/[0-9]+(\.[0-9]+)?/N/g' > screen
	compare 'screen' screen
}

# normalize FILE [SED...]: print a file as `screen` compares it
normalize() {
	local file=$1 script scripts=()

	shift
	for script in "$@"; do
		scripts+=(-e "$script")
	done
	sed -E "${scripts[@]}" -e 's/[0-9]+(,[0-9]{3})*(\.[0-9]+)?/N/g' -e 's/[ \t]+/ /g' -e 's/ $//' \
		"$file"
}

# has FILE TEXT: the file contains the text
has() {
	grep -qF -e "$2" "$1" || fail "in $1" "$2" "$(cat "$1")"
}

lacks() {
	! grep -qF -e "$2" "$1" || fail "in $1" "no '$2'" "$(cat "$1")"
}

# matches FILE REGEX: a line of the file matches
matches() {
	grep -qE -e "$2" "$1" || fail "in $1" "a line like $2" "$(cat "$1")"
}

# between WHAT GOT MIN MAX: check the range of a number, which may have a fraction
between() {
	awk -v got="$2" -v least="$3" -v most="$4" \
		'BEGIN { exit !(got ~ /^[0-9.]+$/ && got >= least && got <= most) }' ||
		fail "$1" "$3 to $4" "$2"
}

# refused STATUS < LINE: check that the command printed only this line, to standard error
refused() {
	same 'lines on standard error' "$(wc -l < err)" 1
	stderr
	stdout < /dev/null
	status "$1"
}

# refused_like STATUS REGEX: the same for a line that matches
refused_like() {
	same 'lines on standard error' "$(wc -l < err)" 1
	matches err "^$2\$"
	stdout < /dev/null
	status "$1"
}

# csv EVENT [COLUMN] [FILE]: print a column (default: the value) of an event in the output of `-x,`
csv() {
	awk -F, -v event="$1" -v column="${2:-1}" '$3 == event { print $column }' "${3:-err}"
}

# as_perf_names < SCRIPT: replace the names that pipa derives from FDEs, which are unresolved for perf
as_perf_names() {
	sed -E 's/ [^ ]+!(fn|code)@0x[0-9a-f]+(\+0x[0-9a-f]+)? \(/ [unknown] (/'
}

# libc_aliases: print "NAME OTHER" for each function of the C library and the loader; names of one address have the
# same OTHER. Without versions.
libc_aliases() {
	local file id

	ldd /bin/sh | grep -o '/[^ ]*' | while read -r file; do
		id=$(readelf -n "$file" 2> /dev/null | awk '/Build ID/ { print $3 }')
		readelf -sW "$file" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" 2> /dev/null |
			awk -v file="$file" '($4 == "FUNC" || $4 == "IFUNC") && $7 != "UND" {
				sub(/@@.*/, "", $8); print file $2, $8 }'
	done | awk '
		function first(name) { while (other[name] != name) name = other[name]; return name }
		!($2 in other) { other[$2] = $2 }
		!($1 in at) { at[$1] = $2 }
		{ a = first(at[$1]); b = first($2); if (a != b) other[b] = a }
		END { for (name in other) print name, first(name) }'
}

# alias_names < TEXT: replace each function of the C library by one of its names. Of several at an address perf prints
# the longest, pipa the one that programs call (src/symbol/table/table.h).
alias_names() {
	[[ -s aliases ]] || libc_aliases > aliases
	awk 'FILENAME == "aliases" { name[$1] = $2; next }
	{
		for (i = 1; i <= NF; i++) {
			text = $i
			rest = ""
			if (match(text, /\+0x/)) {
				rest = substr(text, RSTART)
				text = substr(text, 1, RSTART - 1)
			}
			sub(/@@.*/, "", text)
			$i = (text in name ? name[text] : text) rest
		}
		print
	}' aliases -
}

# ---- time and processes --------------------------------------------------------------------

# until_true COMMAND...: repeat a command for up to ten seconds, until it succeeds
until_true() {
	local i

	for ((i = 0; i < 1000; i++)); do
		"$@" && return
		sleep 0.01
	done
	fail 'waited ten seconds for' "$*" 'it never came true'
}

# blocked PID: do all threads sleep in the kernel, as a workload does that waits on a fifo?
blocked() {
	[[ -d /proc/$1 ]] && ! grep -hqs $'^State:\t[^S]' /proc/"$1"/task/*/status
}

is_gone() {
	[[ ! -d /proc/$1 ]] || grep -qs $'^State:\tZ' "/proc/$1/status"
}

# names_itself PID NAME: has the process executed that program?
names_itself() {
	[[ $(cat "/proc/$1/comm" 2> /dev/null) == "$2" ]]
}

# start COMMAND...: run a command in the background, its PID in $started; it is killed at the end of the case
start() {
	"$@" &
	started=$!
	echo "$started" >> "$case_dir/started"
}

# launch COMMAND...: as `run`, in the background, but with the signal handling of a foreground program; its PID in
# $started
launch() {
	command_line=$*
	start env --default-signal=INT,QUIT "$@" > out 2> err
}

# landed: wait for the end of the command that `launch` has started, with a time limit
landed() {
	until_true is_gone "$started"
	wait "$started"
	got_status=$?
	note_own_failure
}

# block COMMAND...: start a command in the background, blocked at ./gate until `unblock`; its PID in $target
block() {
	need_workloads
	[[ -z ${PIPA_EMULATED-} ]] || skip 'the process would be the emulator'
	[[ -p gate ]] || mkfifo gate
	start "$PIPA_WORKLOADS/block" gate "$@"
	target=$started
	until_true names_itself "$target" block
	until_true blocked "$target"
}

unblock() {
	: > gate
}

# counts PID: has that pipa or perf opened its events?
counts() {
	local fd

	for fd in /proc/"$1"/fd/*; do
		[[ $(readlink "$fd") != anon_inode:\[perf_event\] ]] || return 0
	done
	return 1
}

# attached PID: has that pipa or perf opened its events, and does it wait for the end?
attached() {
	counts "$1" && blocked "$1" && sleep 0.05 && blocked "$1"
}

# ---- requirements ----------------------------------------------------------------------------

# perf 6.1 aborts on records that the kernel marks as having build ids because another program requested them
# (src/perf/decode.c). It is then run again; if it aborts again, a failed case is skipped, because there is nothing to
# compare with.
perf() {
	local held status=0

	if [[ ! ${1-} =~ ^(record|script|report|diff|annotate|inject|evlist)$ ]]; then
		command perf "$@"
		return
	fi
	held=$(mktemp)
	command perf "$@" > "$held" || status=$?
	if ((status >= 132 && status <= 139)); then
		sleep 1
		status=0
		command perf "$@" > "$held" || status=$?
	fi
	((status == 0)) || echo "perf $1 ended with $status" >> "$case_dir/peer"
	if ((status >= 132 && status <= 139)); then
		echo "perf $1 dies here, by signal $((status - 128))" > "$case_dir/peer_died"
		[[ ! $1 =~ ^(record|inject)$ ]] || : > "$case_dir/input_lost"
	fi
	cat "$held"
	rm -f "$held"
	return "$status"
}

need_root() {
	[[ $(id -u) -eq 0 ]] || skip 'needs root'
}

need_program() {
	command -v "$1" > /dev/null || skip "needs $1"
}

need_terminal() {
	need_program script
	script -qec true /dev/null > /dev/null 2>&1 || skip 'no pseudo terminal is available'
}

# This user may count its own processes, including kernel mode.
need_counting() {
	[[ $(csv page-faults 1 <("$PIPA" stat -x, -e page-faults true 2>&1)) ]] ||
		skip 'this user may not count kernel and user space of own processes'
}

# This user may sample its own commands, and the workloads are built.
need_sampling() {
	need_workloads
	"$PIPA" record -q -o probe.data true > /dev/null 2> probe.err || skip "cannot record here: $(< probe.err)"
	rm -f probe.data probe.err
}

need_system_wide() {
	"$PIPA" stat -a -e cpu-clock true > /dev/null 2>&1 ||
		skip 'this user may not count whole CPUs'
}

need_tracepoints() {
	"$PIPA" stat -e sched:sched_process_exit true > /dev/null 2>&1 ||
		skip 'this user may not count tracepoints, or the kernel has none'
}

need_workloads() {
	[[ -x ${PIPA_WORKLOADS:-}/touch ]] || skip 'the workloads are not built'
}

# Without address randomisation and environment a program has the same page faults each time.
need_exact_faults() {
	need_counting
	need_workloads
	setarch -R true 2> /dev/null || skip 'address randomisation cannot be switched off'
}

# exactly COMMAND...: run a command under these conditions
exactly() {
	env -i setarch -R "$@"
}

# Make a cgroup in the hierarchy that perf events use, $cgroup; its name is $cgroup_name
need_cgroup() {
	local top

	need_root
	top=$(awk '$3 == "cgroup" && $4 ~ /(^|,)perf_event(,|$)/ { print $2; exit }' /proc/mounts)
	top=${top:-$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)}
	[[ $top ]] || skip 'no cgroup hierarchy for perf events is mounted'
	cgroup_name=pipa-test-$$-$BASHPID
	cgroup=$top/$cgroup_name
	mkdir "$cgroup" 2> /dev/null || skip 'no cgroup can be made'
	echo "$cgroup" >> "$case_dir/cgroups"
	(echo "$BASHPID" > "$cgroup/cgroup.procs") 2> /dev/null || skip 'no process can be moved'
}

# as_nobody COMMAND...: run a command without privileges, with a separate directory for coverage counts
as_nobody() {
	GCOV_PREFIX=$PWD/notes setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

# Copy pipa and the workloads to ./bin, where every user can run them
need_nobody() {
	need_root
	need_program setpriv
	mkdir -p bin
	cp "$PIPA" bin/pipa
	cp "${PIPA_WORKLOADS:-}"/* bin/ 2> /dev/null
	chmod -R a+rX "$case_dir"
	mkdir -m 1777 notes
	as_nobody "$PWD/bin/pipa" --version > /dev/null 2>&1 ||
		skip 'another user cannot run programs from the temporary directory'
}

# ---- the cases -----------------------------------------------------------------------------

# Kill the processes that a case has left and remove its cgroups.
clean_up() {
	local id

	while read -r id; do
		kill -KILL "$id" 2> /dev/null
	done 2> /dev/null < "$case_dir/started"
	while read -r id; do
		until rmdir "$id" 2> /dev/null || ! grep -q . "$id/cgroup.procs" 2> /dev/null; do
			sleep 0.01
		done
	done 2> /dev/null < "$case_dir/cgroups"
}

# Print the names of the cases in the order of the script.
list_tests() {
	local name

	shopt -s extdebug
	for name in $(compgen -A function test_); do
		declare -F "$name"
	done | sort -k2,2n | cut -d ' ' -f 1
	shopt -u extdebug
}

wanted() {
	local name=$1 word

	shift
	[[ $# -gt 0 ]] || return 0
	for word in "$@"; do
		[[ $name != *"$word"* ]] || return 0
	done
	return 1
}

# attempt FUNCTION: run a case in its own shell and empty directory; its output is in $case_dir/log
attempt() {
	local status

	rm -rf "$case_dir"
	mkdir -p "$case_dir/here"
	(
		cd "$case_dir/here" || exit 1
		"$1"
	) > "$case_dir/log" 2>&1 < /dev/null
	status=$?
	# nothing to compare with; does not excuse a failure of pipa
	if ((status != 0 && status != 77)) && [[ -s $case_dir/peer_died && ! -e $case_dir/own_failure ]] &&
		! sanitizer_message "$case_dir/log" "$case_dir"/here/*err*; then
		mv "$case_dir/peer_died" "$case_dir/skipped"
		status=77
	fi
	sed 's/^/peer:     /' "$case_dir/peer" >> "$case_dir/log" 2> /dev/null
	return "$status"
}

# run_case FUNCTION SENTENCE: run a case, and again if it failed without a report of a sanitizer, because a live machine
# and other programs vary. A case that passes the second time is printed as unsteady, with its first failure.
run_case() {
	local why status

	attempt "$1"
	status=$?
	if ((status != 0 && status != 77)) && ! sanitizer_message "$case_dir/log" "$case_dir"/here/*err*; then
		mv "$case_dir/log" "$work/first"
		clean_up
		attempt "$1"
		status=$?
		if ((status == 0)); then
			echo "unsteady $2: it failed, and passed when run again"
			sed 's/^/    /' "$work/first"
			why=$(sed -n 's/^what: *//p; /^what:/q' "$work/first")
			[[ -z ${PIPA_UNSTEADY_LOG:-} ]] || echo "cli/$suite: $2: $why" >> "$PIPA_UNSTEADY_LOG"
		fi
	fi
	case $status in
	0)
		passed=$((passed + 1))
		;;
	77)
		why=$(cat "$case_dir/skipped")
		skipped=$((skipped + 1))
		echo "skip $2: $why"
		[[ -z ${PIPA_SKIP_LOG:-} ]] || echo "cli/$suite: $2: $why" >> "$PIPA_SKIP_LOG"
		;;
	*)
		failed=$((failed + 1))
		echo "FAIL $2"
		sed 's/^/    /' "$case_dir/log"
		;;
	esac
	clean_up
}

run_tests() {
	local name sentence passed=0 failed=0 skipped=0

	work=$(mktemp -d "${TMPDIR:-/tmp}/pipa-cli.XXXXXX")
	chmod a+x "$work"
	trap 'rm -rf "$work"' EXIT
	case_dir=$work/case
	for name in $(list_tests); do
		sentence=${name#test_}
		if wanted "$name" "$@"; then
			run_case "$name" "${sentence//_/ }"
		fi
	done
	echo "$passed passed, $failed failed, $skipped skipped"
	[[ $failed -eq 0 ]] || return 1
	[[ $passed -gt 0 ]] || return 77
}
