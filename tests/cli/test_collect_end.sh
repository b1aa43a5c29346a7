#!/usr/bin/env bash
#
# pipa collect: how it ends, one beside another, and what it may do.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/collecting.sh"

# ---- how it ends ----------------------------------------------------------------------------

# part_of WHY: ./got has the reason, no files are left, and another collection works
part_of() {
	has $session/pipa-collection-info.txt "complete: $1"
	nothing_left
	collect --duration-stat 10ms --duration-record 10ms
	status 0
	has $session/pipa-collection-info.txt 'complete: yes'
}

test_an_interrupt_leaves_a_partial_archive() {
	local signal

	need_system_wide
	for signal in INT TERM HUP; do
		launch "$PIPA" collect "${short[@]}" -o a.tar.gz --duration-stat 60
		begins 'counting for'
		sleep 0.3
		kill -"$signal" "$started"
		landed
		status 130
		stdout <<< a.tar.gz
		has err 'warning: interrupted'
		unpack a.tar.gz
		[[ -s $session/perf_stat.txt && -s $session/sar_io.csv && ! -e $session/perf.data ]] ||
			fail 'while counting' 'no samples' "$(ls $session)"
		part_of 'no, interrupted'
	done
	launch "$PIPA" collect "${short[@]}" -o a.tar.gz --duration-record 60
	begins 'sampling for'
	sleep 0.3
	kill -INT "$started"
	landed
	status 130
	unpack a.tar.gz
	"$PIPA" report $session/perf.data > /dev/null 2> says || fail 'the samples' 'readable' "$(cat says)"
	part_of 'no, interrupted'
}

test_an_interrupt_at_any_moment_leaves_a_valid_archive() {
	local i signals=(INT TERM HUP)

	need_system_wide
	for ((i = 0; i < 25; i++)); do
		rm -f a.tar.gz
		launch "$PIPA" collect -o a.tar.gz --duration-stat 0.1 --perf-stat-interval 10 \
			--sar-interval 0.01 --duration-record 0.1
		until_true test -e data/run/pipa-tree.pid -o ! -d "/proc/$started"
		sleep "0.$(printf %03d $((i * 12)))"
		kill -"${signals[i % 3]}" "$started" 2> /dev/null
		landed
		unpack a.tar.gz
		case $got_status in
		0) has $session/pipa-collection-info.txt 'complete: yes' ;;
		130) has $session/pipa-collection-info.txt 'complete: no, interrupted' ;;
		*) fail "exit status in round $i" '0 or 130' "$got_status" ;;
		esac
		same 'files' "$(ls -A)" $'a.tar.gz\ndata\nerr\ngot\nout\ntar_says'
		nothing_left
	done
}

# The disk takes three seconds for the sync of the archive.
test_an_interrupt_while_archiving_leaves_a_complete_archive() {
	need_system_wide
	need_program strace
	strace -f -o /dev/null -e inject=fsync:delay_enter=1 true 2> /dev/null ||
		skip 'strace may not trace, or not delay'
	launch env ASAN_OPTIONS=detect_leaks=0 strace -f -o /dev/null -e trace=fsync \
		-e inject=fsync:delay_enter=3000000:when=1 \
		"$PIPA" collect --no-spec-info --no-record --duration-stat 10ms -o a.tar.gz
	begins 'writing archive a.tar.gz'
	kill -INT "$(cat data/run/pipa-tree.pid)"
	kill -TERM "$(cat data/run/pipa-tree.pid)"
	[[ ! -e a.tar.gz ]] || fail 'while it is packed' 'no archive yet' "$(ls)"
	landed
	status 0
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: yes'
	nothing_left
}

test_an_ignored_interrupt_does_not_end_a_collection() {
	need_system_wide
	command_line='pipa collect, interrupts ignored'
	start env --ignore-signal=INT,HUP "$PIPA" collect "${short[@]}" -o a.tar.gz > out 2> err
	begins 'counting for'
	kill -INT "$started"
	kill -HUP "$started"
	landed
	status 0
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: yes'
}

# in_small_disk SIZE OPTIONS...: with a data directory of that capacity
in_small_disk() {
	need_root
	cat > in_small_disk.sh << 'END'
mount -t tmpfs -o "size=$1" none disk || exit 77
shift
cd disk && "$@"
status=$?
ls -A > ../left
ls -A data/run > ../run_left
cp ./*.tar.gz ../a.tar.gz 2> /dev/null
exit $status
END
	mkdir -p disk
	rm -f a.tar.gz
	run timeout 100 unshare -m bash in_small_disk.sh "$1" "$PIPA" collect --no-spec-info "${@:2}"
	[[ $got_status -ne 77 ]] || skip 'no tmpfs can be mounted'
}

# is_part_without_room FILE: ./a.tar.gz is valid, and has the reason why it is incomplete
is_part_without_room() {
	has err 'warning: the data collected so far is in '
	unpack a.tar.gz
	[[ -s $session/collection_id.txt ]] || fail 'the archive' 'a number' "$(ls -l $session)"
	has $session/pipa-collection-info.txt 'complete: no, failed: see pipa-tree.log'
	matches $session/pipa-tree.log "\\]\\[ERROR\\] cannot write .*$1.*: No space left on device\$"
}

# no_room FILE: one clear line, and nothing half
no_room() {
	status 1
	stdout < /dev/null
	same 'lines of the failure' "$(grep -c 'No space left' err)" 1
	matches err "^pipa collect: cannot write .*$1.*: No space left on device$"
	same 'what is left' "$(grep -v '^pipa-collection-[0-9_]*\.tar\.gz$' left)" data
	same 'the run folder' "$(cat run_left)" pipa-tree.lock
}

# full_disk FILE SIZE OPTIONS...: that file is the one that finds no room
full_disk() {
	in_small_disk "${@:2}"
	no_room "$1"
	# the room that was held is enough for an archive that is packed well, or is not
	[[ ! -e a.tar.gz ]] || is_part_without_room "$1"
	# where the archive finds room, it has what there was
	in_small_disk "${@:2}" -o "$PWD/a.tar.gz"
	no_room "$1"
	is_part_without_room "$1"
}

test_a_full_disk_while_counting() {
	need_system_wide
	full_disk perf_stat.txt 68k --no-record --duration-stat 60 --perf-stat-interval 1 \
		--sar-interval 60
	full_disk sar_ 68k --no-record --duration-stat 60 --perf-stat-interval 60000 \
		--sar-interval 0.01
}

test_a_full_disk_while_sampling() {
	need_system_wide
	full_disk perf.data 200k --no-stat --duration-record 60 --perf-data
}

test_a_full_disk_from_the_start() {
	in_small_disk 12k --no-record --duration-stat 60
	no_room collecting-
	lacks err 'counting for'
}

# into_small_disk SIZE OPTIONS...: the archive is written to such a disk; ./left lists its files
into_small_disk() {
	need_root
	mkdir -p small
	cat > in_small_disk.sh << 'END'
mount -t tmpfs -o "size=$1" none small || exit 77
shift
"$@"
status=$?
ls -A small > left
cp small/a.tar.gz . 2> /dev/null
exit $status
END
	run timeout 100 unshare -m bash in_small_disk.sh "$1" "$PIPA" collect --no-spec-info "${@:2}" \
		-o small/a.tar.gz
	[[ $got_status -ne 77 ]] || skip 'no tmpfs can be mounted'
	status 1
	matches err '^pipa collect: cannot write .*small/a.tar.gz: No space left on device$'
}

test_a_full_disk_while_archiving() {
	need_system_wide
	into_small_disk 4k --no-record --duration-stat 2 --perf-stat-interval 1
	same 'what is left' "$(cat left)" ''
	nothing_left
}

test_samples_without_disk_space_are_left_out_of_the_archive() {
	need_system_wide
	need_workloads
	start "$PIPA_WORKLOADS/unwinds" 60000 # so that there are samples, and stacks
	into_small_disk 12k --perf-data --duration-stat 1 --duration-record 0.5
	has err 'no space to archive perf.data: skipped'
	same 'what is left' "$(cat left)" a.tar.gz
	has err 'warning: the data collected so far is in '
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: no, failed: see pipa-tree.log'
	has $session/pipa-tree.log 'no space to archive perf.data'
	[[ -s $session/perf_stat.txt && -s $session/sar_cpu.csv && ! -e $session/perf.data ]] ||
		fail 'the archive' 'what was counted' "$(ls -l $session)"
	nothing_left
}

# ---- several ----------------------------------------------------------------------------------

# in_background OPTIONS...: begun, its id in $background
in_background() {
	pipa collect --background "${short[@]}" -o a.tar.gz "$@"
	status 0
	background=$(cat out)
	[[ $background =~ ^[0-9]+$ ]] || fail 'the id' 'a number' "$background"
	echo "$background" >> "$case_dir/started"
	same 'the one that is noted' "$(cat data/run/pipa-tree.pid)" "$background"
}

test_a_collection_in_the_background_ends_by_itself() {
	need_system_wide
	in_background
	until_true is_gone "$background"
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: yes'
	nothing_left
}

test_stop_ends_a_collection_in_the_background() {
	need_system_wide
	in_background --duration-stat 60
	pipa collect stop
	status 0
	stdout <<< "collection of process $background has ended"
	is_gone "$background" || fail 'the process' 'gone' 'there'
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: no, interrupted'
	nothing_left
	pipa collect stop
	status 0
	stdout <<< 'no collection is running in ./data/run'
}

test_stop_without_a_collection() {
	pipa collect stop
	status 0
	stdout <<< 'no collection is running in ./data/run'
	same 'files' "$(ls -A)" $'err\nout'
}

test_stop_ends_a_collection_whose_shell_ignores_interrupts() {
	need_system_wide
	command_line='pipa collect, interrupts ignored'
	start env --ignore-signal=INT "$PIPA" collect "${short[@]}" --duration-stat 60 \
		-o a.tar.gz > out 2> err
	begins 'counting for'
	run timeout 20 "$PIPA" collect stop
	status 0
	until_true is_gone "$started"
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: no, interrupted'
	run env --ignore-signal=INT,TERM,HUP "$PIPA" collect --background "${short[@]}" \
		--duration-stat 60 -o a.tar.gz
	status 0
	cat out >> "$case_dir/started"
	run timeout 20 "$PIPA" collect stop
	status 0
	nothing_left
}

test_a_second_collection_does_not_disturb_the_first() {
	need_system_wide
	in_background --duration-stat 60
	pipa collect "${short[@]}" -o b/b.tar.gz
	refused 1 <<< 'pipa collect: another collection is running in ./data/run. Stop it with: pipa collect stop'
	pipa collect --background "${short[@]}" -o b/b.tar.gz
	refused 1 <<< 'pipa collect: another collection is running in ./data/run. Stop it with: pipa collect stop'
	[[ ! -e b ]] || fail 'the rival' 'no folder made' "$(find b)"
	same 'the one that is noted' "$(cat data/run/pipa-tree.pid)" "$background"
	pipa collect stop
	stdout <<< "collection of process $background has ended"
	unpack a.tar.gz
	nothing_left
}

test_files_of_a_killed_collector_are_removed() {
	need_system_wide
	in_background --duration-stat 60
	kill -KILL "$background"
	until_true is_gone "$background"
	[[ -e data/run/pipa-tree.pid && $(ls -d data/run/collecting-*) ]] ||
		fail 'killed' 'its work in progress' "$(ls data/run)"
	pipa collect stop
	status 0
	stdout <<< 'no collection is running in ./data/run'
	collect
	status 0
	nothing_left
}

test_a_failed_start_in_the_background_is_reported_by_the_parent() {
	pipa collect --background --perf-events no-such-event
	refused_like 1 "pipa collect: unknown event 'no-such-event'. .*"
	pipa collect --background -o .
	refused_like 1 'pipa collect: cannot write \.: Is a directory'
	nothing_left
}

test_unseen_failures_are_reported_by_the_next_command_and_by_stop() {
	need_root
	need_system_wide
	mkdir disk
	cat > in_small_disk.sh << 'END'
mount -t tmpfs -o size=200k none disk || exit 77
cd disk || exit 1
"$1" collect --background --no-spec-info --no-stat --duration-record 60 --perf-data > /dev/null 2>&1 || exit 76
for ((i = 0; i < 1000; i++)); do
	[[ -e data/run/pipa-tree.failed ]] && break
	sleep 0.05
done
"$1" collect stop
"$1" collect --no-spec-info --no-record --duration-stat 10ms -o ../a.tar.gz 2> ../next
"$1" collect stop 2> ../later
ls -A data/run
END
	run timeout 100 unshare -m bash in_small_disk.sh "$PIPA"
	[[ $got_status -ne 77 ]] || skip 'no tmpfs can be mounted'
	status 0
	stdout << 'END'
no collection is running in ./data/run
../a.tar.gz
no collection is running in ./data/run
pipa-tree.lock
END
	matches err '^pipa collect: the last background collection failed: .* UTC: cannot write .*perf.data: No space left on device$'
	matches next '^pipa collect: warning: an earlier collection in the background failed: .* UTC: cannot write '
	same 'once told' "$(cat later)" ''
}

# ---- rights, and what it needs -----------------------------------------------------------------

test_nothing_is_spawned() {
	need_system_wide
	need_program strace
	strace -f -o /dev/null true 2> /dev/null || skip 'strace may not trace here'
	run env ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e trace=execve,execveat \
		"$PIPA" collect --duration-stat 0.2 --duration-record 0.2 -o a.tar.gz
	status 0
	same 'programs' "$(grep -cE 'execve(at)?\(' trace)" 1
}

test_without_permissions_only_statistics_are_collected_with_a_note() {
	need_nobody
	[[ $(cat /proc/sys/kernel/perf_event_paranoid) -gt 0 ]] || skip 'everybody may count whole CPUs'
	mkdir -m 1777 open
	cd open || exit 1
	run as_nobody ../bin/pipa collect "${short[@]}" -o a.tar.gz
	status 0
	has err 'no permission to count or sample the whole machine'
	same 'said' "$(grep -n 'no permission to count' err | cut -d : -f 1)" 2
	unpack a.tar.gz
	[[ ! -e $session/perf.data && ! -e $session/perf_stat.txt ]] ||
		fail 'without rights' 'neither counters nor samples' "$(ls $session)"
	[[ $(grep -c '^[^#]' $session/sar_io.csv) -gt 5 ]] ||
		fail 'statistics' 'ten rows, or some less where one covers two intervals' \
			"$(cat $session/sar_io.csv)"
	mkdir closed
	run as_nobody ../bin/pipa collect "${short[@]}" -o closed/a.tar.gz
	refused_like 1 'pipa collect: cannot open closed/a.tar.gz for writing: Permission denied. .*'
}

# The recipe of pipa-collect(1), with a group of its own that has no name.
test_the_documented_permissions_are_sufficient() {
	local group=54321 caps

	need_nobody
	need_program setcap
	[[ ${PIPA_SOURCE} && -f $PIPA_SOURCE/docs/man/pipa-collect.1 ]] || skip 'needs the manual'
	caps=$(sed -n 's/^\tsetcap \([^ ]*\) .*/\1/p' "$PIPA_SOURCE/docs/man/pipa-collect.1")
	install -m 0750 -g $group "$PIPA" bin/pipa
	setcap "$caps" bin/pipa 2> /dev/null || skip 'this file system keeps no capabilities'
	mkdir -m 1777 open
	cd open || exit 1
	start "$PIPA_WORKLOADS/unwinds" 1000000
	export ASAN_OPTIONS=detect_leaks=0
	member=(env GCOV_PREFIX="$PWD/../notes" setpriv --reuid 65534 --regid "$group" --clear-groups
		--inh-caps=-all)
	"${member[@]}" ../bin/pipa stat -a -e cpu-clock true > /dev/null 2>&1 ||
		skip 'capabilities of files do nothing here'
	run "${member[@]}" ../bin/pipa collect "${short[@]}" --duration-record 1 -o a.tar.gz
	status 0
	lacks err 'may not'
	unpack a.tar.gz
	[[ -s $session/perf_stat.txt ]] || fail 'counters' 'perf_stat.txt' "$(ls $session)"
	"$PIPA" fold $session/perf.data > folded 2> /dev/null
	matches folded '^unwinds;.*;main;' # another's process, by name and callers
	run as_nobody sh -c 'exec ../bin/pipa --version'
	status 126
	# a missing one of them is reported before anything begins
	"${member[@]}" grep -qE '^0+ . _stext$' /proc/kallsyms || return 0
	setcap cap_perfmon=ep ../bin/pipa
	run "${member[@]}" ../bin/pipa collect "${short[@]}" --duration-stat 10ms -o a.tar.gz
	status 0
	same 'said' "$(grep -n "no permission to read kernel addresses" err | cut -d : -f 1)" 2
}

run_tests "$@"
