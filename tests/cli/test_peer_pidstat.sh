#!/usr/bin/env bash
#
# pipa monitor --processes beside pidstat: both watch the same process over the same seconds. It runs
# only between their readings, so what they see of it is the same; what is left is how long each takes
# the interval to have been.

. "${BASH_SOURCE[0]%/*}/lib.sh"

seconds=4

need_pidstat() {
	need_program pidstat
	need_workloads
	pidstat 1 1 > /dev/null 2>&1 || skip 'pidstat does not run here'
}

# start_busy: a process that computes, faults and writes at an even pace; its number in $pid
start_busy() {
	"$PIPA_WORKLOADS/busy" written $((seconds * 1000 + 4000)) &
	pid=$!
	echo "$pid" >> "$case_dir/started"
	sleep 0.5
}

# both PIPA...: pidstat's rows of $pid in ./theirs as "name value", pipa's in ./ours
both() {
	local peer

	# the process is stopped whenever one of them reads it: both see all that it did
	kill -STOP "$pid"
	pidstat -h -urdw -p "$pid" "$seconds" 1 > theirs.raw 2>&1 &
	peer=$!
	(
		sleep 1
		kill -CONT "$pid"
		sleep $((seconds - 2))
		kill -STOP "$pid"
	) &
	"$@" monitor --processes --json --idle -i "$seconds" -n 1 > ours.raw 2> err ||
		fail 'pipa monitor' 'exit 0' "$(cat err)"
	wait "$peer"
	kill -CONT "$pid"
	awk -v pid="$pid" '
		/^#/ { sub(/^# */, ""); n = split($0, title); next }
		NF && title[1] { for (i = 1; i <= n; i++) print title[i], $i }' theirs.raw > theirs
	grep -v '"average"' ours.raw | tr -d ' ' | tr '{}' '\n' | grep "^\"PID\":$pid," | tr ',' '\n' |
		sed 's/"//g; s/:/ /' > ours
	[[ -s theirs ]] || fail 'pidstat' 'a row' "$(cat theirs.raw)"
	[[ -s ours ]] || fail 'pipa' 'a row' "$(head -c 2000 ours.raw)"
}

# agree: every column that both have
agree() {
	local wrong

	command_line='pidstat -urdw against pipa monitor --processes'
	wrong=$(awk -v seconds="$seconds" '
		NR == FNR { theirs[$1] = $2; next }
		!($1 in theirs) || $1 ~ /^(Command|CPU|iodelay)$/ || theirs[$1] == "-1.00" { next }
		{
			a = theirs[$1]
			b = $2
			d = a > b ? a - b : b - a
			m = a > b ? a : b
			compared++
			# a tick at either end, and the skew between the two: a part of what is done in all
			if ($1 ~ /^%/) slack = 100 * 0.02 / seconds + 3
			else if ($1 ~ /^(VSZ|RSS)$/) slack = 64
			else slack = 3
			if ($1 == "UID" || $1 == "PID" ? d > 0 : d > 0.15 * m + slack)
				printf "%s: pidstat %s, pipa %s\n", $1, a, b
		}
		END { if (compared < 12) printf "only %d columns to compare\n", compared }' theirs ours)
	[[ -z $wrong ]] || fail 'columns' 'the same as pidstat' "$wrong"
}

# saw COLUMN LEAST: the process really did that
saw() {
	awk -v name="$1" -v least="$2" '$1 == name { found = $2 >= least } END { exit !found }' ours ||
		fail "$1" "at least $2" "$(cat ours)"
}

saw_all() {
	saw %usr 1
	saw %system 0.2
	saw minflt/s 100
	saw cswch/s 5
	saw RSS 100
}

test_a_busy_process_has_pidstats_numbers() {
	need_pidstat
	start_busy
	both "$PIPA"
	agree
	saw_all
}

test_without_bpf_a_busy_process_has_them_too() {
	need_pidstat
	need_nobody
	cp "$PIPA_WORKLOADS/busy" bin/
	chmod 777 .
	setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		"$PWD/bin/busy" written $((seconds * 1000 + 4000)) &
	pid=$!
	echo "$pid" >> "$case_dir/started"
	sleep 0.5
	both as_nobody "$PWD/bin/pipa"
	agree
	saw_all
	grep -q 'PID/io of .* tasks' err || fail 'what is missing' 'named' "$(cat err)"
}

run_tests "$@"
