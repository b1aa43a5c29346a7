#!/usr/bin/env bash
#
# The unwinder beside perf's (libunwind), on the same registers and stacks of real programs.

. "${BASH_SOURCE[0]%/*}/lib.sh"

need_stacks() {
	need_workloads
	need_program perf
	perf record -q -e cpu-clock:u --call-graph dwarf -o probe.data true > /dev/null 2>&1 ||
		skip 'perf is installed but does not record stacks'
}

# chains PROGRAM...: record it, then ./counts has how our chains and perf's compare
chains() {
	command_line="perf record --call-graph dwarf, perf script, unwind_chains of $*"
	perf record -q -m 1024 -F 997 -e cpu-clock:u --call-graph dwarf,16384 -o perf.data "$@" \
		> /dev/null 2> err || fail 'perf record' 'a recording' 'a failure'
	perf script -i perf.data --no-inline --ns -F tid,time,ip --max-stack 1024 > theirs 2> err
	"$PIPA_WORKLOADS/unwind_chains" perf.data -v < theirs > counts 2> err ||
		fail 'unwind_chains' 'chains' 'a failure'
}

# count NAME: of ./counts
count() {
	awk -v name="$1" 'index($0, name " ") == 1 { print $NF; n = 1 } END { if (!n) print 0 }' counts
}

# agree LEAST [LONGER]: there are LEAST samples, and of 200 at most one differs. Chains that go on where
# perf's end are no difference, unless LONGER is 0: perf gives up in code that is made at run time, in
# static programs, and where an epilogue has popped the frame pointer.
agree() {
	local all differ

	all=$(awk '$1 == "samples" { print $2 }' counts)
	differ=$(($(count other) + $(count 'ours shorter')))
	((all >= $1)) || fail 'samples' "at least $1" "$all"
	((differ * 200 <= all)) || fail 'chains that differ' 'at most 0.5 %' "$(cat counts)"
	((($(count same) + $(count 'ours longer') * ${2:-1}) * 200 >= all * 199)) ||
		fail 'chains that are the same' 'at least 99.5 %' "$(cat counts)"
	((($(count 'end: complete') + $(count 'end: stack dump too short')) * 100 >= all * 98)) ||
		fail 'complete stacks' 'at least 98 %' "$(cat counts)"
}

test_chains_of_c_without_frame_pointers_are_perfs() {
	need_stacks
	chains "$PIPA_WORKLOADS/unwinds" 500
	agree 100 0
}

test_chains_of_cpp_with_exceptions_are_perfs() {
	need_stacks
	need_program g++
	cat > thrower.cc <<- 'END'
		#include <map>
		#include <stdexcept>
		#include <string>
		template <int N> struct deep {
			static int go(int x)
			{
				std::map<std::string, int> m;
				m[std::to_string(x)] = N;
				return m.begin()->second + deep<N - 1>::go(x + 1);
			}
		};
		template <> struct deep<0> {
			static int go(int x)
			{
				if (x % 3 == 0)
					throw std::runtime_error("three");
				return x;
			}
		};
		int main()
		{
			long sum = 0;
			for (int i = 0; i < 150000; i++) {
				try {
					sum += deep<12>::go(i);
				} catch (const std::exception &e) {
					sum += e.what()[0];
				}
			}
			return sum == 42;
		}
	END
	g++ -O2 -o thrower thrower.cc || fail 'g++' 'a program' 'none'
	chains ./thrower
	agree 50
}

test_chains_of_python_are_perfs() {
	need_stacks
	[[ -x /usr/bin/python3 ]] || skip 'needs python3'
	chains /usr/bin/python3 -c '
import json, re
def f(n): return n if n < 2 else f(n - 1) + f(n - 2)
for i in range(2):
    f(21); json.dumps([{"a": list(range(200))}] * 40); re.findall("(a|b)*c", "ab" * 2000)'
	agree 50
}

test_chains_of_sqlite_are_perfs() {
	need_stacks
	need_program sqlite3
	chains sqlite3 :memory: "with recursive c(x) as (select 1 union all select x + 1 from c
		where x < 300000) select count(*), sum(length(printf('%d', x))) from c order by x"
	agree 50
}

test_chains_of_openssl_are_perfs() {
	need_stacks
	need_program openssl
	chains openssl speed -seconds 1 rsa2048
	agree 50
}

run_tests "$@"
