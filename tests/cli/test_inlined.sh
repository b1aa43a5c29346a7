#!/usr/bin/env bash
# Self and total of inlined functions are the same wherever they are shown, and those that addr2line -i gives.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# A program whose functions were inlined at several levels, into loops and into recursion; ./perf.data of it,
# without the code of the C library and the loader at its start and end, of which addr2line is not asked
recording() {
	need_program python3
	need_program gcc
	need_program addr2line
	cat > work.c <<- EOF
		#include <unistd.h>

		static volatile unsigned long sink;

		static inline __attribute__((always_inline)) unsigned long mix(unsigned long x)
		{
			x ^= x >> 13;
			x *= 0x9e3779b97f4a7c15;
			return x ^ x >> 7;
		}

		static inline __attribute__((always_inline)) unsigned long twice(unsigned long x)
		{
			x = mix(x);
			x += x << 3 ^ 0x55;
			return mix(x ^ 0x1234) / 3;
		}

		/* Inlined into plain(), called through a pointer by calls(). */
		static unsigned long both(unsigned long x, unsigned n)
		{
			while (n--)
				x = (x ^ n) / 3 + x * 5;
			return x;
		}

		static unsigned long (*volatile pointer)(unsigned long, unsigned) = both;

		__attribute__((noinline)) unsigned long calls(unsigned long x, unsigned n)
		{
			return pointer(x, n) ^ mix(x);
		}

		__attribute__((noinline)) unsigned long plain(unsigned long x, unsigned n)
		{
			unsigned i;

			for (i = 0; i < n; i++)
				x = twice(x) + i;
			return x + both(x, n);
		}

		__attribute__((noinline)) unsigned long down(unsigned long x, int depth);
		static unsigned long (*volatile again)(unsigned long, int) = down;

		static inline __attribute__((always_inline)) unsigned long deeper(unsigned long x, int depth)
		{
			return again(mix(x), depth - 1) ^ x;
		}

		unsigned long down(unsigned long x, int depth)
		{
			if (depth)
				return deeper(x, depth) + 1;
			return plain(x, 20000) + calls(x, 20000);
		}

		int main(void)
		{
			unsigned long i;

			for (i = 0; i < 2500; i++)
				sink += down(i, (int)(i % 5));
			_exit(0);
		}
	EOF
	gcc -O2 -g -o work work.c 2> err || skip 'gcc cannot build it'
	"$PIPA" record -q -D 200 -F 1997 -e cpu-clock:u "$@" -o perf.data -- ./work > /dev/null 2> err ||
		skip "cannot record here: $(head -n 1 err)"
	"$PIPA" script -F comm,tid,time,period,event,ip,sym,symoff,dso perf.data > samples.txt 2> err
}

# shown OPTIONS...: perf.data in every form that has self or total
shown() {
	"$PIPA" report "$@" --sort symbol --json perf.data > report.json &&
		"$PIPA" report "$@" --sort symbol --no-children --json perf.data > self.json &&
		"$PIPA" report "$@" --sort symbol --csv perf.data > report.csv &&
		"$PIPA" report "$@" --sort symbol --stdio perf.data > report.txt &&
		"$PIPA" flamegraph "${@/--inline/}" perf.data -o page.html &&
		"$PIPA" fold "${@/--inline/}" perf.data > folded &&
		"$PIPA" diff "$@" --json perf.data perf.data > diff.json &&
		"$PIPA" diff "$@" --children --json perf.data perf.data > diff_children.json &&
		"$PIPA" graph "$@" --min-percent 0 --min-edge 0 --max-nodes 10000 -f dot -o graph.dot perf.data
} 2> err

# agree [--physical] OUTPUT...: see inlined.py
agree() {
	local physical=()

	if [[ $1 == --physical ]]; then
		physical=(--physical)
		shift
	fi
	python3 "$PIPA_SOURCE/tests/cli/inlined.py" "${physical[@]}" work samples.txt "$@" > agreed 2>&1 ||
		fail 'self and total by function' 'those of addr2line -i' "$(tail -n 3 agreed)"
}

everything='report.json self.json report.csv report.txt page.html folded diff.json diff_children.json graph.dot'

test_self_and_total_agree_with_addr2line_in_every_output() {
	local n functions inlined

	recording --call-graph dwarf
	shown || fail 'the outputs' 'written' "$(cat err)"
	# shellcheck disable=SC2086
	agree $everything
	read -r n functions inlined < agreed
	between 'samples' "$n" 100 1000000
	between 'functions' "$functions" 8 1000
	between 'percent of self in inlined functions' "$inlined" 30 100
	has report.txt 'mix (inlined)'
}

test_hot_functions_of_a_run_are_those_of_the_report() {
	recording --call-graph dwarf
	mkdir data
	mv perf.data data/
	pipa run --from data -f json
	status 0
	python3 -c '
import json, sys
run = json.load(open("out"))["hot_functions"]
rows = json.loads(sys.stdin.read())["rows"]
want = sorted((r["events"][0]["self_percent"] for r in rows), reverse=True)
got = [h["percent"] for h in run]
assert any(h["symbol"].startswith("mix") and h["percent"] > 10 for h in run), run
assert all(abs(a - b) < 0.011 for a, b in zip(got[:4], want)), (got, want)' \
		< <("$PIPA" report --no-children --sort symbol,dso --json data/perf.data) 2> err ||
		fail 'hot functions' 'those of the report' "$(tail -n 1 err)"
}

test_without_inlined_functions_self_is_that_of_the_function_that_holds_the_code() {
	recording --call-graph dwarf
	shown --no-inline || fail 'the outputs' 'written' "$(cat err)"
	# shellcheck disable=SC2086
	agree --physical $everything
	lacks report.txt '(inlined)'
}

test_fold_report_and_flamegraph_have_the_same_functions_without_symbols() {
	local names

	recording --call-graph dwarf
	strip -o stripped work || skip 'needs strip'
	mv stripped work
	"$PIPA" record -q -D 200 -F 1997 -e cpu-clock:u --call-graph dwarf -o perf.data -- ./work > /dev/null 2> err
	"$PIPA" script -F comm,tid,time,period,event,ip,sym,symoff,dso perf.data > samples.txt 2> err
	shown || fail 'the outputs' 'written' "$(cat err)"
	# shellcheck disable=SC2086
	agree --physical $everything
	names=$(grep -o 'work!fn@0x[0-9a-f]*' folded | sort -u | wc -l)
	between 'functions that only unwind information tells apart' "$names" 3 100
	"$PIPA" fold --raw-names perf.data > raw 2> err
	compare '--raw-names' raw < folded
	"$PIPA" bundle -o bundle.tar.zst perf.data > /dev/null 2> err || fail 'bundle' 'written' "$(cat err)"
	"$PIPA" fold bundle.tar.zst > bundled 2> err
	compare 'fold of the bundle' bundled < folded
}

run_tests "$@"
