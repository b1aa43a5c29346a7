#!/usr/bin/env bash
#
# pipa monitor: tables, CSV and JSON, what is shown, when it stops.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# the screen of standard output, numbers as N; without the note that ends it on a busy machine
shown() {
	normalize out 's/[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{3})?/TIME/' |
		sed '/^$/{ N; /\n# N intervals\? missed and merged into the next one$/d }' > screen
	compare 'screen' screen
}

test_a_section_is_a_table_with_averages_at_its_end() {
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

test_several_sections_have_a_header_per_interval() {
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

test_single_cpus_are_shown_on_request() {
	pipa monitor --cpu-util -i 20ms -n 1
	same 'rows' "$(grep -cE ' (all|[0-9]+) +[0-9.]+ ' out)" 2
	pipa monitor --cpu-util -P 0 -i 20ms -n 1
	matches out '^[0-9:.]+ +0 '
	lacks out ' all '
	pipa monitor --cpu-util -P ALL -i 20ms -n 1
	matches out '^[0-9:.]+ +all '
	matches out '^[0-9:.]+ +0 '
}

test_shares_of_a_cpu_add_up() {
	local sum

	pipa monitor --cpu-util -i 50ms -n 1
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

test_file_systems_can_be_chosen_by_glob() {
	local device

	pipa monitor --fs -i 20ms -n 1
	status 0
	device=$(awk '$2 ~ "^/" && $1 != "Average:" { print $2; exit }' out)
	if [[ -z $device ]]; then
		skip 'no file system on a device of this machine'
	fi
	between 'percent used' \
		"$(awk -v d="$device" '$2 == d && $1 != "Average:" { print $5; exit }' out)" 0 100
	pipa monitor --fs --fs-name "${device%?}*" -i 20ms -n 1
	has out "$device"
	pipa monitor --fs --fs-name "$device,/dev/none" -i 20ms -n 1
	status 0
	has out "$device"
	has err "pipa monitor: --fs-name: no file system '/dev/none'."
	pipa monitor --fs --fs-name /dev/none -i 20ms -n 1
	refused_like 1 "pipa monitor: --fs-name: no file system '/dev/none'\\. .*$device.*"
}

test_a_filter_that_leaves_nothing_is_refused_with_the_names_there_are() {
	if [[ ! -e /sys/class/net/lo ]]; then
		skip 'no loopback interface'
	fi
	pipa monitor --net --iface nosuch -i 20ms -n 1
	refused_like 1 "pipa monitor: --iface: no network interface 'nosuch'\\. Choose from .*lo.*"
	pipa monitor --net --iface l -i 20ms -n 1
	refused_like 1 "pipa monitor: --iface: no network interface 'l'\\. Did you mean .*lo.*\\?"
	pipa monitor --net --iface '' -i 20ms -n 1
	refused_like 1 "pipa monitor: --iface: no network interface ''\\. .*"
	pipa monitor --disk --dev nosuch -i 20ms -n 1
	refused_like 1 "pipa monitor: --dev: no disk 'nosuch'.*"
	pipa monitor --json --net --iface nosuch -i 20ms -n 1
	status 1
	same 'lines on standard error' "$(wc -l < err)" 1
	pipa monitor --net --iface nosuch -i 20ms -n 3
	status 1
	matches err "^pipa monitor: --iface: no network interface 'nosuch'\\. "
	has err 'pipa monitor: no statistics match the filters'
	same 'lines on standard error' "$(wc -l < err)" 2
}

test_a_filter_without_a_match_is_noted_once_beside_other_statistics() {
	if [[ ! -e /sys/class/net/lo ]]; then
		skip 'no loopback interface'
	fi
	pipa monitor --net --load --iface nosuch,l?,none -i 20ms -n 4
	status 0
	has out ' lo '
	matches err "^pipa monitor: --iface: no network interface 'nosuch'\\. "
	matches err "^pipa monitor: --iface: no network interface 'none'\\. "
	same 'lines on standard error' "$(wc -l < err)" 2
	# patterns are alternatives
	pipa monitor --net --iface 'nosuch*,l?' -i 20ms -n 2
	status 0
	stderr < /dev/null
	pipa monitor --net --load --iface 'nosuch*' -i 20ms -n 2
	status 0
	matches err "^pipa monitor: --iface: no network interface 'nosuch\\*'\\. "
	# filters of other sections do not matter
	pipa monitor --load --iface nosuch --dev nosuch -P 60000 -i 20ms -n 1
	status 0
	stderr < /dev/null
}

test_unused_disks_and_partitions_are_told_from_missing_ones() {
	local device

	for device in /sys/class/block/*/partition; do
		if [[ -e $device ]]; then
			device=$(basename "${device%/partition}")
			pipa monitor --disk --dev "$device" -i 20ms -n 1
			refused_like 1 "pipa monitor: --dev: '$device' is a partition, not a disk.*"
			break
		fi
	done
	device=$(awk '$4 + $8 == 0 && $3 ~ /^(loop|ram)[0-9]+$/ { print $3; exit }' /proc/diskstats)
	if [[ -z $device || ! -e /sys/class/block/$device ]]; then
		skip 'no unused disk'
	fi
	pipa monitor --disk --dev "$device" -i 20ms -n 1
	refused_like 1 "pipa monitor: --dev: disk '$device' was never used.*"
}

test_cpus_that_are_not_online_are_named() {
	pipa monitor --cpu-util -P 60000 -i 20ms -n 1
	refused 1 << 'END'
pipa monitor: CPU 60000 is not online. See /sys/devices/system/cpu/online.
END
	pipa monitor --cpu-util -P '' -i 20ms -n 1
	refused 1 << 'END'
pipa monitor: empty CPU list, expected e.g. 0-3,7
END
	pipa monitor --cpu-util -P 0,60000-60003,60007 -i 20ms -n 2
	status 0
	matches out '^[0-9:.]+ +0 '
	stderr << 'END'
pipa monitor: CPUs 60000-60003,60007 are not online. See /sys/devices/system/cpu/online.
END
}

test_interrupts_begin_with_their_sum() {
	pipa monitor --interrupts -i 50ms -n 1
	status 0
	same 'first row' "$(awk '$1 ~ /^[0-9]/ && $2 != "INTR" { print $2; exit }' out)" sum
}

test_soft_interrupts_are_shown_of_all_cpus_or_of_each() {
	if [[ ! -e /proc/softirqs ]]; then
		skip 'no /proc/softirqs'
	fi
	pipa monitor --softirq -i 50ms -n 1
	status 0
	has out 'NET_RX/s'
	same 'rows' "$(grep -cE '^[0-9:.]+ +(all|[0-9]+) ' out)" 1
	pipa monitor --softirq -P ALL -i 50ms -n 1
	matches out '^[0-9:.]+ +0 '
}

test_requested_sections_that_the_machine_lacks_are_named() {
	if [[ -d /sys/class/hwmon && -n $(ls /sys/class/hwmon /sys/class/thermal 2> /dev/null) ]]; then
		skip 'this machine has sensors'
	fi
	pipa monitor --thermal -i 20ms -n 1
	status 0
	same 'said' "$(cat err)" \
		'pipa monitor: /sys/class/hwmon not available; its columns are missing'
	pipa monitor --all -i 20ms -n 1
	same 'said' "$(cat err)" ''
}

test_csv_has_sadfs_header_and_utc() {
	pipa monitor --csv --load -i 20ms -n 1
	status 0
	same 'lines' "$(wc -l < out)" 2
	same 'header' "$(head -n 1 out)" \
		'# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked'
	matches out "^$(uname -n);0\.0[0-9]+;[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:.]+ UTC;[0-9]+;"
}

test_json_is_an_object_per_interval_and_an_average() {
	pipa monitor --json --load -i 20ms -n 2
	same 'lines' "$(wc -l < out)" 3
	same 'averages' "$(grep -c '"average": true' out)" 1
	same 'ticks' "$(grep -c '^{"schema": "pipa-monitor/1".*"load": \[{"runq-sz": ' out)" 3
}

# a process that computes without end, with the given name; its PID in $pid
start_spinning() {
	need_workloads
	cp "$PIPA_WORKLOADS/spin" "./$1"
	"./$1" 60000 &
	pid=$!
	echo "$pid" >> "$case_dir/started"
}

test_a_busy_process_is_shown_with_its_name_last() {
	start_spinning 'busy (bee) x'
	pipa monitor --processes -i 0.3 -n 1
	status 0
	grep -q "^[0-9:.]* *$pid .*  R  busy (bee) x\$" out || fail 'rows' 'the process' "$(cat out)"
	grep -q "^Average: *$pid .*  R  busy (bee) x\$" out || fail 'averages' 'the process' "$(cat out)"
	grep -q ' %CPU .* RSS .*  S  Command$' out || fail 'header' 'pidstat columns' "$(cat out)"
}

test_threads_have_their_process_beside_them() {
	start_spinning spinner
	pipa monitor --threads --json -i 0.3 -n 1
	status 0
	grep -q "{\"TID\": $pid, \"TGID\": $pid, .*\"Command\": \"spinner\"}" out ||
		fail 'JSON' "thread $pid" "$(cat out)"
}

test_idle_processes_are_shown_on_request() {
	sleep 60 &
	pid=$!
	echo "$pid" >> "$case_dir/started"
	sleep 0.3
	pipa monitor --processes --csv -i 0.2 -n 1
	! grep -q ";$pid;.*;sleep\$" out || fail 'rows' 'no sleeper' "$(cat out)"
	pipa monitor --processes --csv --idle -i 0.2 -n 1
	grep -q ";$pid;0;0.00;.*;S;sleep\$" out || fail 'rows' 'the sleeper' "$(cat out)"
}

test_processes_in_csv_can_be_shown_again() {
	start_spinning 'a;b'
	pipa monitor --processes --csv -i 0.3 -n 2
	status 0
	mv out kept
	pipa monitor --from kept --processes
	status 0
	grep -q "^Average: *$pid .*  R  a;b\$" out || fail 'replay' 'the process' "$(cat out)"
}

test_all_leaves_processes_out() {
	pipa monitor --all --csv -i 50ms -n 1
	status 0
	! grep -q ';PID;' out || fail 'sections' 'no processes' "$(grep ';PID;' out)"
}

test_intervals_do_not_drift() {
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

test_a_full_disk_is_reported() {
	"$PIPA" monitor --load -i 20ms -n 2 > /dev/full 2> err
	got_status=$?
	: > out
	status 1
	same 'said' "$(cat err)" 'pipa monitor: cannot write standard output: No space left on device'
}

# ---- control groups --------------------------------------------------------------------------

# a group of ours in the v2 hierarchy or v1's memory one, removed at the end of the test
make_group() {
	local top

	for top in /sys/fs/cgroup /sys/fs/cgroup/memory; do
		if [[ -e $top/cgroup.procs ]] && mkdir "$top/$1" 2> /dev/null; then
			group=$top/$1
			return
		fi
	done
	skip 'this user may not make a control group'
}

is_not_in_last_tick() {
	local when

	when=$(tail -n 2 out | head -n 1 | cut -d ';' -f 3)
	[[ $when == *UTC ]] && ! grep -qF ";$when;$1;" out
}

test_control_groups_are_shown_by_their_paths() {
	if ! grep -q ' cgroup2\? ' /proc/mounts; then
		skip 'no control groups are mounted'
	fi
	pipa monitor --cgroups -i 50ms -n 1
	status 0
	matches out '^[0-9:.]+ +CGROUP +%CPU +%usr +%sys +%thr +thr/s +kbmem +kbmax'
	matches out '^[0-9:.]+ [^ ]+ +[0-9.-]+ '
}

test_a_control_group_that_appears_is_shown_until_it_vanishes() {
	local name="pipa-test-$$"

	make_group "$name"
	rmdir "$group"
	launch "$PIPA" monitor --cgroups --csv -i 20ms
	until_true grep -q . out
	mkdir "$group"
	until_true grep -q ";$name;" out
	rmdir "$group"
	until_true is_not_in_last_tick "$name"
	kill -INT "$started"
	landed
	status 0
}

test_limits_are_printed_beside_the_numbers_of_the_machine() {
	if [[ ! -e /proc/self/cgroup ]]; then
		skip 'this kernel has no control groups'
	fi
	pipa monitor --limits -i 20ms -n 1
	status 0
	matches out '^[0-9:.]+ +hostcpus +cpus +quota +%thr +thr/s +kbhost +kbmax +kbmem '
	same 'CPUs of the machine' "$(awk '/^[0-9]/ { n = $2 } END { print n }' out)" "$(getconf _NPROCESSORS_ONLN)"
	same 'memory of the machine' "$(awk '/^[0-9]/ { n = $7 } END { print n }' out)" \
		"$(awk '/^MemTotal/ { print $2 }' /proc/meminfo)"
}

test_a_limit_on_memory_is_shown_first() {
	make_group "pipa-test-$$"
	if ! echo 268435456 2> /dev/null > "$group/memory.max" &&
		! echo 268435456 2> /dev/null > "$group/memory.limit_in_bytes"; then
		rmdir "$group"
		skip 'memory of a control group cannot be limited here'
	fi
	bash -c 'echo 0 > "$1/cgroup.procs" && exec "$2" monitor -i 20ms -n 1 > out 2> err' - "$group" "$PIPA"
	got_status=$?
	rmdir "$group"
	status 0
	same 'first' "$(sed -n 2p out | awk '{ print $2, $8 }')" 'hostcpus kbmax'
	same 'limit' "$(sed -n 3p out | awk '{ print $8 }')" 262144
	has out '%iowait'
}

# ---- recordings ------------------------------------------------------------------------------

test_a_recording_has_the_files_and_headers_of_pipas_python_tool() {
	pipa monitor -o rec -i 20ms -n 3
	status 0
	stdout < /dev/null
	stderr < /dev/null
	(cd rec && head -qn 1 sar_{cpu,cswch,disk,io,load,memory,network,paging}.csv) > headers
	compare 'headers' headers << 'END'
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
# hostname;interval;timestamp;proc/s;cswch/s
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util;r_await;w_await
# hostname;interval;timestamp;tps;rtps;wtps;dtps;bread/s;bwrtn/s;bdscd/s
# hostname;interval;timestamp;runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked
# hostname;interval;timestamp;kbmemfree;kbavail;kbmemused;%memused;kbbuffers;kbcached;kbcommit;%commit;kbactive;kbinact;kbdirty;kbanonpg;kbslab;kbkstack;kbpgtbl;kbvmused
# hostname;interval;timestamp;IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil
# hostname;interval;timestamp;pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff
END
	same 'ticks' "$(wc -l < rec/sar_load.csv)" 4
	same 'all columns of CPUs' "$(head -n 1 rec/sar_cpu_all.csv)" \
		'# hostname;interval;timestamp;CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle'
	same 'empty files' "$(find rec -empty)" ''
}

test_a_recording_replays_as_it_was() {
	pipa monitor -o rec -i 20ms -n 3
	pipa monitor --from rec --load --csv
	status 0
	# times are shown to the second unless the interval is shorter: compare the values
	same 'values' "$(cut -d ';' -f 4- out)" "$(cut -d ';' -f 4- rec/sar_load.csv)"
}

test_a_truncated_recording_is_read_up_to_its_end() {
	pipa monitor -o rec -i 20ms -n 3
	truncate -s -3 rec/sar_load.csv
	pipa monitor --from rec --load
	status 0
	same 'said' "$(cat err)" 'pipa monitor: rec/sar_load.csv: 1 malformed line skipped'
	same 'ticks' "$(grep -cE '^[0-9].* [0-9.]+$' out)" 2
}

test_a_window_of_the_day_can_be_shown() {
	cat > day.csv << 'END'
# hostname;interval;timestamp;proc/s;cswch/s
a;600;2026-11-15 09:50:00;1.00;2.00
a;600;2026-11-15 10:10:00;3.00;4.00
a;600;2026-11-15 11:10:00;5.00;6.00
END
	pipa monitor --from day.csv --cswch -s 10:00 -e 11:00
	status 0
	shown << 'END'

TIME proc/s cswch/s
TIME N N

Average: proc/s cswch/s
Average: N N
END
	matches out '^Average: +3.00 +4.00$'
}

test_the_filter_that_leaves_nothing_of_a_recording_is_named() {
	cat > day.csv << 'END'
# hostname;interval;timestamp;DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util
a;600;2026-11-15 09:50:00;sda;1.00;2.00;3.00;0.00;1.00;0.00;1.00;0.10
a;600;2026-11-15 10:10:00;sda;1.00;2.00;3.00;0.00;1.00;0.00;1.00;0.10
a;600;2026-11-15 10:10:00;sdb;1.00;2.00;3.00;0.00;1.00;0.00;1.00;0.10
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
a;600;2026-11-15 10:10:00;-1;1.00;2.00;3.00;4.00;5.00;85.00
a;600;2026-11-15 10:10:00;0;1.00;2.00;3.00;4.00;5.00;85.00
a;600;2026-11-15 10:10:00;1;1.00;2.00;3.00;4.00;5.00;85.00
END
	export TZ=UTC
	pipa monitor --from day.csv --disk --dev sdc
	refused 1 << 'END'
pipa monitor: --dev: no disk 'sdc'. Did you mean sda or sdb?
END
	pipa monitor --from day.csv --disk --dev nosuch
	refused 1 << 'END'
pipa monitor: --dev: no disk 'nosuch'. Choose from sda, sdb.
END
	pipa monitor --from day.csv --disk --dev sdb,nosuch
	status 0
	has out sdb
	stderr << 'END'
pipa monitor: --dev: no disk 'nosuch'. Choose from sda, sdb.
END
	pipa monitor --from day.csv --disk -s 23:59
	refused 1 << 'END'
pipa monitor: day.csv holds no data after 23:59:00. The data ranges from 2026-11-15 09:50:00 to 2026-11-15 10:10:00.
END
	pipa monitor --from day.csv --disk -e 00:01:30
	refused 1 << 'END'
pipa monitor: day.csv holds no data before 00:01:30. The data ranges from 2026-11-15 09:50:00 to 2026-11-15 10:10:00.
END
	pipa monitor --from day.csv --disk -s 09:55 -e 10:05
	refused 1 << 'END'
pipa monitor: day.csv holds no data from 09:55:00 to 10:05:00. The data ranges from 2026-11-15 09:50:00 to 2026-11-15 10:10:00.
END
	pipa monitor --from day.csv --disk --dev sdb -e 10:00
	refused 1 << 'END'
pipa monitor: --dev: no disk 'sdb' in this time range. Did you mean sda?
END
	pipa monitor --from day.csv --disk --day 2020-01-01 --dev sdb -s 10:00
	refused 1 << 'END'
pipa monitor: day.csv holds no data of 2020-01-01. The data ranges from 2026-11-15 to 2026-11-15.
END
	pipa monitor --from day.csv --cpu-util -P 2-5,9
	refused 1 << 'END'
pipa monitor: -P: day.csv holds no CPUs 2-5,9. Choose from 0-1.
END
	pipa monitor --from day.csv --cpu-util -P 1-2
	status 0
	stderr << 'END'
pipa monitor: -P: day.csv holds no CPU 2. Choose from 0-1.
END
	pipa monitor --from day.csv --net --iface lo
	refused 1 << 'END'
pipa monitor: day.csv holds none of the selected statistics. Supported: output of pipa monitor -o, archives, output of sadf -d and sar
END
}

test_times_of_a_recording_are_of_the_users_zone() {
	cat > day.csv << 'END'
# hostname;interval;timestamp;proc/s;cswch/s
a;600;2026-07-15 08:10:00 UTC;1.00;2.00
a;600;2026-07-15 10:20:00;3.00;4.00
END
	TZ=CET-1CEST,M3.5.0,M10.5.0/3 pipa monitor --from day.csv --cswch -s 10:00 -e 10:15
	status 0
	same 'shown' "$(grep -cE '^10:10:00 +1.00 +2.00$' out)" 1
	lacks out '3.00'
	TZ=CET-1CEST,M3.5.0,M10.5.0/3 pipa monitor --from day.csv --cswch --csv
	same 'rows' "$(tail -n 1 out | cut -d ';' -f 3-)" '2026-07-15 08:20:00 UTC;3.00;4.00'
}

test_output_of_sadf_can_be_shown() {
	local sadc

	need_program sadf
	# not sar -o: it ends without waiting for the sadc that writes its file
	for sadc in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc /usr/libexec/sysstat/sadc; do
		[[ ! -x $sadc ]] || break
	done
	"$sadc" 1 2 sa > /dev/null 2>&1 || skip 'sadc does not run here'
	sadf -d sa -- -A > all.csv
	pipa monitor --from all.csv --mem
	status 0
	same 'memory' "$(awk '/^[0-9].* [0-9]+ / { $1 = ""; print }' out | tr -s ' ')" \
		"$(awk -F ';' '/kbmemfree/ { found = 1; next } found { for (i = 4; i <= NF; i++) printf " %s", $i; print ""; exit }' all.csv)"
}

# sysstat's two forms of one recording give the same rows; only its text has interrupts one by one
test_output_of_sar_is_read_as_that_of_sadf() {
	local sadc

	need_program sar
	need_program sadf
	for sadc in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc /usr/libexec/sysstat/sadc; do
		[[ ! -x $sadc ]] || break
	done
	"$sadc" -S XALL 1 3 sa > /dev/null 2>&1 || skip 'sadc does not run here'
	sadf -d sa -- -A > all.csv
	mkdir texts
	LC_ALL=C TZ=UTC sar -A -f sa > texts/sar.txt
	pipa monitor --from all.csv --csv --all -P ALL
	status 0
	grep -v ';INTR;\|;sum;' out > from_csv
	TZ=UTC pipa monitor --from texts/sar.txt --csv --all -P ALL
	status 0
	same 'what was said' "$(< err)" ''
	awk '/^#/ { skip = /;INTR;/ } !skip' out > from_text
	[[ $(wc -l < from_text) -gt 60 ]] || fail 'rows' 'of all tables' "$(< from_text)"
	compare 'the rows of the text' from_text < from_csv
	TZ=UTC pipa monitor --from texts --csv --all -P ALL
	awk '/^#/ { skip = /;INTR;/ } !skip' out > from_folder
	compare 'the rows of the folder' from_folder < from_csv
}

test_sar_output_with_a_twelve_hour_clock_is_shown() {
	cat > old.txt << 'END'
Linux 5.10.0 (box) 	11/15/2026 	_riscv64_	(4 CPU)

11:59:59 PM     CPU     %user     %nice   %system   %iowait    %steal     %idle
12:00:00 AM     all      1.00      2.00      3.00      4.00      5.00     85.00
12:00:01 AM     all      3.00      2.00      3.00      4.00      5.00     83.00
Average:        all      2.00      2.00      3.00      4.00      5.00     84.00
END
	TZ=UTC pipa monitor --from old.txt --csv --cpu-util
	status 0
	cut -d ';' -f 2- out > rows
	compare 'rows' rows << 'END'
interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
1;2026-11-16 00:00:00 UTC;-1;1.00;2.00;3.00;4.00;5.00;85.00
1;2026-11-16 00:00:01 UTC;-1;3.00;2.00;3.00;4.00;5.00;83.00
END
}

test_files_other_than_recordings_are_reported() {
	pipa monitor --from /nowhere
	refused 1 << 'END'
pipa monitor: cannot open /nowhere: No such file or directory
END
	: > empty
	pipa monitor --from empty
	refused 1 << 'END'
pipa monitor: empty holds none of the selected statistics. Supported: output of pipa monitor -o, archives, output of sadf -d and sar
END
	pipa monitor -o rec --json
	refused 2 << 'END'
pipa monitor: -o cannot be combined with --from, --csv or --json
END
	pipa monitor -s 10:00
	refused 2 << 'END'
pipa monitor: -s and -e require --from PATH
END
	pipa monitor --from . -s noon
	refused 2 << 'END'
pipa monitor: --start: invalid time 'noon', expected HH:MM or HH:MM:SS
END
}

test_bad_use_is_one_line_with_a_hint() {
	pipa monitor --nonsense
	refused 2 << 'END'
pipa monitor: unknown option '--nonsense'. --help lists all options.
END
	pipa monitor -i 1ms
	refused 2 << 'END'
pipa monitor: -i: invalid interval, expected 10 ms or more. A number without a unit is in seconds: -i 0.1, -i 100ms
END
	pipa monitor --csv --json
	refused 2 << 'END'
pipa monitor: only one of --csv and --json can be given
END
	pipa monitor -P 3-1 -n 1
	refused 1 << 'END'
pipa monitor: invalid CPU list '3-1': the range 3-1 ends before it begins. Expected e.g. 0-3,7; CPUs are below 65536.
END
	pipa monitor now
	refused 2 << 'END'
pipa monitor: unexpected argument 'now'
END
}

find_history() {
	compgen -G 'history/*.pmh' > /dev/null
}

test_a_history_without_an_interval_is_an_error_with_a_hint() {
	"$PIPA" monitor --daemon -o history 2> daemon.err &
	until_true find_history
	pipa monitor --from history
	kill $!
	wait $! 2> /dev/null
	refused_like 1 'pipa monitor: history has no interval yet\. The first one is written when .*'
}

run_tests "$@"
