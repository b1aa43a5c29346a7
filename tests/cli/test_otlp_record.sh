#!/usr/bin/env bash
#
# pipa record --otlp: a recording that is sent while it is made, to receivers that behave well and badly.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# shellcheck source-path=SCRIPTDIR source=otlp_receiver.sh
. "${BASH_SOURCE[0]%/*}/otlp_receiver.sh"

# busy SECONDS [FILE]: a command line that keeps two processes busy, also until the file is there, for 30 s at most
busy() {
	local on="((SECONDS < end))"

	[[ -z ${2-} ]] || on="((SECONDS < end)) || [[ \$SECONDS -lt end+30 && ! -e $2 ]]"
	echo "end=\$((SECONDS + $1)); (while $on; do :; done) & while $on; do :; done; wait"
}

# sum_stacks < FOLDED: one line per stack
sum_stacks() {
	awk '{ n = $NF; $NF = ""; sum[$0] += n } END { for (stack in sum) print stack sum[stack] }' | sort
}

# sent_equals FILE: all requests together have the stacks and sums of the recording
sent_equals() {
	local body

	"$PIPA" fold "$1" | sum_stacks > want
	for body in body.*; do
		"$PIPA" fold "$body" || fail "$body" 'a profile' "$(head -c 300 "$body")"
	done | sum_stacks > got
	[[ -s want ]] || fail 'stacks of the recording' some none
	cmp -s got want || fail 'stacks of all requests' 'those of the recording' "$(diff want got | head -20)"
}

test_requests_have_the_samples_of_the_file() {
	need_sampling
	receive grpc ok
	pipa record --otlp "http://127.0.0.1:$port" --export-interval 0.2 -o file -- bash -c "$(busy 2 body.2)"
	status 0
	matches err '^\[ pipa record: [1-9][0-9]* samples, .* in file; lost [0-9]+ \]$'
	matches err '^\[ pipa record: [1-9][0-9]* samples sent in [1-9][0-9]* requests, [0-9.]+ MB, to http://127.0.0.1:[0-9]+; lost [0-9]+, not delivered 0 \]$'
	[[ -e body.2 ]] || fail requests 'at least two' "$(echo body.*)"
	sent_equals file
	pipa otlp check body.1
	status 0
	receive http ok
	rm -f body.*
	pipa record --otlp "http://127.0.0.1:$port/v1development/profiles" --otlp-compression none -o file \
		-- bash -c "$(busy 1)"
	status 0
	same requests "$(echo body.*)" body.1
	sent_equals file
	head_has 1 content-type application/x-protobuf
}

test_a_file_is_written_only_with_o() {
	need_sampling
	receive grpc ok
	pipa record --otlp="http://127.0.0.1:$port" bash -c "$(busy 1)"
	status 0
	[[ ! -e perf.data ]] || fail perf.data none one
	lacks err 'in perf.data'
	"$PIPA" report -s sym body.1 > out 2> err
	matches out '^# Samples: [1-9]'
	pipa record -q --otlp "http://127.0.0.1:$port" --call-graph fp -- bash -c "$(busy 1)"
	status 0
	stderr < /dev/null
	[[ -e body.2 ]] || fail requests 'a second one' none
}

test_many_profiles_are_sent_before_the_interval() {
	need_sampling
	receive grpc ok
	pipa record --otlp "http://127.0.0.1:$port" --batch-size 2 -o file -- bash -c "$(busy 3 body.2)"
	status 0
	[[ -e body.2 ]] || fail requests 'at least two' "$(echo body.*)"
	sent_equals file
}

test_closed_output_of_print_does_not_end_the_sending() {
	local printed sent

	need_sampling
	receive grpc ok
	"$PIPA" record --print --otlp "http://127.0.0.1:$port" -- bash -c "$(busy 2)" 2> err | head -n 2 > out
	sent=$(sed -n 's/.*: \([0-9]*\) samples sent.*not delivered 0 .*/\1/p' err)
	printed=$(wc -l < out)
	same 'lines that were read' "$printed" 2
	[[ -s err && ${sent:-0} -ge 50 ]] || fail 'samples sent' 'at least 50' "$(cat err)"
}

test_status_of_the_command_precedes() {
	need_sampling
	receive grpc ok
	pipa record --otlp "http://127.0.0.1:$port" -- bash -c "$(busy 1); exit 7"
	status 7
	pipa record --otlp "http://127.0.0.1:1" --otlp-retry 200ms -- bash -c "$(busy 1); exit 7"
	status 7
	has err 'Connection refused'
	pipa record --otlp "http://127.0.0.1:$port" -- ./missing
	status 127
}

test_dead_servers_are_reported_with_the_samples() {
	need_sampling
	pipa record --otlp "http://127.0.0.1:1" --otlp-retry 500ms -o file -- bash -c "$(busy 1)"
	status 125
	matches err '^\[ pipa record: 0 samples sent in 0 requests, .*; lost [0-9]+, not delivered [1-9][0-9]* \]$'
	matches err '^pipa record: cannot send profiles to http://127.0.0.1:1: .*Connection refused.*: not delivered: ([0-9]+) of \1 samples \(1 request'
	"$PIPA" fold file > out || fail 'the file' readable unreadable
	receive raw reset
	pipa record --otlp "http://127.0.0.1:$port" --otlp-retry 500ms -- bash -c "$(busy 1)"
	status 125
	has err 'connection closed before HTTP/2 SETTINGS'
	receive grpc never
	pipa record --otlp "http://127.0.0.1:$port" --otlp-timeout 300ms --otlp-retry 500ms -- bash -c "$(busy 1)"
	status 125
	matches err 'no response within the timeout|DEADLINE_EXCEEDED'
	receive grpc 3
	pipa record --otlp "http://127.0.0.1:$port" -- bash -c "$(busy 1)"
	status 125
	has err 'INVALID_ARGUMENT: no luck today'
	has err '1 request refused'
	receive grpc partial
	pipa record --otlp "http://127.0.0.1:$port" -- bash -c "$(busy 1)"
	status 125
	matches err '^pipa record: http://127.0.0.1:[0-9]+ rejected 3 profiles: late$'
}

# The n-th body is the n-th request; those of failed attempts do not count.
test_slow_and_refusing_servers_get_everything_once() {
	need_sampling
	receive grpc 14+100,8+100,slow,goaway,ok
	pipa record --otlp "http://127.0.0.1:$port" --export-interval 0.5 -o file -- bash -c "$(busy 3)"
	status 0
	has err 'not delivered 0'
	rm body.1 body.2
	sent_equals file
}

test_signals_end_the_recording_and_the_rest_is_delivered() {
	need_sampling
	receive grpc ok
	start bash -c "$(busy 20)"
	local target=$started
	launch "$PIPA" record --otlp "http://127.0.0.1:$port" -o file -p "$target"
	sleep 1
	kill -INT "$started"
	landed
	status 0
	has err 'not delivered 0'
	sent_equals file
	launch "$PIPA" record --otlp "http://127.0.0.1:$port" -p "$target"
	sleep 1
	kill -TERM "$started"
	landed
	status $((128 + 15))
	has err 'not delivered 0'
	launch "$PIPA" record --otlp "http://127.0.0.1:$port" -- sleep 20
	sleep 0.5
	kill -TERM "$started"
	landed
	status $((128 + 15))
}

test_a_second_signal_ends_at_once_with_the_number_of_lost_samples() {
	local start_ms

	# a thread that symbolizes is abandoned, which the thread sanitizer, where that takes long, calls a leak
	[[ -z ${TSAN_OPTIONS-} ]] || export TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0
	need_sampling
	receive raw silent
	start bash -c "$(busy 20)"
	launch "$PIPA" record --otlp "http://127.0.0.1:$port" --otlp-timeout 1m -p "$started"
	sleep 1
	start_ms=$(date +%s%3N)
	kill -INT "$started"
	sleep 0.5
	! is_gone "$started" || fail 'after one signal' 'it tries for five seconds' 'it has ended'
	kill -INT "$started"
	landed
	between 'milliseconds until the end' "$(($(date +%s%3N) - start_ms))" 500 4000
	status 125
	matches err '^pipa record: interrupted: .*not delivered: ([0-9]+) of \1 samples'
}

test_one_signal_leaves_five_seconds() {
	local start_ms

	[[ -z ${TSAN_OPTIONS-} ]] || export TSAN_OPTIONS=$TSAN_OPTIONS:report_thread_leaks=0 # as above
	need_sampling
	receive raw silent
	start bash -c "$(busy 20)"
	launch "$PIPA" record --otlp "http://127.0.0.1:$port" --otlp-timeout 1m --otlp-retry 1m -p "$started"
	sleep 0.5
	start_ms=$(date +%s%3N)
	kill -INT "$started"
	landed
	between 'milliseconds until the end' "$(($(date +%s%3N) - start_ms))" 4000 9000
	status 125
	has err 'interrupted: '
}

# times FILE...: the timestamps of all samples, sorted; each is in the time range of its profile
times() {
	local file

	for file in "$@"; do
		"$PIPA" otlp check "$file" > out || fail "$file" valid "$(cat out)"
		"$PIPA" export -f otlp-json "$file" -o /dev/null # it can be read
		python3 "$PIPA_SOURCE/tests/cli/otlp_times.py" "$file"
	done | sort -n
}

test_timestamps_are_those_of_the_recording() {
	local layout

	need_sampling
	receive grpc ok
	pipa record --otlp "http://127.0.0.1:$port" --otlp-timestamps --export-interval 0.3 -o file -- bash -c "$(busy 1)"
	status 0
	sent_equals file
	"$PIPA" export --frame samples -f csv file | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(row["time_utc"])' | sort -n > want
	times body.* > sent
	same 'number of timestamps' "$(wc -l < sent)" "$(wc -l < want)"
	# both clocks are read again for each batch
	paste want sent | awk '{ d = $1 - $2; if (d < -1e7 || d > 1e7) bad++ } END { exit bad > 0 }' ||
		fail 'times of requests' 'those of the file within 10 ms' "$(paste want sent | head -3)"
	for layout in 1.10 1.9; do
		pipa export -f otlp --otlp-timestamps --otlp-layout $layout -o e.otlp file
		status 0
		times e.otlp > got
		compare "times of layout $layout" got < want
	done
	pipa export -f otlp -o e.otlp file
	same 'timestamps without the option' "$(times e.otlp)" ''
}

test_options_of_sending_are_checked() {
	pipa record --otlp localhost:4317 -- true
	refused 125 <<< "pipa record: --otlp: invalid URL 'localhost:4317', expected http://HOST[:PORT][/PATH] or https://..."
	pipa record --batch-size 3 -- true
	refused 125 <<< 'pipa record: --export-interval, --batch-size, --otlp-layout and --otlp-timestamps require --otlp'
	pipa record --otlp-header a=b -- true
	refused 125 <<< 'pipa record: --otlp-* options require --otlp'
	pipa record --otlp --unwind later -- true
	refused 125 <<< 'pipa record: --unwind later with --otlp requires -o FILE'
	pipa record --otlp --otlp-layout 2 -- true
	refused 125 <<< "pipa record: --otlp-layout: invalid version '2', expected 1.10 or 1.9"
	pipa record --otlp
	refused 125 <<< 'pipa record: nothing to record. Specify a command, -a for all CPUs, or -p PID.'
	pipa record --otlp --batch-size 0 -- true
	status 125
	has err '--batch-size'
}

run_tests "$@"
