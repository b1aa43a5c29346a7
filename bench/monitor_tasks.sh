#!/bin/bash
# CPU time of one tick of `monitor --processes` with 100, 600 and 5,000 sleeping processes, against
# pidstat showing the same columns (-u -r -d -w) and against top -b, at one second, all written to
# /dev/null. A run of many ticks less a run of few: starting and ending cancel. `text` is pipa without
# the right to use BPF, reading /proc. Before that, the memory of pipa while it ticks every 10 ms:
#
#	bench/monitor_tasks.sh [SECONDS]     for so long, 120 by default
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly seconds=${1:-120}
readonly few=1 many=6
# without these the kernel takes no BPF program; the rest of root stays
readonly rights='-bpf,-perfmon,-sys_admin'
readonly text=(setpriv "--bounding-set=$rights" "--inh-caps=$rights")

command -v pidstat > /dev/null || skip "needs pidstat (Debian: sysstat)"
command -v top > /dev/null || skip "needs top (Debian: procps)"
"${text[@]}" true 2> /dev/null || skip "needs root, to have rights and to give them up"

# sleep_beside N: so many processes asleep, until awake
sleep_beside() {
	coproc sleepers { exec "$build/bench/sleepers" "$1"; }
	read -r -u "${sleepers[0]}" || die "no $1 processes can be started"
}

awake() {
	# shellcheck disable=SC2154 # bash sets it
	local pid=$sleepers_PID

	eval "exec ${sleepers[1]}>&-"
	wait "$pid"
}

# per_tick NAME: ns of CPU time between the short and the long run, for each tick
per_tick() {
	awk -v long="$(of ticks "$1-$many" cpu)" -v short="$(of ticks "$1-$few" cpu)" -v n=$((many - few)) \
		'BEGIN { printf "%.0f\n", (long - short) / n }'
}

compare() {
	sleep_beside "$1"
	measure ticks -r "$(rounds 3)" -w 0 \
		pidstat-$few pidstat -urdw 1 $few + pidstat-$many pidstat -urdw 1 $many + \
		top-$few top -b -d 1 -n $((few + 1)) + top-$many top -b -d 1 -n $((many + 1)) + \
		text-$few "${text[@]}" "$pipa" monitor --processes -i 1 -n $few + \
		text-$many "${text[@]}" "$pipa" monitor --processes -i 1 -n $many + \
		pipa-$few "$pipa" monitor --processes -i 1 -n $few + \
		pipa-$many "$pipa" monitor --processes -i 1 -n $many
	awake
	echo "$1 sleeping processes"
	show ticks
	state "a tick of monitor --processes, $1 asleep" "$(per_tick pipa)" "$(per_tick pidstat)" least 10 pidstat
	state "a tick of monitor --processes, $1 asleep" "$(per_tick pipa)" "$(per_tick top)" least 10 top
	state "the same without BPF, $1 asleep" "$(per_tick text)" "$(per_tick pidstat)" least 3 pidstat
}

# memory: pipa's at a tenth of the time and at the end, in kB
memory() {
	local pid early late

	sleep_beside 600
	"$pipa" monitor --processes --threads -i 10ms > /dev/null &
	pid=$!
	sleep "$(awk -v s="$seconds" 'BEGIN { print s / 10 }')"
	early=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	sleep "$(awk -v s="$seconds" 'BEGIN { print s * 9 / 10 }')"
	late=$(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")
	kill -INT "$pid"
	wait "$pid"
	awake
	echo "memory with 600 asleep, a tick every 10 ms: $early kB after a tenth of $seconds s, $late kB at the end (target below 8192 kB, flat)"
}

memory
for n in 100 600 5000; do
	compare "$n"
done
