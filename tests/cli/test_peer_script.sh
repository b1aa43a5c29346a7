#!/usr/bin/env bash
# The output of perf script with any choice of fields is read completely.
. "${BASH_SOURCE[0]%/*}/lib.sh"

samples() {
	pipa report --json "$@"
	python3 -c 'import json; d = json.load(open("out")); print(d["samples"], d["lost"], d["complete"])' \
		2> /dev/null || cat err
}

# The output of perf has the same number of samples, whatever fields it was asked for.
test_every_choice_of_fields_has_the_same_samples() {
	local data fields n all=comm,pid,tid,time,event,ip,sym,dso

	command -v perf > /dev/null || skip 'there is no perf'
	for data in chains plain; do
		# shellcheck disable=SC2046
		perf record -q -o $data $([[ $data == plain ]] || echo -g) -e cpu-clock:u -F 999 \
			-- "$PIPA_WORKLOADS/spin" 200 > perf.out 2>&1 || skip "perf cannot record: $(< perf.out)"
		perf script -i $data -F $all > whole 2> /dev/null || skip 'perf script fails'
		n=$(samples whole)
		for fields in comm,tid comm,pid comm,pid,tid comm,tid,time comm,tid,event comm,tid,period \
			comm,tid,time,event comm,tid,ip,sym comm,ip,sym,dso tid,ip,sym event,ip,sym,dso \
			time,ip,sym comm,tid,event,ip,sym,symoff,dso comm,period,ip,sym,dso \
			comm,tid,misc,time,event,ip,sym,dso comm,tid,misc,event,ip,sym ip,sym ip,sym,dso; do
			perf script -i $data -F $fields > text 2> /dev/null || continue
			same "$data: $fields" "$(samples text)" "$n"
			sed 's/^[ \t]*//' text > stripped
			if [[ $data == chains || $fields != ip* ]]; then
				same "$data: $fields, not indented" "$(samples stripped)" "$n"
			fi
		done
	done
}

run_tests "$@"
