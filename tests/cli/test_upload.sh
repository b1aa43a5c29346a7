#!/usr/bin/env bash
# `pipa upload`, `pipa run --upload`, `pipa download`, `pipa query`: against pipad, and without a server.
# shellcheck disable=SC2119 # stop_pipad has an optional argument
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=pipad.sh
. "${BASH_SOURCE[0]%/*}/pipad.sh"

# report NAME WORKLOAD [KEY:VALUE...]: a report of pipa run, as JSON
report() {
	{
		printf '{"schema":"pipa-run/1","workload":"%s","username":"ann","runs":1,"notes":[]' "$2"
		printf ',%s' '"used_threads":[0,1]' '"run_time":2.5' '"%usr":0' '"kbmemfree":0' '"DEV":"sda"' \
			'"rkB/s":1.5' '"areq-sz":4' "${@:3}"
		printf '}\n'
	} > "$1"
}

# row COLUMNS: of the table in the database of the case
row() {
	sqlite3 "file:${database:-example.db}?mode=ro" "select $1 from example order by upload_time"
}

hash_of() {
	sed -nE "s/.*\b(stored|hash:) \"?([0-9a-f]{64}).*/\2/p" "$1" | head -n 1
}

# ---- without a server --------------------------------------------------------------------------------------

test_a_dry_run_prints_the_fields_and_does_not_connect() {
	report a.json rocksdb '"transactions":303318880' '"CPI":3.0929526094' '"%memused":12.5' '"IPC":0.3'
	pipa upload a.json --dry-run --server localhost:1 --add-label branch=main --table perf
	status 0
	sed -i 's/^hash: .*/hash: H/' out
	stdout <<- 'END'
		---
		source: "a.json"
		hash: H
		table: "perf"
		labels:
		  - "branch=main"
		result:
		  workload: "rocksdb"
		  transactions: 303318880
		  used_threads: [0, 1]
		  run_time: 2.5
		  CPI: 3.0929526094
		  cpu_usr: 0
		  kbmemfree: 0
		  percent_memused: 12.5
		  dev: "sda"
		  rkB_s: 1.5
		  areq_sz: 4
		  username: "ann"
	END
}

test_a_configuration_completes_a_report() {
	cat > c.yaml <<- 'END'
		workload: rocksdb
		transaction: 5000
		hw_info: 1*4*1
		platform: Intel SPR 4510
		cpu_frequency_mhz: 2600
		comment: a comment
		pipad_addr: 10.82.77.113
		pipad_port: 50052
	END
	report a.json sh '"cycles":10000' '"instructions":20000'
	pipa upload a.json --dry-run --config c.yaml
	status 0
	has out '  workload: "rocksdb"'
	has out '  transactions: 5000'
	has out '  throughput: 2000'
	has out '  cycles_per_requests: 2'
	has out '  path_length: 4'
	has out '  cpu_frequency_mhz: 2600'
	has out '  hw_info: "1*4*1"'
	has out '  comment: "a comment"'
	# numbers of the report take precedence
	report a.json sh '"transactions":10' '"cpu_frequency_mhz":3000'
	pipa upload a.json --dry-run --config_path c.yaml
	has out '  transactions: 10'
	has out '  cpu_frequency_mhz: 3000'
}

test_a_template_of_pipa_measures_its_data_location() {
	"$PIPA" run --no-record --keep data -o /dev/null -- sleep 0.1 2> /dev/null
	sed "s|^data_location: .*|data_location: $PWD/data|; s|^cores: .*|cores: [0]|; s|^dev: .*|dev: nosuch|" \
		"$PIPA_SOURCE/tests/data/pipa/config-upload.yaml" > c.yaml
	pipa upload --config c.yaml --dry-run
	status 0
	has out '  workload: "rocksdb"'
	has out '  transactions: 7561946'
	has out '  used_threads: [0]'
	has out "  data_location: \"$PWD/data\""
	has out '  platform: "Intel SPR 4510"'
	has out 'cpu_idle:'
	# a disk without data is not stored as the disk of the result
	grep -q 'dev:' out && fail 'disk' 'none' "$(grep dev: out)"
	return 0
}

test_questions_come_in_the_order_of_pipa() {
	need_program python3
	"$PIPA" run --no-record --keep data -o /dev/null -- sleep 0.1 2> /dev/null
	printf '%s\n' rocksdb 1000 data '' '' '' 'v 1' 'Huawei Kunpeng' '' 'a comment' 127.0.0.1 50059 > answers
	run timeout --foreground 100 python3 "$PIPA_SOURCE/tests/cli/answers.py" "$PIPA" upload --dry-run < answers
	command_line='pipa upload, answers'
	status 0
	grep -oE '^(Workload|Number of transactions|Directory of the data|Logical CPUs used by the workload|Disk|Hardware|Software|Platform|CPU frequency in MHz|Comment|Address of the server|Port of the server)' out > asked
	compare 'questions' asked <<- 'END'
		Workload
		Number of transactions
		Directory of the data
		Logical CPUs used by the workload
		Disk
		Hardware
		Software
		Platform
		CPU frequency in MHz
		Comment
		Address of the server
		Port of the server
	END
	has out 'hw_info: "1*1*1"'
	has out 'used_threads: [0, 1, 2, 3]'
	# invalid answers end it with status 1
	printf '%s\n' rocksdb 12x > answers
	run timeout --foreground 100 python3 "$PIPA_SOURCE/tests/cli/answers.py" "$PIPA" upload < answers
	status 1
	has out "expected a whole number, not '12x'"
	printf '\n' > answers
	run timeout --foreground 100 python3 "$PIPA_SOURCE/tests/cli/answers.py" "$PIPA" upload < answers
	status 1
	has out 'Workload: an answer is required'
	printf '%s\n' rocksdb 12 /nonexistent > answers
	run timeout --foreground 100 python3 "$PIPA_SOURCE/tests/cli/answers.py" "$PIPA" upload < answers
	status 1
	has out 'cannot open /nonexistent'
}

test_invalid_arguments_are_refused() {
	report a.json w
	pipa upload < /dev/null
	refused 2 <<< 'pipa upload: nothing to upload. Usage: pipa upload REPORT.json --server HOST:PORT'
	pipa upload a.json
	refused 2 <<< 'pipa upload: no server is given. Use --server HOST:PORT.'
	pipa upload a.json --server 'a b:1' --retry 0
	refused 2 <<< "pipa upload: --server: invalid address 'a b:1', expected HOST:PORT"
	pipa upload a.json --server ftp://a --retry 0
	refused 2 <<< "pipa upload: --server: invalid address 'ftp://a', expected HOST:PORT"
	pipa upload a.json --server localhost:65536 --retry 0
	refused 2 <<< "pipa upload: --server: invalid address 'localhost:65536', expected HOST:PORT"
	pipa upload a.json --server localhost --key client.key
	refused 2 <<< 'pipa upload: --key requires --cert'
	pipa download --server 'a b:1'
	refused 2 <<< "pipa download: --server: invalid address 'a b:1', expected HOST:PORT"
	pipa query --server 'a b:1' --metric CPI
	refused 2 <<< "pipa query: --server: invalid address 'a b:1', expected HOST:PORT"
	pipa upload a.json --server localhost --add-label x
	refused 2 <<< "pipa upload: --add-label: invalid label 'x', expected KEY=VALUE"
	echo geheim > token
	pipa upload a.json --server perf.example.com --token-file token --retry 0
	refused 1 <<< 'pipa upload: the token would be sent to perf.example.com:50051 without encryption. Use --tls, or --insecure to send it in plain text.'
	printf 'a b\n' > token
	pipa upload a.json --server localhost:1 --token-file token --retry 0
	refused 1 <<< 'pipa upload: token: expected one token of printable characters'
	pipa query --server localhost:1 --metric runtime
	refused 2 <<< "pipa query: --metric: unknown metric 'runtime'. Did you mean run_time?"
	pipa query --server localhost:1 --metric workload
	refused 2 <<< 'pipa query: --metric: workload is not a number'
	pipa query --server localhost:1 --metric CPI --by wrkload
	refused 2 <<< "pipa query: --by: unknown field 'wrkload', expected a field, day or label:KEY. Did you mean workload?"
	pipa query --server localhost:1 --metric CPI --since yesterday
	refused 2 <<< "pipa query: --since: invalid time 'yesterday', expected 30d, 12h, 2026-11-18 or '2026-11-18 10:00:00'"
	pipa download --server localhost:1 -f pdf
	refused 2 <<< "pipa download: -f: invalid format 'pdf', expected csv, xlsx, json or parquet"
	pipa run --upload-tls -- true
	refused 125 <<< 'pipa run: --upload-* options require --upload'
}

test_a_missing_server_is_one_message() {
	report a.json w
	pipa upload a.json --server 127.0.0.1:1 --retry 0
	refused 1 <<< 'pipa upload: cannot store the result at 127.0.0.1:1: cannot connect to 127.0.0.1: Connection refused. Check that pipad is running there; its default port is 50051.'
	pipa run --no-record --upload 127.0.0.1:1 --upload-retry 0 -o /dev/null -- true
	status 125
	has err 'cannot store the result at 127.0.0.1:1'
	pipa run --no-record --upload 127.0.0.1:1 --upload-retry 0 -o /dev/null -- sh -c 'exit 7'
	status 7
	has err 'the result is not uploaded because the command failed'
}

# deaf_server: accepts connections and never answers; its port comes into $port
deaf_server() {
	need_program python3
	start python3 -c '
import socket, time
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
time.sleep(1000)' > deaf
	until_true test -s deaf
	port=$(cat deaf)
}

test_an_output_that_cannot_be_written_is_an_error() {
	report a.json w
	"$PIPA" upload a.json --dry-run > /dev/full 2> err
	same 'status' $? 1
	same 'message' "$(cat err)" 'pipa upload: cannot print what was stored: No space left on device'
	# the reader has ended when it is written
	(trap '' PIPE && sleep 0.5 && exec "$PIPA" upload a.json --dry-run 2> err) | true
	same 'status' "${PIPESTATUS[0]}" 141
	same 'message' "$(cat err)" ''
}

test_recordings_without_a_report_do_not_depend_on_each_other() {
	echo 'main;work 5' > a.folded
	echo 'broken' > b.data
	pipa upload b.data a.folded --dry-run
	status 1
	has out 'recording: a.folded'
	pipa upload missing.data a.folded --dry-run
	status 1
	has out 'recording: a.folded'
	same 'failures' "$(grep -c folded err)" 0
}

test_a_recording_whose_report_fails_is_not_sent() {
	echo 'main;work 5' > a.folded
	report bad.json w '"cycles":-1'
	report good.json w
	for name in bad.json missing.json; do
		pipa upload $name a.folded --dry-run
		status 1
		has err 'a.folded: cannot assign the recording to a result: its report was not uploaded'
		lacks out 'recording:'
	done
	# it may belong to the report that failed
	pipa upload good.json bad.json a.folded --dry-run
	status 1
	has err 'a.folded: cannot assign the recording to one of several results. Upload it with exactly one report.'
	lacks out 'recording:'
}

test_an_interrupt_ends_a_transfer_and_leaves_no_file() {
	local pid

	deaf_server
	report a.json w
	mkdir here
	for words in "download -o here/t.csv" "query --metric CPI -o here/t.csv" "upload a.json"; do
		# shellcheck disable=SC2086
		start env --default-signal=INT "$PIPA" $words --server "127.0.0.1:$port" --retry 0 2> /dev/null
		pid=$started
		sleep 0.5
		kill -INT "$pid"
		wait "$pid"
		same "status of $words" $? 130
		same "files of $words" "$(ls -A here)" ''
	done
}

test_a_server_that_does_not_answer_is_given_up() {
	deaf_server
	report a.json w
	pipa upload a.json --server "127.0.0.1:$port" --retry 0 --server-timeout 0.3
	refused 1 <<< "pipa upload: cannot store the result at 127.0.0.1:$port: 127.0.0.1: no HTTP/2 SETTINGS within the timeout"
}

# ---- with pipad --------------------------------------------------------------------------------------------

test_limits_that_end_by_themselves_are_waited_for() {
	local i

	need_program sqlite3
	serve_pipad --rate 2
	for i in 1 2 3 4 5; do
		report "r$i.json" rocksdb "\"transactions\":$i"
	done
	pipa upload r?.json --server "127.0.0.1:$port" --retry 20s
	status 0
	same 'rows' "$(row 'count(*)')" 5
	stop_pipad
	serve_pipad # the client prints one reason only
	lock_database
	report a.json rocksdb
	launch "$PIPA" upload a.json --server "127.0.0.1:$port" --retry 20s
	until_true grep -q 'database is locked; trying again' err
	rm locked
	landed
	status 0
	stop_pipad
}

test_the_same_report_is_stored_once() {
	need_program sqlite3
	serve_pipad
	report a.json rocksdb
	pipa upload a.json --dry-run
	expected=$(hash_of out)
	pipa upload a.json --server "127.0.0.1:$port"
	status 0
	matches out '^stored [0-9a-f]{64} [0-9-]+ [0-9:.]+ a.json$'
	same 'hash' "$(hash_of out)" "$expected"
	cut -d ' ' -f 2- out > first
	sleep 0.1
	pipa upload a.json --server "localhost:$port"
	status 0
	matches out '^already stored '
	same 'second answer' "$(cut -d ' ' -f 3- out)" "$(cat first)"
	same 'rows' "$(row 'hash')" "$expected"
	same 'values' "$(row 'workload, username, used_threads, run_time, cpu_usr, kbmemfree, cpu_idle is null, dev, rkB_s, areq_sz')" \
		'rocksdb|ann|[0, 1]|2.5|0.0|0|1|sda|1.5|4.0'
	stop_pipad
}

test_failures_of_single_reports_are_listed() {
	need_program sqlite3
	serve_pipad
	report a.json one
	report b.json two '"cycles":-1'
	echo '{"schema": "pipa-stat/1"}' > c.json
	report d.json four
	pipa upload a.json b.json c.json missing.json d.json --server "127.0.0.1:$port"
	status 1
	same 'lines' "$(sed -E 's/ [0-9a-f]{64} [0-9-]+ [0-9:.]+//' out)" $'stored a.json\nstored d.json'
	stderr <<- 'END'
		pipa upload: b.json: cycles: expected a number from 0 to 2^63 - 1
		pipa upload: c.json: not a report of pipa run (schema pipa-stat/1). Write reports with pipa run -f json or pipa analyze -f json.
		pipa upload: missing.json: cannot open missing.json: No such file or directory
		pipa upload: 3 of 5 uploads failed
	END
	stop_pipad
}

test_a_comparison_of_commands_is_a_row_for_each() {
	need_program sqlite3
	serve_pipad
	"$PIPA" run -f json -o c.json -r 2 --command true --command 'sleep 0.01' > /dev/null 2>&1
	pipa upload c.json --server "127.0.0.1:$port"
	status 0
	same 'rows' "$(row 'count(*)')" 2
	matches out 'c.json \(true\)'
	matches out 'c.json \(sleep 0.01\)'
	stop_pipad
}

test_a_run_is_uploaded_in_one_step() {
	need_program sqlite3
	serve_pipad
	pipa run --no-record --workload bench --upload "127.0.0.1:$port" -f json -o report.json -- sleep 0.05
	status 0
	matches err 'pipa run: stored [0-9a-f]{64}'
	same 'row' "$(row 'workload')" bench
	# the platform comes from the machine
	[[ $(row 'platform') ]] || fail 'platform' 'a text' ''
	[[ $(row 'hw_info') =~ ^[1-9][0-9]*\*[1-9][0-9]*\*[1-9][0-9]*$ ]] || fail 'hw_info' '1*2*1' "$(row hw_info)"
	stop_pipad
}

test_the_port_of_a_configuration_is_used() {
	need_program sqlite3
	serve_pipad
	report a.json w
	printf 'pipad_addr: 127.0.0.1\npipad_port: %s\n' "$port" > c.yaml
	pipa upload a.json --config c.yaml --retry 0
	status 0
	same 'rows' "$(row 'count(*)')" 1
	stop_pipad
}

test_only_write_tokens_may_store() {
	echo writer-0123456789abcdef > writer
	echo reader-0123456789abcdef > reader
	echo stranger-0123456789abcdef > other
	serve_pipad --token-file writer --read-token-file reader
	report a.json w
	pipa upload a.json --server "127.0.0.1:$port" --retry 0
	status 1
	matches err 'The server requires a token: use --token-file FILE$'
	pipa upload a.json --server "127.0.0.1:$port" --retry 0 --token-file other
	status 1
	matches err "The token in other is not one of the server's\.$"
	pipa upload a.json --server "127.0.0.1:$port" --retry 0 --token-file reader
	status 1
	matches err 'This method requires a token that may write\.$'
	pipa upload a.json --server "127.0.0.1:$port" --retry 0 --token-file writer
	status 0
	stop_pipad
}

# certificates: an authority, a server's for localhost, a client's
certificates() {
	need_program openssl
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem 2> /dev/null
	for name in server client; do
		openssl req -newkey rsa:2048 -nodes -subj "/CN=$name" -keyout $name.key -out $name.csr 2> /dev/null
		openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem \
			-extfile <(echo 'subjectAltName=DNS:localhost,IP:127.0.0.1') 2> /dev/null
	done
}

test_tls_is_verified_by_both_sides() {
	certificates
	serve_pipad --tls-cert server.pem --tls-key server.key --client-ca ca.pem
	report a.json w
	pipa upload a.json --server "localhost:$port" --retry 0
	status 1
	matches err 'If the server requires TLS, use --tls\.$'
	pipa upload a.json --server "localhost:$port" --retry 0 --tls
	status 1
	has err 'certificate'
	pipa upload a.json --server "localhost:$port" --retry 0 --ca ca.pem
	status 1
	pipa upload a.json --server "https://localhost:$port" --retry 0 --ca ca.pem --cert client.pem --key client.key
	status 0
	matches out '^stored '
	stop_pipad
	serve_pipad
	pipa upload a.json --server "localhost:$port" --retry 0 --ca ca.pem
	status 1
	matches err 'If the server does not use TLS, leave out --tls; it may also not be pipad\.$'
	stop_pipad
}

test_an_upload_waits_for_a_server_that_starts_late() {
	report a.json w
	serve_pipad
	stop_pipad
	start "$PIPA" upload a.json --server "127.0.0.1:$port" --retry 30 > late 2> late.err
	upload=$started
	until_true grep -q 'trying again for up to 30 s' late.err ||
		fail 'note' 'trying again' "$(cat late.err)"
	start "$PIPAD" -p "$port" --http-port 0 2> pipad.log
	pipad=$started
	wait "$upload"
	same 'status of the upload' $? 0
	same 'line' "$(cut -c 1-7 late)" 'stored '
	stop_pipad
}

# bytes of the recording in the database's directory
recordings() {
	find . -path '*.recordings/*' -type f | wc -l
}

test_a_recording_is_sent_as_a_bundle_that_another_machine_symbolizes() {
	serve_pipad
	"$PIPA" record -o perf.data -e cpu-clock -F 999 -- "$PIPA_WORKLOADS/spin" 300 > /dev/null 2>&1 ||
		skip 'cannot record'
	report a.json w
	pipa upload a.json perf.data --server "127.0.0.1:$port"
	status 0
	matches out '^stored recording [0-9a-f]{64} [0-9]+ bytes perf.data$'
	same 'recordings' "$(recordings)" 1
	cp "$(find . -path '*.recordings/*' -type f)" sent.tar.zst
	"$PIPA" report --stdio -i perf.data > local 2> /dev/null
	mkdir elsewhere
	pipa report --stdio -i sent.tar.zst --symfs elsewhere
	status 0
	same 'functions' "$(grep -cE '\[\.\] [a-z]' out)" "$(grep -cE '\[\.\] [a-z]' local)"
	# two results: to which does it belong?
	report b.json x
	pipa upload a.json b.json perf.data --server "127.0.0.1:$port"
	status 1
	has err 'perf.data: cannot assign the recording to one of several results. Upload it with exactly one report.'
	stop_pipad
}

test_other_recordings_are_sent_unchanged_and_stored_once() {
	serve_pipad
	report a.json w
	echo 'main;work 5' > a.folded
	pipa upload a.json a.folded --server "127.0.0.1:$port"
	status 0
	has out "stored recording $(sha256sum < a.folded | cut -c 1-64) 12 bytes a.folded"
	pipa upload a.json a.folded --server "127.0.0.1:$port"
	status 0
	has out "already stored recording $(sha256sum < a.folded | cut -c 1-64) 12 bytes a.folded"
	same 'recordings' "$(recordings)" 1
	cmp a.folded "$(find . -path '*.recordings/*' -type f)" || fail 'bytes' 'the same' 'others'
	# without a report it is a measurement of its own
	pipa upload a.folded --server "127.0.0.1:$port"
	status 0
	same 'lines' "$(cut -c 1-6 out)" $'stored\nstored'
	stop_pipad
}

test_a_kept_run_is_uploaded_with_its_recording() {
	need_program sqlite3
	serve_pipad
	pipa run --workload bench --keep data --upload "127.0.0.1:$port" -o /dev/null -- "$PIPA_WORKLOADS/spin" 300
	status 0
	[[ -s data/perf.data ]] || skip 'cannot record'
	matches err 'pipa run: stored recording [0-9a-f]{64}'
	same 'data_location' "$(row data_location)" "$PWD/data"
	# the directory is a measurement, too; its bundle may differ by symbols of BPF programs
	pipa upload data --server "127.0.0.1:$port"
	status 0
	matches out 'stored recording [0-9a-f]{64} [0-9]+ bytes data/perf.data$'
	stop_pipad
}

test_queries_group_results() {
	local i

	serve_pipad
	for i in 1 2 3; do
		report "$i.json" rocksdb "\"CPI\":$i" '"platform":"arm"'
		pipa upload "$i.json" --server "127.0.0.1:$port" --add-label branch=main
		status 0
	done
	report 4.json redis '"CPI":8'
	pipa upload 4.json --server "127.0.0.1:$port"
	pipa query --server "127.0.0.1:$port" --metric CPI,%usr --by workload --since 30d
	sed -i -E 's/ [0-9]{4}-[0-9]{2}-[0-9]{2}$/ DAY/' out
	stdout <<- 'END'
		workload  metric   runs  mean  stddev  min  max  last  unit  newest
		redis     CPI         1     8       -    8    8     8  -     DAY
		redis     cpu_usr     1     0       -    0    0     0  %     DAY
		rocksdb   CPI         3     2       1    1    3     3  -     DAY
		rocksdb   cpu_usr     3     0       0    0    0     0  %     DAY
	END
	pipa query --server "127.0.0.1:$port" --metric CPI --where "CPI > 1.5 and platform == 'arm'" -f csv
	same 'values' "$(cut -d , -f 1-9 out)" $'metric,unit,runs,count,mean,stddev,min,max,last\nCPI,"",2,2,2.5,0.70710678118654757,2,3,3'
	pipa query --server "127.0.0.1:$port" --metric CPI --label branch=main --by label:branch -f json
	same 'rows' "$(wc -l < out)" 1
	has out '"label:branch": "main"'
	pipa query --server "127.0.0.1:$port" --metric CPI --label branch= -f json
	status 0
	same 'rows with an empty value' "$(cat out)" ''
	pipa upload 4.json --server "127.0.0.1:$port" --add-label branch=
	pipa query --server "127.0.0.1:$port" --metric CPI --label branch= -f csv
	same 'values' "$(cut -d , -f 1-5 out | tail -n 1)" 'CPI,"",1,1,8'
	pipa query --server "127.0.0.1:$port" --metric CPI --label branch --by label:branch -f json
	same 'rows with any value' "$(wc -l < out)" 2
	has out '"mean": 2,'
	pipa query --server "127.0.0.1:$port" --metric CPI --workload nothing
	status 0
	has err 'no run matches'
	pipa query --server "127.0.0.1:$port" --metric CPI --where 'CPI >' --retry 0
	status 1
	has err 'the expression ends early'
	pipa query --server "127.0.0.1:$port" --metric CPI --by workload -f parquet -o q.parquet
	same 'kind' "$(head -c 4 q.parquet)" PAR1
	stop_pipad
}

test_downloads_are_complete_files() {
	local form

	serve_pipad
	report a.json "a, \\\"b\\\""
	report b.json rocksdb '"CPI":2'
	pipa upload a.json b.json --server "127.0.0.1:$port"
	status 0
	for form in csv xlsx json parquet; do
		pipa download --server "127.0.0.1:$port" -o "t.$form"
		status 0
	done
	same 'lines of CSV' "$(wc -l < t.csv)" 3
	same 'lines of JSON' "$(wc -l < t.json)" 2
	same 'kinds' "$(head -c 2 t.xlsx)$(head -c 4 t.parquet)" PKPAR1
	has t.csv '"a, ""b"""'
	pipa download --server "127.0.0.1:$port" --where 'CPI == 2'
	status 0
	same 'lines' "$(wc -l < out)" 2
	# a failure keeps the old file
	echo old > t.csv
	pipa download --server "127.0.0.1:$port" --table exmple -o t.csv --retry 0
	refused 1 <<< "pipa download: cannot download the table at 127.0.0.1:$port: cannot find table 'exmple'. Did you mean example?"
	same 'file' "$(cat t.csv)" old
	stop_pipad
	pipa download --server "127.0.0.1:$port" -o t.csv --retry 0
	status 1
	same 'file' "$(cat t.csv)" old
}

# ---- with servers that fail --------------------------------------------------------------------------------

# failing_server: sends two parts of a table, then fails with UNAVAILABLE; its third answer is complete
failing_server() {
	/usr/bin/python3 -c 'import grpc' 2> /dev/null || skip 'there is no python3-grpcio'
	start /usr/bin/python3 -c '
import concurrent.futures, grpc
answers = []
def download(request, context):
    answers.append(1)
    yield b"\x0a\x04a,b\n"
    yield b"\x0a\x041,2\n"
    if len(answers) % 3:
        context.abort(grpc.StatusCode.UNAVAILABLE, "restarting")
server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=2))
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("pipa.store.v1.Store", {
    "Download": grpc.unary_stream_rpc_method_handler(download)}),))
print(server.add_insecure_port("127.0.0.1:0"), flush=True)
server.start()
server.wait_for_termination()' > failing
	until_true test -s failing
	port=$(cat failing)
}

test_a_download_that_breaks_off_is_repeated_from_its_start() {
	failing_server
	echo old > t.csv
	pipa download --server "127.0.0.1:$port" -o t.csv --retry 0
	refused 1 <<< "pipa download: cannot download the table at 127.0.0.1:$port: restarting"
	same 'file' "$(cat t.csv)" old
	pipa download --server "127.0.0.1:$port" -o t.csv --retry 30
	status 0
	has err 'restarting; trying again for up to 30 s'
	same 'file' "$(cat t.csv)" $'a,b\n1,2'
	# printed output cannot be taken back
	pipa download --server "127.0.0.1:$port" --retry 30
	status 1
	has err 'the connection was lost after 8 bytes'
	same 'lines' "$(wc -l < out)" 2
}

# ---- with a server of PIPA ---------------------------------------------------------------------------------

test_a_server_of_pipa_gets_results_and_returns_whole_tables() {
	/usr/bin/python3 -c 'import grpc, google.protobuf' 2> /dev/null || skip 'there is no python3-grpcio'
	need_program protoc
	start /usr/bin/python3 "$PIPA_SOURCE/bench/pipad_peer.py" -d pipas.db > peer.log 2>&1
	peer=$started
	until_true grep -q '^listening ' peer.log || fail 'start of the server' 'listening' "$(cat peer.log)"
	port=$(sed -n 's/^listening //p' peer.log)
	report a.json rocksdb '"comment":"it'"'"'s"'
	pipa upload a.json --server "127.0.0.1:$port" --retry 0
	status 0
	matches out '^stored -?[0-9]+ [0-9-]+ [0-9:.]+ a.json$'
	pipa download --server "127.0.0.1:$port" --table example --retry 0 -f csv -o table.csv
	status 0
	matches table.csv '^hash,upload_time,record,workload,used_threads,run_time,cpu_usr,'
	same 'lines' "$(wc -l < table.csv)" 2
	# options that only pipad has are refused in one line
	pipa upload a.json --server "127.0.0.1:$port" --retry 0 --add-label a=b
	status 1
	same 'lines' "$(wc -l < err)" 1
	pipa download --server "127.0.0.1:$port" --table example --retry 0 --where 'CPI > 1'
	status 1
	matches err 'A server of PIPA has only whole tables, by --table, as csv or xlsx'
	kill -INT "$peer"
}

run_tests "$@"
