#!/bin/bash
# Building a symbol table: of a large library against nm, which reads the same table, sorts it and
# prints it; of the kernel's list against perf kallsyms, which reads it to look one name up.
# LIBRARY names another file than the largest shared library that is found.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

symbols=$build/bench/symbols
[[ -x $symbols ]] || die "no bench/symbols in $build"
command -v nm > /dev/null || skip "needs nm (Debian: binutils)"

# The largest shared library that has functions to name.
largest() {
	local path

	while read -r _ path; do
		if [[ -n $(nm -D "$path" 2> /dev/null | awk '$2 ~ /[TW]/ { print; exit }') ]]; then
			echo "$path"
			return
		fi
	done < <(find -L /usr/lib /lib -maxdepth 2 -name '*.so*' -type f -printf '%s %p\n' 2> /dev/null |
		sort -rn | head -n 20)
}

library=${LIBRARY:-$(largest)}
[[ -n $library ]] || skip "no shared library with symbols found; name one in LIBRARY"
table=-D
if [[ -n $(nm "$library" 2> /dev/null | head -n 1) ]]; then
	table=
fi

echo "== $library"
"$symbols" object "$library" 10
# shellcheck disable=SC2086 # empty: no option
measure library -r "$(rounds 21)" -w 1 \
	nm nm $table -n -S --defined-only "$library" + pipa "$symbols" object "$library"
show library
state "CPU time, symbol table of ${library##*/}" "$(of library pipa cpu)" "$(of library nm cpu)" least 10 nm

echo
echo "== /proc/kallsyms"
grep -qm 1 '^0*[1-9a-f]' /proc/kallsyms || skip "the kernel hides its addresses"
command -v perf > /dev/null || skip "needs perf (Debian: linux-perf)"
"$symbols" kallsyms /proc/kallsyms 10
measure kallsyms -r "$(rounds 21)" -w 1 \
	perf perf kallsyms schedule + pipa "$symbols" kallsyms /proc/kallsyms
show kallsyms
state "CPU time, symbol table of kallsyms" "$(of kallsyms pipa cpu)" "$(of kallsyms perf cpu)" least 2
