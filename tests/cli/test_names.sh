#!/usr/bin/env bash
#
# Names of functions in tables: shortened to the column for people, complete for programs.

. "${BASH_SOURCE[0]%/*}/lib.sh"

string='std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >'
tree="std::_Rb_tree<$string, std::pair<$string const, int>, std::less<$string > >::_M_erase"

# script NAME N: so many samples of a function of prog, called by code without a symbol of libx.so
script() {
	local i

	for ((i = 0; i < $2; i++)); do
		printf 'prog 1 [000] %d.000000: 10 cpu-clock: \n' "$i"
		printf '\t    1000 %s+0x0 (/usr/bin/prog)\n' "$1"
		printf '\t    2000 libx.so!fn@0x2000+0x0 (/lib/libx.so)\n\n'
	done
}

make_profile() {
	script "$tree" 3 > in.txt
	script main 2 >> in.txt
	script 'github.com/owner/project/internal/package.(*Receiver).MethodOfAVeryLongName.func1.2.deferwrap' 1 \
		>> in.txt
}

rows() {
	grep -v '^#' out
}

test_long_names_are_shortened_in_the_table() {
	make_profile
	pipa report in.txt
	status 0
	rows > got
	compare rows got << 'EOF'
   100.00%     0.00%  prog     libx.so        [.] fn@0x2000
    50.00%    50.00%  prog     prog           [.] std::_Rb_tree<std::string, std::pair<...>, std::less<...> >::_M_erase
    33.33%    33.33%  prog     prog           [.] main
    16.67%    16.67%  prog     prog           [.] ...project/internal/package.(*Receiver).MethodOfAVeryLongName.func1.2.deferwrap
EOF
}

test_full_names_are_complete() {
	make_profile
	pipa report --full-names in.txt
	status 0
	has out "  [.] $tree"
	has out '  libx.so        [.] libx.so!fn@0x2000'
	pipa report -v in.txt
	has out "[.] $tree"
}

test_names_for_programs_are_complete() {
	make_profile
	pipa report --csv in.txt
	has out "\"$tree\""
	has out ',libx.so!fn@0x2000'
	pipa report --json in.txt
	has out "\"symbol\": \"$tree\""
	has out '"symbol": "libx.so!fn@0x2000"'
	pipa fold in.txt
	has out ";libx.so!fn@0x2000;$tree "
}

test_a_filter_takes_the_name_that_the_table_shows() {
	make_profile
	pipa report --symbols fn@0x2000 in.txt
	status 0
	same 'rows' "$(rows | wc -l)" 1
	has out 'fn@0x2000'
}

test_diff_shortens_names_as_report_does() {
	make_profile
	script main 6 > other.txt
	pipa diff in.txt other.txt
	has out '[.] std::_Rb_tree<std::string, std::pair<...>, std::less<...> >::_M_erase'
	pipa diff --full-names in.txt other.txt
	has out "[.] $tree"
	pipa diff --json in.txt other.txt
	has out "$tree"
}

test_diff_matches_functions_of_a_renamed_binary_by_symbol() {
	script main 40 > in.txt
	sed 's,/usr/bin/prog,/opt/new-prog,' in.txt > renamed.txt
	pipa diff in.txt renamed.txt
	same 'rows of main' "$(grep -c ' main$' out)" 2
	pipa diff --match symbol in.txt renamed.txt
	status 0
	has out '# Event cpu-clock, by symbol, objects not compared'
	same 'rows of main' "$(grep -c ' main$' out)" 1
	matches out '^ +100.00% +100.00% .* same +prog +\[\.\] main$'
	pipa diff --match file in.txt renamed.txt
	refused 2 <<< "pipa diff: --match: invalid value 'file', expected auto, dso or symbol"
}

run_tests "$@"
