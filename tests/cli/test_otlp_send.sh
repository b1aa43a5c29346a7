#!/usr/bin/env bash
#
# Profiles sent to receivers: a gRPC server (npm's @grpc/grpc-js), HTTP servers of node, nghttpd; good and bad ones. All
# on the loopback.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# shellcheck source-path=SCRIPTDIR source=otlp_receiver.sh
. "${BASH_SOURCE[0]%/*}/otlp_receiver.sh"

test_doctor_finds_a_grpc_receiver() {
	receive grpc ok
	pipa doctor --otlp "http://127.0.0.1:$port"
	status 0
	has out "ok      OTLP/gRPC          http://127.0.0.1:$port accepts profiles"
	has out "no      OTLP/HTTP protobuf"
	has out '--otlp-layout 1.9 for'
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-protocol http/protobuf --json
	status 1
	has out '"name": "OTLP/HTTP protobuf"'
	lacks out gRPC
}

test_doctor_finds_an_http_receiver() {
	receive http ok
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-header 'Authorization=Bearer abc'
	status 0
	# the reset that follows the reply may overtake it
	matches out '^no +OTLP/gRPC .*(the server does not speak HTTP/2|connection closed before HTTP/2 SETTINGS)'
	has out "ok      OTLP/HTTP protobuf http://127.0.0.1:$port/v1development/profiles accepts profiles"
	has out "ok      OTLP/HTTP JSON     http://127.0.0.1:$port/v1development/profiles accepts profiles"
	head_has 1 authorization 'Bearer abc'
	head_has 1 content-encoding gzip
}

test_doctor_reports_servers_without_a_profiles_receiver() {
	receive grpc 12
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-protocol grpc
	status 1
	has out "no      OTLP/gRPC          http://127.0.0.1:$port: UNIMPLEMENTED: no luck today"
	pipa doctor --otlp http://127.0.0.1:1
	status 1
	has out 'Connection refused'
	receive raw silent
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-timeout 300ms
	status 1
	has out 'no HTTP/2 SETTINGS within the timeout'
	has out 'no response within the timeout'
	pipa doctor --otlp "localhost:4317"
	refused 2 << 'END'
pipa doctor: --otlp: invalid URL 'localhost:4317', expected http://HOST[:PORT][/PATH] or https://...
END
	pipa doctor --otlp-protocol grpc
	status 2
	has err '--otlp-* options require --otlp'
}

listens() {
	(exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null
}

# A second implementation of HTTP/2, without gRPC.
test_nghttpd_is_a_server_without_grpc() {
	need_program nghttpd
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	start nghttpd --no-tls -a 127.0.0.1 "$port" > nghttpd.log 2>&1
	until_true listens
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-protocol grpc
	status 1
	has out 'UNIMPLEMENTED: HTTP status 404'
	kill "$started"
	until_true is_gone "$started"
	start nghttpd --no-tls --echo-upload -a 127.0.0.1 "$port" > nghttpd.log 2>&1
	until_true listens
	pipa doctor --otlp "http://127.0.0.1:$port" --otlp-protocol grpc
	status 1
	has out 'response is not gRPC'
}

# make_certificates: ca.pem, and for localhost good, expired, other (another name) and client, each .pem and .key
make_certificates() {
	local name san

	need_program openssl
	openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca \
		> /dev/null 2>&1 || skip 'openssl makes no certificate'
	for name in good expired other client; do
		san=DNS:localhost,IP:127.0.0.1
		[[ $name != other ]] || san=DNS:elsewhere.example
		openssl req -newkey rsa:2048 -nodes -keyout $name.key -out $name.csr -subj /CN=$name > /dev/null 2>&1
		openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out $name.pem \
			-days "$([[ $name != expired ]] && echo 2 || echo 0)" \
			-extfile <(echo "subjectAltName=$san") > /dev/null 2>&1
	done
	sleep 1.1 # the expired one
}

test_certificates_are_verified_on_both_sides() {
	local kind

	"$PIPA" doctor --otlp https://127.0.0.1:1 > out
	! grep -q 'built without HTTPS' out || skip 'this pipa was built without HTTPS'
	make_certificates
	for kind in grpc http; do
		local protocol=grpc
		[[ $kind == grpc ]] || protocol=http/protobuf
		receive $kind ok good.pem good.key
		pipa doctor --otlp "https://localhost:$port" --otlp-protocol $protocol
		status 1
		has out 'invalid certificate: '
		pipa doctor --otlp "https://localhost:$port" --otlp-protocol $protocol --otlp-ca ca.pem
		status 0
		OTEL_EXPORTER_OTLP_CERTIFICATE=ca.pem pipa doctor --otlp "https://127.0.0.1:$port" \
			--otlp-protocol $protocol
		status 0
		receive $kind ok expired.pem expired.key
		pipa doctor --otlp "https://localhost:$port" --otlp-protocol $protocol --otlp-ca ca.pem
		status 1
		has out 'invalid certificate: certificate has expired'
		receive $kind ok other.pem other.key
		pipa doctor --otlp "https://localhost:$port" --otlp-protocol $protocol --otlp-ca ca.pem
		status 1
		has out 'invalid certificate: hostname mismatch'
	done
	receive grpc ok good.pem good.key ca.pem
	pipa doctor --otlp "https://localhost:$port" --otlp-protocol grpc --otlp-ca ca.pem
	status 1
	has out 'client certificate'
	pipa doctor --otlp "https://localhost:$port" --otlp-protocol grpc --otlp-ca ca.pem \
		--otlp-cert client.pem --otlp-key client.key
	status 0
	pipa doctor --otlp "https://localhost:$port" --otlp-protocol grpc --otlp-ca missing.pem
	status 1
	has out "cannot use the CA file 'missing.pem': No such file or directory"
	pipa doctor --otlp "https://localhost:$port" --otlp-protocol grpc --otlp-ca ca.pem \
		--otlp-cert client.pem --otlp-key good.key
	status 1
	has out "cannot use the client key 'good.key'"
}

# one profile of two stacks
make_profile() {
	printf 'main;work;inner 3\nmain;rest 2\n' > p.folded
	"$PIPA" export -f otlp p.folded > expected
}

test_export_sends_the_same_bytes_that_it_writes() {
	local compression

	make_profile
	for compression in none gzip; do
		receive grpc ok
		pipa export p.folded --otlp "http://127.0.0.1:$port" --otlp-compression $compression
		status 0
		stdout < /dev/null
		matches err '^pipa export: sent 1 request, [0-9]+ bytes, to http://127.0.0.1:[0-9]+$'
		cmp body.1 expected || fail 'body of the request' expected body.1
		rm body.*
	done
	receive http ok
	pipa export p.folded --otlp "http://127.0.0.1:$port/v1/x" --otlp-compression none
	status 0
	cmp body.1 expected || fail 'body of the request' expected body.1
	head_has 1 path /v1/x
	head_has 1 content-type application/x-protobuf
	head_has 1 content-encoding None
	pipa export p.folded --otlp "http://127.0.0.1:$port/v1/x"
	gzip -dc body.2 | cmp - expected || fail 'body of the request' expected body.2
	head_has 2 content-encoding gzip
	need_program zstd
	pipa export p.folded --otlp "http://127.0.0.1:$port/v1/x" --otlp-compression zstd
	zstd -dcq < body.3 | cmp - expected || fail 'body of the request' expected body.3
	head_has 3 content-encoding zstd
	pipa export p.folded --otlp "http://127.0.0.1:$port" --otlp-protocol http/json --otlp-compression none
	status 0
	head_has 4 content-type application/json
	head_has 4 path /v1development/profiles
	same 'strings of the JSON' "$(python3 -c 'import json
data = json.load(open("body.4"))
assert len(data["resourceProfiles"]) == 1
print(*[s for s in data["dictionary"]["stringTable"] if s in ("main", "work", "inner", "rest")])')" \
		'main work inner rest'
}

test_the_environment_names_the_receiver_and_the_resource() {
	make_profile
	receive grpc ok
	export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:$port OTEL_EXPORTER_OTLP_HEADERS='x-key=a%20b'
	export OTEL_RESOURCE_ATTRIBUTES='deployment.environment.name=test%2C1,service.name=first'
	export OTEL_SERVICE_NAME=second
	pipa export p.folded --otlp
	status 0
	head_has 1 x-key 'a b'
	has body.1 deployment.environment.name
	has body.1 test,1
	has body.1 second
	lacks body.1 first
	OTEL_RESOURCE_ATTRIBUTES=nonsense pipa export p.folded --otlp
	status 0
	has err 'OTEL_RESOURCE_ATTRIBUTES: ignored'
}

test_requests_are_repeated_as_the_server_demands() {
	make_profile
	receive grpc 14+100,8+100,14,ok
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	status 0
	cmp body.4 expected || fail 'body of the request' expected body.4
	[[ ! -e body.5 ]] || fail 'requests after success' none one
	receive http 503+1000,429,ok
	pipa export p.folded --otlp "http://127.0.0.1:$port" --otlp-protocol http/protobuf
	status 0
	pipa export p.folded --otlp "http://127.0.0.1:1" --otlp-retry 1s
	refused_like 1 'pipa export: cannot send profiles to http://127.0.0.1:1: cannot connect to 127.0.0.1: Connection refused.*'
	receive raw reset
	pipa export p.folded --otlp "http://127.0.0.1:$port" --otlp-retry 1s
	refused_like 1 'pipa export: cannot send profiles to .*: connection closed before HTTP/2 SETTINGS.*'
}

test_refusals_are_final_and_reported() {
	make_profile
	receive grpc 8
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	refused_like 1 'pipa export: cannot send profiles to .*: RESOURCE_EXHAUSTED: no luck today\. The server refused it for its size.*'
	receive grpc 3
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	refused_like 1 'pipa export: cannot send profiles to .*: INVALID_ARGUMENT: no luck today'
	receive grpc 14+3600000
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	refused_like 1 'pipa export: cannot send profiles to .*: UNAVAILABLE: no luck today; the server asks to wait 3600 s'
	receive grpc partial
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	refused_like 1 'pipa export: http://127.0.0.1:[0-9]* rejected 3 profiles: late'
	receive grpc warning
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	status 0
	has err ': too old'
	receive http 302,413,400
	pipa export p.folded --otlp "http://127.0.0.1:$port/"  --otlp-protocol http/protobuf
	refused_like 1 'pipa export: cannot send profiles to .*: HTTP status 302: redirects are not followed'
	pipa export p.folded --otlp "http://127.0.0.1:$port/"  --otlp-protocol http/protobuf
	refused_like 1 'pipa export: cannot send profiles to .*: HTTP status 413: no luck today\. .*'
	pipa export p.folded --otlp "http://127.0.0.1:$port/"  --otlp-protocol http/protobuf
	refused_like 1 'pipa export: cannot send profiles to .*: HTTP status 400: no luck today'
}

test_slow_servers_and_goaway_lose_nothing() {
	make_profile
	receive grpc slow,goaway,ok
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	status 0
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	status 0
	receive grpc never
	pipa export p.folded --otlp "http://127.0.0.1:$port" --otlp-timeout 300ms --otlp-retry 400ms
	refused_like 1 'pipa export: cannot send profiles to .*: (.*no response within the timeout|DEADLINE_EXCEEDED).*'
}

test_an_interrupted_export_reports_that_nothing_was_delivered() {
	make_profile
	receive raw silent
	launch "$PIPA" export p.folded --otlp "http://127.0.0.1:$port" --otlp-timeout 1m --otlp-retry 2m
	sleep 0.5
	kill -INT "$started"
	sleep 0.2
	kill -INT "$started"
	landed
	status 1
	has err 'pipa export: interrupted: cannot send profiles to'
}

test_large_profiles_are_split_into_requests_below_4_MiB() {
	local file

	python3 -c 'for i in range(60000): print("main;" + ";".join("f%d_%d_%s" % (i, k, "x" * 20) for k in range(4)), i + 1)' > p.folded
	receive grpc ok
	pipa export p.folded --otlp "http://127.0.0.1:$port"
	status 0
	[[ -e body.2 ]] || fail 'requests' 'more than one' "$(cat err)"
	for file in body.*; do
		(($(stat -c %s "$file") <= 4 << 20)) || fail "size of $file" 'at most 4 MiB' "$(stat -c %s "$file")"
		"$PIPA" fold "$file"
	done | sort > got
	"$PIPA" fold p.folded | sort > want
	cmp got want || fail 'samples of all requests' want got
}

test_sending_options_are_checked() {
	make_profile
	pipa export p.folded --otlp http://a:1 -o x
	refused 2 <<< 'pipa export: --otlp cannot be combined with -o'
	pipa export p.folded --otlp http://a:1 -f folded
	refused 2 <<< 'pipa export: --otlp cannot be combined with another format'
	pipa export p.folded --otlp http://a:1 --otlp-header nonsense
	refused 2 <<< 'pipa export: --otlp-header: invalid header, expected NAME=VALUE'
	pipa export p.folded --otlp-timeout 3s
	refused 2 <<< 'pipa export: --otlp-* options require --otlp'
}

run_tests "$@"
