#!/usr/bin/env bash
# Real benchmarks, run by `pipa run` for a moment: what is read from their output is what awk finds in it, while
# they run (the report) and of the whole (bench/transactions.c).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "${BASH_SOURCE[0]%/*}/servers.sh"

# listen COMMAND...: its output into ./said, the values read from it into ./found and ./report.json
listen() {
	[[ -x ${PIPA_WORKLOADS:-}/transactions ]] || skip 'the workloads are not built'
	need_program "$1"
	run timeout -k 5 100 "$PIPA" run --no-record -f json -o report.json -- "$@"
	status 0
	cat out err > said
	"$PIPA_WORKLOADS/transactions" < said > found || fail 'transactions' 'status 0' "$?"
}

# found BENCHMARK COUNT UNIT RATE: as %.10g prints them; nan for none
found() {
	local expected

	expected=$(awk -v b="$1" -v c="$2" -v u="$3" -v r="$4" 'BEGIN {
		printf "%s: %s %s, %s a second", b, c == "nan" ? c : sprintf("%.10g", c), u,
			r == "nan" ? r : sprintf("%.10g", r)
	}')
	same 'transactions' "$(sed 's/ a second: .*/ a second/' found)" "$expected"
	reported transactions "$2"
	reported reported_rate "$4"
	has report.json "\"unit\": \"$3\""
}

# reported KEY NUMBER: the report has it; a count that was not printed is computed from a rate
reported() {
	if [[ $2 == nan ]]; then
		[[ $1 != transactions ]] || has report.json '"from_rate": true'
		return
	fi
	awk -v key="  \"$1\":" -v number="$2" '
		index($0, key) == 1 { value = $2 + 0; off = value - number; met = 1 }
		END { exit !(met && off * off <= 1e-18 * number * number) }' report.json ||
		fail "$1 in the report" "$2" "$(grep "\"$1\"" report.json)"
}

# number REGEX: the number in the first group of the last text like this
number() {
	grep -oE "$1" said | tail -n 1 | sed -nE "s/^$1$/\\1/p"
}

test_events_of_sysbench_are_transactions() {
	listen sysbench cpu --time=1 --report-interval=1 run
	found sysbench "$(number 'total number of events: *([0-9]+)')" events \
		"$(number 'events per second: *([0-9.]+)')"
}

test_transactions_of_pgbench_on_a_real_database_are_found() {
	need_program pgbench
	start_postgres
	pgbench -i -q > log 2>&1 || fail 'pgbench -i' 'tables' "$(cat log)"
	listen pgbench -t 100 -c 2
	found pgbench 200 transactions "$(number 'tps = ([0-9.]+)')"
}

test_requests_of_redis_benchmark_to_a_real_server_are_found() {
	need_program redis-benchmark
	start_redis
	listen redis-benchmark -s "$redis_socket" -n 3000 -t get
	found redis-benchmark 3000 requests "$(number 'throughput summary: ([0-9.]+)')"
}

test_requests_of_wrk_to_a_real_server_are_found() {
	need_program wrk
	start_nginx
	listen wrk -d 1 -c 2 -t 1 "$nginx_url"
	found wrk "$(number '([0-9]+) requests in')" requests "$(number 'Requests.sec: *([0-9.]+)')"
}

test_requests_of_ab_to_a_real_server_are_found() {
	need_program ab
	start_nginx
	listen ab -n 500 "$nginx_url"
	found ab 500 requests "$(number 'Requests per second: *([0-9.]+)')"
}

test_ios_of_all_jobs_of_fio_are_added() {
	listen fio --name=some --size=1M --bs=4k --rw=write --numjobs=2 --directory="$PWD"
	same 'I/Os' "$(grep -oE '^fio: [0-9]+ I/Os' found)" 'fio: 512 I/Os'
}

test_json_of_fio_has_the_same_ios() {
	listen fio --name=some --size=1M --bs=4k --rw=write --output-format=json --directory="$PWD"
	found fio 256 I/Os "$(awk '/"iops" :/ { sum += $3 } END { printf "%.10g", sum }' said)"
}

test_bogo_ops_of_stress_ng_are_found() {
	listen stress-ng --cpu 1 --cpu-ops 20 --metrics-brief
	same 'bogo ops' "$(grep -oE '^stress-ng: [0-9]+ bogo ops' found)" \
		"stress-ng: $(number '\] cpu +([0-9]+)') bogo ops"
}

test_bits_of_iperf3_are_found() {
	local port

	need_program iperf3
	find_port
	start iperf3 -s -1 --forceflush -B 127.0.0.1 -p "$port" > server.log
	until_true grep -q listening server.log
	listen iperf3 -c 127.0.0.1 -p "$port" -n 1M
	matches found '^iperf3: [0-9.e+]+ bits, [0-9.e+]+ a second: .* receiver$'
}

test_operations_of_openssl_are_found() {
	listen openssl speed -seconds 1 -bytes 64 sha256
	same 'operations' "$(grep -oE '^openssl speed: [0-9]+ operations' found)" \
		"openssl speed: $(number 'blocks: ([0-9]+) sha256') operations"
}

test_records_of_dd_are_found() {
	listen dd if=/dev/zero of=/dev/null bs=4k count=1000
	same 'records' "$(grep -oE '^dd: [0-9]+ records' found)" 'dd: 1000 records'
}

test_operations_of_perf_bench_are_found() {
	need_program perf
	perf bench syscall basic -l 1 > /dev/null 2>&1 || skip 'this perf has no benchmarks'
	listen perf bench syscall basic -l 10000
	found 'perf bench' 10000 operations "$(number '([0-9]+) ops.sec')"
	listen perf bench futex hash -r 1 -t 2
	found 'perf bench' "$((2 * $(number 'Averaged ([0-9]+)')))" operations \
		"$((2 * $(number 'Averaged ([0-9]+)')))"
}

test_messages_of_hackbench_are_found() {
	need_program hackbench
	listen hackbench -g 1 -l 10
	same 'messages' "$(grep -oE '^hackbench: [0-9]+ messages' found)" 'hackbench: 4000 messages'
}

run_tests "$@"
