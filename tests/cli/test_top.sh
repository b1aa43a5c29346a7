#!/usr/bin/env bash
#
# pipa top: tables in a pipe, the live screen on a terminal, and who is sampled.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/terminal.sh"

# busy: a program that only spins, its id in $busy
busy() {
	"$PIPA_WORKLOADS/spin" 100000 > /dev/null 2>&1 &
	busy=$!
	echo "$busy" >> "$case_dir/started"
}

# sampled: the machine can be sampled by this user, else the case is skipped
sampled() {
	pipa top -b -n 1 -d 100ms -p $$
	[[ $got_status -eq 0 ]] || skip "nothing can be sampled: $(cat err)"
}

test_a_pipe_gets_tables() {
	sampled
	busy
	pipa top -p "$busy" -n 2 -d 300ms
	status 0
	same 'tables' "$(grep -c '^# Samples: ' out)" 2
	grep -qE "^# 997 Hz, pid $busy$" out || fail 'the first line' 'rate and pid' "$(head -n 3 out)"
	grep -qE '^ +[0-9.]+%  spin +[^ ]+ +\[' out || fail 'the rows' 'those of spin' "$(cat out)"
	grep -qE '^# Overhead ' out || fail 'the title' Overhead "$(cat out)"
}

# last_table: of the tables so far
last_table() {
	awk '/^# 997 Hz/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' tables
}

is_empty() {
	! last_table | grep -q '^# Samples: '
}

# table_behind [ARGS...]: tables until after the end of a program
table_behind() {
	local top

	busy
	"$PIPA" top -b -p "$busy" -d 200ms "$@" > tables 2> err &
	top=$!
	echo "$top" >> "$case_dir/started"
	until_true grep -q '^# Samples: ' tables
	kill "$busy"
	wait "$busy" 2> /dev/null
	sleep 1
	[[ -z $* ]] || until_true is_empty
	kill -INT "$top"
	wait "$top"
	same 'exit status' $? 0
}

test_tables_add_up_by_default() {
	sampled
	table_behind
	last_table | grep -qE ' spin ' || fail 'the last table' 'what was' "$(last_table)"
	table_behind -z
}

test_callers_are_counted_on_request() {
	sampled
	busy
	pipa top -b -g -p "$busy" -n 1 -d 300ms
	status 0
	grep -qE '^# Children +Self ' out || fail 'the title' 'Children and Self' "$(cat out)"
}

test_a_command_is_sampled_until_it_ends() {
	sampled
	pipa top -b -d 200ms -- sh -c "echo to be seen; echo and this >&2; '$PIPA_WORKLOADS/spin' 500; exit 5"
	status 5
	head -n 1 out | grep -qx '# 997 Hz, sh' || fail 'the first line' 'the command' "$(head -n 1 out)"
	grep -q ' spin ' out || fail 'the rows' 'those of spin' "$(cat out)"
	lacks out 'to be seen'
	lacks err 'and this'
}

test_a_command_that_cannot_be_started_is_an_error() {
	sampled
	pipa top -b -- ./nothing_of_that_name
	refused_like 127 'pipa top: cannot run ./nothing_of_that_name: No such file or directory.*'
	: > plain
	pipa top -b -- ./plain
	refused_like 126 'pipa top: cannot run ./plain: Permission denied.*'
}

test_a_command_does_not_outlive_its_tables() {
	sampled
	pipa top -b -d 100ms -n 2 -- sh -c "echo \$\$ > pid; '$PIPA_WORKLOADS/spin' 100000; :"
	status 0
	until_true is_gone "$(cat pid)"
	! pgrep -P "$(cat pid)" > /dev/null || fail 'processes left' none "$(pgrep -aP "$(cat pid)")"
}

test_the_processes_of_a_user_are_sampled() {
	sampled
	busy
	pipa top -b -n 1 -d 300ms -u "$(id -u)"
	status 0
	head -n 1 out | grep -qx "# 997 Hz, user $(id -u)" || fail 'the first line' 'the user' "$(head -n 1 out)"
	grep -q ' spin ' out || fail 'the rows' 'those of spin' "$(cat out)"
}

test_zombies_of_a_user_are_left_out() {
	sampled
	busy
	sh -c 'true & exec sleep 60' &
	echo $! >> "$case_dir/started"
	# shellcheck disable=SC2009
	until ps -o stat= --ppid "$!" | grep -q '^Z'; do
		sleep 0.05
	done
	pipa top -b -n 1 -d 300ms -u "$(id -u)"
	status 0
}

# jit_tables ARGS...: tables of a runtime that makes code, into ./tables; its id in $jit
jit_tables() {
	"$PIPA_WORKLOADS/jit" "$@" &
	jit=$!
	echo "$jit" >> "$case_dir/started"
	"$PIPA" top -b -p "$jit" -d 200ms > tables 2> err &
	echo $! >> "$case_dir/started"
}

test_new_jit_code_is_symbolized_by_its_jitdump() {
	sampled
	jit_tables dump 1500 100000
	until_true grep -q 'jit-[0-9]*[.]dump .*jit_second' tables
	grep -q 'jit-[0-9]*[.]dump .*jit_first' tables || fail 'the tables' jit_first "$(last_table)"
}

# are_named: in the last table all of the code that was made is
are_named() {
	last_table > last
	grep -q jit_mapped last && ! grep -qE "$nameless" last
}

test_jit_code_whose_symbol_comes_late_is_symbolized() {
	local nameless=' jit +\S+ +\[\.\] 0x'

	sampled
	jit_tables map 100000 late
	until_true grep -qE "$nameless" tables
	cp late "/tmp/perf-$jit.map"
	until_true are_named
	rm "/tmp/perf-$jit.map"
}

test_all_processes_are_sampled_without_a_note() {
	sampled
	busy
	pipa top -b -n 1 -d 500ms
	status 0
	head -n 1 out | grep -qE '^# 997 Hz, (all CPUs|own processes)$' ||
		fail 'the first line' 'rate and whom' "$(head -n 1 out)"
	grep -qE ' spin ' out || fail 'the rows' 'spin among them' "$(head -n 30 out)"
}

test_unprivileged_users_see_their_own_processes() {
	need_program setpriv
	[[ $(id -u) -eq 0 ]] || skip 'only root can become somebody else'
	[[ $(< /proc/sys/kernel/perf_event_paranoid) -ge 1 ]] || skip 'everybody is permitted here'
	install -m 755 "$PIPA" pipa
	install -m 755 "$PIPA_WORKLOADS/spin" spin
	chmod 755 .
	# shellcheck disable=SC2016
	run setpriv --reuid 65534 --regid 65534 --clear-groups \
		sh -c './spin 100000 & ./pipa top -b -n 1 -d 1s; status=$?; kill $!; exit $status'
	[[ $got_status -eq 0 ]] || skip "nothing can be sampled: $(cat err)"
	grep -q '^pipa top: no permission to sample all users: sampling only your processes' err ||
		fail 'standard error' 'a line that says so' "$(cat err)"
	grep -q '^# 997 Hz, own processes$' out || fail 'the table' 'of own processes' "$(cat out)"
	grep -q ' spin ' out || fail 'the rows' 'those of spin' "$(cat out)"
}

test_wrong_calls_are_refused() {
	pipa top --sort nonsense
	status 2
	pipa top -K -U
	status 2
	pipa top -d 1ms
	status 2
	pipa top -z --total
	status 2
	pipa top -u somebody
	status 2
	pipa top -u 0 -p 1
	status 2
	pipa top -b -u 4294967294
	status 1
	pipa top -b -n 1 -p 99999999
	status 1
}

# watch_busy WIDTH HEIGHT ARGS...: the screen of the busy program, its id in ./pid
watch_busy() {
	sampled
	busy
	terminal "$1" "$2" "LC_ALL=C.UTF-8 sh -c 'echo \$\$ > pid; exec \"\$0\" top \"\$@\"' '$PIPA' -p $busy ${*:3}"
	sees '▾Self'
	until_true is alternate_on 1
}

test_the_screen_fills_while_it_is_shown() {
	watch_busy 80 24 -d 200ms
	sees '^▸ +[0-9.]+% +[0-9.]+% .* spin +[^ ]+ +\['
	sees 'now, every 200ms  997 Hz, pid [0-9]+'
	keys Space
	sees 'PAUSED  now, every 200ms'
	keys p
	until_true not_on_screen PAUSED
	keys z
	sees 'last 200ms'
	keys '>'
	sees 'last 500ms'
	keys z
	sees 'all, every 500ms'
	keys Z
	sees 'zoom into'
	keys p
	sees "^ all > pid $busy"
	keys Escape
	until_true not_on_screen ' > pid'
	keys '?'
	sees 'shorter, longer interval'
	keys q # closes the help alone
	until_true not_on_screen 'shorter, longer interval'
	keys q
	left 0
}

test_a_large_screen_shows_rows_by_cpu() {
	watch_busy 200 60 -d 200ms
	keys b u
	sees '▾Self .* CPU'
	sees '^▸ +[0-9.]+% '
	until_true last_line_is 60 ' q quit'
	keys q
	left 0
}

# Only the mapping of the process leads to the file: annotating looks where symbolizing did.
test_the_code_of_a_program_that_was_deleted_is_shown() {
	local pid

	need_program cc
	cat > hot.c <<- 'END'
		volatile unsigned long v;
		int main(void)
		{
			for (;;)
				v = v * 7 + 1;
		}
	END
	cc -O1 -g hot.c -o hotspot 2> err || skip "cc: $(head -n 1 err)"
	./hotspot &
	pid=$!
	echo "$pid" >> "$case_dir/started"
	until_true grep -q hotspot "/proc/$pid/maps"
	rm hotspot
	"$PIPA" record -q -p "$pid" -o data sleep 0.2 2> err || skip "pipa cannot record here: $(head -n 1 err)"
	"$PIPA" annotate data main 2> err | grep -q 'capstone' && skip 'this pipa was built without capstone'
	terminal 100 30 "LC_ALL=C.UTF-8 '$PIPA' top -d 200ms -p $pid"
	sees '▸ .* main'
	keys / m a i n Enter a
	sees 'hot\.c:5 .*v = v \* 7 \+ 1;'
	sees '^ *[0-9.]+ : +[0-9a-f]+: +[a-z]'
	keys Escape
	sees '▾Self'
	keys q
	left 0
	kill "$pid"
}

test_the_screen_ends_after_the_number_of_refreshes() {
	watch_busy 80 24 -d 100ms -n 30
	left 0
}

test_a_process_that_ends_leaves_its_table() {
	watch_busy 80 24 -d 200ms
	sees '^▸ .* spin +[^ ]+ +\['
	kill "$busy"
	wait "$busy" 2> /dev/null
	sleep 0.5
	on_screen '^▸ .* spin +[^ ]+ +\[' || fail 'the screen' 'still the table' "$(cat screen)"
	keys q
	left 0
}

test_the_screen_of_a_command_stays_and_leaves_with_its_status() {
	sampled
	terminal 100 24 "LC_ALL=C.UTF-8 '$PIPA' top -d 200ms -- sh -c 'echo to be seen; $PIPA_WORKLOADS/spin 700; exit 3'"
	sees '997 Hz, sh'
	sees '^▸ .* spin +[^ ]+ +\['
	sees 'sh exited with status 3'
	on_screen '^▸ .* spin +[^ ]+ +\[' || fail 'the screen' 'still the table' "$(cat screen)"
	! on_screen 'to be seen' || fail 'the screen' 'no output of the command' "$(cat screen)"
	keys q
	left 3
}

test_a_signal_ends_the_command_of_a_list_too() {
	local signal expected

	for signal in TERM:143 HUP:129 QUIT:131; do
		"$PIPA" top -b -- sh -c 'echo $$ > child; exec sleep 30' > list 2>&1 &
		until_true test -s child
		kill -"${signal%:*}" $!
		expected=${signal#*:}
		wait $!
		same "status after $signal" $? "$expected"
		until_true is_gone "$(< child)"
		rm child
	done
}

test_signals_end_it_with_their_status_and_the_terminal_restored() {
	watch_busy 80 24
	kill -TERM "$(cat pid)"
	left 143
}

run_tests "$@"
