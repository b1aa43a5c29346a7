#!/usr/bin/env bash
#
# pipa run --config: the original's YAML files give the values of missing options.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# number KEY: of the JSON report in ./out
number() {
	sed -nE "s@^  \"$1\": ([-+.0-9e]+),?\$@\1@p" out
}

upload() {
	mkdir -p data
	printf '1.0,CPU%s,%s,,cycles,1000,100.00,,\n' 0 1000 1 2000 2 4000 > data/perf-stat.csv
	cat > upload.yaml << 'END'
workload: rocksdb
transaction: 100
data_location: data
cores: [1, 2]
dev: sdc
hw_info: 1*4*1
sw_info: version 8
platform: some board
cpu_frequency_mhz: 2600
comment: as it was
pipad_addr: 127.0.0.1
pipad_port: 50051
END
}

test_the_data_of_an_upload_is_in_the_report() {
	upload
	pipa run --config upload.yaml -f json
	status 0
	has out '"workload": "rocksdb"'
	has out '"hw_info": "1*4*1"'
	has out '"sw_info": "version 8"'
	has out '"platform": "some board"'
	has out '"comment": "as it was"'
	has out '"data_location": "data"'
	same 'transactions' "$(number transactions)" 100
	has out '"pattern": "transaction of --config"'
	same 'cycles of the cores' "$(number cycles)" 6000
	same 'cycles per request' "$(number cycles_per_requests)" 60
	same 'frequency' "$(number cpu_frequency_mhz)" 2600
}

test_a_frequency_that_was_measured_is_not_overwritten() {
	upload
	cat > data/sar.txt << 'END'
Linux 6.18.0 (box) 	07/01/24 	_x86_64_	(3 CPU)

10:00:00          CPU       MHz
10:00:01            1   2000.00
10:00:01            2   2200.00
Average:            1   2000.00
Average:            2   2200.00
END
	pipa run --config upload.yaml -f json
	status 0
	same 'frequency' "$(number cpu_frequency_mhz)" 2100
}

test_options_override_the_configuration() {
	local disks=(/sys/class/block/*)

	upload
	mkdir other
	printf '1.0,CPU0,%s,,cycles\n' 7 > other/perf-stat.csv
	pipa run --config upload.yaml --from other --cores 0 --workload mine --transactions 7 -f json
	status 0
	has out '"workload": "mine"'
	has out '"data_location": "other"'
	same 'cycles per request' "$(number cycles_per_requests)" 1
	[[ -e ${disks[0]} ]] || skip 'there is no disk'
	pipa run --config upload.yaml --no-record --cores 0 --dev "${disks[0]##*/}" -f json -- true
	status 0
	has out '"command": "true"'
	lacks out data_location
}

test_files_may_be_named_one_by_one() {
	mkdir data
	printf '1.0,CPU0,5,,cycles\n' > data/counted
	cat > data/watched << 'END'
Linux 6.18.0 (box) 	07/01/24 	_x86_64_	(3 CPU)

10:00:00       proc/s   cswch/s
10:00:01         1.00     42.00
END
	printf '%s: data/%s\n' perf_stat_path counted sar_path watched > c.yaml
	pipa run --config c.yaml -f json
	status 0
	same 'cycles' "$(number cycles)" 5
	same 'switches' "$(number cswch/s)" 42
	has out '"data_location": "data"'
	echo 'perf_stat_path: data/nothing' > c.yaml
	pipa run --config c.yaml
	refused 125 << 'END'
pipa run: cannot open data/nothing: No such file or directory
END
}

measure() {
	cat > measure.yaml << END
workspace: ./data
freq_record: 99
count_delta_stat: 100
events_stat: [page-faults, context-switches]
use_taskset: ${2:-False}
core_range: ${3:-0-7}
command: $1
END
}

# The file that the original ships names an event of one vendor's machines.
test_events_of_another_machine_are_omitted_with_a_note() {
	measure true
	sed -i 's/^events_stat:.*/events_stat: [page-faults, no_such.event]/' measure.yaml
	pipa run --config measure.yaml --no-record -f json
	status 0
	has out "\"events_stat: unknown event 'no_such.event'; skipped\""
	has out '"event": "page-faults"'
	sed -i 's/^events_stat:.*/events_stat: [no_such.event]/' measure.yaml
	pipa run --config measure.yaml --no-record -f json
	status 0
	has out "\"events_stat: unknown event 'no_such.event'; default events are counted\""
	pipa run --config measure.yaml --no-record -e no_such.event touch ran
	status 125
}

test_the_commands_of_a_configuration_are_run() {
	measure 'echo some words'
	pipa run --config measure.yaml --no-record -f json
	status 0
	same 'what it printed' "$(head -n 1 out)" 'some words'
	has out '"command": "echo some words"'
	has out '"event": "page-faults"'
	lacks out '"event": "instructions"'
	measure "'echo one; exit 3'"
	pipa run --config measure.yaml --no-record -f json
	status 3
	same 'what it printed' "$(head -n 1 out)" one
	pipa run --config measure.yaml --no-record -e cpu-clock -f json -- echo two
	status 0
	same 'what it printed' "$(head -n 1 out)" two
	has out '"event": "cpu-clock"'
	lacks out '"event": "page-faults"'
}

test_a_pinned_command_runs_where_it_may() {
	local cpu

	need_program taskset
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
	measure 'grep Cpus_allowed_list /proc/self/status' True "$cpu"
	pipa run --config measure.yaml --no-record -f json
	status 0
	same 'its CPUs' "$(sed -n 's/^Cpus_allowed_list:\t//p' out)" "$cpu"
	same 'those looked at' "$(awk '/used_threads/ { getline; print $1 }' out)" "$cpu"
	measure 'grep Cpus_allowed_list /proc/self/status' False "$cpu"
	pipa run --config measure.yaml --no-record -f json
	same 'its CPUs' "$(sed -n 's/^Cpus_allowed_list:\t//p' out)" \
		"$(sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)"
	lacks out used_threads
	measure true True 60000
	pipa run --config measure.yaml
	refused 125 << 'END'
pipa run: core_range: none of its CPUs is online
END
	measure true True "$cpu,60000"
	pipa run --config measure.yaml --no-record -f json
	status 0
	has out "only CPU $cpu of core_range is online"
}

test_the_workspace_is_where_recordings_are_kept() {
	measure true
	pipa run --config measure.yaml --no-record -o report
	status 0
	[[ -s data/perf-stat.csv && -s data/sar_cpu.csv ]] || fail 'data' 'recordings' "$(ls data)"
	pipa run --config measure.yaml --no-record --keep mine -o report
	status 0
	[[ -s mine/perf-stat.csv ]] || fail '--keep' 'recordings' "$(ls mine)"
	upload
	printf 'workspace: other\n' >> upload.yaml
	pipa run --config upload.yaml
	status 0
	[[ ! -e other ]] || fail 'what is only read' 'nothing kept' "$(ls other)"
}

test_events_of_a_configuration_are_sampled_where_they_can_be() {
	measure "bash -c 'for ((i = 0; i < 100000; i++)); do :; done'"
	echo 'events_record: task-clock' >> measure.yaml
	pipa run --config measure.yaml -f json -o report.json
	status 0
	! grep -q 'no samples' report.json || skip "$(grep 'no samples' report.json)"
	"$PIPA" report data/perf.data 2>&1 | head -n 1 > says
	has says "of event 'task-clock"
	sed -i 's/^events_record.*/events_record: no-such-event/' measure.yaml
	pipa run --config measure.yaml -f json -o report.json
	status 0
	has report.json "events_record: unknown event 'no-such-event'; sampling the default event"
	has report.json '"hot_functions"'
}

test_durations_of_a_configuration_are_limits() {
	measure "bash -c 'until ((SECONDS > 2)); do :; done'"
	printf 'duration_%s: 1\n' record stat >> measure.yaml
	pipa run --config measure.yaml -f json -o report.json
	status 0
	has report.json 'counters and statistics cover the whole run, which was longer than duration_stat'
	! grep -q 'no samples' report.json || skip "$(grep 'no samples' report.json)"
	has report.json 'samples cover the first 1 s (duration_record)'
	"$PIPA" script -F time data/perf.data | tr -d ': ' |
		awk 'NR == 1 { first = $1 } { last = $1 } END { exit !(last - first < 1.5) }' ||
		fail 'time between samples' 'about a second' "$("$PIPA" script -F time data/perf.data)"
	measure true
	printf 'duration_%s: -1\n' record stat >> measure.yaml
	pipa run --config measure.yaml -f json -o report.json
	status 0
	lacks report.json 'duration_'
}

test_emon_is_not_used_with_a_note() {
	measure true
	echo 'use_emon: True' >> measure.yaml
	pipa run --config measure.yaml --no-record -f json
	status 0
	has out 'use_emon: emon is not used, pipa counts itself'
}

test_an_invalid_configuration_is_refused() {
	echo 'worklaod: a' > c.yaml
	pipa run --config c.yaml -- true
	refused_like 125 "pipa run: c.yaml:1:1: .*workload.*"
	pipa run --config nowhere.yaml -- true
	refused 125 << 'END'
pipa run: cannot open nowhere.yaml: No such file or directory
END
	echo 'workload: a' > c.yaml
	pipa run --config c.yaml
	refused_like 125 'pipa run: missing command. .*'
}

run_tests "$@"
