#!/bin/bash
# What libpipa-heap.so costs the program: malloc and free pairs and allocations only at the default rate of 512 KiB,
# programs of two threads, and every allocation; against the bare program and heaptrack. CPU time, interleaved runs;
# instructions per pair by callgrind. Then whole programs at the default rate with 95 % intervals, what pipa's own
# start and report add to that, and tcmalloc's sampling at the same rate (heap_paired.py).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

library=$build/libpipa-heap.so
program=$build/bench/heap
[[ -r $library && -x $program ]] || die "no libpipa-heap.so and bench/heap in $build"
n=$(rounds 11)
# where pipa heap puts the files, too
heap=$scratch/heap
[[ ! -w /dev/shm ]] || heap=$(mktemp -d /dev/shm/bench-heap-XXXXXX)
trap 'rm -rf "$scratch" "$heap"' EXIT

# bare, default, all MODE COUNT: CPU nanoseconds per operation
bare() {
	"$program" "$@"
}
preloaded() {
	rm -rf "$heap"
	mkdir "$heap"
	LD_PRELOAD=$library PIPA_HEAP="rate=$1 dir=$heap" "$program" "${@:2}"
}
middle() {
	sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# interleave MODE COUNT: medians of bare, default and all into $got_bare, $got_default, $got_all
interleave() {
	local i

	rm -f "$scratch"/{bare,default,all}
	for ((i = 0; i < n; i++)); do
		bare "$1" "$2" >> "$scratch/bare"
		preloaded 524288 "$1" "$2" >> "$scratch/default"
		preloaded 1 "$1" $(($2 / 4)) >> "$scratch/all"
	done
	got_bare=$(middle "$scratch/bare") got_default=$(middle "$scratch/default") got_all=$(middle "$scratch/all")
	awk -v mode="$1" -v a="$got_bare" -v b="$got_default" -v c="$got_all" 'BEGIN {
		printf "%-8s bare %8.2f ns   rate 512 KiB %8.2f ns (%+.2f ns, %+.1f %%)   rate 1 %9.2f ns (%.1f times)\n",
			mode, a, b, b - a, (b / a - 1) * 100, c, c / a }'
}

interleave pair 10000000
interleave alloc 1000000
interleave threads 1000000

if command -v heaptrack > /dev/null; then
	rm -f "$scratch/peer"
	for ((i = 0; i < (n + 2) / 3; i++)); do
		heaptrack -o "$scratch/trace" "$program" threads 250000 2> /dev/null |
			grep -xE '[0-9.]+' >> "$scratch/peer"
	done
	awk -v a="$got_bare" -v c="$got_all" -v p="$(middle "$scratch/peer")" 'BEGIN {
		printf "threads  heaptrack %.2f ns (%.1f times; without its interpreter); pipa, every allocation: %.1f times\n",
			p, p / a, c / a }'
else
	echo "threads  heaptrack is not installed"
fi

if command -v valgrind > /dev/null; then
	# instructions of 20,000 more pairs, by the difference of two runs; start and samples cancel out
	instructions() {
		LD_PRELOAD=$1 PIPA_HEAP="rate=1099511627776 dir=$heap" valgrind --tool=callgrind \
			--callgrind-out-file=/dev/null "$program" pair "$2" 2>&1 | sed -n 's/.*Collected : //p'
	}
	mkdir -p "$heap"
	without=$(($(instructions "" 120000) - $(instructions "" 100000)))
	with=$(($(instructions "$library" 120000) - $(instructions "$library" 100000)))
	awk -v a="$without" -v b="$with" 'BEGIN {
		printf "pair     instructions: bare %.1f, with the library %.1f (%+.1f)\n", a / 20000, b / 20000,
			(b - a) / 20000 }'
fi

# peak of resident memory of a program that allocates 64 MB and keeps it
python3 - "$program" "$library" "$heap" << 'END'
import os, resource, subprocess, sys
program, library, directory = sys.argv[1:]
def peak(env):
    pid = os.posix_spawn(program, [program, "alloc", "1000000"], {**os.environ, **env},
                         file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
    return os.wait4(pid, 0)[2].ru_maxrss / 1024
a = peak({})
b = peak({"LD_PRELOAD": library, "PIPA_HEAP": f"dir={directory}"})
print(f"memory   bare {a:.1f} MiB, with the library {b:.1f} MiB ({b - a:+.1f} MiB; at most 20)")
END

python3 "$bench/heap_paired.py" "$pipa" "$library" "$program" "$(rounds 31)" "$heap/paired"
