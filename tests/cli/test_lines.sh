#!/bin/bash
# Lines and inlined functions at 10,000 addresses of a binary, against addr2line -i -f; where that one
# is wrong, llvm-symbolizer decides (tests/lib/same_lines.awk names the classes).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

lines=$PIPA_WORKLOADS/lines
data=$PIPA_SOURCE/tests/data/dwarf

need() {
	local tool

	for tool; do
		command -v "$tool" > /dev/null || skip "needs $tool"
	done
}

# addresses IMAGE: 10,000 in its code, the same ones each time
addresses() {
	readelf -SW "$1" 2> /dev/null | sed 's/\[ */[/' | awk '
		function number(hex,    i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		$2 == ".text" {
			srand(5)
			for (i = 0; i < 10000; i++)
				printf "0x%x\n", number($4) + int(rand() * number($6))
		}'
}

# agree IMAGE [DEBUG_FILE [ADDR2LINE]]: with addr2line, or where that fails with llvm-symbolizer
agree() {
	local image=$1 debug=${2:-$1} addr2line=${3:-addr2line}

	need readelf "$addr2line" llvm-symbolizer
	addresses "$image" > asked
	"$lines" -m "$image" < asked > ours || fail "lines $image" "status 0" "$?"
	"$addr2line" -a -f -i -e "$image" < asked > theirs 2> /dev/null
	llvm-symbolizer --no-demangle --output-style=GNU -a -f -i -e "$debug" < asked > third 2> /dev/null
	awk -f "$PIPA_SOURCE/tests/lib/same_lines.awk" ours theirs third > classes ||
		fail "answers for ${image##*/}" "none that is different" "$(cat classes)"
}

# at_least PERCENT CLASS...: of the addresses last compared
at_least() {
	local percent=$1

	shift
	awk -v percent="$percent" -v classes="$*" '
		/ addresses:/ {
			for (i = 3; i < NF; i += 2)
				if (index(" " classes " ", " " $(i + 1) " ")) n += $i
			exit n * 100 < $1 * percent
		}' classes || fail "$*" "$percent % of the addresses" "$(tail -n 1 classes)"
}

# agree_built COMPILER FLAGS...: a C++ program made with them
agree_built() {
	local compiler=$1

	shift
	need "$compiler"
	"$compiler" -std=c++17 -O2 -g "$@" -c "$data/templates.cc" -o a.o 2> err ||
		skip "$compiler $*: $(head -n 1 err)"
	"$compiler" "$@" a.o -o a.out 2> err || skip "$compiler $*: $(head -n 1 err)"
	agree "$PWD/a.out"
}

test_our_own_program() {
	readelf -SW "$PIPA" | grep -q '\.debug_info' || skip "pipa was built without debug information"
	agree "$PIPA"
}

test_demangled_names_are_those_of_addr2line() {
	need g++ addr2line
	g++ -std=c++17 -O2 -gdwarf-4 "$data/templates.cc" -o a.out
	addresses a.out > asked
	"$lines" a.out < asked > ours
	addr2line -a -f -i -C -e a.out < asked > theirs
	awk -f "$PIPA_SOURCE/tests/lib/same_lines.awk" ours theirs > classes
	at_least 95 same symbol clone
}

test_libc_with_its_debug_file_of_dwz() {
	local libc id

	libc=$(ldd /bin/sh | awk '$1 ~ /^libc\.so/ { print $3 }')
	[[ -n $libc ]] || skip "/bin/sh has no libc.so"
	need readelf
	id=$(readelf -n "$libc" 2> /dev/null | sed -n 's/.*Build ID: \(..\)/\1\//p')
	[[ -e /usr/lib/debug/.build-id/$id.debug ]] || skip "needs the debug file of libc (Debian: libc6-dbg)"
	agree "$libc" "/usr/lib/debug/.build-id/$id.debug"
	at_least 90 same symbol padding
}

test_cxx_of_gcc_in_dwarf_4() {
	agree_built g++ -gdwarf-4
	at_least 95 same symbol clone
}

test_cxx_of_gcc_in_dwarf_5() {
	agree_built g++ -gdwarf-5
	at_least 95 same symbol clone
}

test_cxx_of_gcc_compressed_with_zlib() {
	agree_built g++ -gdwarf-5 -gz=zlib
	at_least 95 same symbol clone
}

test_cxx_of_gcc_compressed_with_zstd() {
	need objcopy
	agree_built g++ -gdwarf-5
	objcopy --compress-debug-sections=zstd a.out packed || skip "objcopy cannot pack with zstd"
	"$lines" -m packed < asked > again
	cmp ours again || fail "packed with zstd" "the same answers" "others"
}

test_cxx_of_gcc_split() {
	agree_built g++ -gdwarf-5 -gsplit-dwarf
	at_least 95 llvm symbol same # addr2line finds nothing there
	cp ours split
	agree_built g++ -gdwarf-4 -gsplit-dwarf
	cmp ours split || fail "split units of DWARF 4" "the answers of DWARF 5" "others"
}

# agree_packed PROGRAM: the split units of ./a.out, in a package made only by it; ./ours has their earlier output
agree_packed() {
	cp ours split
	rm -f a.out.dwp
	"$1" -e a.out -o a.out.dwp 2> err || return # the one of binutils dies of DWARF 5
	rm -f -- *.dwo
	agree "$PWD/a.out"
	cmp ours split || fail "a package of $1" "the answers of the split files" "others"
	at_least 95 llvm symbol same clone
	pipa symbolize --addr2line -a -e a.out < asked
	status 0
	cp out packed
	rm a.out.dwp
	pipa symbolize --addr2line -a -e a.out < asked
	! cmp -s out packed || fail 'without the package' 'fewer names' 'the same'
}

# PIPA_LINES_PACKAGES: "TOOL VERSION COMPILER" of each package, the long tier has all
test_split_units_in_packages() {
	local version tool compiler

	while read -r tool version compiler; do
		need "$tool"
		agree_built "$compiler" "-gdwarf-$version" -gsplit-dwarf
		agree_packed "$tool"
	done < <(printf '%s\n' "${PIPA_LINES_PACKAGES:-llvm-dwp 5 g++}" | tr ',' '\n')
}

test_cxx_of_clang_in_dwarf_4() {
	agree_built clang++ -gdwarf-4
	at_least 95 same symbol clone
}

test_cxx_of_clang_in_dwarf_5() {
	agree_built clang++ -gdwarf-5
	at_least 95 same symbol llvm
}

test_cxx_of_clang_split() {
	agree_built clang++ -gdwarf-5 -gsplit-dwarf
	at_least 95 llvm symbol same
}

# agree_foreign MACHINE: some C of ours made for it
agree_foreign() {
	need "$1-linux-gnu-gcc" "$1-linux-gnu-addr2line"
	"$1-linux-gnu-gcc" -O2 -g -gdwarf-4 -D_GNU_SOURCE -iquote "$PIPA_SOURCE/src" -shared -fPIC \
		"$PIPA_SOURCE"/src/base/*.c "$PIPA_SOURCE"/src/model/*.c -o foreign.so 2> err ||
		skip "$1-linux-gnu-gcc: $(head -n 1 err)"
	agree "$PWD/foreign.so" "$PWD/foreign.so" "$1-linux-gnu-addr2line"
	at_least 95 same symbol padding
}

test_a_library_of_aarch64() {
	agree_foreign aarch64
}

test_a_library_of_riscv64() {
	agree_foreign riscv64
}

run_tests "$@"
