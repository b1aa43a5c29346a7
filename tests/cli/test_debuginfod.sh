#!/usr/bin/env bash
#
# Debug files from debuginfod servers: a real one, and one that misbehaves.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# ./program, stripped, and a recording of it in ./perf.data; what it was stripped of in ./files
record_stripped() {
	need_workloads
	need_program objcopy
	need_program python3
	mkdir files
	cp "$PIPA_WORKLOADS/busy" files/program
	objcopy --only-keep-debug files/program files/program.debug
	objcopy --strip-all files/program program
	"$PIPA" record -o perf.data -- files/program written 200 2> told ||
		skip "pipa cannot record here: $(tail -n 1 told)"
	HOME=/nonexistent "$PIPA" report --sort symbol perf.data > expected
	id=$(readelf -n program | awk '/Build ID/ { print $3 }')
	[[ $id ]] || skip 'programs have no build id here'
	cp -r files kept
	cp program files/program
	rm files/program.debug
	export DEBUGINFOD_CACHE_PATH=$PWD/cache HOME=/nonexistent
}

# free_port: store an unused port in $port
free_port() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
}

listens() {
	(exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null
}

# served: has the real server read its files? What it did not have is not asked for again.
served() {
	rm -rf cache
	debuginfod-find debuginfo "$id" > /dev/null 2>&1
}

# serve BEHAVIOUR...: a server of our own, its requests in ./asked
serve() {
	free_port
	start python3 - "$port" "$id" "$@" <<- 'END' 2> server.log
		import http.server, ssl, sys, time
		port, build_id, how = int(sys.argv[1]), sys.argv[2], sys.argv[3]
		debug = open("kept/program.debug", "rb").read()
		class Handler(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"
		    def log_message(self, *args):
		        pass
		    def answer(self, status, body=b"", **headers):
		        self.send_response(status)
		        self.send_header("Content-Length", str(len(body)))
		        for name, value in headers.items():
		            self.send_header(name, value)
		        self.end_headers()
		        self.wfile.write(body)
		    def do_GET(self):
		        with open("asked", "a") as asked:
		            asked.write(self.path + "\n")
		        wanted = self.path.endswith("/buildid/%s/debuginfo" % build_id)
		        if how == "hang":
		            time.sleep(60)
		        elif how == "garbage":
		            self.wfile.write(b"\0\1\2 this is no HTTP\r\n\r\n")
		            self.close_connection = True
		        elif how == "500":
		            self.answer(500)
		        elif how == "endless":
		            self.send_response(200)
		            try:
		                self.wfile.write(b"X: " + bytes(1 << 20))
		            except OSError:
		                pass
		            self.close_connection = True
		        elif how == "loop":
		            self.answer(302, Location=self.path)
		        elif how == "redirect" and not self.path.startswith("/elsewhere"):
		            self.answer(302, Location="/elsewhere" + self.path)
		        elif how == "other":
		            self.answer(200, b"\x7fELF something else")
		        elif how == "cut":
		            self.send_response(200)
		            self.send_header("Content-Length", str(len(debug)))
		            self.end_headers()
		            self.wfile.write(debug[:1000])
		            self.close_connection = True
		        elif how == "slow":
		            self.send_response(200)
		            self.end_headers()
		            try:
		                while True:
		                    self.wfile.write(bytes(1 << 16))
		                    time.sleep(0.05)
		            except OSError:
		                pass
		            self.close_connection = True
		        elif how == "late" and wanted:
		            time.sleep(1)
		            self.answer(200, debug)
		        elif how == "huge":
		            self.send_response(200)
		            self.end_headers()
		            try:
		                while True:
		                    self.wfile.write(bytes(1 << 16))
		            except OSError:
		                pass
		            self.close_connection = True
		        elif not wanted:
		            self.answer(404, b"not found")
		        elif how == "chunked":
		            self.send_response(200)
		            self.send_header("Transfer-Encoding", "chunked")
		            self.end_headers()
		            for at in range(0, len(debug), 1000):
		                piece = debug[at:at + 1000]
		                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
		            self.wfile.write(b"0\r\n\r\n")
		        else:
		            self.answer(200, debug)
		server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
		if how == "https":
		    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		    context.load_cert_chain("cert.pem", "key.pem")
		    server.socket = context.wrap_socket(server.socket, server_side=True)
		server.serve_forever()
	END
	until_true listens
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
}

# no_names: the report came, but without the names of the program
no_names() {
	status 0
	lacks out '] main'
	same 'lines on standard error' "$(wc -l < err)" 1
}

test_a_real_server_gives_the_names_and_shares_its_cache() {
	need_program debuginfod
	need_program debuginfod-find
	record_stripped
	pipa report --sort symbol perf.data
	! cmp -s out expected || skip 'the program has all names without its debug file'
	free_port
	rm kept/program
	start debuginfod -p "$port" -d "$PWD/index.sqlite" -F "$PWD/kept" > server.log 2>&1
	until_true listens
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	until_true served
	rm -rf cache
	pipa report --sort symbol perf.data
	status 0
	stdout < expected
	stderr < /dev/null
	cmp "cache/$id/debuginfo" kept/program.debug || fail 'the cache' 'the debug file' 'another'
	# without a server both find it there, and no request is sent
	kill "$started"
	until_true is_gone "$started"
	pipa report --sort symbol perf.data
	stdout < expected
	run debuginfod-find debuginfo "$id"
	same 'what elfutils finds' "$(cat out)" "$PWD/cache/$id/debuginfo"
	# and what elfutils has fetched is there for us: it is what was asked for above
	pipa bundle perf.data
	lacks err stripped
}

test_answers_in_every_shape_are_taken() {
	record_stripped
	for how in plain chunked redirect; do
		rm -rf cache asked
		serve "$how"
		pipa report --sort symbol perf.data
		status 0
		stdout < expected
		stderr < /dev/null
		grep -q "/buildid/$id/debuginfo" asked || fail 'asked' "for $id" "$(cat asked)"
	done
}

test_without_servers_nothing_is_downloaded() {
	record_stripped
	serve plain
	unset DEBUGINFOD_URLS
	pipa report --sort symbol perf.data
	status 0
	[[ ! -e asked && ! -e cache ]] || fail 'asked' nobody "$(cat asked)"
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	pipa report --stats perf.data
	pipa report --header-only perf.data
	pipa script -F comm,time perf.data
	[[ ! -e asked ]] || fail 'asked, though no name is shown' nobody "$(cat asked)"
}

test_files_with_local_symbols_are_not_requested() {
	record_stripped
	serve plain
	cp kept/program files/program
	pipa report --sort symbol perf.data
	stdout < expected
	! grep -q "$id" asked 2> /dev/null || fail 'asked' 'not for the program' "$(cat asked)"
}

test_files_that_no_server_has_are_not_requested_again() {
	record_stripped
	id=0000 serve plain
	pipa report --sort symbol perf.data
	status 0
	stderr < /dev/null
	grep -q "/buildid/$id/debuginfo" asked || fail 'asked' "for $id" "$(cat asked)"
	[[ -f cache/$id/debuginfo && ! -s cache/$id/debuginfo ]] || fail 'the cache' 'an empty file' 'none'
	same 'its rights' "$(stat -c %a "cache/$id/debuginfo")" 0
	rm asked
	pipa report --sort symbol perf.data
	! grep -q "$id" asked 2> /dev/null || fail 'asked' 'not again' "$(cat asked)"
	# but when that was long ago
	touch -d '1 hour ago' "cache/$id/debuginfo"
	pipa report --sort symbol perf.data
	grep -q "/buildid/$id/debuginfo" asked || fail 'asked' "for $id again" nobody
}

test_an_unreachable_server_is_one_note() {
	record_stripped
	free_port
	export DEBUGINFOD_URLS="http://127.0.0.1:$port/"
	pipa report --sort symbol perf.data
	no_names
	has err "pipa report: debuginfod server http://127.0.0.1:$port: cannot connect to 127.0.0.1: Connection refused; not used again"
	[[ ! -e cache/$id/debuginfo ]] || fail 'the cache' 'nothing' 'it was noted as missing'
	pipa script perf.data
	status 0
	has err 'Connection refused; not used again'
	export DEBUGINFOD_URLS='gopher://x http://no_such_host.invalid'
	pipa fold perf.data
	status 0
	has err "'gopher://x/buildid/"
	has err 'debuginfod server http://no_such_host.invalid'
}

test_a_second_server_is_used_after_a_failure() {
	record_stripped
	serve plain
	export DEBUGINFOD_URLS="http://127.0.0.1:1 $DEBUGINFOD_URLS"
	pipa report --sort symbol perf.data
	status 0
	stdout < expected
	has err 'debuginfod server http://127.0.0.1:1: cannot connect to 127.0.0.1: Connection refused'
}

test_each_failing_server_is_one_note() {
	local pair

	record_stripped
	for pair in 'garbage:invalid HTTP response' '500:HTTP status 500' \
		'endless:response header too large' 'loop:more than 5 redirects' \
		'other:the response is not the requested file' 'cut:connection closed early'; do
		rm -rf cache
		serve "${pair%%:*}"
		pipa report --sort symbol perf.data
		no_names
		has err "${pair#*:}"
		same 'what is left in the cache' "$(find cache -type f 2> /dev/null)" ''
	done
}

test_a_hanging_server_is_given_up() {
	record_stripped
	serve hang
	export DEBUGINFOD_TIMEOUT=1
	pipa report --sort symbol perf.data
	no_names
	has err 'Connection timed out; not used again'
	same 'questions' "$(wc -l < asked)" 1
}

# It sends enough to be waited for, but never comes to an end.
test_a_file_beyond_the_total_timeout_is_given_up() {
	record_stripped
	serve slow
	export DEBUGINFOD_MAXTIME=1
	pipa report --sort symbol perf.data
	no_names
	has err 'a file took longer than DEBUGINFOD_MAXTIME'
	lacks err 'not asked again'
	same 'what is kept of it' "$(find cache -name debuginfo -o -name 'debuginfo.*')" ''
}

test_zero_and_negative_limits_mean_unlimited() {
	record_stripped
	serve late
	export DEBUGINFOD_TIMEOUT=0 DEBUGINFOD_MAXTIME=-1
	pipa report --sort symbol perf.data
	status 0
	stderr < /dev/null
	stdout < expected
}

test_counting_records_downloads_nothing() {
	record_stripped
	serve plain
	"$PIPA" record -q -e cpu-clock --call-graph dwarf --unwind later -o stacks.data -- files/program written 100 \
		2> told || skip "pipa cannot record stacks here: $(tail -n 1 told)"
	pipa report --stats stacks.data
	status 0
	pipa report --header-only stacks.data
	status 0
	[[ ! -e asked ]] || fail 'questions to the server' none "$(cat asked)"
	pipa report --sort symbol stacks.data
	[[ -e asked ]] || fail 'questions to the server' some none
}

test_files_above_the_size_limit_are_not_kept() {
	record_stripped
	serve huge
	export DEBUGINFOD_MAXSIZE=1000000
	pipa report --sort symbol perf.data
	status 0
	lacks out '] main'
	same 'what is left in the cache' "$(find cache -type f 2> /dev/null)" ''
}

test_an_unwritable_cache_is_not_used() {
	record_stripped
	serve plain
	export DEBUGINFOD_CACHE_PATH=/proc/nowhere
	pipa report --sort symbol perf.data
	status 0
	stdout < expected
}

test_https_requires_a_valid_certificate() {
	need_program openssl
	record_stripped
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
		-addext 'subjectAltName=IP:127.0.0.1,DNS:localhost' > /dev/null 2>&1 || skip 'openssl makes no certificate'
	serve https
	export DEBUGINFOD_URLS=https://127.0.0.1:$port
	pipa report --sort symbol perf.data
	! grep -q 'built without HTTPS' err || skip 'this pipa was built without HTTPS'
	no_names
	has err 'invalid certificate: '
	SSL_CERT_FILE=$PWD/cert.pem pipa report --sort symbol perf.data
	status 0
	stdout < expected
	stderr < /dev/null
	rm -rf cache
	export DEBUGINFOD_URLS=https://localhost:$port
	SSL_CERT_FILE=$PWD/cert.pem pipa report --sort symbol perf.data
	stdout < expected
}

run_tests "$@"
