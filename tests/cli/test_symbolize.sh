#!/bin/bash
# pipa symbolize: addresses of files beside addr2line's answers, and of a process that runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# A program whose work() has helper() inlined; its addresses in $work_at and $inlined_at
program() {
	need_program cc
	need_program nm
	need_program objdump
	cat > work.c <<- 'END'
		#include <stdio.h>
		#include <unistd.h>
		volatile int v;
		static inline __attribute__((always_inline)) int helper(int x)
		{
			v += x;
			return v * 3;
		}
		__attribute__((noinline)) int work(int x)
		{
			return helper(x) + 1;
		}
		int main(void)
		{
			printf("%p %p\n", (void *)work, (void *)printf);
			fflush(stdout);
			pause();
			return work(3);
		}
	END
	cc -O1 -g work.c -o work 2> err || skip "cc cannot build it: $(head -n 1 err)"
	work_at=$(nm work | awk '$3 == "work" { print $1 }')
	inlined_at=$(objdump -d --disassemble=work work | sed -n 's/^ *\([0-9a-f]*\):.*/\1/p' |
		addr2line -a -f -i -e work | awk '/^0x/ { at = $1 } $1 == "helper" { print at; exit }')
	[[ $inlined_at ]] || skip 'the compiler left no trace of what it inlined'
}

# words FILE: 3,000 addresses in its code, the same ones each time
words() {
	readelf -SW "$1" 2> /dev/null | sed 's/\[ */[/' | awk '$2 == ".text" { print $4, $6 }' |
		(
			read -r at size
			awk -v at="$((16#$at))" -v size="$((16#$size))" 'BEGIN {
				srand(7)
				for (i = 0; i < 3000; i++)
					printf "%x\n", at + int(rand() * size)
			}'
		)
}

# agrees FILE: our answers are addr2line's, or llvm-symbolizer's where that one is known to be wrong
agrees() {
	need_program addr2line
	need_program readelf
	need_program llvm-symbolizer
	words "$1" > asked
	"$PIPA" symbolize --exe "$1" --addr2line -a --no-demangle < asked > ours ||
		fail "symbolize $1" 'status 0' "$?"
	addr2line -a -f -i -e "$1" < asked > theirs 2> /dev/null
	sed 's/^/0x/' asked | llvm-symbolizer --no-demangle --output-style=GNU -a -f -i \
		-e "${2:-$1}" > third 2> /dev/null
	# Where no line is known they name the file that a local symbol was compiled from, and each takes
	# another one of several symbols at one address.
	sed -i -E -e 's/^[^:]*:[0?]$/??:?/' ours theirs third
	sed -i -z -E -e 's/\n[^?\n][^\n]*\n\?\?:\?\n/\n(a symbol)\n??:?\n/g' ours theirs third
	awk -f "$PIPA_SOURCE/tests/lib/same_lines.awk" ours theirs third > classes ||
		fail "answers for ${1##*/}" 'none that is different' "$(cat classes)"
	same 'answers' "$(grep -c '^0x' ours)" 3000
}

test_a_function_and_its_inlined_frames_are_printed() {
	program
	pipa symbolize --exe work "$work_at" "$inlined_at" 0xdead0000
	status 0
	stderr < /dev/null
	matches out '^0x[0-9a-f]+ work\+0x0 at .*/work\.c:(9|1[0-2])$'
	matches out '^0x[0-9a-f]+ helper \(inlined\) at .*/work\.c:[67]$'
	matches out '^0x[0-9a-f]+ work\+0x[0-9a-f]+ at .*/work\.c:11$'
	same 'the last line' "$(tail -n 1 out)" '0xdead0000 ??'
}

test_without_inlined_functions_the_line_is_the_innermost() {
	program
	pipa symbolize --exe work --no-inline "$inlined_at"
	matches out '^0x[0-9a-f]+ work\+0x[0-9a-f]+ at .*/work\.c:[67]$'
	same lines "$(wc -l < out)" 1
	pipa symbolize --exe work --no-inline --addr2line "$inlined_at"
	addr2line -f -C -e work "$inlined_at" | sed 's/ (discriminator.*//' | stdout
}

test_the_form_of_addr2line() {
	program
	pipa symbolize --exe work --addr2line "$work_at" "$inlined_at" dead0000
	addr2line -f -i -C -e work "$work_at" "$inlined_at" dead0000 |
		sed 's/ (discriminator.*//' | stdout
	status 0
}

test_names_of_cxx_are_those_of_addr2line() {
	need_program g++
	need_program addr2line
	need_program readelf
	g++ -std=c++17 -O2 -g "$PIPA_SOURCE/tests/data/dwarf/templates.cc" -o a.out 2> err ||
		skip "g++: $(head -n 1 err)"
	words a.out > asked
	"$PIPA" symbolize --exe a.out --addr2line -a < asked > ours
	addr2line -a -f -i -C -e a.out < asked | sed 's/ (discriminator.*//; s/^[^:]*:?$/??:?/' > theirs
	awk 'FNR == 1 { file++ }
		/^0x0/ { at = ++n[file]; next }
		{ text[file, at] = text[file, at] $0 "\n" }
		END { for (i = 1; i <= n[1]; i++) same += text[1, i] == text[2, i]; print same }' \
		ours theirs > equal
	between 'equal answers of 3000' "$(cat equal)" 2700 3000
}

# Enough of them for threads, beside as few as one thread is given.
test_a_long_stream_gives_the_results_of_short_ones() {
	readelf -SW "$PIPA" | grep -q '\.debug_info' || skip 'pipa was built without debug information'
	for ((i = 0; i < 5; i++)); do words "$PIPA"; done > asked
	"$PIPA" symbolize --exe "$PIPA" < asked > long || fail 'a long stream' 'status 0' "$?"
	words "$PIPA" > asked
	for ((i = 0; i < 5; i++)); do
		split -l 1000 --filter="'$PIPA' symbolize --exe '$PIPA'" asked
	done > short
	cmp long short || fail 'answers to a long stream' 'those of short ones' "$(cmp long short)"
	between 'lines' "$(wc -l < long)" 15000 100000
}

test_pipa_itself_has_the_results_of_addr2line() {
	readelf -SW "$PIPA" | grep -q '\.debug_info' || skip 'pipa was built without debug information'
	agrees "$PIPA"
}

test_libc_has_the_results_of_addr2line() {
	local libc id

	need_program readelf
	libc=$(ldd /bin/sh | awk '$1 ~ /^libc\.so/ { print $3 }')
	[[ $libc ]] || skip '/bin/sh has no libc.so'
	id=$(readelf -n "$libc" 2> /dev/null | sed -n 's/.*Build ID: \(..\)/\1\//p')
	[[ -e /usr/lib/debug/.build-id/$id.debug ]] ||
		skip 'needs the debug file of libc (Debian: libc6-dbg)'
	agrees "$libc" "/usr/lib/debug/.build-id/$id.debug"
}

test_a_running_process_and_its_libraries() {
	local at

	program
	start ./work > printed
	until_true test -s printed
	read -r -a at < printed
	pipa symbolize --pid "$started" "${at[@]}"
	status 0
	matches out "^${at[0]} work\\+0x0 in .*/work at .*/work\\.c:[0-9]+\$"
	matches out "^${at[1]} (_IO_)?printf\\+0x0 in .*libc.*"

	mv work other
	cp other work # another file of that name
	rm other
	pipa symbolize --pid "$started" "${at[0]}"
	if [[ $(id -u) -eq 0 ]]; then
		matches out "^${at[0]} work\\+0x0 in .* \\(deleted\\) at .*/work\\.c:[0-9]+\$"
	else
		matches out "^${at[0]} "
	fi
}

test_the_kernel_above_a_process() {
	local at

	at=$(awk '$3 == "vfs_read" && $1 !~ /^0+$/ { print $1; exit }' /proc/kallsyms)
	[[ $at ]] || skip 'the kernel does not tell where its functions are'
	pipa symbolize --pid $$ "$at"
	stdout <<< "0x$at vfs_read+0x0 in [kernel]"
}

test_jit_code_is_symbolized_by_its_perf_map() {
	need_workloads
	need_program awk
	block true
	local at

	at=$(awk '$2 ~ /^rw/ && !$6 { split($1, part, "-"); print part[1]; exit }' "/proc/$target/maps")
	[[ $at ]] || skip 'it has no memory without a file'
	echo "$at 40 made at run time" > "/tmp/perf-$target.map"
	pipa symbolize --pid "$target" "$at" "$(printf %x $((16#$at + 16)))"
	rm "/tmp/perf-$target.map"
	unblock
	at=${at#"${at%%[!0]*}"}
	stdout <<- END
		0x$at made at run time+0x0 in [anon]
		0x$(printf %x $((16#$at + 16))) made at run time+0x10 in [anon]
	END
}

test_each_line_has_its_result_before_the_next_one() {
	local answer

	program
	coproc "$PIPA" symbolize --exe work
	echo "$COPROC_PID" >> "$case_dir/started"
	echo "$work_at" >&"${COPROC[1]}"
	read -r -t 20 answer <&"${COPROC[0]}" || fail 'the first answer' 'a line' 'none in 20 seconds'
	[[ $answer == "0x${work_at#"${work_at%%[!0]*}"} "*' at '* ]] || fail 'the first answer' "$work_at" "$answer"
	echo dead0000 >&"${COPROC[1]}"
	while [[ $answer != 0xdead0000* ]]; do
		read -r -t 20 answer <&"${COPROC[0]}" || fail 'the second answer' 'a line' 'none in 20 seconds'
	done
	same 'the second answer' "$answer" '0xdead0000 ??'
}

test_many_addresses_come_back_in_their_order() {
	program
	seq 1 140000 | awk '{ printf "%x%s", ($1 * 7919) % 65536 + 1, $1 % 3 ? " " : "\n" }' > asked
	run "$PIPA" symbolize --exe work --json < asked
	status 0
	tr ' ' '\n' < asked | sed 's/.*/"address": "0x&"/' > expected
	grep -o '"address": "[^"]*"' out > got
	cmp expected got || fail 'the order of the answers' 'that of the questions' 'another one'
}

test_addresses_of_any_length_are_read() {
	local i digits=c0ffee1234567890

	program
	for ((i = 1; i <= 16; i++)); do
		echo "0x${digits:0:i}"
		echo "${digits:0:i}"
		tr a-f A-F <<< "${digits:0:i}"
		echo "  0X${digits:0:i} "
		echo "000000000000${digits:0:1}"
	done > asked
	run "$PIPA" symbolize --exe work --addr2line -a < asked
	status 0
	tr -d ' ' < asked | sed 's/^0[xX]//; s/^/0000000000000000/; s/.*\(.\{16\}\)$/0x\1/' | tr A-F a-f > expected
	grep '^0x' out > got
	cmp expected got || fail 'the addresses' 'those that were asked for' "$(diff expected got | head -n 4)"
}

test_an_invalid_line_among_many_is_reported() {
	program
	printf '0x%x\n' 1 2 3 > asked
	printf '%s\n' 0x12345678g 12345678:9 0x1234567890abcdef0 g 1/2 >> asked
	printf '0x%x\n' 4 5 6 7 8 9 >> asked
	run "$PIPA" symbolize --exe work < asked
	status 1
	stderr <<- 'END'
		pipa symbolize: standard input:4: invalid address '0x12345678g'
		pipa symbolize: standard input:5: invalid address '12345678:9'
		pipa symbolize: standard input:6: invalid address '0x1234567890abcdef0'
		pipa symbolize: standard input:7: invalid address 'g'
		pipa symbolize: standard input:8: invalid address '1/2'
	END
	printf '0x%x ??\n' 1 2 3 4 5 6 7 8 9 | stdout
	printf '%s\n' 1 12g 1234567890 2 3 4 5 6 7 8 9 > asked
	run "$PIPA" symbolize --exe work < asked
	status 1
	stderr <<< "pipa symbolize: standard input:2: invalid address '12g'"
	printf '0x%s ??\n' 1 1234567890 2 3 4 5 6 7 8 9 | stdout
}

test_invalid_addresses_are_reported_and_the_rest_is_symbolized() {
	program
	printf 'beef0000 zzz\n\n0x\ndead0000' > asked
	run "$PIPA" symbolize --exe work < asked
	status 1
	stderr <<- 'END'
		pipa symbolize: standard input:1: invalid address 'zzz'
		pipa symbolize: standard input:3: invalid address '0x'
	END
	printf '0x%s ??\n' beef0000 dead0000 | stdout
	run "$PIPA" symbolize --exe work --addr2line zzz
	status 1
	printf '??\n??:0\n' | stdout
	head -c 5000000 /dev/zero | tr '\0' z > asked
	run "$PIPA" symbolize --exe work < asked
	status 1
	matches err "^pipa symbolize: standard input:1: invalid address 'z{60}'\$"
}

test_the_file_or_process_of_the_addresses_is_required() {
	pipa symbolize 1
	refused 2 <<< 'pipa symbolize: missing input: give --exe FILE or --pid PID'
	pipa symbolize --exe /bin/sh --pid 1 1
	refused 2 <<< 'pipa symbolize: only one of --exe and --pid can be given'
}

test_missing_files_and_processes_are_refused() {
	pipa symbolize --exe missing 1
	refused 1 <<< "pipa symbolize: cannot open 'missing': No such file or directory"
	echo text > text
	pipa symbolize --exe text 1
	refused 1 <<< "pipa symbolize: 'text' is not an ELF file"
	pipa symbolize --exe . 1
	refused 1 <<< "pipa symbolize: '.' is not a readable file"
	pipa symbolize --pid 4194303 1
	refused_like 1 "pipa symbolize: no process 4194303"
}

run_tests "$@"
