# pipa stat, run, record and report on real counters and on aarch64. Runs in the
# guest, in busybox's shell.
#
# There a cycle is a nanosecond and an instruction takes two (-icount shift=1), and `work N`
# executes 2 x N instructions and a constant few, so most of these ask for exact numbers.
#
# Each test is a function, run in a shell of its own; what it prints when it fails is the reason.
# shellcheck shell=dash

small=1000000
large=3000000
long=100000000 # 0.4 s: many turns of the multiplexer, several intervals

try() {
	if why=$("$1" 2>&1); then
		echo "ok $2"
	else
		echo "not ok $2: $(echo "$why" | grep -v '^#' | tr -s ' \n' ' ' | head -c 400)"
		return 1
	fi
}

die() {
	echo "$*"
	exit 1
}

# same WHAT GOT WANT
same() {
	[ "$2" = "$3" ] || die "$1: ${2:-nothing}, expected $3"
}

# near WHAT GOT WANT PERCENT
near() {
	awk -v got="$2" -v want="$3" -v percent="$4" 'BEGIN {
		off = got - want
		exit (got == "" || (off < 0 ? -off : off) > want * percent / 100)
	}' || die "$1: ${2:-nothing}, expected $3 within $4 %"
}

# stat EVENTS COMMAND...: count as CSV into ./csv; further options for pipa are in $options
options=
stat() {
	events=$1
	shift
	# shellcheck disable=SC2086 # $options is a list of words
	pipa stat -x, -o csv -e "$events" $options "$@" >log 2>&1 ||
		die "pipa stat -e $events $options $*: exit $? $(cat log)"
}

# field EVENT N: the Nth CSV field of each line about an event
field() {
	awk -F, -v event="$1" -v n="$2" '$3 == event { print $n }' csv
}

# count EVENT COMMAND...: one event's value, into $got
count() {
	stat "$@"
	got=$(field "$1" 1)
	case $got in
	'' | *[!0-9]*) die "no count of $1 in: $(cat csv)" ;;
	esac
}

starts() {
	pipa --version || die "pipa --version: exit $?"
}

# growth EVENT: how much more the large loop counts than the small one, into $got
growth() {
	count "$1" work $small
	less=$got
	count "$1" work $large
	got=$((got - less))
}

instructions_exact() {
	for run in 1 2 3; do
		growth instructions:u
		same "growth in run $run" "$got" $((2 * (large - small)))
	done
}

cycles_exact() {
	growth cycles:u
	same growth "$got" $((4 * (large - small)))
}

group() {
	count cycles:u work $large
	cycles=$got
	count instructions:u work $large
	stat '{cycles:u,instructions:u}' work $large
	same cycles "$(field cycles:u 1)" "$cycles"
	same instructions "$(field instructions:u 1)" "$got"
	same "running share of cycles" "$(field cycles:u 5)" 100.00
	same "running share of instructions" "$(field instructions:u 5)" 100.00
}

multiplexing() {
	six="cycles:u,cycles:u,cycles:u,cycles:u,cycles:u,cycles:u"
	stat "$six,$(echo $six | sed s/cycles/instructions/g)" work $long
	same "lines of cycles" "$(field cycles:u 1 | wc -l)" 6
	same "lines of instructions" "$(field instructions:u 1 | wc -l)" 6
	for value in $(field cycles:u 1); do
		near "scaled cycles" "$value" $((4 * long)) 2
	done
	for value in $(field instructions:u 1); do
		near "scaled instructions" "$value" $((2 * long)) 2
	done
	least=$({ field cycles:u 5; field instructions:u 5; } | sort -n | head -n 1)
	awk -v share="$least" 'BEGIN { exit !(share > 0 && share < 100) }' ||
		die "least running share $least %, expected less than 100"
}

repeats() {
	options="-r 5"
	stat instructions:u work $large
	near "mean of five" "$(field instructions:u 1)" $((2 * large)) 0.1
	spread=$(field instructions:u 4)
	near "spread as CSV" "$(echo "${spread%\%}" | awk '{ print 100 + $1 }')" 100 0.01
	same "its unit" "${spread#"${spread%?}"}" %

	# perf leaves out a spread of exactly zero; the kernel's part is not the same each time
	pipa stat -r 5 -e instructions:u,instructions -o text work $large >log 2>&1 ||
		die "$(cat log)"
	grep -Eq 'instructions .*(\+-|±) *[0-9.]+ ?%' text || die "no spread in: $(cat text)"
	! grep instructions:u text | grep -E '(\+-|±)' | grep -Evq '(\+-|±) *0\.0[01]' ||
		die "a wide spread in: $(cat text)"
}

threads() {
	count instructions:u work threads 4 $large
	near "4 threads" "$got" $((8 * large)) 0.1
}

children() {
	count instructions:u work fork $large
	near "a child" "$got" $((2 * large)) 0.1
}

asleep() {
	count instructions:u work sleep 500
	[ "$got" -lt 1000 ] || die "$got instructions in a sleep"
}

intervals() {
	count instructions:u work $long
	options="-I 100"
	stat instructions:u work $long
	sum=$(awk -F, '$4 == "instructions:u" { n += $2; lines++ } END { print n, lines }' csv)
	same "sum of intervals" "${sum% *}" "$got"
	[ "${sum#* }" -ge 4 ] || die "${sum#* } intervals of 100 ms in 400 ms"
}

unsupported() {
	stat branch-misses:u,instructions:u work $small
	same branch-misses "$(field branch-misses:u 1)" "<not supported>"
	near "instructions beside it" "$(field instructions:u 1)" $((2 * small)) 0.1
}

system_wide() {
	options=-a
	count instructions:u work $long
	[ "$got" -ge $((2 * long)) ] || die "$got in all, the command alone makes $((2 * long))"

	work $long & # another 0.4 s, beside a command that does nothing
	count instructions:u work sleep 200
	wait
	[ "$got" -ge $((long / 2)) ] || die "$got in all, another process alone made $((long / 2))"
}

ipc() {
	pipa stat -M ipc -o text work $long >log 2>&1 || die "$(cat log)"
	grep -Ei 'ipc|insn' text | grep -Eq '[^0-9.]0\.50*([^0-9]|$)' ||
		die "no IPC of 0.5 in: $(cat text)"
	pipa stat -x, -M ipc -o csv work $long >log 2>&1 || die "$(cat log)"
	grep -Eiq '(^|,)0\.50*,[^,]*(ipc|insn)' csv || die "no IPC of 0.5 in: $(cat csv)"
}

json() {
	count instructions:u work $large
	pipa stat --json -e instructions:u -o json work $large >log 2>&1 || die "$(cat log)"
	grep -q instructions:u json || die "no event in: $(cat json)"
	grep -Eq "[^0-9]${got}[^0-9]" json || die "no $got in: $(cat json)"
}

# report OPTIONS... COMMAND...: pipa run into ./json
report() {
	pipa run -f json -o json "$@" >log 2>&1 || die "pipa run $*: exit $? $(cat log)"
}

# key NAME: of the report, "" when it is not there
key() {
	sed -n "s/^  \"$1\": \"*\([^\",]*\)\"*,*\$/\1/p" json
}

run_exact() {
	count instructions:u work $large
	instructions=$got
	count cycles:u work $large
	report --no-record -e cycles:u,instructions:u --transactions 1000 work $large
	same scope "$(key scope)" command
	same instructions "$(key instructions)" "$instructions"
	same cycles "$(key cycles)" "$got"
	same "path length" "$(key path_length)" "$(awk -v n="$instructions" 'BEGIN { printf "%.12g", n / 1000 }')"
	same "cycles per request" "$(key cycles_per_requests)" "$(awk -v n="$got" 'BEGIN { printf "%.12g", n / 1000 }')"
	near CPI "$(key CPI)" 2 0.01
	near IPC "$(key IPC)" 0.5 0.01
}

run_cores() {
	report --no-record --cores 0 -e cycles:u,instructions:u --transactions 1000 work $long
	same scope "$(key scope)" cores
	near "instructions of the core" "$(key instructions)" $((2 * long)) 5
	[ "$(key instructions)" -ge $((2 * long)) ] || die "less than the command's own: $(key instructions)"
	near "path length" "$(key path_length)" $((2 * long / 1000)) 5
	near "CPI of the core" "$(key CPI)" 2 1
	grep -q '"counters_command"' json || die "the command's own are missing"
}

run_usual() {
	report --transactions 1000 work $long
	same scope "$(key scope)" command
	[ "$(key instructions)" -ge $((2 * long)) ] || die "instructions: $(key instructions)"
	near instructions "$(key instructions)" $((2 * long)) 5
	grep -q '"dso": "work"' json || die "no hot function in $(cat json)"
}

run_like_perf() {
	events=cycles:u,instructions:u
	perf stat -x, -o csv -e $events work $large >log 2>&1 || die "perf stat: $(cat log)"
	report --no-record -e $events work $large
	same cycles "$(key cycles)" "$(field cycles:u 1)"
	same instructions "$(key instructions)" "$(field instructions:u 1)"
}

like_perf() {
	events=instructions:u,cycles:u,branch-misses:u
	perf stat -x, -o csv -e $events work $large >log 2>&1 || die "perf stat: $(cat log)"
	cut -d, -f1-3 csv >perf.csv
	stat $events work $large
	same "values, units and names" "$(cut -d, -f1-3 csv | grep ,)" "$(grep , perf.csv)"
}

# Both intervals of a collection, whose default events the machine has
collection() {
	pipa collect --no-spec-info --no-record --duration-stat 1 --perf-stat-interval 500 \
		-o a.tar.gz >log 2>&1 || die "pipa collect: exit $? $(cat log)"
	rm -rf got
	mkdir got
	tar -xzf a.tar.gz -C got || die "tar: exit $?"
	for event in cpu-cycles instructions; do
		same "rows of $event" "$(awk -F, -v event=$event \
			'$4 == event && $2 ~ /^[0-9]+$/' got/attach_session/perf_stat.txt | wc -l)" 2
	done
	awk -F, '$4 ~ /^(cpu-cycles|instructions)$/ && $2 < 1000 { exit 1 }' \
		got/attach_session/perf_stat.txt ||
		die "too little was counted: $(cat got/attach_session/perf_stat.txt)"
}

# record FILE PROGRAM EVENT OPTIONS...: a recording of 0.2 s of a workload with a known call chain
record() {
	file=$1 program=$2 event=$3
	shift 3
	pipa record -q -F 1999 -e "$event" "$@" -o "$file" "$program" $long >log 2>&1 ||
		die "pipa record $* $program: exit $? $(cat log)"
}

# chains FILE PROGRAM: nine of ten samples have exactly the workload's call chain, in fold and in script
chains() {
	pipa fold "$1" >folded 2>log || die "pipa fold: exit $? $(cat log)"
	awk -v program="$2" '
		{ all += $NF }
		$0 ~ "^" program ";.*;main;outer;middle;inner;leaf [0-9]+$" { good += $NF }
		END {
			if (all < 100 || good < all * 0.9)
				printf "%d of %d samples have the chain: ", good, all
			exit all < 100 || good < all * 0.9
		}' folded || die "$(sort -k 2 folded | tail -n 3)"
	pipa script -F ip,sym "$1" >frames 2>log || die "pipa script: exit $? $(cat log)"
	awk 'NF == 0 { good += line == "leaf inner middle outer main"; all += n > 0; line = ""; n = 0; next }
		n++ < 5 { line = line (n == 1 ? "" : " ") $2 }
		END { exit all < 100 || good < all * 0.9 }' frames || die "script: $(head -n 8 frames)"
}

# shares FILE: leaf has the time, and main is above it
shares() {
	pipa report "$1" >table 2>log || die "pipa report: exit $? $(cat log)"
	awk '$NF == "leaf" && $2 + 0 > 90 { leaf = 1 } $NF == "main" && $1 + 0 > 90 { up = 1 }
		END { exit !(leaf && up) }' table || die "report: $(grep -v '^#' table | head -n 8)"
}

record_fp() {
	record fp.data chain_fp cycles:u --call-graph fp
	chains fp.data chain_fp
	shares fp.data
}

record_dwarf() {
	record dwarf.data chain_cfi cycles:u --call-graph dwarf --unwind later
	chains dwarf.data chain_cfi
	shares dwarf.data
}

record_live() {
	record live.data chain_cfi cpu-clock:u --call-graph dwarf --unwind live
	chains live.data chain_cfi
}

record_auto() {
	record auto.data chain_cfi cpu-clock
	chains auto.data chain_cfi
	shares auto.data
	record auto_fp.data chain_fp cpu-clock
	chains auto_fp.data chain_fp
}

# counted samples and the counter agree: a sample per period
record_period() {
	pipa record -q -c 1000000 -e cycles:u -o period.data work $long >log 2>&1 ||
		die "pipa record -c: exit $? $(cat log)"
	near samples "$(pipa script -F event period.data | grep -c cycles)" $((4 * long / 1000000)) 2
}

try starts "pipa starts" || exit
try instructions_exact "instructions are exact to the last one, three times over"
try cycles_exact "cycles are exact: two per instruction"
try group "a group counts what its events count alone, all the time"
try multiplexing "twelve events share the counters and scale to true values"
try repeats "five repeats agree and say so"
try threads "threads are counted"
try children "forked children are counted"
try asleep "a sleeping command counts next to nothing"
try intervals "intervals add up to the total"
try unsupported "an event the PMU lacks is called not supported, the others count"
try system_wide "a system-wide count holds the command's and others'"
try ipc "the IPC metric is one half"
try json "JSON carries the same count"
try collection "a collection has cycles and instructions"
try run_exact "pipa run has cycles, instructions, CPI and path length exact"
try run_cores "pipa run on named cores has the scope and the counts of the cores"
try run_usual "pipa run without options counts and names hot functions"
try record_period "a recording has a sample for each period"
try record_fp "a recording by frame pointers has the call chain"
try record_dwarf "stack dumps are unwound by CFI to the call chain"
try record_live "stacks that are unwound live have the call chain"
try record_auto "a recording without options has the call chain"
if [ -x /bin/perf ]; then
	try like_perf "perf counts the same"
	try run_like_perf "perf counts what pipa run counts"
else
	echo "skip perf counts the same: no perf in the guest"
	echo "skip perf counts what pipa run counts: no perf in the guest"
fi
