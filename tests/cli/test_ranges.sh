#!/bin/bash
# Code without a symbol, named by the stretch that its unwind information makes of it, and code without
# unwind information, whose callers are guessed.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# A stripped library whose work() calls two functions that it does not export; theirs names in $first and
# $second, as nm knows them of the library before
stripped() {
	need_program cc
	need_program nm
	need_program strip
	cat > lib.c <<- 'END'
		volatile int v;
		__attribute__((noinline)) static void first(int n)
		{
			for (int i = 0; i < n; i++)
				v += i;
		}
		__attribute__((noinline)) static void second(int n)
		{
			for (int i = 0; i < n; i++)
				v ^= i;
		}
		void work(int n)
		{
			first(n);
			second(n);
			v++;
		}
	END
	cat > main.c <<- 'END'
		void work(int n);
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				work(500000);
			return 0;
		}
	END
	cc -O2 -fasynchronous-unwind-tables -shared -fPIC lib.c -o libwork.so 2> err ||
		skip "cc cannot build it: $(head -n 1 err)"
	cc -O2 main.c -o main -L. -lwork "-Wl,-rpath,$PWD" 2> err ||
		skip "cc cannot build it: $(head -n 1 err)"
	first_at=$(nm libwork.so | awk '$3 == "first" { sub(/^0+/, "", $1); print $1 }')
	second_at=$(nm libwork.so | awk '$3 == "second" { sub(/^0+/, "", $1); print $1 }')
	first=libwork.so!fn@0x$first_at
	second=libwork.so!fn@0x$second_at
	strip libwork.so
}

recorded() {
	"$PIPA" record -q -e cpu-clock:u -F 999 "$@" -o data ./main > err 2>&1 ||
		skip "it cannot be recorded: $(head -n 1 err)"
}

test_code_without_a_symbol_adds_up_by_its_fde_range() {
	stripped
	recorded
	pipa report --no-children --sort symbol data
	status 0
	matches out "^ +[1-9][0-9.]*% +\\[\\.\\] $first\$"
	matches out "^ +[1-9][0-9.]*% +\\[\\.\\] $second\$"
	matches out '^# unresolved: (100|9[0-9])\.[0-9]+%: no symbol'
	pipa script data
	matches out " $first\\+0x[0-9a-f]+ \\(.*/libwork\\.so\\)\$"
}

# The name of a location does not depend on how its stack was found, or whether there is one.
test_the_name_is_the_same_with_and_without_stacks() {
	local how

	stripped
	for how in '' '--call-graph fp' '--call-graph dwarf --unwind later' '--call-graph dwarf --unwind live'; do
		# shellcheck disable=SC2086
		recorded $how
		pipa report --no-children --sort dso,symbol --full-names data
		status 0
		same "what the library has with '$how'" \
			"$(awk '$2 == "libwork.so" && $1 + 0 > 2 { print $4 }' out | sort)" \
			"$(printf '%s\n' "$first" "$second" | sort)"
	done
}

test_fold_has_the_names_of_the_report() {
	stripped
	recorded
	pipa fold data
	matches out "^main;.*;$first [0-9]+\$"
	matches out "^main;.*;$second [0-9]+\$"
	lacks out '[libwork.so]'
	mv out folded
	pipa fold --raw-names data
	stdout < folded
}

test_instructions_of_code_without_symbols_are_listed() {
	stripped
	recorded
	pipa annotate data "$first"
	status 0
	has out "# $first in "
	! grep -q '^# no code' out || skip "$(grep -m 1 '^# no code' out)"
	matches out "^ +[0-9.]* *: +$first_at:"
	lacks out " $second_at:"
}

test_symbolize_names_code_without_symbols_except_in_the_format_of_addr2line() {
	stripped
	pipa symbolize --exe libwork.so "$first_at" "$(printf %x $((16#$first_at + 4)))" 0
	stdout <<- END
		0x$first_at $first+0x0
		0x$(printf %x $((16#$first_at + 4))) $first+0x4
		0x0 ??
	END
	pipa symbolize --exe libwork.so --json "$first_at"
	has out "\"symbol\": \"$first\""
	pipa symbolize --exe libwork.so --addr2line "$first_at"
	stdout <<- 'END'
		??
		??:0
	END
}

# The middle of it has lines and the rest has none, and nothing has a symbol: threads ask for lines and for
# stretches at once
test_long_streams_are_symbolized_as_short_ones() {
	local i name lines

	need_program cc
	need_program nm
	need_program strip
	for name in plain lined other; do
		for ((i = 0; i < 200; i++)); do
			echo "int $name$i(int n) { return n * $i + n % $((i + 3)); }"
		done > $name.c
		[[ $name = lined ]] && lines=-g || lines=-g0
		cc -O1 $lines -fasynchronous-unwind-tables -fvisibility=hidden -fPIC -c $name.c 2> err ||
			skip "cc cannot compile it: $(head -n 1 err)"
	done
	cc -shared plain.o lined.o other.o -o libhalf.so 2> err || skip "cc cannot link it: $(head -n 1 err)"
	nm libhalf.so | awk '$3 ~ /^(plain|lined|other)[0-9]+$/ { sub(/^0+/, "", $1); print $1, $3 }' > known
	strip -s '--keep-section=.debug_*' libhalf.so 2> err || skip "strip: $(head -n 1 err)"
	awk '{ print "0x" $1 ($2 ~ /^lined/ ? " " $2 : " libhalf.so!fn@0x" $1 "+0x0") }' known > wanted
	cut -d ' ' -f 1 known > starts
	"$PIPA" symbolize --exe libhalf.so < starts > once || fail 'a short stream' 'status 0' "$?"
	sed -E 's| at .*/lined\.c:[0-9]+$||' once > names
	compare 'names' names < wanted
	for ((i = 0; i < 20; i++)); do cat starts; done > asked
	"$PIPA" symbolize --exe libhalf.so < asked > long || fail 'a long stream' 'status 0' "$?"
	for ((i = 0; i < 20; i++)); do cat once; done > short
	cmp long short || fail 'answers to a long stream' 'those of short ones' "$(cmp long short)"
}

# A program without call frame information, so that frame pointers have to lead on
guessing() {
	need_program cc
	need_program python3
	case $(uname -m) in
	x86_64 | aarch64) ;;
	*) skip 'what the compiler leaves out there is not known' ;;
	esac
	cat > guess.c <<- 'END'
		volatile int v;
		void *volatile frame;
		__attribute__((noinline)) void leaf(int n)
		{
			frame = __builtin_frame_address(0); /* so that it has one */
			for (int i = 0; i < n; i++)
				v += i;
			v++;
		}
		__attribute__((noinline)) void middle(int n)
		{
			leaf(n);
			v++;
		}
		int main(void)
		{
			for (int i = 0; i < 300; i++)
				middle(500000);
			return v == 1;
		}
	END
	cc -O1 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-omit-frame-pointer \
		guess.c -o guess 2> err ||
		skip "cc cannot build it: $(head -n 1 err)"
	"$PIPA" record -q -e cpu-clock:u -F 999 --call-graph dwarf "$@" -o data ./guess > err 2>&1 ||
		skip "it cannot be recorded: $(head -n 1 err)"
}

# told_as_guessed: the share in the report, and which frames they are
told_as_guessed() {
	pipa report data
	status 0
	matches out '^# stacks: .*; (9[0-9]|100)\.[0-9]+% with frames found by frame-pointer fallback$'
	pipa report --json data
	python3 -c 'import json; d = json.load(open("out"))["stacks"]
assert d["fp_fallback"] > d["unwound"] * 0.9 > 40, d' || fail 'stacks with guessed frames' most "$(cat out)"
	pipa script --json data
	status 0
	python3 - <<- 'END' || fail 'guessed frames' 'callers that no CFI leads to' "$(head -n 3 out)"
		import json
		rows = [json.loads(line)["stack"] for line in open("out")]
		good = 0
		for frames in rows:
		    marks = [(f.get("sym"), f.get("fp_fallback", False)) for f in frames]
		    # the interrupted frame is known; its caller was found by a frame pointer
		    good += marks[:3] == [("leaf", False), ("middle", True), ("main", True)] and \
		        not marks[-1][1] or marks[0][0] != "leaf"
		assert good > len(rows) * 0.9 > 40, (good, len(rows))
	END
}

test_frame_pointer_fallbacks_of_stack_dumps_are_counted() {
	guessing --unwind later
	told_as_guessed
}

test_frame_pointer_fallbacks_of_live_unwinding_are_counted() {
	guessing --unwind live
	told_as_guessed
	if command -v perf > /dev/null; then
		perf script -i data -F ip,sym 2> /dev/null | awk 'NF { print $2; n++ } n == 3 { exit }' > names
		compare 'what perf sees of the first stack' names < <(printf '%s\n' leaf middle main)
	fi
}

# Code without a symbol and without unwind information is one row per gap, not one per address.
test_code_without_unwind_information_adds_up_by_the_gap_between_symbols() {
	stripped
	cc -O2 -fno-asynchronous-unwind-tables -fno-unwind-tables -fno-toplevel-reorder -shared -fPIC lib.c -o libwork.so 2> err ||
		skip "cc cannot build it: $(head -n 1 err)"
	strip libwork.so
	recorded --call-graph none
	pipa report --no-children --sort dso,symbol data
	status 0
	awk '$2 == "libwork.so" && $4 ~ /^0x/' out > single
	compare 'rows of single addresses' single < /dev/null
	between 'share of the gap' "$(awk '$4 ~ /^code@0x/ { sum += $1 } END { print sum + 0 }' out)" 50 100
	between 'rows of gaps' "$(grep -c ' code@0x' out)" 1 2
	pipa fold data
	matches out ';libwork.so!code@0x[0-9a-f]+ [0-9]+$'
	# symbolize and annotate know the gap by the same name, and annotate shows its instructions
	name=$(grep -oE 'libwork\.so!code@0x[0-9a-f]+' out | head -n 1)
	pipa symbolize -e libwork.so "${name##*@}"
	status 0
	stdout <<< "${name##*@} $name+0x0"
	pipa annotate data
	status 0
	has out "# $name in $PWD/libwork.so: "
	lacks out ' ??'
	between 'instructions' "$(grep -cE '^ +([0-9.]+ )?: +[0-9a-f]+:  [a-z]' out)" 4 10000
}

run_tests "$@"
