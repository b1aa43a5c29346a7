#!/usr/bin/env bash
# pipad as its clients see it: uploads, tokens, TLS, limits, signals, options.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/pipad.sh"
. "${BASH_SOURCE[0]%/*}/pipad_load.sh"

deploy=/pipa.PIPAD/Deploy
stored() {
	sqlite3 "file:${1:-example.db}?mode=ro" "select ${2:-count(*)} from example"
}

test_an_upload_is_stored_and_acknowledged() {
	need_program sqlite3
	serve_pipad
	result 300 > request
	call $deploy < request
	status 0
	has out 'deploy success'
	same 'row' "$(stored example.db "workload || ',' || transactions || ',' || username")" bench,300,me
	cp out first
	sleep 0.01
	call $deploy < request
	status 0
	cmp -s out first || fail 'the same result again' 'the first answer' "$(strings out)"
	same 'rows' "$(stored)" 1
	stop_pipad
	status 0
}

test_streams_of_uploads_are_acknowledged_one_by_one() {
	local i

	need_program sqlite3
	serve_pipad
	for ((i = 1; i <= 200; i++)); do
		result "$i" stream
	done > requests
	call /pipa.PIPAD/DeployBidiStream < requests
	status 0
	same 'acknowledgements' "$(grep -ac 'deploy success' out)" 200
	same 'rows' "$(stored)" 200
	result 1000 > request
	call /pipa.PIPAD/DeployStreamReply < request
	status 0
	same 'acknowledgements' "$(grep -ac 'deploy success' out)" 1
	stop_pipad
}

# Each upload is written to the log of the database, synced and only then acknowledged, in this order.
test_an_upload_is_synced_before_it_is_acknowledged() {
	local real=$PIPAD i
	local PIPAD=$PWD/traced

	command -v strace > /dev/null || skip 'needs strace'
	strace -o /dev/null true 2> /dev/null || skip 'strace does not work here'
	# leak checks do not work under strace
	# shellcheck disable=SC2016
	printf '#!/bin/sh\nASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 exec strace -D -f -y \\\n%s %q "$@"\n' \
		'-e trace=pwrite64,fdatasync,sendto -o trace' "$real" > traced
	chmod +x traced
	serve_pipad
	for ((i = 1; i <= 5; i++)); do
		result $i > request
		call $deploy < request
		status 0
	done
	stop_pipad
	status 0
	# frames of HTTP/2 that are not the answer have less than 100 bytes
	# a call during which another thread is traced has a second line, which names no file
	awk '/pwrite64.*example.db-wal>/ { print "write" }
		/fdatasync\(.*example.db-wal>.*unfinished/ { syncing = $1 }
		/fdatasync\(.*example.db-wal>.* = 0$/ || (/fdatasync resumed>.* = 0$/ && $1 == syncing) { print "sync" }
		/sendto\(.*, [0-9][0-9][0-9], MSG_NOSIGNAL/ { print "answer" }' trace | uniq | tr '\n' ' ' > order
	same 'uploads that were synced before the answer' "$(grep -o 'write sync answer' order | wc -l)" 5
	same 'answers' "$(grep -o answer order | wc -l)" 5
}

test_bad_requests_have_a_status_and_the_next_one_is_served() {
	serve_pipad --max-message 100000
	printf '\0\0\0\0\2\xff\xff' > request
	call $deploy < request
	status 3
	has err 'INVALID_ARGUMENT cannot decode DeployRequest'
	printf '\0\0\0\0\3\x10\xff' > request
	call $deploy < request
	status 3
	printf '\x0a\1x\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01' > message
	prefixed message > request
	call $deploy < request
	status 3
	has err 'transactions is above 9223372036854775807'
	head -c 200000 /dev/zero > message
	prefixed message > request
	call $deploy < request
	status 8
	has err 'larger than 100000 bytes'
	call /a.B/C < /dev/null
	status 12
	call /pipa.PIPAD/Deploy2 < /dev/null
	status 12
	result 1 > request
	call $deploy < request
	status 0
	stop_pipad
	status 0
}

test_bytes_of_other_protocols_do_not_disturb_other_clients() {
	local i

	serve_pipad
	for i in 1 2 3 4 5; do
		head -c $((i * 7000)) /dev/urandom > "/dev/tcp/127.0.0.1/$port" 2> /dev/null
		printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' > "/dev/tcp/127.0.0.1/$port"
		printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\xff' > "/dev/tcp/127.0.0.1/$port"
	done 2> /dev/null
	result 1 > request
	call $deploy < request
	status 0
	stop_pipad
	status 0
	has pipad.log 'connection refused peer=127.0.0.1'
}

test_only_write_tokens_may_write_and_reload_replaces_them() {
	printf '# writers\n%s\n' 0123456789abcdef-write > tokens
	echo 0123456789abcdef-read > read-tokens
	serve_pipad --token-file tokens --read-token-file read-tokens
	result 1 > request
	call $deploy < request
	status 16
	has err 'a token is required'
	call $deploy token=0123456789abcdef-wrong < request
	status 16
	call $deploy token=0123456789abcdef-read < request
	status 7
	call $deploy token=0123456789abcdef-write < request
	status 0
	call /grpc.health.v1.Health/Check < /dev/null
	status 0
	echo 0123456789abcdef-other > tokens
	kill -HUP "$pipad"
	until_true grep -q reloaded pipad.log
	call $deploy token=0123456789abcdef-write < request
	status 16
	call $deploy token=0123456789abcdef-other < request
	status 0
	echo short > tokens
	kill -HUP "$pipad"
	until_true grep -q 'cannot reload the configuration: tokens:1: invalid token' pipad.log
	call $deploy token=0123456789abcdef-other < request
	status 0
	stop_pipad
}

test_calls_per_second_of_a_token_are_limited() {
	serve_pipad --rate 5
	result 1 > request
	call $deploy times=20 < request
	has err 'UNAVAILABLE more calls per second'
	same 'calls that were served' "$(($(grep -ac '^OK' err) < 12))" 1
	stop_pipad
}

# certificates NAME...: an authority, and a certificate of it for each name
certificates() {
	local name

	need_program openssl
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca \
		-keyout ca.key -out ca.pem 2> /dev/null
	for name in "$@"; do
		openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$name" \
			-keyout "$name.key" -out "$name.csr" 2> /dev/null
		openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -days 2 -out "$name.pem" \
			-extfile <(echo subjectAltName=IP:127.0.0.1) 2> /dev/null
	done
}

test_tls_protects_uploads_and_certificates_are_reloaded() {
	certificates server second client
	serve_pipad --tls-cert server.pem --tls-key server.key
	result 1 > request
	call $deploy ca=ca.pem < request
	status 0
	call $deploy < request
	status 99
	cp second.pem server.pem
	cp second.key server.key
	kill -HUP "$pipad"
	until_true grep -q reloaded pipad.log
	call $deploy ca=ca.pem < request
	status 0
	openssl s_client -connect "127.0.0.1:$port" -alpn h2 < /dev/null 2> /dev/null |
		grep -q 'CN = second' || fail 'certificate' second 'another'
	head -c 3000 /dev/urandom > "/dev/tcp/127.0.0.1/$port"
	call $deploy ca=ca.pem < request
	status 0
	stop_pipad
	status 0
}

test_a_reload_keeps_the_tokens_of_a_server_that_other_machines_reach() {
	certificates server
	echo 0123456789abcdef-write > tokens
	echo 'token-file: tokens' > pipad.yaml
	serve_pipad -a 0.0.0.0 --tls-cert server.pem --tls-key server.key --config pipad.yaml
	result 1 > request
	call $deploy ca=ca.pem < request
	status 16
	: > pipad.yaml
	kill -HUP "$pipad"
	until_true grep -q 'cannot reload the configuration: no tokens are left' pipad.log
	call $deploy ca=ca.pem < request
	status 16
	call $deploy ca=ca.pem token=0123456789abcdef-write < request
	status 0
	stop_pipad
	status 0
}

# refused_reloads N: were N reloads refused for want of a secret?
refused_reloads() {
	(($(grep -c 'cannot reload the configuration: no tokens are left' pipad.log) == $1))
}

test_a_reload_keeps_a_secret_of_a_server_that_other_machines_reach() {
	certificates server client
	echo 0123456789abcdef-write > tokens
	printf '%s\n' 'tls-cert: server.pem' 'tls-key: server.key' > tls
	{
		cat tls
		echo 'client-ca: ca.pem'
	} > certificates
	{
		cat tls
		echo 'token-file: tokens'
	} > pipad.tokens
	cp certificates pipad.yaml
	serve_pipad -a 0.0.0.0 --config pipad.yaml
	result 1 > request
	call $deploy ca=ca.pem < request
	status 99
	cp tls pipad.yaml
	kill -HUP "$pipad"
	until_true refused_reloads 1
	call $deploy ca=ca.pem < request
	status 99
	# tokens in place of certificates, but not the other way round: connections without one may be open
	cp pipad.tokens pipad.yaml
	kill -HUP "$pipad"
	until_true grep -q 'configuration reloaded' pipad.log
	call $deploy ca=ca.pem < request
	status 16
	call $deploy ca=ca.pem token=0123456789abcdef-write < request
	status 0
	cp certificates pipad.yaml
	kill -HUP "$pipad"
	until_true refused_reloads 2
	call $deploy ca=ca.pem < request
	status 16
	stop_pipad
	status 0
}

test_certificates_of_clients_do_not_protect_the_pages() {
	certificates server client
	refused 1 'refusing to listen on 0.0.0.0:' -p 0 --http-address 0.0.0.0 --http-port 0 \
		--tls-cert server.pem --tls-key server.key --client-ca ca.pem
}

test_clients_need_a_certificate_if_the_server_requires_it() {
	certificates server client
	serve_pipad --tls-cert server.pem --tls-key server.key --client-ca ca.pem
	result 1 > request
	call $deploy ca=ca.pem < request
	status 99
	call $deploy ca=ca.pem cert=client.pem key=client.key < request
	status 0
	stop_pipad
}

test_health_follows_the_state_of_the_server() {
	serve_pipad
	call /grpc.health.v1.Health/Check < /dev/null
	status 0
	same 'health' "$(xxd -p out)" 00000000020801
	printf '\x0a\4none' > message
	prefixed message > request
	call /grpc.health.v1.Health/Check < request
	status 5
	start timeout 20 "$grpc_call" 127.0.0.1 "$port" /grpc.health.v1.Health/Watch \
		< /dev/null > watch 2> watch.err
	until_true test -s watch
	stop_pipad
	status 0
	until_true grep -q UNAVAILABLE watch.err
	same 'states' "$(xxd -p watch)" 0000000002080100000000020802
}

# health_is HEX: is this the answer of the health check?
health_is() {
	call /grpc.health.v1.Health/Check < /dev/null
	[[ $got_status -eq 0 && $(xxd -p out) == "$1" ]]
}

test_health_follows_the_store() {
	need_program sqlite3
	serve_pipad
	result 1 > request
	lock_database
	call $deploy < request
	status 0
	has out 'deploy failed: cannot change the database ./example.db: database is locked'
	until_true health_is 00000000020802
	web /readyz
	same status "$code" 503
	rm locked
	until_true health_is 00000000020801 # without an upload in between
	web /readyz
	same status "$code" 200
	has pipad.log 'store is not ready: cannot change the database'
	has pipad.log 'store is ready again'
	stop_pipad
	status 0
}

test_a_lost_list_of_recordings_removes_none() {
	mkdir example.db.recordings
	: > "example.db.recordings/$(printf '%064d' 1)"
	refused 1 'cannot open the database ./example.db: ./example.db.meta is missing or empty, and ./example.db.recordings has 1 recordings. Restore the file, or move the directory away.' -p 0
	[[ -e example.db.recordings/$(printf '%064d' 1) ]] || fail 'recording' 'kept' 'removed'
	rm -r example.db.recordings
	serve_pipad
	stop_pipad
	status 0
}

test_reflection_names_all_services() {
	serve_pipad
	printf '\x3a\0' > message
	prefixed message > request
	call /grpc.reflection.v1.ServerReflection/ServerReflectionInfo < request
	status 0
	for name in pipa.PIPAD pipa.store.v1.Store grpc.health.v1.Health \
		grpc.reflection.v1alpha.ServerReflection; do
		has out "$name"
	done
	printf '\x22\x13pipa.store.v1.Store' > message
	prefixed message > request
	call /grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo < request
	status 0
	has out 'pipa/store/v1/store.proto'
	has out 'DeployStreamReply'
	printf '\x22\3a.b' > message
	prefixed message > request
	call /grpc.reflection.v1.ServerReflection/ServerReflectionInfo < request
	status 0
	has out 'not found'
	stop_pipad
}

test_refused_connections_do_not_fill_the_log() {
	local i lines more

	serve_pipad
	for ((i = 0; i < 60; i++)); do
		printf 'GET / HTTP/1.1\r\nHost: x\r\n\r\n' > "/dev/tcp/127.0.0.1/$port"
	done
	result 1 > request
	call $deploy < request
	status 0
	stop_pipad
	status 0
	lines=$(grep -c ' connection refused' pipad.log)
	more=$(sed -n 's/.*more connections refused connections=//p' pipad.log | paste -sd +)
	((lines < 60)) || fail 'lines' 'fewer than 60' "$lines"
	same 'connections' "$((lines + more))" 60
}

test_descriptors_are_those_of_the_proto_files() {
	run "$PIPA_SOURCE/tools/make-descriptors" --check
	[[ $got_status -ne 77 ]] || skip 'there is no protoc'
	status 0
}

# web PATH [CURL OPTIONS]: its body in ./out, its status in $code
web() {
	need_program curl
	run timeout 20 curl -s -o body -w '%{http_code}' "${@:2}" "http://127.0.0.1:$http$1"
	code=$(< out)
}

test_pages_health_and_metrics_are_served_over_http() {
	local i

	serve_pipad
	for ((i = 1; i <= 60; i++)); do
		result "$i" '<b>&"x'
	done > requests
	call /pipa.PIPAD/DeployBidiStream < requests
	status 0
	web /healthz
	same status "$code" 200
	web /readyz
	same status "$code" 200
	web /metrics
	same status "$code" 200
	has body 'pipad_calls_total{method="/pipa.PIPAD/DeployBidiStream",code="OK"} 1'
	has body 'pipad_call_duration_seconds_bucket{method="/pipa.PIPAD/DeployBidiStream",le="+Inf"} 1'
	has body 'pipad_store_changes_total 60'
	has body 'pipad_store_queued 0'
	web /
	same status "$code" 200
	has body '&#60;b&#62;&#38;&#34;x'
	! grep -q '<b>' body || fail page 'escaped names' '<b>'
	same 'rows of a page' "$(grep -c '^<tr>' body)" 50
	web "$(grep -o '/?after=[^"]*' body | sed 's/&amp;/\&/g')"
	same 'rows of the next page' "$(grep -c '^<tr>' body)" 10
	web "/?workload=%3Cb%3E%26%22x&days=1"
	same 'rows of a filter' "$(grep -c '^<tr>' body)" 50
	web '/?workload=none'
	has body 'No runs match.'
	web /
	web "$(sed -n 's/.*href="\(\/run[^"]*\)".*/\1/p' body | head -n 1 | sed 's/&amp;/\&/g')"
	same status "$code" 200
	has body '<td>transactions</td>'
	web '/run?hash=none'
	same status "$code" 404
	web "/?table=';drop"
	same status "$code" 404
	web /%00%ff
	same status "$code" 404
	web / -X POST
	[[ $code != 200 ]] || fail 'status of POST' 'not 200' "$code"
	head -c 30000 /dev/urandom > "/dev/tcp/127.0.0.1/$http" 2> /dev/null
	web / -H "x: $(head -c 20000 /dev/zero | tr '\0' x)"
	[[ $code != 200 ]] || fail 'status of a large head' 'not 200' "$code"
	web /healthz
	same status "$code" 200
	stop_pipad
	status 0
}

test_pages_need_a_token_if_there_are_tokens() {
	echo 0123456789abcdef-read > tokens
	serve_pipad --read-token-file tokens
	web /
	same status "$code" 401
	web /metrics
	same status "$code" 401
	web / -u pipa:0123456789abcdef-wrong
	same status "$code" 401
	web / -u pipa:0123456789abcdef-read
	same status "$code" 200
	web /metrics -H 'Authorization: Bearer 0123456789abcdef-read'
	same status "$code" 200
	web /healthz
	same status "$code" 200
	stop_pipad
}

test_pages_use_the_certificate_of_the_server() {
	need_program curl
	certificates server
	serve_pipad --tls-cert server.pem --tls-key server.key
	http=$(sed -n 's/.*protocol=https.*:\([0-9]*\)$/\1/p' pipad.log)
	run timeout 20 curl -s --cacert ca.pem "https://127.0.0.1:$http/healthz"
	status 0
	has out ok
	kill -HUP "$pipad"
	until_true grep -q reloaded pipad.log
	run timeout 20 curl -s --cacert ca.pem "https://127.0.0.1:$http/readyz"
	status 0
	has out ready
	stop_pipad
	status 0
}

test_results_are_queried_and_downloaded() {
	local i

	serve_pipad
	for ((i = 1; i <= 300; i++)); do
		result "$i"
	done > requests
	call /pipa.PIPAD/DeployBidiStream < requests
	status 0
	call /pipa.store.v1.Store/ListTables < /dev/null
	status 0
	has out example
	call /pipa.store.v1.Store/Query < /dev/null
	status 0
	has out bench
	call /pipa.store.v1.Store/Download < /dev/null
	status 0
	same 'lines' "$(grep -ac bench out)" 300
	printf '\x1a\7example\x22\3csv' > message
	prefixed message > request
	call /pipa.PIPAD/DownloadFullTable < request
	status 0
	same 'lines' "$(grep -ac bench out)" 300
	printf '\x0a\x07\x0a\x05;drop' > message
	prefixed message > request
	call /pipa.store.v1.Store/Query < request
	[[ $got_status -eq 3 || $got_status -eq 5 ]] || fail 'status of a hostile table' '3 or 5' "$got_status"
	stop_pipad
	status 0
}

# an HTTP server that keeps one POST in ./posted and answers with a status
grafana() {
	rm -f grafana.port
	start python3 -c 'import http.server, json, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        open("posted", "w").write("%s %s %s" % (self.path, self.headers["Authorization"], json.dumps(json.loads(body), sort_keys=True)))
        self.send_response(int(sys.argv[1]))
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
open("grafana.port", "w").write(str(server.server_port))
server.serve_forever()' "$1"
	until_true test -s grafana.port
}

test_the_database_is_registered_with_grafana() {
	grafana 200
	serve_pipad -d my.db --grafana-url "http://127.0.0.1:$(< grafana.port)/g/" --grafana-key k-1 \
		--grafana-path /srv/sqlites
	until_true grep -q 'Grafana: datasource my.db added' pipad.log
	same 'request' "$(cat posted)" '/g/api/datasources Bearer k-1 {"access": "proxy", "jsonData": {"path": "/srv/sqlites/my.db"}, "name": "my.db", "type": "frser-sqlite-datasource"}'
	stop_pipad
	grafana 409
	serve_pipad -d my.db --grafana-url "http://127.0.0.1:$(< grafana.port)" --grafana-key k-1
	until_true grep -q 'Grafana: datasource my.db exists' pipad.log
	stop_pipad
	grafana 500
	serve_pipad -d my.db --grafana-url "http://127.0.0.1:$(< grafana.port)" --grafana-key k-1
	until_true grep -q 'Grafana answers 500' pipad.log
	stop_pipad
	status 0
}

test_pages_without_tokens_are_served_by_local_names() {
	serve_pipad
	for name in localhost "localhost:$http" 127.0.0.1 '[::1]' "[::1]:$http"; do
		web / -H "Host: $name"
		same "status of $name" "$code" 200
	done
	for name in evil.example "evil.example:$http" localhost.evil.example 127.0.0.1.evil.example '[evil]'; do
		web / -H "Host: $name"
		same "status of $name" "$code" 421
		lacks body '<html'
		web /metrics -H "Host: $name"
		same "status of metrics for $name" "$code" 421
	done
	web /healthz -H 'Host: evil.example'
	same 'health' "$code" 200
	stop_pipad
	echo 0123456789abcdef-read > tokens
	serve_pipad --read-token-file tokens
	web / -H 'Host: perf.example' -u x:0123456789abcdef-read
	same 'status with a token' "$code" 200
	stop_pipad
}

test_connections_above_the_limit_are_refused_and_others_go_on() {
	local i fd

	serve_pipad --max-connections 10 --handshake 1s --log-level debug
	for ((i = 0; i < 10; i++)); do
		exec {fd}<> "/dev/tcp/127.0.0.1/$port" # open until the case ends
	done
	sleep 0.3
	result 1 > request
	call $deploy ms=2000 < request
	((got_status == 14)) || status 99 # UNAVAILABLE, or nothing where the reset of the connection overtakes GOAWAY
	until_true grep -q 'timed out' pipad.log # silent connections are closed after the handshake time
	sleep 1
	call $deploy < request
	status 0
	web /metrics
	has body 'pipad_connections_timed_out_total 10'
	stop_pipad
	status 0
}

test_load_of_many_streams_is_served() {
	need_program h2load
	serve_pipad
	printf '\0\0\0\0\0' > message
	run timeout 60 h2load -n 5000 -c 20 -m 50 -p h2c -d message -H 'content-type: application/grpc' \
		-H 'te: trailers' "http://127.0.0.1:$port/grpc.health.v1.Health/Check"
	status 0
	has out '5000 succeeded, 0 failed, 0 errored, 0 timeout'
	web /metrics
	has body 'pipad_calls_total{method="/grpc.health.v1.Health/Check",code="OK"} 5000'
	stop_pipad
	status 0
}

test_load_of_all_kinds_and_a_stop_lose_no_acknowledged_row() {
	load_pipad 6
}

test_clients_that_do_not_read_delay_no_query() {
	local i

	serve_pipad --stall 2s --threads 2
	for ((i = 1; i <= 500; i++)); do
		result "$i" "$(printf 'x%.0s' {1..100})"
	done > requests
	call /pipa.PIPAD/DeployBidiStream < requests
	status 0
	# downloads on streams with a window of one byte
	python3 -c 'import socket, struct, sys, time
def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
def field(name, value): return bytes([0, len(name)]) + name + bytes([len(value)]) + value
path = b"/pipa.store.v1.Store/Download"
head = b"\x83\x86" + bytes([4, len(path)]) + path + b"\x01\x01x" + field(b"content-type", b"application/grpc")
sockets = []
for i in range(5):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"\0\4\0\0\0\1"))
    for k in range(10):
        s.sendall(frame(1, 4, 2 * k + 1, head) + frame(0, 1, 2 * k + 1, b"\0\0\0\0\0"))
    sockets.append(s)
print("sent", flush=True)
time.sleep(60)' "$port" > sent &
	echo $! >> "$case_dir/started"
	until_true grep -q sent sent
	call /pipa.store.v1.Store/Query ms=5000 < /dev/null
	status 0
	call $deploy < requests ms=5000
	status 3
	web /
	same status "$code" 200
	stop_pipad
	status 0
}

test_sigterm_finishes_accepted_calls() {
	local i

	need_program sqlite3
	serve_pipad
	for ((i = 1; i <= 100; i++)); do
		result "$i" last
	done > requests
	call /pipa.PIPAD/DeployBidiStream < requests
	status 0
	stop_pipad
	status 0
	has pipad.log 'stopping: accepted calls are finished'
	has pipad.log 'pipad: stopped'
	same 'rows' "$(stored)" 100
	run timeout 5 "$grpc_call" 127.0.0.1 "$port" $deploy < requests
	status 99
}

test_a_second_signal_ends_at_once() {
	serve_pipad --grace 100s
	# a stream that its client does not end
	(
		printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0'
		printf '\0\0\x3d\1\4\0\0\0\1\x83\x86\4\x1c/grpc.health.v1.Health/Watch'
		printf '\1\1x\0\x0ccontent-type'
		sleep 50
	) > "/dev/tcp/127.0.0.1/$port" 2> /dev/null &
	echo $! >> "$case_dir/started"
	sleep 0.3
	kill -TERM "$pipad"
	sleep 0.2
	stop_pipad TERM
	status 0
}

test_the_configuration_file_has_the_names_of_the_options() {
	cat > pipad.yaml <<- 'END'
		# a comment
		database: other.db
		table: results
		max-message: 1000
		log-json: true
		insecure: false
	END
	serve_json --config pipad.yaml
	head -c 2000 /dev/zero > message
	prefixed message > request
	call $deploy < request
	status 8
	stop_pipad
	test -e other.db || fail 'database' other.db 'none'
	has pipad.log '"event": "stopped"'
	python3 -c 'import json, sys
for line in open("pipad.log"): json.loads(line)' || fail 'log' 'a JSON object per line' "$(cat pipad.log)"
}

# serve_json OPTIONS: the port is in a log of JSON
serve_json() {
	start "$PIPAD" -p 0 --http-port none "$@" 2> pipad.log
	pipad=$started
	until_true grep -q '"protocol"' pipad.log
	port=$(sed -n 's/.*"protocol": "grpc".*:\([0-9]*\)".*/\1/p' pipad.log | head -n 1)
}

refused() {
	run timeout 10 "$PIPAD" "${@:3}"
	status "$1"
	has err "$2"
}

test_invalid_options_and_files_are_refused() {
	refused 2 "unknown option '--tabel'" --tabel x
	refused 2 "invalid store 'mysql:x'" --store mysql:x
	refused 2 "--store: invalid path '', expected a file" --store sqlite:
	refused 2 "--store: invalid path ':memory:', expected a file" --store sqlite::memory:
	refused 2 '--tls-key requires --tls-cert' --tls-key x
	refused 2 '--max-message: invalid size' --max-message 0
	refused 2 '--retention: invalid duration' --retention soon
	refused 2 'require each other' --grafana-url http://x
	refused 1 "invalid address 'example.org'" -a example.org
	refused 1 "invalid port '99999'" -p 99999
	refused 1 'refusing to listen on 0.0.0.0:' -a 0.0.0.0 -p 0
	refused 1 'cannot' --token-file none
	refused 1 'none.pem' --tls-cert none.pem -p 0
	refused 1 'table' -t 'a b' -p 0
	refused 1 'cannot' -l /none/none -p 0
	printf 'tabel: x\n' > bad.yaml
	refused 2 "bad.yaml" --config bad.yaml
	printf 'a: [1, 2]\n' > bad.yaml
	refused 2 "bad.yaml:1: a: expected a plain value" --config bad.yaml
	printf 'table: x\ntable: y\n' > bad.yaml
	refused 2 "bad.yaml:2: table occurs twice" --config bad.yaml
	run "$PIPAD" --version
	status 0
	has out 'pipad '
	run "$PIPAD" --help
	status 0
	has out '--token-file'
}

test_the_manual_page_has_every_option() {
	local name

	"$PIPAD" --help | grep -o -- '--[a-z-]*' | sort -u | while read -r name; do
		[[ $name == --help ]] || grep -q -- "${name//-/\\\\-}" "$PIPA_SOURCE/docs/man/pipad.1" ||
			fail 'manual page' "$name" 'it is missing'
	done
}

test_sockets_of_systemd_are_used() {
	local i

	need_program systemd-socket-activate
	need_program sqlite3
	echo 0123456789abcdef-write > tokens
	port=$((20000 + RANDOM % 20000))
	start systemd-socket-activate -l "127.0.0.1:$port" --fdname=grpc "$PIPAD" --http-port none \
		--token-file tokens 2> pipad.log
	pipad=$started
	until_true grep -q Listening pipad.log
	result 1 > request
	call $deploy token=0123456789abcdef-write < request
	status 0
	echo 0123456789abcdef-other > tokens
	kill -HUP "$pipad"
	until_true grep -q 'configuration reloaded' pipad.log
	call $deploy token=0123456789abcdef-write < request
	status 16
	for ((i = 1; i <= 2000; i++)); do
		result "$i"
	done > requests
	# a stop while a call runs: what was acknowledged is there
	timeout 100 "$grpc_call" "$host" "$port" /pipa.PIPAD/DeployBidiStream \
		token=0123456789abcdef-other < requests > replies 2> /dev/null &
	i=$!
	until_true test -s replies
	stop_pipad
	status 0
	wait "$i"
	same 'rows that are missing' "$(($(grep -ac 'deploy success' replies) > $(stored) ? 1 : 0))" 0
}

test_the_unit_of_systemd_is_hardened() {
	local score unit

	need_program systemd-analyze
	for unit in pipad.service pipad.socket; do
		sed "s|/usr/bin/pipad|$PIPAD|" "$PIPA_SOURCE/packaging/$unit" > "$unit"
	done
	run systemd-analyze verify --man=no "$PWD/pipad.service" "$PWD/pipad.socket"
	status 0
	same 'what systemd says of the units' "$(grep pipad out err)" ''
	run systemd-analyze security --offline=yes "$PIPA_SOURCE/packaging/pipad.service"
	status 0
	score=$(sed -n 's/.*exposure level for pipad.service: \([0-9.]*\) .*/\1/p' out)
	awk -v score="$score" 'BEGIN { exit !(score != "" && score <= 2.0) }' ||
		fail 'exposure level' 'at most 2.0' "$score"
}

run_tests "$@"
