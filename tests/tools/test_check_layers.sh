#!/usr/bin/env bash
#
# tools/check-layers against small trees made here. Prints what failed; exit status 1 if any did.

set -euo pipefail

tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/tools/check-layers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# A fresh tree with a list of four folders and one clean source.
fresh() {
	rm -rf "$tmp/t"
	mkdir -p "$tmp/t/tools" "$tmp/t/src/base" "$tmp/t/src/kernel" "$tmp/t/src/perf"
	printf '%s\n' '# a comment' 'base:' 'kernel:' 'model:   # not there yet' 'perf: model' \
		> "$tmp/t/tools/layers.txt"
	printf '%s\n' '#include "base/a.h"' '#include <stdio.h>' > "$tmp/t/src/base/a.c"
}

# source_file PATH LINE...: one file below src/
source_file() {
	local path=$tmp/t/src/$1

	mkdir -p "$(dirname "$path")"
	shift
	printf '%s\n' "$@" > "$path"
}

# expect NAME STATUS [LINE]...: run, compare the exit status and the exact output
expect() {
	local name=$1 want_status=$2 status=0 want got

	shift 2
	want=$(printf '%s\n' "$@")
	got=$(cd / && "$tool" "$tmp/t" 2>&1) || status=$?
	if [[ $status -ne $want_status || $got != "$want" ]]; then
		echo "FAIL $name: exit $status, expected $want_status"
		diff -u --label expected --label got <(echo "$want") <(echo "$got") || true
		failed=1
	fi
}

fresh
source_file kernel/ring.c '#include "kernel/ring.h"' '#include <linux/perf_event.h>' \
	'#include "base/error.h"'
source_file perf/file.c '#include "perf/file.h"' '#include "model/record.h"'
expect "allowed includes pass" 0

fresh
source_file kernel/ring.c '#include "kernel/ring.h"' '' '#include "model/record.h"'
expect "a folder that is not allowed" 1 \
	'src/kernel/ring.c:3: kernel may not include model (allowed: base)'

fresh
source_file perf/file.h '  #  include "kernel/ring.h"'
expect "blanks around the hash, in a header" 1 \
	'src/perf/file.h:1: perf may not include kernel (allowed: base, model)'

fresh
source_file perf/deep/er.c '#include "kernel/ring.h"'
expect "a folder below a folder belongs to it" 1 \
	'src/perf/deep/er.c:1: perf may not include kernel (allowed: base, model)'

fresh
source_file base/b.c '#include "kernel/ring.h"'
expect "base includes only itself" 1 \
	'src/base/b.c:1: base may not include kernel (allowed: nothing else)'

fresh
source_file perf/file.c '#include "util/list.h"'
expect "an unknown folder" 1 \
	'src/perf/file.c:1: perf includes util, which is no folder of tools/layers.txt'

fresh
source_file perf/file.c '#include "../kernel/ring.h"'
expect "a way around through .." 1 \
	'src/perf/file.c:1: perf includes .., which is no folder of tools/layers.txt'

fresh
source_file perf/file.c '#include "file.h"'
expect "quotes without a folder" 1 \
	'src/perf/file.c:1: "file.h" names no folder; write it from src/, as in "perf/file.h"'

fresh
source_file extra/x.c '#include "perf/file.h"'
expect "a folder missing from the list" 1 \
	'src/extra: is not in tools/layers.txt; add a line for it'

fresh
source_file main.c '#include "perf/file.h"'
expect "a source in no folder" 1 \
	'src/main.c: is in no folder; move it into one of tools/layers.txt'

fresh
source_file kernel/a.c '#include "model/a.h"' '#include "perf/a.h"'
expect "every offence has its line" 1 \
	'src/kernel/a.c:1: kernel may not include model (allowed: base)' \
	'src/kernel/a.c:2: kernel may not include perf (allowed: base)'

fresh
echo 'kernel: model' >> "$tmp/t/tools/layers.txt"
expect "a folder listed twice" 1 'tools/layers.txt:6: kernel is listed twice'

fresh
printf '%s\n' 'base:' 'kernel: perf' 'perf: kernel' > "$tmp/t/tools/layers.txt"
expect "a list with a cycle" 1 \
	'tools/layers.txt:2: kernel may not allow perf, which is not listed above it'

fresh
echo 'model kernel' >> "$tmp/t/tools/layers.txt"
expect "a line that is no rule" 1 \
	'tools/layers.txt:6: cannot read this line; write "folder: allowed folders"'

fresh
rm "$tmp/t/tools/layers.txt"
expect "no list at all" 2 "check-layers: no tools/layers.txt in $tmp/t"

exit "$failed"
