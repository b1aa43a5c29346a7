#!/usr/bin/env bash
#
# pipa monitor: tables, CSV and JSON, what is shown, when it stops.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# the screen of standard output, numbers as N
shown() {
	look out 's/[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?/TIME/' > screen
	compare 'screen' screen
}

test_a_section_is_a_table_that_ends_with_averages() {
	pipa monitor --cswch -i 20ms -n 2
	status 0
	stderr < /dev/null
	shown << 'END'

TIME proc/s cswch/s
TIME N N
TIME N N

Average: proc/s cswch/s
Average: N N
END
}

test_several_sections_have_a_header_each_tick() {
	pipa monitor --cswch --psi -i 20ms -n 1
	if [[ ! -e /proc/pressure/cpu ]]; then
		skip 'this kernel measures no pressure'
	fi
	same 'headers' "$(grep -c 'cswch/s' out)" 2
	same 'headers' "$(grep -c '%scpu-300' out)" 2
}

test_without_a_section_cpu_load_memory_disks_and_network_are_shown() {
	pipa monitor -i 20ms -n 1
	status 0
	has out '%iowait'
	has out 'ldavg-15'
	has out 'kbmemfree'
	has out 'IFACE'
}

test_cpus_are_shown_when_asked_for() {
	pipa monitor --cpu -i 20ms -n 1
	same 'rows' "$(grep -cE ' (all|[0-9]+) +[0-9.]+ ' out)" 2
	pipa monitor --cpu -P 0 -i 20ms -n 1
	matches out '^[0-9:.]+ +0 '
	lacks out ' all '
	pipa monitor --cpu -P ALL -i 20ms -n 1
	matches out '^[0-9:.]+ +all '
	matches out '^[0-9:.]+ +0 '
}

test_shares_of_a_cpu_add_up() {
	local sum

	pipa monitor --cpu -i 50ms -n 1
	sum=$(awk '$1 ~ /^[0-9]/ && $2 == "all" { for (i = 3; i <= NF; i++) sum += $i } END { print sum }' out)
	between 'percent in all' "$sum" 99.9 100.1
}

test_interfaces_can_be_chosen_by_glob() {
	if [[ ! -e /sys/class/net/lo ]]; then
		skip 'no loopback interface'
	fi
	pipa monitor --net --iface 'l*' -i 20ms -n 1
	same 'rows' "$(grep -cE '^[0-9:.]+ +lo ' out)" 1
	same 'other rows' "$(grep -E '^[0-9:.]+ +[a-z]' out | grep -cvE ' lo ')" 0
}

test_csv_has_sadfs_header_and_utc() {
	pipa monitor --csv --load -i 20ms -n 1
	status 0
	same 'lines' "$(wc -l < out)" 2
	same 'header' "$(head -n 1 out)" \
		'# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked'
	matches out "^$(uname -n);0\.0[0-9]+;[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ UTC;[0-9]+;"
}

test_json_is_an_object_a_tick_and_an_average() {
	pipa monitor --json --load -i 20ms -n 2
	same 'lines' "$(wc -l < out)" 3
	same 'averages' "$(grep -c '"average": true' out)" 1
	same 'ticks' "$(grep -c '^{"schema": "pipa-monitor/1".*"load": \[{"runq-sz": ' out)" 3
}

test_ticks_do_not_drift() {
	pipa monitor --json --load -i 50ms -n 10
	# the tenth tick ends half a second after the start, however long each took
	between 'seconds from the first tick to the tenth' \
		"$(grep -v average out | grep -oE '"time": [0-9.]+' | awk '{ t[NR] = $2 } END { printf "%.3f", t[10] - t[1] }')" \
		0.43 0.60
}

test_ctrl_c_ends_it_with_the_averages() {
	launch "$PIPA" monitor --load -i 20ms
	until_true grep -q ldavg out
	kill -INT "$started"
	landed
	status 0
	has out 'Average:'
}

test_a_full_disk_is_said() {
	"$PIPA" monitor --load -i 20ms -n 2 > /dev/full 2> err
	got_status=$?
	: > out
	status 1
	same 'said' "$(cat err)" 'pipa monitor: write standard output: No space left on device'
}

test_bad_use_is_one_line_with_a_hint() {
	pipa monitor --nonsense
	refused 2 << 'END'
pipa monitor: unknown option '--nonsense'; --help lists them
END
	pipa monitor -i 1ms
	refused 2 << 'END'
pipa monitor: the interval is below 10 ms; a bare number counts seconds: -i 0.1, -i 100ms
END
	pipa monitor --csv --json
	refused 2 << 'END'
pipa monitor: only one of --csv and --json can be given
END
	pipa monitor -P 3-1 -n 1
	refused_like 1 "pipa monitor: bad CPU list '3-1' .*"
	pipa monitor now
	refused 2 << 'END'
pipa monitor: unexpected argument 'now'
END
}

run_tests "$@"
