#!/usr/bin/env bash
#
# Profiles sent to receivers: a gRPC server (npm's @grpc/grpc-js), HTTP servers of node, nghttpd; good and bad ones. All
# on the loopback.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

for name in $(compgen -e OTEL_ || true); do
	unset "$name"
done

# receive KIND STEPS [CERT KEY [CLIENT_CA]]: start tests/otlp/receiver.js here; its port in $port
receive() {
	need_program node
	[[ -d $PIPA_SOURCE/tests/otlp/node_modules/@grpc/grpc-js ]] ||
		skip 'there is no @grpc/grpc-js (npm ci in tests/otlp)'
	rm -f port
	start node "$PIPA_SOURCE/tests/otlp/receiver.js" "$@" > receiver.log 2>&1
	until_true test -e port || skip "the receiver does not start: $(tail -n 1 receiver.log)"
	port=$(< port)
}

# head_has N NAME VALUE: the n-th request had that header
head_has() {
	same "header $2 of request $1" "$(python3 -c 'import json, sys
print(json.load(open("head." + sys.argv[1])).get(sys.argv[2]))' "$1" "$2")" "$3"
}

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
	matches out '^no +OTLP/gRPC .*the server does not speak HTTP/2'
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
	has err '--otlp-* options need --otlp'
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

run_tests "$@"
