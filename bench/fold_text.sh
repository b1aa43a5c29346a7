#!/bin/bash
# `fold` of perf script's text against stackcollapse-perf.pl where that is on the PATH, else against awk
# doing the least that gives such lines; `wc -l`, which only counts lines, shows what reading takes. The
# text is what `perf script` prints of a recording of 10 s of mixed work, as many times over as makes
# 100 MB, so it has as many distinct stacks as life has. CPU time is compared: neither waits.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly seconds=${BENCH_SECONDS:-10}
text=$scratch/text

need_perf

# Work with many different stacks: recursion, sorting, hashing, the kernel's part of all of it.
work() {
	local end=$((SECONDS + seconds))

	while ((SECONDS < end)); do
		find /usr/include /usr/lib -maxdepth 3 -printf '%s %p\n' | sort -n | gzip -1 | md5sum
		awk 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) } BEGIN { print f(20) }'
	done > /dev/null
}
export -f work
export SECONDS seconds
perf record -q -e cpu-clock -F 9999 -g -o "$scratch/perf.data" -- bash -c work > /dev/null 2>&1 ||
	skip "perf cannot record here"
perf script -i "$scratch/perf.data" > "$scratch/once" 2> /dev/null
while [[ ! -f $text ]] || (($(stat -c %s "$text") < 100000000)); do
	cat "$scratch/once" >> "$text"
done

# What everybody must do: add up the periods by comm and names.
cat > "$scratch/fold.awk" <<- 'EOF'
	/^$/ { if (comm != "") sum[comm stack] += period; comm = stack = ""; next }
	/^[^\t]/ { comm = $1; period = $(NF - 1); next }
	{ name = $2; sub(/\+0x[0-9a-f]+$/, "", name); stack = ";" name stack }
	END { for (line in sum) print line, sum[line] }
EOF
peer='awk' target=2
theirs=(awk -f "$scratch/fold.awk" "$text")
if command -v stackcollapse-perf.pl > /dev/null; then
	peer='stackcollapse-perf.pl' target=10
	theirs=(stackcollapse-perf.pl "$text")
fi

measure fold -r "$(rounds 7)" -w 1 \
	wc wc -l "$text" + pipa "$pipa" fold "$text" + peer "${theirs[@]}"
show fold
bytes=$(stat -c %s "$text")
for name in pipa peer; do
	awk -v name="$name" -v bytes="$bytes" -v ns="$(of fold "$name" cpu)" -v peer="$peer" \
		'BEGIN { printf "%s: %.0f MB/s\n", name == "peer" ? peer : name, bytes * 1000 / ns }'
done
echo "$(grep -c '^[^[:space:]]' "$text") samples, $((bytes / 1000000)) MB, $("$pipa" fold "$text" 2> /dev/null | wc -l) lines"
state "fold of $((bytes / 1000000)) MB of perf script's text" "$(of fold pipa cpu)" "$(of fold peer cpu)" \
	least $target "$peer"
