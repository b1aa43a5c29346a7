#!/bin/bash
# Wall time and memory of a report out of a recording with pieces of stacks (--call-graph dwarf --unwind
# later) of a C++ program with debug information, against perf report and the parser of hotspot on the same
# file: perf unwinds with libunwind and looks inlined functions up for each address, unless it is told not to;
# hotspot's parser unwinds and names with elfutils, and writes what its user interface shows. BENCH_SAMPLES says how
# many samples it is to have at least (50,000). The recording is pipa's, as perf's own loses samples at this
# rate. Without a C++ compiler it is of a C program. perf's look at inlined functions is measured once, as it
# takes its time, the more the larger the program is; BENCH_NO_INLINE=1 leaves it out. BENCH_KINDS says in how many kinds
# the program has its functions (16: 7 MB; 1: 1 MB).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly samples=${BENCH_SAMPLES:-50000}

need_perf
program=$build/bench/stacks
if command -v c++ > /dev/null; then
	program=$scratch/inlined
	c++ -O2 -g -fomit-frame-pointer -pthread -DKINDS="${BENCH_KINDS:-16}" -o "$program" \
		"$bench/inlined.cc" || die "inlined.cc cannot be built"
else
	echo "no C++ compiler: a C program instead"
fi
[[ -x $program ]] || die "no $program"
data=$scratch/perf.data
# two threads, each 5,000 times a second; on a busy machine they get less than that
seconds=$(awk -v n="$samples" 'BEGIN { print n / 9500 }')
for _ in 1 2 3; do
	"$pipa" record -q -F 5000 --call-graph dwarf --unwind later -o "$data" -- "$program" "$seconds" \
		> /dev/null 2>&1 || skip "nothing can be recorded here"
	got=$("$pipa" report --stats "$data" | awk '$1 == "SAMPLE" { print $3; exit }')
	[[ $got -ge $samples ]] && break
	seconds=$(awk -v s="$seconds" -v n="$samples" -v got="$got" 'BEGIN { print s * n / got * 1.1 }')
done
echo "$got samples"
"$pipa" report "$data" | sed -n 's/^# \(stacks: .*\)/\1/p'
stat -c %s "$data" | awk '{ printf "%.1f MB\n", $1 / 1e6 }'

measure table -r "$(rounds 3)" -w 0 \
	perf perf report --stdio --no-children --no-inline -i "$data" + \
	pipa "$pipa" report --no-children --no-inline --tree "$data" + \
	pipa-children "$pipa" report --no-inline "$data" + \
	pipa-self "$pipa" report --no-children "$data"
show table
state "a table with callers, against perf report --no-inline" "$(of table pipa wall)" \
	"$(of table perf wall)" least 15
state "the same, CPU time" "$(of table pipa cpu)" "$(of table perf cpu)" least 15
if [[ -x /usr/bin/time ]]; then
	state "resident memory (kB as us) of the table with callers" \
		"$(($(peak_kb "$pipa" report --no-children --no-inline --tree "$data") * 1000))" \
		"$(($(peak_kb perf report --stdio --no-children --no-inline -i "$data") * 1000))" least 5
fi

parser=
for file in /usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser; do
	[[ -x $file ]] && parser=$file
done
if [[ -n $parser ]]; then
	measure parser -r "$(rounds 3)" -w 0 \
		hotspot "$parser" --input "$data" --output "$scratch/hotspot" + \
		pipa "$pipa" report --inline "$data" + \
		pipa-tree "$pipa" report --inline --no-children --tree "$data"
	show parser
	state "a table with inlined functions, against hotspot-perfparser" "$(of parser pipa wall)" \
		"$(of parser hotspot wall)" least 10 hotspot
	state "the same, CPU time" "$(of parser pipa cpu)" "$(of parser hotspot cpu)" least 10 hotspot
else
	echo "no hotspot-perfparser (Debian: hotspot): not compared"
fi

if [[ -z ${BENCH_NO_INLINE:-} ]]; then
	measure inlined -r 1 -w 0 \
		perf perf report --stdio --no-children -i "$data" + \
		pipa "$pipa" report --inline "$data" + \
		pipa-tree "$pipa" report --inline --no-children --tree "$data"
	show inlined
	state "a table with inlined functions, against perf report" "$(of inlined pipa wall)" \
		"$(of inlined perf wall)" least 100
	state "the same with callers" "$(of inlined pipa-tree wall)" "$(of inlined perf wall)" least 100
fi
