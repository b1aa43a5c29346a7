#!/usr/bin/env bash
#
# tools/check-layers against small trees made here. Prints what failed; exit status 1 if any did.

set -euo pipefail

tool=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/tools/check-layers
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# A fresh tree with a list of four layers and one clean source for each permission.
fresh() {
	rm -rf "$tmp/t"
	mkdir -p "$tmp/t/tools" "$tmp/t/src/base" "$tmp/t/src/kernel" "$tmp/t/src/perf"
	printf '%s\n' '# a comment' 'base:' 'kernel:' 'model:   # a comment' 'perf: model' \
		> "$tmp/t/tools/layers.txt"
	printf '%s\n' '#include "base/a.h"' '#include <stdio.h>' > "$tmp/t/src/base/a.c"
	printf '%s\n' '#include "model/m.h"' > "$tmp/t/src/perf/uses.c"
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
source_file kernel/event/ring.c '#include "kernel/event/ring.h"' '#include <linux/perf_event.h>' \
	'#include "base/error.h"'
source_file perf/file.c '#include "perf/file.h"' '#include "model/record.h"'
expect "allowed includes pass" 0

fresh
source_file kernel/event/ring.c '#include "kernel/event/ring.h"' '' '#include "model/record.h"'
expect "a layer that is not permitted" 1 \
	'src/kernel/event/ring.c:3: kernel may not include model (allowed: base)'

fresh
source_file cli/main.c 'write(STDOUT_FILENO, "", 1);'
source_file perf/file.c '' 'write(STDERR_FILENO, "", 1);'
echo 'cli:' >> "$tmp/t/tools/layers.txt"
expect "standard error below the front ends" 1 \
	'src/perf/file.c:2: only a front end names standard output; take the descriptor from the options'

fresh
source_file perf/file.h '  #  include "kernel/event/ring.h"'
expect "spaces around the hash, in a header" 1 \
	'src/perf/file.h:1: perf may not include kernel (allowed: base, model)'

fresh
source_file perf/deep/er.c '#include "kernel/event/ring.h"'
expect "a subdirectory without a row belongs to its layer" 1 \
	'src/perf/deep/er.c:1: perf may not include kernel (allowed: base, model)'

fresh
source_file base/b.c '#include "kernel/event/ring.h"'
expect "base includes only itself" 1 \
	'src/base/b.c:1: base may not include kernel (allowed: nothing else)'

fresh
source_file perf/file.c '#include "util/list.h"'
expect "an unknown layer" 1 \
	'src/perf/file.c:1: perf includes util, which is no layer of tools/layers.txt'

fresh
source_file perf/file.c '#include "../kernel/ring.h"'
expect "a way around through .." 1 \
	'src/perf/file.c:1: perf includes .., which is no layer of tools/layers.txt'

fresh
source_file perf/file.c '#include "file.h"'
expect "quotes without a layer" 1 \
	'src/perf/file.c:1: "file.h" names no layer; write it from src/, as in "perf/file.h"'

fresh
source_file extra/x.c '#include "perf/file.h"'
expect "a directory missing from the list" 1 \
	'src/extra: is not in tools/layers.txt; add a row for it'

fresh
source_file main.c '#include "perf/file.h"'
expect "a source in no layer" 1 \
	'src/main.c: is in no layer; move it into one of tools/layers.txt'

fresh
source_file kernel/a.c '#include "model/a.h"' '#include "perf/a.h"'
expect "every offence has its line" 1 \
	'src/kernel/a.c:1: kernel may not include model (allowed: base)' \
	'src/kernel/a.c:2: kernel may not include perf (allowed: base)'

fresh
echo 'kernel:' >> "$tmp/t/tools/layers.txt"
expect "a layer listed twice" 1 'tools/layers.txt:6: kernel is listed twice'

fresh
printf '%s\n' 'base:' 'kernel: perf' 'perf: kernel' > "$tmp/t/tools/layers.txt"
source_file perf/uses.c '#include "kernel/event/ring.h"'
source_file kernel/uses.c '#include "perf/file.h"'
expect "a list with a cycle" 1 \
	'tools/layers.txt:2: kernel may not allow perf, which is not listed above it'

fresh
echo 'model kernel' >> "$tmp/t/tools/layers.txt"
expect "a line that is no rule" 1 \
	'tools/layers.txt:6: cannot read this line; write "layer: permitted layers"'

fresh
echo 'cli: perf model' >> "$tmp/t/tools/layers.txt"
source_file cli/main.c '#include "perf/file.h"'
expect "a permission that nothing uses" 1 \
	'tools/layers.txt:6: cli never includes model; remove the permission'

# subdirectories TEXT...: rows for two subdirectories of perf, then a source of each
subdirectories() {
	fresh
	printf '%s\n' 'perf/text:' 'perf/file: perf/text' >> "$tmp/t/tools/layers.txt"
	source_file perf/file/read.c '#include "perf/text/number.h"' '#include "perf/uses.h"'
}

subdirectories
expect "a subdirectory may include a permitted sibling and its layer's own files" 0

subdirectories
source_file perf/text/number.c '#include "perf/file/read.h"'
expect "a sibling that is not permitted" 1 \
	'src/perf/text/number.c:1: perf/text may not include perf/file (allowed: nothing else)'

subdirectories
source_file perf/uses.c '#include "model/m.h"' '#include "perf/file/read.h"'
expect "a file of the layer itself includes a subdirectory" 1 \
	'src/perf/uses.c:2: perf may not include perf/file: a file of the layer itself includes no subdirectory'

subdirectories
source_file perf/file/more.c '#include "kernel/event/ring.h"'
expect "outside, the row of the layer holds for a subdirectory" 1 \
	'src/perf/file/more.c:1: perf may not include kernel (allowed: base, model)'

subdirectories
source_file perf/file/read.c '#include "perf/uses.h"'
expect "a permission among siblings that nothing uses" 1 \
	'tools/layers.txt:7: perf/file never includes perf/text; remove the permission'

fresh
printf '%s\n' 'perf/text: model' >> "$tmp/t/tools/layers.txt"
source_file perf/text/number.c '#include "model/m.h"'
expect "a row of a subdirectory that names a layer" 1 \
	'tools/layers.txt:6: perf/text may not allow model: a layer permits layers, a subdirectory its siblings' \
	'tools/layers.txt:6: perf/text never includes model; remove the permission'

fresh
source_file perf/a.h 'struct pipa_thing {' '	int a;' '};' 'struct pipa_thing *pipa_thing_new(void);'
source_file perf/b.c 'enum pipa_thing {' '	A,' '};'
expect "a tag that is defined twice, as struct and as enum" 1 \
	'src/perf/b.c:1: enum pipa_thing is also defined in src/perf/a.h:1'

fresh
rm "$tmp/t/tools/layers.txt"
expect "no list at all" 2 "check-layers: no tools/layers.txt in $tmp/t"

exit "$failed"
