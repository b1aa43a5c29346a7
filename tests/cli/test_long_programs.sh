#!/usr/bin/env bash
#
# Long tier: programs of this machine are recorded by default and by frame pointers and reported. Says
# how many samples each has, how much of their weight is unresolved and how many stacks are complete.
# shellcheck source-path=SCRIPTDIR source=lib.sh
# shellcheck disable=SC2016
. "${BASH_SOURCE[0]%/*}/lib.sh"

# numbers FILE: "SAMPLES UNRESOLVED% COMPLETE%" of a report as JSON
numbers() {
	python3 - "$1" <<- 'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		samples = sum(e.get("samples", 0) for e in d.get("events", []))
		stacks = d.get("stacks") or {}
		unwound, complete = stacks.get("unwound", 0), stacks.get("complete", 0)
		unresolved = d.get("unresolved") or {}
		percent = unresolved.get("percent", 0)
		print("%d samples, %.2f%% unresolved, %s complete" % (samples, percent,
		      "%.2f%%" % (100 * complete / unwound) if unwound else "-"))
	END
}

# profile COMMAND...: record it in both ways; report, fold, script and flamegraph read it
profile() {
	local mode

	need_program "$1"
	need_program python3
	for mode in auto fp; do
		rm -f data
		run timeout --foreground -k 5 300 "$PIPA" record -q -F 499 --call-graph "$mode" -o data "$@" < input
		status 0
		pipa report --json data
		status 0
		mv out report.json
		echo "$1 --call-graph $mode: $(numbers report.json)" >> "$work/programs"
		python3 -c 'import json; d = json.load(open("report.json")); assert d["rows"] or d["events"], d' ||
			fail 'report' 'rows' "$(head -c 300 report.json)"
		pipa fold data
		status 0
		[[ -s out ]] || fail 'fold' 'stacks' 'none'
		pipa script data
		status 0
		pipa flamegraph -o page.html data
		status 0
	done
}

# input [BYTES]: text to read from, in ./input
input() {
	head -c "${1:-8000000}" /dev/urandom | base64 > input
}

test_python() { input 1; profile python3 -c 'import json
for i in range(60): json.loads(json.dumps([{"a": list(range(2000)), "b": str(i)}] * 10))'; }
test_perl() { input 1; profile perl -e 'my %h; for my $i (1..1500000) { $h{$i % 5000} .= "x" } print scalar(%h)'; }
test_gzip() { input; profile gzip -c; }
test_xz() { input 2000000; profile xz -c; }
test_zstd() { input; profile zstd -10 -c; }
test_bzip2() { input; profile bzip2 -c; }
test_sort() { input; profile sort; }
test_awk() { input; profile awk '{ n[substr($0, 1, 3)]++ } END { print length(n) }'; }
test_sha256() { input 30000000; profile sha256sum; }
test_openssl() { input 1; profile openssl speed -seconds 1 sha256; }
test_sqlite() { input 1; profile sqlite3 :memory: 'with recursive c(x) as (select 1 union all select x + 1 from c where x < 800000) select count(*), sum(length(x)) from c'; }
test_git() { input 1; profile git -C "$PIPA_SOURCE" log --stat -n 300; }
test_node() { input 1; profile node -e 'let s = 0; for (let i = 0; i < 3e6; i++) s += JSON.stringify({ i }).length; console.log(s)'; }
test_java() {
	input 1
	need_program javac
	cat > J.java <<- 'END'
		public class J {
			public static void main(String[] a) {
				long s = 0;
				for (int i = 0; i < 4000000; i++) s += Integer.toString(i).hashCode();
				System.out.println(s);
			}
		}
	END
	javac J.java > log 2>&1 || skip "javac: $(head -n 1 log)"
	profile java -XX:+PreserveFramePointer J
}
test_go() {
	input 1
	need_program go
	profile go version
}
test_gcc() { input 1; printf '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { return 0; }\n' > x.c; profile gcc -O2 -c x.c -o x.o; }
test_shell() { input 1; profile bash -c 'for ((i = 0; i < 200000; i++)); do x=$((i * 3)); done'; }
test_find() { input 1; profile find /usr -type f -newer /etc/passwd; }

# what was seen, for the log
test_zz_summary() {
	[[ -s $work/programs ]] || skip 'no program was recorded'
	cat "$work/programs" >&3
}

exec 3>&1
run_tests "$@"
