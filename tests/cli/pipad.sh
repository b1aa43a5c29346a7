# A pipad on the loopback, in the directory of the case. Sourced after lib.sh.
#
#	serve_pipad [OPTIONS]     start it; its gRPC port in $port, its log in ./pipad.log, its id in $pipad
#	stop_pipad [SIGNAL]       end it; its status in $got_status
#	call PATH [OPTIONS] < MESSAGES   peers/grpc_call, whose options these are
#	result N [NAME]           a DeployRequest with prefix, on standard output
#	lock_database             lock example.db as another program, until ./locked is removed
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables of lib.sh and of the scripts that source this one

PIPAD=${PIPAD:-${PIPA%/*}/pipad}
grpc_call=$PIPA_WORKLOADS/grpc_call
host=127.0.0.1

serve_pipad() {
	[[ -x $PIPAD ]] || fail 'program' "$PIPAD" 'no such program'
	command_line="pipad $*"
	start "$PIPAD" -p 0 --http-port 0 "$@" 2> pipad.log
	pipad=$started
	until_true grep -q 'protocol=http' pipad.log ||
		fail 'start of pipad' 'listening' "$(cat pipad.log)"
	port=$(sed -n 's/.*protocol=grpc.*:\([0-9]*\)$/\1/p' pipad.log | head -n 1)
	http=$(sed -n 's/.*protocol=http.*:\([0-9]*\)$/\1/p' pipad.log | head -n 1)
}

stop_pipad() {
	kill -"${1:-TERM}" "$pipad"
	wait "$pipad"
	got_status=$?
	command_line='pipad, stopped'
	if sanitizer_message pipad.log; then
		fail 'sanitizer' 'no message' "$(cat pipad.log)"
	fi
}

lock_database() {
	start sqlite3 example.db 'begin immediate' \
		'.shell touch locked; while [ -e locked ]; do sleep 0.1; done'
	until_true test -e locked
}

call() {
	run timeout 100 "$grpc_call" "$host" "$port" "$@"
	command_line="call $*"
}

# prefixed FILE: a message with the prefix of gRPC
prefixed() {
	local size

	size=$(stat -c %s "$1")
	# shellcheck disable=SC2059
	printf "\\x00$(printf '\\x%02x\\x%02x\\x%02x\\x%02x' $((size >> 24)) $((size >> 16 & 255)) \
		$((size >> 8 & 255)) $((size & 255)))"
	cat "$1"
}

# result N [NAME]: workload NAME, transactions N, username me
result() {
	local name=${2:-bench} n=$1 varint=

	while ((n > 127)); do
		varint+=$(printf '\\x%02x' $((n & 127 | 128)))
		n=$((n >> 7))
	done
	varint+=$(printf '\\x%02x' "$n")
	# shellcheck disable=SC2059
	printf "\\x0a\\x$(printf %02x ${#name})$name\\x10$varint\\xba\\x03\\x02me" > message
	prefixed message
}
