# End-to-end tests a person can read: a workload, a command, the screen that is to come of it.
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
# Every function named test_... is a case. Each runs in a shell and an empty directory of its own
# and ends at its first failure, which shows the command, what was expected and what came. `skip`
# ends a case that this machine cannot run. With arguments only the cases run whose names contain
# one of them.
#
# From the environment: PIPA (the program), PIPA_WORKLOADS (folder of built tests/workloads),
# PIPA_SOURCE (this repository), PIPA_SKIP_LOG and PIPA_UNSTEADY_LOG (files that
# collect what was skipped, and what passed only the second time, and why).
# shellcheck shell=bash

set -u -o pipefail
export LC_ALL=C GCOV_ERROR_FILE=/dev/null
unset NO_COLOR COLUMNS DEBUGINFOD_URLS

: "${PIPA:?is to name the program under test}"
PIPA=$(realpath "$PIPA")
PIPA_SOURCE=${PIPA_SOURCE:-$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)}
suite=${0##*/test_}
suite=${suite%.sh}

# What a test runner left open is no business of the commands; 255 is bash's own.
for fd in /proc/self/fd/*; do
	fd=${fd##*/}
	if ((fd > 2 && fd != 255)); then
		exec {fd}>&-
	fi
done

# ---- running and checking ------------------------------------------------------------------

command_line='(none yet)'
got_status=0

# run COMMAND...: its standard output into ./out, standard error into ./err, its status kept
run() {
	command_line=$*
	"$@" > out 2> err
	got_status=$?
	note_own_failure
}

# note_own_failure: keep in mind that our program crashed, hung or met a sanitizer in the last command, which
# is a failure whatever else happened in the case
note_own_failure() {
	[[ $command_line == *"$PIPA"* ]] || return 0
	if ((got_status == 124 || got_status >= 132 && got_status <= 139)) || sanitizer_message err; then
		echo "$command_line: status $got_status" >> "$case_dir/own_failure"
	fi
}

# sanitizer_message FILE...: does one of them have a report of a sanitizer?
sanitizer_message() {
	grep -qs 'Sanitizer: \|runtime error: ' "$@"
}

# pipa ARGS...: run the program under test, but not for ever
pipa() {
	run timeout --foreground -k 5 100 "$PIPA" "$@"
	command_line="pipa $*"
}

# fail WHAT EXPECTED GOT: the report of a failure; ends the case
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

# status N: that of the last command. A wrong one of ours is a failure of ours, unless a peer has died that
# was to write our input.
status() {
	[[ $got_status -ne $1 ]] || return 0
	if [[ $command_line == pipa\ * || $command_line == *"$PIPA"* ]] && [[ ! -e $case_dir/input_lost ]]; then
		echo "$command_line: status $got_status, not $1" >> "$case_dir/own_failure"
	fi
	fail 'exit status' "$1" "$got_status"
}

# same WHAT GOT EXPECTED
same() {
	[[ $2 == "$3" ]] || fail "$1" "$3" "$2"
}

# compare WHAT FILE < EXPECTED: line by line
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

# screen < EXPECTED: standard error with every number as N and blanks narrowed
screen() {
	screen_after ''
}

# screen_after SED... < EXPECTED: the same, with sed scripts applied before
screen_after() {
	look err "$@" > screen
	compare 'screen' screen
}

# csv_screen < EXPECTED: the same for `-x,`, where a comma is no part of a number
csv_screen() {
	look err 's/[0-9]+(\.[0-9]+)?/N/g' > screen
	compare 'screen' screen
}

# look FILE [SED...]: a file as `screen` compares it
look() {
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

# matches FILE REGEX: some line does
matches() {
	grep -qE -e "$2" "$1" || fail "in $1" "a line like $2" "$(cat "$1")"
}

# between WHAT GOT LEAST MOST: numbers, fractions too
between() {
	awk -v got="$2" -v least="$3" -v most="$4" \
		'BEGIN { exit !(got ~ /^[0-9.]+$/ && got >= least && got <= most) }' ||
		fail "$1" "$3 to $4" "$2"
}

# refused STATUS < LINE: nothing on standard output, exactly this line on standard error
refused() {
	same 'lines on standard error' "$(wc -l < err)" 1
	stderr
	stdout < /dev/null
	status "$1"
}

# refused_like STATUS REGEX: the same for a line with something volatile in it
refused_like() {
	same 'lines on standard error' "$(wc -l < err)" 1
	matches err "^$2\$"
	stdout < /dev/null
	status "$1"
}

# csv EVENT [COLUMN] [FILE]: a column (the value) of an event's line in `-x,` output
csv() {
	awk -F, -v event="$1" -v column="${2:-1}" '$3 == event { print $column }' "${3:-err}"
}

# as_perf_names < SCRIPT: code that pipa names by its stretch of unwind information has no name for perf
as_perf_names() {
	sed -E 's/ [^ ]+!(fn|code)@0x[0-9a-f]+(\+0x[0-9a-f]+)? \(/ [unknown] (/'
}

# libc_aliases: "NAME OTHER" for each function of the C library and the loader: names that share an address in one
# of the files, without versions, have the same OTHER
libc_aliases() {
	local file id

	ldd "$PIPA_WORKLOADS/busy" | grep -o '/[^ ]*' | while read -r file; do
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

# alias_names < TEXT: functions of the C library under one name each. Of several at an address perf takes the
# longest, pipa the one that programs call (src/symbol/table/table.h).
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

# until_true COMMAND...: try it for ten seconds
until_true() {
	local i

	for ((i = 0; i < 1000; i++)); do
		"$@" && return
		sleep 0.01
	done
	fail 'waited ten seconds for' "$*" 'it never came true'
}

# blocked PID: does it sleep in the kernel, as a workload does that waits on a fifo? All threads.
blocked() {
	[[ -d /proc/$1 ]] && ! grep -hqs $'^State:\t[^S]' /proc/"$1"/task/*/status
}

is_gone() {
	[[ ! -d /proc/$1 ]] || grep -qs $'^State:\tZ' "/proc/$1/status"
}

# names_itself PID NAME: has it become that program?
names_itself() {
	[[ $(cat "/proc/$1/comm" 2> /dev/null) == "$2" ]]
}

# start COMMAND...: in the background, its id in $started; what is left of it dies with the case
start() {
	"$@" &
	started=$!
	echo "$started" >> "$case_dir/started"
}

# launch COMMAND...: as `run`, in the background, with the signal handling of a foreground program,
# which a shell's background jobs do not have; its id in $started
launch() {
	command_line=$*
	start env --default-signal=INT,QUIT "$@" > out 2> err
}

# landed: wait for the end of what `launch` has started, but not for ever
landed() {
	until_true is_gone "$started"
	wait "$started"
	got_status=$?
	note_own_failure
}

# block COMMAND...: start it in the background, blocked at ./gate until `unblock`; its id in $target
block() {
	need_workloads
	[[ -p gate ]] || mkfifo gate
	start "$PIPA_WORKLOADS/block" gate "$@"
	target=$started
	until_true names_itself "$target" block
	until_true blocked "$target"
}

unblock() {
	: > gate
}

# counts PID: does that pipa or perf have its events open?
counts() {
	local fd

	for fd in /proc/"$1"/fd/*; do
		[[ $(readlink "$fd") != anon_inode:\[perf_event\] ]] || return 0
	done
	return 1
}

# attached PID: that pipa or perf has opened its events and waits for the end
attached() {
	counts "$1" && blocked "$1" && sleep 0.05 && blocked "$1"
}

# ---- what a machine can do -----------------------------------------------------------------

# perf 6.1 aborts on records that the kernel marks as having build ids because somebody else asked for these
# (src/perf/decode.c). Then it is run once more; where it aborts again, a case that fails is skipped:
# nothing was there to compare with.
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
	script -qec true /dev/null > /dev/null 2>&1 || skip 'no pseudo terminal can be had'
}

# Counting of one's own processes, the kernel's part included.
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

# Without address randomisation and environment a program faults the same pages each time.
need_exact_faults() {
	need_counting
	need_workloads
	setarch -R true 2> /dev/null || skip 'address randomisation cannot be switched off'
}

# exactly COMMAND...: under these conditions
exactly() {
	env -i setarch -R "$@"
}

# A directory below the cgroup hierarchy that perf events use, in $cgroup; its name in $cgroup_name
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

# as_nobody COMMAND...: without any privilege, and with a place of its own for coverage notes
as_nobody() {
	GCOV_PREFIX=$PWD/notes setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"
}

# A copy of pipa and the workloads where everybody may run them, in ./bin
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

# Kill what a case left running and take its cgroups away.
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

# The names of the cases in the order they stand in the script.
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

# attempt FUNCTION: the case in its own shell and empty directory; what it said is $case_dir/log
attempt() {
	local status

	rm -rf "$case_dir"
	mkdir -p "$case_dir/here"
	(
		cd "$case_dir/here" || exit 1
		"$1"
	) > "$case_dir/log" 2>&1 < /dev/null
	status=$?
	# nothing was there to compare with; that excuses no failure of our own
	if ((status != 0 && status != 77)) && [[ -s $case_dir/peer_died && ! -e $case_dir/own_failure ]] &&
		! sanitizer_message "$case_dir/log" "$case_dir"/here/*err*; then
		mv "$case_dir/peer_died" "$case_dir/skipped"
		status=77
	fi
	sed 's/^/peer:     /' "$case_dir/peer" >> "$case_dir/log" 2> /dev/null
	return "$status"
}

# A live machine and the peers beside us are not the same twice, so a case that failed is run once more, but
# not if a sanitizer spoke. It passes then, and is named with its first failure: unsteady is no secret.
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
