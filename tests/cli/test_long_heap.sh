#!/bin/bash
# Servers and interpreters below `pipa heap`: they do their work, and their memory is reported.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

complete() {
	grep -q '"complete": true' heap.json || fail 'the report' complete "$(grep -A 12 '"lost"' heap.json)"
}

test_redis_under_load() {
	need_program redis-server
	need_program redis-benchmark
	launch "$PIPA" heap -f json --report-to heap.json --leaks -- redis-server --port 7379 --save '' --appendonly no
	until_true redis-cli -p 7379 ping
	run redis-benchmark -p 7379 -n 100000 -q -t set,get,lpush,lrange_100
	status 0
	redis-cli -p 7379 set key value > /dev/null
	same value "$(redis-cli -p 7379 get key)" value
	redis-cli -p 7379 shutdown nosave > /dev/null 2>&1
	landed
	status 0
	complete
}

test_postgres_under_load() {
	need_root
	bin=$(find /usr/lib/postgresql -name initdb 2> /dev/null | sort | tail -n 1)
	[[ $bin ]] || skip 'needs postgresql'
	bin=${bin%/*}
	need_program pgbench
	mkdir -m 777 cluster
	chown postgres cluster
	setpriv --reuid postgres --regid postgres --init-groups "$bin/initdb" -D cluster/data -A trust > /dev/null 2>&1 || skip 'initdb does not run here'
	launch "$PIPA" heap -f json --report-to heap.json -- setpriv --reuid postgres --regid postgres --init-groups \
		"$bin/postgres" -D cluster/data -p 7432 -k "$PWD/cluster"
	until_true "$bin/pg_isready" -q -h "$PWD/cluster" -p 7432
	run pgbench -h "$PWD/cluster" -p 7432 -U postgres -i -s 2 -q postgres
	status 0
	run pgbench -h "$PWD/cluster" -p 7432 -U postgres -c 4 -T 5 postgres
	status 0
	kill -INT "$started"
	landed
	status 0
	complete
	[[ $(grep -c '"pid"' heap.json) -gt 4 ]] || fail 'processes' 'more than 4' "$(grep -c '"pid"' heap.json)"
}

test_node_and_python() {
	for command in "node -e 'let a = []; for (let i = 0; i < 300000; i++) a.push({ i, s: String(i) }); console.log(JSON.stringify(a).length)'" \
		"/usr/bin/python3 -m test test_json test_dict test_list -q" "/usr/bin/python3 -m timeit -n 3 -r 1 'sorted(map(str, range(200000)))'"; do
		program=${command%% *}
		type -P "$program" > /dev/null || continue
		bash -c "$command" > expected 2> /dev/null || continue
		run "$PIPA" heap -f json --report-to heap.json -- bash -c "$command"
		status 0
		# times differ
		diff <(sed 's/[0-9.]* [mnu]*sec//; s/[0-9.]* *ms//' expected) <(sed 's/[0-9.]* [mnu]*sec//; s/[0-9.]* *ms//' out) > differ ||
			fail "output of $command" 'the same' "$(cat differ)"
		complete
	done
}

run_tests "$@"
