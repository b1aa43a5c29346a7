#!/usr/bin/env bash
#
# pipa report on recordings: perf's own fresh ones beside perf report, those of the corpus, broken ones.

. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata

need_corpus() {
	[[ -r $corpus/perf.data.callgraph-3.8 ]] || skip 'no corpus'
}

need_perf_record() {
	need_program perf
	need_workloads
	perf record -q -F 2000 -g -o fresh.data -- "$PIPA_WORKLOADS/busy" written 400 > /dev/null 2>&1 ||
		skip 'perf record does not run here'
}

# "percent comm dso symbol" of a table without children, for rows with at least a sample or two
plain_rows() {
	awk '!/^#/ && NF >= 4 { p = $1; sub(/%/, "", p); s = $0
		sub(/^ *[0-9.]+% +/, "", s); gsub(/ +/, " ", s); sub(/ $/, "", s); print p, s }' | alias_names | sort
}

# Unresolved code is an address for perf and a range of code for pipa: the sum of these rows
nameless='\] (0x[0-9a-f]{16}|([^ ]+!)?(fn|code)@0x[0-9a-f]+)$'

nameless_share() {
	grep -E "$nameless" "$1" | awk '{ sum += $1 } END { printf "%.2f\n", sum }'
}

# around NUMBER: what rounding may make of a sum of a few rows
around() {
	awk -v n="$1" 'BEGIN { printf "%.2f %.2f\n", n < 0.2 ? 0 : n - 0.2, n + 0.2 }'
}

test_shares_and_names_are_perfs() {
	need_perf_record
	perf report --stdio --no-children -g none -i fresh.data 2> /dev/null | plain_rows > theirs
	[[ -s theirs ]] || skip 'perf report shows nothing here'
	pipa report --no-children fresh.data
	status 0
	plain_rows < out > ours
	command_line='pipa report --no-children against perf report'
	grep -Ev "$nameless" ours > ours.named
	grep -Ev "$nameless" theirs | compare 'rows' ours.named
	# shellcheck disable=SC2046
	between 'share without a symbol' "$(nameless_share ours)" $(around "$(nameless_share theirs)")
}

# heavy_rows FILE: rows of several samples: a stray address that lies at the very start of a function is that
# function's for perf and the one's before it for us, who take it for a return address. Rows without a symbol are left
# out, an address each for perf and a range of code for us, and functions of one name, which are one row for us.
heavy_rows() {
	awk 'NR == FNR { rows[$3 " " $4 " " $6]++; next }
		!/^#/ && NF >= 5 && $1 + 0 >= 3 && $6 !~ /^(0x|([^ ]+!)?(fn|code)@0x)/ && rows[$3 " " $4 " " $6] < 2 {
			print $1, $2, $3, $4, $6 }' theirs.all "$1" | alias_names | sort -u
}

test_shares_with_callees_are_perfs() {
	need_perf_record
	[[ -z ${PIPA_EMULATED-} ]] || skip 'perf would record the emulator'
	perf report --stdio --children -g none -i fresh.data 2> /dev/null > theirs.all
	heavy_rows theirs.all > theirs
	[[ -s theirs ]] || skip 'perf report shows nothing here'
	pipa report fresh.data
	heavy_rows out > ours
	command_line='pipa report against perf report --children'
	compare 'rows' ours < theirs
	grep -q ' busy main$' ours || fail 'row of main' some none
}

test_records_of_the_corpus_are_counted_as_perf_counts_them() {
	need_corpus
	pipa report --stats --json "$corpus/perf.data.lost_samples-4.4"
	status 0
	has out '"total": 243'
	has out '"samples": 191'
	has out '"LOST_SAMPLES": 2'
	has out '"complete": true'
	has out '"name": "instructions:pp"'
}

test_compressed_records_are_opened() {
	need_corpus
	pipa report --stats --json "$corpus/sleep.compressed.data"
	status 0
	has out '"complete": true'
	has out '"COMPRESSED"'
	has out '"samples": 8'
	pipa report --stats --json "$corpus/sleep.compressed2.pipe.data"
	status 0
	has out '"COMPRESSED2"'
}

test_a_pipe_is_read_as_a_pipe_and_a_file_through_one_as_a_file() {
	need_corpus
	cat "$corpus/perf.data.piped.target-3.4" > piped
	pipa report --stats --json piped
	has out '"samples": 1414'
	run sh -c 'cat "$1" | "$2" report --stats --json -' sh piped "$PIPA"
	status 0
	has out '"samples": 1414'
	run sh -c 'cat "$1" | "$2" report --stats --json -' sh "$corpus/perf.data.callgraph-3.8" "$PIPA"
	status 0
	has out '"samples": 1768'
}

test_the_rest_of_a_corrupt_recording_is_shown_with_the_reason() {
	need_corpus
	pipa report --no-children "$corpus/perf.data.piped.corrupted.zero_size_sample-3.2"
	status 0
	has out '# Samples: 227 of event'
	has out '# corrupt: 1 records, first at offset 49104: invalid record; skipped 48 bytes'
	head -c 100000 "$corpus/perf.data.callgraph-3.8" > cut.data
	pipa report --stats --json cut.data
	status 0
	has out '"complete": false'
}

test_files_other_than_recordings_are_refused() {
	echo hello > text
	pipa report text
	status 1
	printf 'PERFILE2xxxx' > short
	pipa report short
	refused 1 <<< 'pipa report: short: not a perf.data file'
	pipa report nowhere
	refused 1 <<< 'pipa report: cannot open nowhere: No such file or directory'
	pipa report --sort symbol,size text
	refused 2 <<< "pipa report: --sort: invalid key 'size', expected comm, pid, tid, dso, symbol, srcline, cpu, event, parent or label:NAME"
	pipa report --sort '' perf.data
	refused 2 <<< "pipa report: --sort: invalid key '', expected comm, pid, tid, dso, symbol, srcline, cpu, event, parent or label:NAME"
	pipa report --percent-limit 200 text
	refused 2 <<< "pipa report: --percent-limit: invalid percentage '200', expected 0 to 100"
	pipa report --time 5 text
	refused 2 <<< "pipa report: --time: invalid range '5', expected START,STOP in seconds"
}

test_inlined_functions_are_frames_and_lines_are_keys() {
	need_sampling
	need_program gcc
	cat > inl.c << 'END'
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 50; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}
static inline __attribute__((always_inline)) unsigned twice(unsigned x) { return mix(mix(x)); }
int main(void)
{
	unsigned s = 1;

	for (int i = 0; i < 3000000; i++)
		s += twice(s + i);
	return s == 7;
}
END
	gcc -O1 -g -fno-omit-frame-pointer -o inl inl.c || fail 'gcc' 'a program' 'a failure'
	pipa record -q -F 1999 --call-graph fp -o perf.data ./inl
	status 0
	pipa report --inline --sort symbol perf.data
	status 0
	awk '/mix \(inlined\)/ { m = $1 + 0; own = $2 + 0 } / main$/ { f = $1 + 0 } END { print (m > 50 && f >= m && own > 50) }' \
		out > good
	compare 'inlined functions' good <<< 1
	pipa report --sort symbol perf.data
	grep -c inlined out > none
	compare 'unasked' none <<< 0
	pipa report --no-children --sort srcline perf.data
	awk '$2 == "inl.c:4" || $2 == "inl.c:3" { n += $1 } END { print (n > 50) }' out > good
	compare 'lines' good <<< 1
	grep -v '^#' out | awk '{ print $2, $1 }' | sort > lines
	pipa report --inline --sort srcline perf.data
	grep -v '^#' out | awk '$2 != "0.00%" { print $3, $2 }' | sort > own
	compare 'own shares of lines, with and without callers' own < lines
}

test_other_kinds_are_tables_too() {
	printf 'a;main;f 30\na;main;g 10\n' > folded
	pipa report folded
	status 0
	grep -v '^#' out | awk '{ print $1, $2, $3, $6 }' > rows
	compare 'rows' rows << 'END'
100.00% 0.00% - a
100.00% 0.00% - main
75.00% 75.00% - f
25.00% 25.00% - g
END
}

test_light_branches_are_omitted_by_default() {
	printf 'a;main;f;h 996\na;main;g;h 4\na;rare 1\n' > folded
	pipa report --no-children --tree folded
	has out ' 99.50%  f'
	has out ' 0.10%  -'
	lacks out '%  g'
	pipa report --no-children --tree --percent-limit 0 folded
	has out ' 0.40%  g'
	pipa report --no-children --tree --percent-limit 0.2 folded
	has out ' 0.40%  g'
	lacks out rare
}

test_the_last_of_children_and_no_children_counts() {
	printf 'main;f 3\nmain 1\n' > stacks
	pipa report -s symbol --csv stacks
	status 0
	cp out default
	pipa report -s symbol --csv --no-children --children stacks
	status 0
	stdout < default
	pipa report -s symbol --csv --children --no-children stacks
	status 0
	cp out self
	pipa report -s symbol --csv --no-children stacks
	status 0
	stdout < self
	! cmp -s self default || fail '--no-children' 'other rows than by default' "$(cat self)"
}

test_trees_csv_and_json() {
	printf 'a;main;f;h 30\na;main;g;h 10\n' > folded
	pipa report --tree --symbols h folded
	has out ' 75.00%  f'
	has out ' 25.00%  g'
	pipa report --tree -G --symbols main folded
	has out ' 75.00%  f'
	pipa report --csv --no-children folded
	sed -n 2p out > line
	compare 'the first line' line <<< ',100.0000,100.0000,40,40,40,-,[unknown],h'
	pipa report --json folded
	has out '"schema": "pipa-report/1"'
}

# Threads unpack debug files while others are named: the order they are done in must not show.
test_compressed_debug_files_give_the_same_functions_on_one_cpu() {
	local name

	need_program gcc
	need_program objcopy
	need_program taskset
	for name in a b; do
		cat > "$name.c" <<- END
			static inline __attribute__((always_inline)) unsigned mix_$name(unsigned x)
			{
				for (int i = 0; i < 1000; i++)
					x = x * 1103515245 + 12345 + i;
				return x;
			}
			unsigned work_$name(unsigned x) { return mix_$name(x) + 1; }
		END
		gcc -O1 -g -gz=zlib -fno-omit-frame-pointer -shared -fPIC "$name.c" -o "lib$name.so" ||
			skip 'gcc cannot pack debug information'
	done
	cat > main.c <<- END
		#include <time.h>
		unsigned work_a(unsigned x), work_b(unsigned x);
		int main(void)
		{
			unsigned x = 1;
			while (clock() < CLOCKS_PER_SEC * 2 / 5)
				for (int i = 0; i < 100; i++)
					x = work_b(work_a(x));
			return x == 7;
		}
	END
	gcc -O1 -g -gz=zlib -fno-omit-frame-pointer main.c -L. -la -lb -Wl,-rpath,"$PWD" -o main ||
		skip 'gcc cannot link'
	"$PIPA" record -q -F 2000 --call-graph fp -o fresh.data -- ./main > /dev/null 2>&1 ||
		skip 'nothing can be recorded here'
	pipa report --inline --tree fresh.data
	status 0
	has out 'mix_a (inlined)'
	has out 'mix_b (inlined)'
	mv out threads
	run taskset -c "$(taskset -cp $$ | sed 's/.*: *//; s/[-,].*//')" "$PIPA" report --inline --tree \
		fresh.data
	cmp threads out || fail 'on one CPU' 'the same report' "$(diff threads out | head -n 20)"
	for name in liba.so libb.so main; do
		objcopy --decompress-debug-sections "$name" || fail 'objcopy' 'unpacked files' "$name"
	done
	pipa report --inline --tree fresh.data
	cmp threads out || fail 'unpacked' 'the same report' "$(diff threads out | head -n 20)"
}

test_names_that_differ_in_invisible_characters_look_different() {
	printf 'main;f\001 5\nmain;f\002 5\nmain;\342\200\256f 5\nmain;\033[31mred 5\n' > x.folded
	pipa report --no-children --sort symbol x.folded
	status 0
	same 'names' "$(sed -n 's/.*\[?\] //p' out | sort)" $'\\u202ef\n\\x1b[31mred\nf\\x01\nf\\x02'
}

run_tests "$@"
