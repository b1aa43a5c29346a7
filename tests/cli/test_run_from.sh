#!/usr/bin/env bash
#
# pipa run --from: the report of a run out of what was measured earlier, the original's `pipa dump`.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# number KEY: of the JSON report in ./out
number() {
	sed -nE "s@^  \"$1\": ([-+.0-9e]+),?\$@\1@p" out
}

# near WHAT GOT WANTED: to the last digit that WANTED has
near() {
	awk -v got="$2" -v want="$3" 'BEGIN {
		digits = index(want, ".") ? length(want) - index(want, ".") : 0
		exit !(got != "" && sprintf("%." digits "f", got) == want)
	}' || fail "$1" "$3" "$2"
}

# The worked example that the original has published, on two CPUs of three, in nine intervals. Its run
# time is taken as given: the last interval ends there.
worked_example() {
	awk -v sep="$1" 'BEGIN {
		total["cycles"] = 748699758097
		total["instructions"] = 242066352981
		print "# started on Mon Jul  1 10:00:00 2024\n"
		for (i = 1; i <= 9; i++)
			for (k = 1; k <= 2; k++) {
				event = k == 1 ? "cycles" : "instructions"
				for (cpu = 36; cpu <= 38; cpu++) {
					part = int(total[event] / 18)
					if (i == 9 && cpu == 37)
						part = total[event] - 17 * part
					printf "%16.9f%sCPU%d%s%.0f%s%s%s%s1000811284%s100.00%s%s\n",
						i == 9 ? 9.007558243 : i * 1.000839804, sep, cpu,
						sep, part, sep, sep, event ":D", sep, sep, sep, sep
				}
			}
	}'
}

check_worked_example() {
	status 0
	near 'transactions' "$(number transactions)" 303318880
	near 'run time' "$(number run_time)" 9.007558243
	near 'throughput' "$(number throughput)" 33673818.34
	near 'cycles' "$(number cycles)" 748699758097
	near 'instructions' "$(number instructions)" 242066352981
	near 'CPI' "$(number CPI)" 3.0929526094
	near 'path length' "$(number path_length)" 798.05897
	near 'cycles per request' "$(number cycles_per_requests)" 2468.35857
	near 'cycles per second' "$(number cycles_per_second)" 83119058228.55
	near 'instructions per second' "$(number instructions_per_second)" 26873692786.73
	has out '"scope": "cores"'
}

test_the_documented_example_is_exact_to_the_last_digit() {
	mkdir data
	worked_example , > data/perf-stat.csv
	pipa run --from data --cores 36-37 --transactions 303318880 -f json
	check_worked_example
	has out '"workload": "data"'
	has out '"data_location": "data"'
	lacks out exit_status
}

test_semicolons_and_another_file_name_give_the_same_report() {
	mkdir -p data/attach_session
	worked_example ';' > data/attach_session/perf_stat.txt
	pipa run --from data --cores 36,37 --transactions 303318880 -f json
	check_worked_example
}

test_a_compressed_archive_gives_the_same_report() {
	mkdir -p work/attach_session
	worked_example , > work/attach_session/perf_stat.txt
	tar -C work -cf plain.tar .
	gzip -k plain.tar
	pipa run --from plain.tar --cores 36,37 --transactions 303318880 -f json
	check_worked_example
	pipa run --from plain.tar.gz --cores 36,37 --transactions 303318880 -f json
	check_worked_example
	head -c "$(($(wc -c < plain.tar.gz) / 2))" plain.tar.gz > cut.tar.gz
	pipa run --from cut.tar.gz -f json
	status 0
	has out 'cut.tar.gz is truncated or corrupt'
	has out '"complete": false'
	has err 'pipa run: cut.tar.gz is truncated or corrupt: parts of it are missing'
	head -c 1700 plain.tar > cut.tar # in the middle of a member, after three headers
	pipa run --from cut.tar -f json
	status 0
	has out '"complete": false'
	has err 'pipa run: cut.tar is truncated or corrupt'
	has out 'no hot functions: cannot read cut.tar: it is truncated or corrupt' # it was not compressed
	# between two members: only the end-of-archive blocks and what follows are missing
	tar -C work -cf two.tar ./attach_session/perf_stat.txt ./attach_session/perf_stat.txt
	size=$(wc -c < work/attach_session/perf_stat.txt)
	head -c "$((512 + (size + 511) / 512 * 512))" two.tar > boundary.tar
	pipa run --from boundary.tar -f json
	status 0
	has out '"complete": false'
	has err 'pipa run: boundary.tar is truncated or corrupt'
	pipa run --from plain.tar -f json
	has out '"complete": true'
	lacks err truncated
}

test_all_cpus_count_without_cores() {
	mkdir data
	worked_example , > data/perf-stat.csv
	pipa run --from data -f json
	status 0
	has out '"scope": "system"'
	near 'cycles' "$(number cycles)" 1123049637142 # and of CPU 38 nine eighteenths
	has out 'transactions unknown'
	lacks out throughput
}

sar_text() {
	cat << 'END'
Linux 6.18.0 (box) 	07/01/24 	_x86_64_	(3 CPU)

10:00:00        CPU      %usr     %nice      %sys   %iowait    %steal      %irq     %soft    %guest    %gnice     %idle
10:00:01        all     10.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     88.00
10:00:01         36     30.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     68.00
10:00:01         37      0.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     98.00
Average:        all     11.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     87.00
Average:         36     31.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     67.00
Average:         37      1.00      0.00      2.00      0.00      0.00      0.00      0.00      0.00      0.00     97.00

10:00:00    kbmemfree   kbavail kbmemused  %memused kbbuffers  kbcached  kbcommit   %commit  kbactive   kbinact   kbdirty  kbanonpg    kbslab  kbkstack   kbpgtbl  kbvmused
10:00:01     13000000  23000000    675057      2.73    617539   8934649   1039984      4.21   5327123   4723127    117620    525760    810828      2904     14021     17816
Average:     13644343  23535043    675057      2.73    617539   8934649   1039984      4.21   5327123   4723127    117620    525760    810828      2904     14021     17816

10:00:00          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
10:00:01          sda      1.00      0.00      4.00      0.00      4.00      0.07      0.63     10.00
10:00:01          sdb      2.00      0.00      8.00      0.00      4.00      0.07      0.63      1.00
10:00:02          sda      3.00      0.00      4.00      0.00      4.00      0.07      0.63     20.00
10:00:02          sdb      4.00      0.00      8.00      0.00      4.00      0.07      0.63      2.00

10:00:00          CPU       MHz
10:00:01           36   2400.00
10:00:01           37   2600.00
Average:           36   2400.00
Average:           37   2600.00
END
}

test_averages_of_sar_are_taken_and_made_where_they_are_missing() {
	mkdir data
	sar_text > data/sar.txt
	pipa run --from data --cores 36,37 -f json
	status 0
	same 'idle' "$(number %idle)" 82
	same 'usr' "$(number %usr)" 16
	same 'util' "$(number %util)" 18
	same 'free' "$(number kbmemfree)" 13644343
	same 'frequency' "$(number cpu_frequency_mhz)" 2500
	has out '"DEV": "sda"'
	same 'tps' "$(number tps)" 2
	same 'disk util' "$(number %disk_util)" 15
	same 'time' "$(number run_time)" 2
	has out 'run time taken from the statistics'
	has out 'no counters: neither perf-stat.csv nor perf_stat.txt found'
	has out 'no hot functions: no perf.data'

	pipa run --from data --dev sdb -f json
	same 'idle of all' "$(number %idle)" 87
	has out '"DEV": "sdb"'
	same 'tps of the other' "$(number tps)" 3
	pipa run --from data --dev nvme7n1 --cores 5 -f json
	status 0
	has out "no statistics of disk 'nvme7n1'"
	has out 'no statistics of --cores'
}

test_six_columns_of_cpu_time_are_used_with_a_note() {
	mkdir data
	cat > data/sar_cpu.csv << 'END'
# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle
box;1;2024-07-01 10:00:01 UTC;-1;10.00;1.00;2.00;3.00;4.00;80.00
box;3;2024-07-01 10:00:04 UTC;-1;30.00;1.00;2.00;3.00;4.00;60.00
END
	pipa run --from data -f json
	status 0
	same 'usr' "$(number %usr)" 25
	same 'idle' "$(number %idle)" 65
	same 'time' "$(number run_time)" 4
	has out 'CPU statistics have six columns'
}

test_kept_files_of_a_run_give_the_same_report() {
	pipa run --keep kept -f json --interval 50ms -- sh -c 'sleep 0.2; echo transactions: 12'
	[[ $got_status -ne 125 ]] || skip "cannot run here: $(< err)"
	pipa run --from kept --transactions-regex 'transactions: ([0-9]+)' -f json
	status 0
	same 'transactions' "$(number transactions)" 12
	between 'idle' "$(number %idle)" 0 100
	near 'what is not idle' "$(number %util)" \
		"$(awk -v idle="$(number %idle)" 'BEGIN { printf "%.6f", 100 - idle }')"
}

# perf's own files: every event is added up as awk adds it up
test_output_of_perf_stat_is_added_up() {
	local separator

	need_program perf
	mkdir data
	for separator in ',' ';'; do
		perf stat -a -A -x "$separator" -I 50 -e page-faults,context-switches \
			-o data/perf-stat.csv sleep 0.3 > /dev/null 2>&1 ||
			skip 'perf stat does not count CPUs here'
		pipa run --from data -f json
		status 0
		awk -F "$separator" '!/^#/ && NF > 4 { n[$5] += $3; last = $1 }
			END { for (e in n) printf "%s %d\n", e, n[e]
				printf "time %.6f\n", last }' data/perf-stat.csv | sort > wanted
		{
			awk -F '"' '/"event": / { event = $4 }
				/"value": / { split($3, v, /[ ,:]+/); n[event] += v[2] }
				END { for (e in n) printf "%s %d\n", e, n[e] }' out
			printf 'time %.6f\n' "$(number run_time)"
		} | sort > found
		same 'events' "$(wc -l < found)" 3
		compare 'sums' found < wanted
	done
}

test_averages_of_sar_are_in_the_report() {
	local sadc key column

	need_program sar
	for sadc in /usr/lib/sysstat/sadc /usr/lib64/sa/sadc /usr/libexec/sysstat/sadc; do
		[[ ! -x $sadc ]] || break
	done
	"$sadc" -S XALL 1 3 sa > /dev/null 2>&1 || skip 'sadc does not run here'
	mkdir data
	LC_ALL=C sar -A -f sa > data/sar.txt
	pipa run --from data -f json
	status 0
	for key in %usr %sys %idle kbmemfree %memused kbslab cswch/s; do
		column=$(awk -v key="$key" '/^[0-9]/ && $NF !~ /^[0-9.]+$/ { at = 0
				for (i = 2; i <= NF; i++) if ($i == key) at = i }
			/^Average:/ && at && ($2 == "all" || $2 ~ /^[0-9.]+$/) { print $at; exit }' \
			data/sar.txt)
		[[ $column ]] || fail "$key in what sar printed" 'an average' none
		same "$key" "$(awk -v n="$(number "$key")" 'BEGIN { print n + 0 }')" \
			"$(awk -v n="$column" 'BEGIN { print n + 0 }')"
	done
}

test_corruption_and_multiplexing_are_noted() {
	mkdir data
	cat > data/perf-stat.csv << 'END'
1.0,2000,,cycles,1000,50.00,,
rubbish
2.0,4000,,cycles,1000,50.00,,
END
	pipa run --from data --cores 0 -f json
	status 0
	same 'cycles' "$(number cycles)" 6000
	same 'time' "$(number run_time)" 2
	has out 'perf-stat.csv: 1 malformed line skipped, first in line 2'
	has out 'cycles was multiplexed (running 50.0 % of the time): counts are scaled'
	has out 'the counters are not per CPU'
	has out '"counters_system": ['
	lacks out counters_cores
	printf '1.0,CPU0,2000,,cycles\n' > data/perf-stat.csv
	pipa run --from data --cores 0,7 -f json
	has out 'no counters of CPU 7'
	has out '"counters_cores": ['
}

test_without_intervals_the_time_is_that_of_its_event() {
	mkdir data
	printf '4000,,cycles,1000,100.00,,\n2500000000,ns,duration_time,2500000000,100.00,,\n' \
		> data/perf-stat.csv
	pipa run --from data -f json
	status 0
	same 'time' "$(number run_time)" 2.5
	printf '4000,,cycles,1000,100.00,,\n' > data/perf-stat.csv
	pipa run --from data -f json
	status 0
	lacks out run_time
	has out 'run time unknown'
}

test_the_text_names_its_source() {
	mkdir data
	worked_example , > data/perf-stat.csv
	pipa run --from data --cores 36,37 --transactions 303318880
	status 0
	has out 'existing data from data'
	has out 'Counters of the cores'
	lacks out 'exit status'
}

test_unreadable_files_are_reported() {
	pipa run --from nowhere
	refused 125 << 'END'
pipa run: cannot open nowhere: No such file or directory
END
	mkdir empty
	pipa run --from empty
	refused 125 << 'END'
pipa run: empty holds no measurements. Expected perf-stat.csv or perf_stat.txt, sar.txt or sar_*.csv, and perf.data.
END
	echo hello > text
	pipa run --from text
	refused 125 << 'END'
pipa run: text holds nothing that can be analyzed. Supported: archives of pipa collect and PIPA, perf.data, and output of monitor, stat -I, perf stat -x, sar and sadf -d
END
	gzip -c "$PIPA_SOURCE/README.md" | head -c 10 > cut.tar.gz
	pipa run --from cut.tar.gz
	refused 125 <<< 'pipa run: cut.tar.gz holds nothing that can be analyzed: it is truncated or corrupt'
	: > none
	pipa run --from none
	refused 125 <<< 'pipa run: none holds nothing that can be analyzed: the file is empty'
	pipa run --from empty -- true
	refused 125 << 'END'
pipa run: --from cannot be combined with a command, --repeat, --keep or --no-capture
END
	pipa run --from empty --cores 1-x
	status 125
	pipa run
	refused_like 125 'pipa run: missing command. .*'
}

run_tests "$@"
