#!/bin/bash
# Lines and inlined functions of 100,000 addresses of large binaries, against addr2line -i and
# llvm-symbolizer fed on stdin: python3.11 and libc with their debug files, and pipa itself. Of ours, pipa
# symbolize as it is run, which takes a thread per CPU, and bench/lines, the reader alone on one thread.
# BINARIES names others; SORTED=1 asks in rising order, which is kinder to the others.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

lines=$build/bench/lines
[[ -x $lines ]] || die "no bench/lines in $build"
command -v addr2line > /dev/null || skip "needs addr2line (Debian: binutils)"

# Anywhere in the code, in no order, unless asked for.
addresses() {
	readelf -SW "$1" 2> /dev/null | sed 's/\[ */[/' | awk '
		function number(hex,    i, n) {
			for (i = 1; i <= length(hex); i++)
				n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
			return n
		}
		$2 == ".text" {
			srand(7)
			for (i = 0; i < 100000; i++)
				printf "0x%x\n", number($4) + int(rand() * number($6))
		}' | if [[ -n ${SORTED:-} ]]; then sort; else cat; fi
}

# The file with its debug information, for those who do not look for it.
debug_file() {
	local id

	id=$(readelf -n "$1" 2> /dev/null | sed -n 's/.*Build ID: \(..\)/\1\//p')
	if [[ -e /usr/lib/debug/.build-id/$id.debug ]]; then
		echo "/usr/lib/debug/.build-id/$id.debug"
	else
		echo "$1"
	fi
}

binaries() {
	if [[ -n ${BINARIES:-} ]]; then
		echo "$BINARIES"
		return
	fi
	command -v python3.11 /usr/bin/python3.11 | tail -n 1
	ldd /bin/sh | awk '$1 ~ /^libc\.so/ { print $3 }'
	echo "$build/pipa"
}

# against BINARY COMMAND PEER: what users wait for, and what it costs
against() {
	state "pipa symbolize, 100,000 addresses of $1" "$(of lines pipa wall)" \
		"$(of lines "$2" wall)" least 20 "$3"
	state "CPU time, pipa symbolize of $1" "$(of lines pipa cpu)" "$(of lines "$2" cpu)" least 20 "$3"
	state "CPU time, reader alone of $1" "$(of lines reader cpu)" \
		"$(of lines "$2" cpu)" least 20 "$3"
}

for binary in $(binaries); do
	debug=$(debug_file "$binary")
	readelf -SW "$debug" 2> /dev/null | grep -q '\.debug_info' || {
		echo "$binary: no debug information (Debian: python3.11-dbg, libc6-dbg)"
		continue
	}
	addresses "$binary" > "$scratch/asked"
	echo "== $binary"
	"$lines" -t "$binary" < "$scratch/asked" > /dev/null
	cat > "$scratch/ours" <<- END
		#!/bin/sh
		exec "$lines" "$binary" < "$scratch/asked" > /dev/null
	END
	cat > "$scratch/symbolize" <<- END
		#!/bin/sh
		exec "$pipa" symbolize --addr2line -a -e "$binary" < "$scratch/asked" > /dev/null
	END
	cat > "$scratch/theirs" <<- END
		#!/bin/sh
		exec addr2line -a -f -i -C -e "$binary" < "$scratch/asked" > /dev/null
	END
	cat > "$scratch/llvm" <<- END
		#!/bin/sh
		exec llvm-symbolizer --output-style=GNU -a -f -i -C -e "$debug" < "$scratch/asked" > /dev/null
	END
	chmod +x "$scratch/ours" "$scratch/symbolize" "$scratch/theirs" "$scratch/llvm"
	peers=(addr2line "$scratch/theirs")
	if command -v llvm-symbolizer > /dev/null; then
		peers+=(+ llvm "$scratch/llvm")
	fi
	measure lines -r "$(rounds 5)" -w 1 "${peers[@]}" + pipa "$scratch/symbolize" \
		+ reader "$scratch/ours"
	show lines
	against "${binary##*/}" addr2line addr2line
	if ((${#peers[@]} > 2)); then
		against "${binary##*/}" llvm llvm-symbolizer
	else
		echo 'llvm-symbolizer: not installed (Debian: llvm)'
	fi
	echo
done
