# What the benchmark scripts share: where the programs are, one table, one way to state a result.
#
#	. "${BASH_SOURCE[0]%/*}/lib.sh"
#
#	need_perf
#	measure warm -r "$(rounds 301)" -b true true true + perf perf stat true + pipa "$pipa" stat true
#	show warm
#	state "added" "$(of warm pipa added)" "$(of warm perf added)" least 10
#
# A script exits with 0 when it could measure, whatever came out; with 77 and the reason when it
# could not because the peer is missing; with 1 when something is broken.
#
# From the environment: PIPA_BUILD (a build folder with PIPA_BENCH=ON; build/release by default),
# BENCH_ROUNDS (measured rounds), BENCH_ROWS (a file that collects results as Markdown rows).
# shellcheck shell=bash

set -euo pipefail
export LC_ALL=C

bench=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
build=$(realpath -m "${PIPA_BUILD:-$bench/../build/release}")
lap=$build/bench/lap
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
	echo "${0##*/}: $*" >&2
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

[[ -x $build/pipa && -x $lap ]] ||
	die "no pipa and bench/lap in $build; build them: cmake --preset release && cmake --build --preset release"

# The program as an installation leaves it. Fresh from the linker its file sits in the page cache in
# small pieces, and starting it takes some 90 us more.
pipa=$scratch/pipa
cp --reflink=never "$build/pipa" "$pipa"

# need_perf: the peer, as a program that really runs (a wrapper may stand alone) and may count
need_perf() {
	command -v perf > /dev/null || skip "needs perf (Debian: linux-perf)"
	perf stat -e task-clock true > /dev/null 2>&1 || skip "perf cannot count here: try perf stat true"
}

# need_stat EVENTS OPTIONS...: pipa can count these
need_stat() {
	local events=$1

	shift
	"$pipa" stat -e "$events" "$@" true > /dev/null 2> "$scratch/why" || skip "$(tail -n 1 "$scratch/why")"
}

# rounds DEFAULT: how many to measure
rounds() {
	echo "${BENCH_ROUNDS:-$1}"
}

# peak_kb COMMAND...: the memory it had at most
peak_kb() {
	/usr/bin/time -f "%M" -o "$scratch/peak" "$@" > /dev/null 2>&1 || true
	tail -n 1 "$scratch/peak"
}

# measure NAME LAP_OPTIONS...: run lap and keep what it measured under a name
measure() {
	local name=$1

	shift
	"$lap" -m "$@" > "$scratch/$name.lap"
}

# of NAME COMMAND wall|cpu|own|added|added-cpu: a kept median in ns
of() {
	awk -v command="$2" -v what="$3" '
		BEGIN {
			split("wall cpu own wall10 wall90 own10 own90 added added-cpu added-own", names, " ")
			for (i in names) column[names[i]] = i + 1
		}
		$1 == command { print $column[what] }' "$scratch/$1.lap"
}

# show NAME: a table of what was kept, in microseconds
show() {
	awk '
		NR == 1 {
			printf "%-20s %26s %10s %10s", "", "wall us  (p10 .. p90)", "cpu us", "own us"
			if (NF > 8) printf " %26s %14s", "added us  (p10 .. p90)", "added cpu us"
			print ""
		}
		{
			spread = sprintf("%.0f  (%.0f .. %.0f)", $2 / 1e3, $5 / 1e3, $6 / 1e3)
			printf "%-20s %26s %10.0f %10.0f", $1, spread, $3 / 1e3, $4 / 1e3
			if (NF > 8 && $9) {
				spread = sprintf("%.0f  (%.0f .. %.0f)", $9 / 1e3, $12 / 1e3, $13 / 1e3)
				printf " %26s %14.0f", spread, $10 / 1e3
			}
			print ""
		}' "$scratch/$1.lap"
}

# show_own NAME N: a table of the process's own CPU time, in all and for each of N parts
show_own() {
	awk -v n="$2" '
		NR == 1 { printf "%-20s %26s %26s\n", "", "own us  (p10 .. p90)", "of " n ", each us" }
		{
			all = sprintf("%.0f  (%.0f .. %.0f)", $4 / 1e3, $7 / 1e3, $8 / 1e3)
			each = sprintf("%.1f  (%.1f .. %.1f)", $4 / n / 1e3, $7 / n / 1e3, $8 / n / 1e3)
			printf "%-20s %26s %26s\n", $1, all, each
		}' "$scratch/$1.lap"
}

# state WHAT OURS_NS THEIRS_NS least|most TARGET [PEER]: print a comparison and keep it as a row.
# `least` asks that theirs be at least TARGET times ours, `most` that ours be at most TARGET times theirs.
state() {
	local what=$1 ours=$2 theirs=$3 kind=$4 target=$5 peer=${6:-perf}

	awk -v what="$what" -v ours="$ours" -v theirs="$theirs" -v kind="$kind" -v target="$target" \
		-v peer="$peer" -v rows="${BENCH_ROWS:-/dev/null}" '
		BEGIN {
			if (ours <= 0 || theirs <= 0) {
				print what ": below the noise, no ratio; try more rounds (BENCH_ROUNDS)"
				exit
			}
			ratio = kind == "least" ? theirs / ours : ours / theirs
			over = kind == "least" ? peer " / pipa" : "pipa / " peer
			met = kind == "least" ? ratio >= target : ratio <= target
			printf "%s: pipa %.1f us, %s %.1f us\n", what, ours / 1e3, peer, theirs / 1e3
			printf "ratio: %.2f (target at %s %s, %s)\n", ratio, kind, target, over
			printf "| %s | %.1f us | %s %.1f us | %s = %.2f | at %s %s | %s |\n", what, ours / 1e3,
				peer, theirs / 1e3, over, ratio, kind, target, met ? "met" : "missed" >> rows
		}'
}

# record_stacks FILE SAMPLES [PATHS]: have perf record bench/stacks with call chains until FILE has at least
# SAMPLES samples. Two threads, each 10,000 times per second; a busy machine gives them less than that.
record_stacks() {
	local file=$1 least=$2 seconds got

	seconds=$(awk -v n="$least" 'BEGIN { print n / 19000 }')
	for _ in 1 2 3; do
		perf record -q -F 10000 -g -o "$file" -- "$build/bench/stacks" "$seconds" "${@:3}" \
			> /dev/null 2>&1 || return 1
		got=$("$pipa" report --stats "$file" | awk '$1 == "SAMPLE" { print $3; exit }')
		[[ $got -ge $least ]] && break
		seconds=$(awk -v s="$seconds" -v n="$least" -v got="$got" 'BEGIN { print s * n / got * 1.1 }')
	done
	echo "$("$build/bench/walk" "$file"), $(($(stat -c %s "$file") / 1000000)) MB"
}

# compare WHAT OURS_NS THEIRS_NS AT_LEAST WALK_OURS_NS WALK_NS AT_MOST [PEER]: print how often ours fits into the
# peer's time and how often the bare walk (bench/walk.c) fits into ours, both of this run, and keep two rows.
compare() {
	awk -v what="$1" -v ours="$2" -v theirs="$3" -v near="$5" -v walk="$6" -v peer="${8:-perf}" '
		BEGIN {
			printf "%-34s pipa %8.1f ms  %s %9.1f ms (%6.1f times)  walk %7.1f ms (pipa %.2f times)\n", what,
				ours / 1e6, peer, theirs / 1e6, theirs / ours, walk / 1e6, near / walk
		}'
	state "$1, against ${8:-perf}" "$2" "$3" least "$4" "${8:-perf}" > /dev/null
	state "$1, against the bare walk" "$5" "$6" most "$7" walk > /dev/null
}
