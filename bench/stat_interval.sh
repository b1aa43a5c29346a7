#!/bin/bash
# CPU time that one interval of `stat -I 100` takes, of the tool's own process: once with the
# default events on a sleeping command, once with 40 events on all CPUs. The process's CPU clock is
# read from outside, one and three seconds after its start, so that starting and ending are left out.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly from=1000 until=3000 interval=100 # ms

need_perf
need_stat task-clock

# per_interval NAME TOOL: ns of CPU time that an interval takes
per_interval() {
	awk -v used="$(of "$1" "$2" own)" -v n=$(((until - from) / interval)) \
		'BEGIN { printf "%.0f\n", used / n }'
}

# compare NAME WHAT least|most TARGET STAT_OPTIONS...
compare() {
	local name=$1 what=$2 kind=$3 target=$4

	shift 4
	measure "$name" -r "$(rounds 15)" -w 1 -t $from,$until \
		perf perf stat -I $interval "$@" sleep 3.2 + \
		pipa "$pipa" stat -I $interval "$@" sleep 3.2
	show_own "$name" "$(((until - from) / interval))"
	state "$what" "$(per_interval "$name" pipa)" "$(per_interval "$name" perf)" "$kind" "$target"
}

# tracepoints GLOB MOST: so many that open here
tracepoints() {
	"$pipa" list tracepoint "$1" | awk -v most="$2" '/^ / && NF == 1 && n++ < most { print $1 }'
}

# Software events and as many tracepoints as fill up to 40; without tracefs the former again.
forty_events() {
	local software=(cpu-clock context-switches cpu-migrations page-faults minor-faults
		major-faults alignment-faults emulation-faults)
	local names=("${software[@]}")

	mapfile -t -O ${#names[@]} names < <(tracepoints 'sched:*' 20 && tracepoints 'syscalls:sys_enter_*' 32)
	while [[ ${#names[@]} -lt 40 ]]; do
		names+=("${software[@]}")
	done
	(IFS=, && echo "${names[*]:0:40}")
}

echo "== default events on a sleeping command, -I 100"
compare default "an interval, default events" most 1

echo
events=$(forty_events)
points=${events//[^:]/} # one in each tracepoint's name
need_stat "$events" -a
echo "== 40 events on all CPUs, -I 100: ${#points} tracepoints, the rest software events"
compare many "an interval, 40 events on all CPUs" least 2 -a -e "$events"
