# A receiver of OTLP profiles on the loopback, good or bad. Sourced after lib.sh.
# shellcheck shell=bash

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
	# shellcheck disable=SC2034 # for the script that sources this one
	port=$(< port)
}

# head_has N NAME VALUE: the n-th request had that header
head_has() {
	same "header $2 of request $1" "$(python3 -c 'import json, sys
print(json.load(open("head." + sys.argv[1])).get(sys.argv[2]))' "$1" "$2")" "$3"
}
