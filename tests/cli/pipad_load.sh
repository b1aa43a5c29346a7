# Load of all kinds on one pipad for a time: streams of results, reports with recordings, downloads, queries, cancelled
# calls, clients that do not read, pages, reloads, and stops in the middle of it. Sourced after lib.sh and pipad.sh.
#
#	load_pipad SECONDS [KILL]     KILL: some of the stops are kill -9
# shellcheck shell=bash
# shellcheck disable=SC2153,SC2154 # variables of lib.sh and pipad.sh

loading() {
	[[ ! -e $case_dir/load.end ]]
}

# a stream of 100 results that nothing else has; the keys of the acknowledged ones go to acks.N
load_results() {
	local n=$1 i round=0

	while loading; do
		round=$((round + 1))
		for ((i = 0; i < 100; i++)); do
			result $((round * 100 + i)) "stream$n"
		done > "requests.$n"
		timeout 100 "$grpc_call" "$host" "$port" /pipa.PIPAD/DeployBidiStream token="$token" \
			< "requests.$n" > "replies.$n" 2> /dev/null
		grep -aoE "'[0-9a-f]{64}'" "replies.$n" | tr -d "'" >> "acks.$n"
	done
}

# result() writes ./message: a directory for each client
in_own_directory() {
	mkdir -p "load.$2"
	cd "load.$2" || exit 1
	"$1" "$2"
}

load_reports() {
	local round=0

	printf 'main;a;b 10\nmain;c 5\n' > folded
	while loading; do
		round=$((round + 1))
		printf '{"schema":"pipa-run/1","workload":"report%s","cycles":%s}' "$1" $round > report.json
		timeout 100 "$PIPA" upload report.json folded -s "$host:$port" --token-file ../tokens --retry 1s \
			> stored 2> /dev/null
		sed -n 's/^\(already \)\{0,1\}stored \([0-9a-f]\{64\}\) .*/\2/p' stored >> "acks.$1"
	done
}

load_downloads() {
	local forms=(csv json parquet xlsx) i=0

	while loading; do
		i=$((i + 1))
		timeout 100 "$PIPA" download -s "$host:$port" --token-file ../tokens --retry 0 \
			-f "${forms[i % 4]}" -o out > /dev/null 2>&1
		timeout 100 "$PIPA" query -s "$host:$port" --token-file ../tokens --retry 0 --metric cycles \
			--by workload --where 'cycles > 3' > /dev/null 2>&1
	done
}

load_cancelled() {
	while loading; do
		timeout 10 "$grpc_call" "$host" "$port" /pipa.store.v1.Store/Download token="$token" ms=20 \
			< /dev/null > /dev/null 2>&1
		timeout 0.05 "$grpc_call" "$host" "$port" /pipa.store.v1.Store/Query token="$token" \
			< /dev/null > /dev/null 2>&1
	done
}

# downloads on windows of one byte, then the connections are reset
load_unread() {
	while loading; do
		python3 -c 'import socket, struct, sys, time
def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload
def field(name, value): return bytes([0, len(name)]) + name + bytes([len(value)]) + value
path = b"/pipa.store.v1.Store/Download"
head = b"\x83\x86" + bytes([4, len(path)]) + path + b"\x01\x01x" + field(b"content-type", b"application/grpc") + field(b"authorization", b"Bearer " + sys.argv[2].encode())
for i in range(4):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"\0\4\0\0\0\1"))
    for k in range(20):
        s.sendall(frame(1, 4, 2 * k + 1, head) + frame(0, 1, 2 * k + 1, b"\0\0\0\0\0"))
    time.sleep(0.3)
    s.close()' "$port" "$token" > /dev/null 2>&1
		sleep 0.1
	done
}

load_pages() {
	while loading; do
		curl -s -m 20 -u "x:$token" "http://127.0.0.1:$http/?workload=stream1" > page 2> /dev/null
		curl -s -m 20 -u "x:$token" "http://127.0.0.1:$http/metrics" > /dev/null 2>&1
		curl -s -m 20 "http://127.0.0.1:$http/" > /dev/null 2>&1
	done
}

# Every acknowledged row is in the database once, and the database is whole.
check_acknowledged() {
	cat load.*/acks.* 2> /dev/null | sort -u > acknowledged
	sqlite3 'file:example.db?mode=ro' 'select hash from example' | sort > rows
	same 'rows that are stored twice' "$(uniq -d rows)" ''
	same 'acknowledged rows that are missing' "$(comm -23 acknowledged rows)" ''
	same 'integrity' "$(sqlite3 'file:example.db?mode=ro' 'pragma integrity_check')" ok
}

load_pipad() {
	local seconds=$1 kills=${2-} end i clients=() stops=0

	need_program sqlite3
	need_program curl
	token=0123456789abcdef-write
	echo "$token" > tokens
	serve_pipad --token-file tokens --stall 2s --grace 3s
	end=$((SECONDS + seconds))
	for i in load_results:1 load_results:2 load_results:3 load_reports:4 load_reports:5 load_downloads:6 \
		load_downloads:7 load_cancelled:8 load_unread:9 load_pages:10; do
		(in_own_directory "${i%:*}" "${i#*:}") &
		clients+=($!)
		echo $! >> "$case_dir/started"
	done
	for ((i = 1; SECONDS < end; i++)); do
		sleep 0.5
		kill -HUP "$pipad"
		((i % 8 == 0)) || continue
		stops=$((stops + 1))
		if [[ $kills && $((stops % 3)) -eq 0 ]]; then
			kill -KILL "$pipad"
			wait "$pipad"
		else
			stop_pipad
			status 0
		fi
		mv pipad.log "pipad.log.$stops"
		start "$PIPAD" -p "$port" --http-port "$http" --token-file tokens --stall 2s --grace 3s 2> pipad.log
		pipad=$started
		until_true grep -q 'protocol=http' pipad.log ||
			fail 'start of pipad under load' 'listening' "$(cat pipad.log)"
	done
	touch "$case_dir/load.end"
	wait "${clients[@]}"
	call /grpc.health.v1.Health/Check < /dev/null
	status 0
	until_true few_descriptors
	stop_pipad
	status 0
	check_acknowledged
	[[ -s acknowledged ]] || fail 'acknowledged rows' 'some' 'none'
}

few_descriptors() { # idle connections to the database have some
	(($(find "/proc/$pipad/fd" -mindepth 1 2> /dev/null | wc -l) <= 150))
}
