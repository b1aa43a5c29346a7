#!/usr/bin/env bash
#
# pipa collect: what it is asked for, what its archive has, and who reads it.

. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/collecting.sh"

# ---- what it is asked for -------------------------------------------------------------------

test_help_creates_no_directory() {
	local ask

	for ask in help --help -h; do
		pipa collect "$ask"
		status 0
		has out 'usage: pipa collect'
	done
	same 'files' "$(ls -A)" $'err\nout'
}

test_defaults_are_those_of_pipas_python_tool() {
	local name

	need_system_wide
	launch "$PIPA" collect
	begins 'counting for 60 s'
	kill -INT "$started"
	landed
	status 130
	name=$(cat out)
	[[ $name =~ ^\./pipa-collection-20[0-9]{6}_[0-9]{6}\.tar\.gz$ ]] ||
		fail 'the name' 'pipa-collection-YYYYmmdd_HHMMSS.tar.gz' "$name"
	unpack "$name"
	[[ -f got/spec_info.yaml ]] || fail 'the archive' 'spec_info.yaml' "$(find got)"
	nothing_left
	pipa collect --help
	has out '(default: 60)'
	has out '(default: 97)'
	has out '(default: 1000)'
	launch "$PIPA" collect --no-stat --no-spec-info -o b.tar.gz
	begins 'sampling for 60 s'
	kill -INT "$started"
	landed
	status 130
	unpack b.tar.gz
	need_program perf
	run perf evlist -v -i $session/perf.data
	has out '{ sample_period, sample_freq }: 97'
}

test_numbers_are_checked_before_anything_begins() {
	local option value

	for option in duration-stat duration-record perf-stat-interval sar-interval; do
		for value in 0 -1 x 1e99 ''; do
			pipa collect "--$option" "$value"
			refused_like 1 "pipa collect: --$option: invalid duration '.*', expected .*"
		done
	done
	for value in 0 -1 x 1.5 99999999999999999999; do
		pipa collect --perf-record-freq "$value"
		refused_like 1 "pipa collect: --perf-record-freq: invalid number '.*', expected .*"
	done
	pipa collect --nonsense
	refused_like 1 "pipa collect: unknown option '--nonsense'. .*"
	pipa collect other
	refused_like 1 "pipa collect: unexpected argument 'other'. .*"
	pipa collect -o ''
	refused_like 1 'pipa collect: -o: empty file name'
	pipa collect --no-stat --no-record
	refused 1 <<< 'pipa collect: --no-stat cannot be combined with --no-record'
	same 'files' "$(ls -A)" $'err\nout'
}

test_a_wrong_event_is_refused_before_anything_begins() {
	pipa collect --perf-events page-faults,no-such-event
	refused_like 1 "pipa collect: unknown event 'no-such-event'. .*"
	pipa collect --perf-events 'page-faults,'
	status 1
	stdout < /dev/null
	same 'files' "$(ls -A)" $'err\nout'
}

test_an_unwritable_target_is_refused_at_the_start() {
	pipa collect -o .
	refused_like 1 'pipa collect: cannot write \.: Is a directory'
	pipa collect -o /proc/nowhere/a.tar.gz
	refused_like 1 'pipa collect: cannot make /proc/nowhere: No such file or directory'
	pipa collect -o /proc/a.tar.gz
	refused_like 1 'pipa collect: cannot open /proc/a.tar.gz for writing: .*'
	nothing_left
	: > file
	pipa collect -o file/a.tar.gz
	refused_like 1 'pipa collect: .*: Not a directory'
	nothing_left
}

# ---- a configuration file --------------------------------------------------------------------

test_a_configuration_of_pipas_python_tool_is_used() {
	need_system_wide
	sed -e 's/120/1/' -e 's/workspace: .*/workspace: kept/' -e 's/: 999/: 50/' \
		"$PIPA_SOURCE/tests/data/pipa/config-template.yaml" > shu.yaml
	pipa collect --no-spec-info --config shu.yaml --perf-stat-interval 500
	status 0
	[[ $(cat out) == kept/pipa-collection-*.tar.gz ]] || fail 'the name' 'in kept/' "$(cat out)"
	has err 'counting for 1 s'
	has err 'sampling for 1 s'
	unpack "$(cat out)"
	same 'intervals of an option' "$(grep -c ',cycles,' $session/perf_stat.txt)" 2
	same 'an event without a modifier' "$(grep -c ',branch-misses,' $session/perf_stat.txt)" 2
}

test_an_endless_collection_ends_with_a_signal_and_is_complete() {
	need_system_wide
	printf 'duration_stat: -1\nduration_record: 1\nfreq_record: 50\n' > shu.yaml
	launch "$PIPA" collect --no-spec-info --config shu.yaml -o a.tar.gz
	begins 'collecting until SIGINT or SIGTERM'
	sleep 1.2
	kill -INT "$started"
	landed
	status 0
	unpack a.tar.gz
	has $session/pipa-collection-info.txt 'complete: yes'
	[[ -s $session/perf.data && -s $session/sar_cpu.csv ]] ||
		fail 'the archive' 'samples and statistics' "$(ls $session)"
}

test_a_wrong_configuration_is_refused_with_its_position() {
	printf 'freq_record: 99\nfreq_recrd: 3\n' > shu.yaml
	pipa collect --config shu.yaml
	refused 1 << 'END'
pipa collect: shu.yaml:2:1: unknown key 'freq_recrd'. Did you mean freq_record?
END
	printf 'freq_record:\n  - often\n' | pipa collect --config -
	refused_like 1 'pipa collect: standard input:2:3: .*'
}

test_the_sampled_events_can_be_chosen() {
	need_system_wide
	pipa collect --perf-record-events nonsense
	refused_like 1 "pipa collect: unknown event 'nonsense'.*"
	pipa collect --no-spec-info --no-stat --duration-record 0.5 --perf-record-events context-switches \
		-o a.tar.gz
	status 0
	pipa report a.tar.gz
	has out "of event 'context-switches'"
}

# ---- what is in the archive -----------------------------------------------------------------

test_the_archive_has_the_layout_of_pipas_python_tool() {
	local table want=''

	need_system_wide
	pipa collect "${short[@]}" -o deep/er/a.tar.gz
	status 0
	stdout <<< deep/er/a.tar.gz
	for table in "${tables[@]}"; do
		want+="./attach_session/sar_$table.csv"$'\n'
	done
	want+=$(printf './attach_session/%s\n' collection_id.txt perf.data perf_stat.txt \
		pipa-collection-info.txt pipa-tree.log)
	tar -tzf deep/er/a.tar.gz | sort > members
	tar -xzf deep/er/a.tar.gz
	for table in cpu_all frequency interrupts softnet limits numa psi_cpu psi_io psi_memory swap swapping hugepages \
		network_errors tcp tcp_errors udp; do # beyond PIPA's, and only where there are rows
		grep -q "/sar_$table.csv$" members || continue
		(($(wc -l < "attach_session/sar_$table.csv") > 1)) || fail "rows of sar_$table.csv" some none
		sed -i "\\:/sar_$table.csv$:d" members
	done
	[[ -s attach_session/sar_cpu_all.csv ]] || fail 'statistics of %irq and %soft' some none
	same 'members' "$(cat members)" "$(sort <<< "$want")"
	same 'modes' "$(tar -tvzf deep/er/a.tar.gz | cut -c 1-10 | sort -u)" -rw-r--r--
	same 'what else lies there' "$(ls -A deep/er)" a.tar.gz
	nothing_left
}

test_a_collection_describes_itself() {
	local id epoch machine

	need_system_wide
	collect
	status 0
	id=$(cat $session/collection_id.txt)
	[[ $id =~ ^[0-9a-f]{8}$ ]] || fail 'the id' 'eight digits' "$id"
	epoch=$(sed -n 's/^generated_at_epoch: //p' $session/pipa-collection-info.txt)
	machine=$(sed -n 's/^machine_identifier: //p' $session/pipa-collection-info.txt)
	same 'the id' "$id" "$(printf '%s:%s:pipa-tree' "$machine" "$epoch" | sha256sum | cut -c 1-8)"
	compare 'pipa-collection-info.txt' $session/pipa-collection-info.txt << END
collection_id: $id
generated_at_epoch: $epoch
generated_at_utc: $(date -u -d "@$epoch" +%Y-%m-%dT%H:%M:%SZ)
machine_identifier: $machine
program_name: pipa
program_version: $("$PIPA" --version | cut -d ' ' -f 2-)
target_archive: a.tar.gz
complete: yes
END
	! grep -vE '^\[20..-..-..T..:..:..\+0000\]\[(INFO|WARN)\] .' $session/pipa-tree.log ||
		fail 'the log' 'lines of the form [time][level] text' "$(cat $session/pipa-tree.log)"
	sed -E 's/^\[[^]]*\]\[[^]]*\] //' $session/pipa-tree.log > told
	sed -E 's/^pipa collect: (warning: )?//' err | compare 'the log beside the screen' told
}

# fields FILE: what each line of perf_stat.txt is made of
fields() {
	sed -E 's/^ *[0-9]+\.[0-9]{9},/T,/; s/,[0-9.]+/,N/g' "$1"
}

test_perf_stat_txt_has_the_format_of_perf() {
	local events=page-faults,context-switches,cycles,cpu-migrations

	need_system_wide
	need_program perf
	collect_rows 10 --no-record --perf-events $events
	status 0
	same 'lines' "$(wc -l < $session/perf_stat.txt)" 40
	run perf stat -x , -a -I 100 --interval-count 10 -e $events sleep 5
	same "perf's lines" "$(wc -l < err)" 40
	fields err > theirs
	fields $session/perf_stat.txt > ours
	compare 'perf_stat.txt beside perf' ours < theirs
	same 'the width of times' "$(head -n 1 $session/perf_stat.txt | sed 's/,.*//' | wc -c)" \
		"$(head -n 1 err | sed 's/,.*//' | wc -c)"
}

test_durations_are_whole_intervals() {
	local table rows

	need_system_wide
	collect_rows 10 --no-record --perf-events page-faults
	status 0
	rows=$(awk -F, '{ print $1 * 10 }' $session/perf_stat.txt)
	same 'rows' "$(wc -l <<< "$rows")" 10
	awk '$1 < NR || (prev && $1 - prev < 0.1) { exit 1 } { prev = $1 }' <<< "$rows" ||
		fail 'ends of intervals, in tenths' 'none before its time' "$rows"
	for table in io memory paging load cswch; do
		same "rows of $table" "$(grep -c '^[^#]' $session/sar_$table.csv)" 10
	done
	# the remaining line is of counters, not of statistics
	collect --no-record --perf-events page-faults --perf-stat-interval 400 --sar-interval 0.4
	same 'rows of 2.5 intervals' "$(wc -l < $session/perf_stat.txt)" 3
	same 'statistics of 2.5 intervals' "$(grep -c '^[^#]' $session/sar_io.csv)" 2
	collect --no-record --perf-events page-faults --duration-stat 50ms
	same 'rows of half an interval' "$(wc -l < $session/perf_stat.txt)" 1
	same 'statistics of half an interval' "$(grep -c '^[^#]' $session/sar_io.csv)" 1
}

test_a_busy_machine_has_as_many_intervals() {
	local i

	need_system_wide
	for ((i = 0; i < 2 * $(nproc); i++)); do
		start sh -c 'while :; do :; done'
	done
	collect_rows 4 --no-record --perf-events page-faults --duration-stat 2 \
		--perf-stat-interval 500 --sar-interval 0.5
	status 0
	same 'rows' "$(wc -l < $session/perf_stat.txt)" 4
	same 'statistics' "$(grep -c '^[^#]' $session/sar_io.csv)" 4
}

test_statistics_have_the_columns_of_sadf() {
	local table i
	local options=('-P ALL' '-n DEV' -b '-d -p' -r -B -q -w)

	need_program sar
	need_program sadf
	[[ $(sar -V 2>&1) == *'version 12.6'* ]] || skip 'needs sysstat 12.6'
	collect --no-record
	status 0
	sar -A -o sa 1 1 > /dev/null 2>&1 || fail 'sar' 'exit 0' "$?"
	for i in "${!tables[@]}"; do
		table=${tables[i]}
		# shellcheck disable=SC2086 # words
		same "header of sar_$table.csv" "$(head -n 1 "$session/sar_$table.csv")" \
			"$(sadf -d sa -- ${options[i]} | head -n 1)"
	done
	matches $session/sar_cpu.csv '^[^;]+;0\.[0-9]{3};20..-..-.. ..:..:..\.[0-9]{3} UTC;-1;[0-9.]+;'
	matches $session/sar_cpu.csv '^[^;]+;[^;]+;[^;]+;0;[0-9.]+;'
}

test_perf_reads_the_samples() {
	need_system_wide
	need_workloads
	need_program perf
	start "$PIPA_WORKLOADS/unwinds" 1000000
	collect --no-stat --duration-record 1
	status 0
	run perf report -i $session/perf.data --stdio --comm unwinds -G
	status 0
	matches out '\[\.\] [a-z_]+'
	run perf script -i $session/perf.data --comm unwinds -F comm,event,ip,sym
	status 0
	matches out 'cpu-clock'
	matches out '^[[:space:]]+[0-9a-f]+ main$'
	run perf evlist -v -i $session/perf.data
	lacks out STACK_USER
	pipa report --json $session/perf.data
	status 0
	has out unwinds
}

test_stack_dumps_are_kept_on_request() {
	need_system_wide
	need_workloads
	need_program perf
	start "$PIPA_WORKLOADS/unwinds" 1000000
	collect --no-stat --duration-record 1 --perf-data
	status 0
	run perf evlist -v -i $session/perf.data
	has out STACK_USER
	run perf script -i $session/perf.data --comm unwinds -F comm,ip,sym
	status 0
	matches out '^[[:space:]]+[0-9a-f]+ main$'
}

# every_tenth_of_a_second_for_one: the rows of statistics cover the whole second, each ends after the one before by a
# tenth of a second or, on a busy machine, by several
every_tenth_of_a_second_for_one() {
	awk -F ';' '/^[^#]/ {
		at = int((sum += $2) * 10 + 0.05)
		if (at <= last)
			print NR, $2
		last = at
	}
	END {
		if (last < 10)
			print sum, "seconds"
	}' $session/sar_io.csv > uncovered
	compare 'statistics' uncovered < /dev/null
}

test_counting_and_sampling_run_at_once_on_request() {
	local seconds

	need_system_wide
	collect_rows 10 --together --duration-record 1
	status 0
	has err 'counting and sampling'
	lacks err 'counting for'
	every_tenth_of_a_second_for_one
	[[ -s $session/perf_stat.txt && -s $session/perf.data ]] ||
		fail 'the archive' 'both' "$(ls $session)"
	# the longer of the two
	collect_rows 10 --together --duration-stat 0.2 --duration-record 1
	every_tenth_of_a_second_for_one
	seconds=$("$PIPA" script -F time $session/perf.data |
		awk '{ sub(":", "") } NR == 1 { first = $1 } { last = $1 } END { print last - first }')
	between 'seconds of samples' "$seconds" 0.5 30
}

test_phases_can_be_left_out() {
	need_system_wide
	collect --no-record
	status 0
	[[ -s $session/perf_stat.txt && ! -e $session/perf.data ]] ||
		fail 'without samples' 'perf_stat.txt alone' "$(ls $session)"
	collect --no-stat
	status 0
	same 'without counting' "$(ls $session)" "$(printf '%s\n' collection_id.txt perf.data \
		pipa-collection-info.txt pipa-tree.log)"
}

# ---- the machine ----------------------------------------------------------------------------

test_the_machine_is_described() {
	need_system_wide
	need_program python3
	python3 -c 'import yaml' 2> /dev/null || skip 'needs python3-yaml'
	pipa collect --no-record --duration-stat 10ms -o a.tar.gz
	status 0
	unpack a.tar.gz
	[[ ! -e got/spec_original ]] || fail 'the first' 'no earlier description' "$(find got)"
	run python3 -c 'import yaml; print(*yaml.safe_load(open("got/spec_info.yaml")))'
	status 0
	stdout <<< 'os_info kernel_version cpu_info numa_info cpu_governor memory_info disk_info io_scheduler net_info kernel_parameters interrupt_info ulimit_info module_info pci_info bios_hardware_info'
	compare 'the one that is kept' data/spec_info.yaml < got/spec_info.yaml

	echo 'os_info: {}' > data/spec_info.yaml
	pipa collect --no-record --duration-stat 10ms -o a.tar.gz
	unpack a.tar.gz
	compare 'the one that was kept' got/spec_original/spec_info.yaml <<< 'os_info: {}'
	lacks got/spec_info.yaml 'os_info: {}'

	echo 'os_info: {}' > data/spec_info.yaml
	pipa collect --no-record --duration-stat 10ms -o a.tar.gz --force-spec-refresh
	unpack a.tar.gz
	[[ -s got/spec_info.yaml && ! -e got/spec_original ]] ||
		fail 'refreshed' 'no earlier description' "$(find got)"
	lacks data/spec_info.yaml 'os_info: {}'
}

test_directories_come_from_the_environment() {
	need_system_wide
	run env PIPA_TREE_DATA_DIR=one/two "$PIPA" collect "${short[@]}" --no-record -o a.tar.gz
	status 0
	nothing_left_in one/two/run
	run env PIPA_TREE_DATA_DIR=one PIPA_TREE_RUN_DIR=three "$PIPA" collect --no-record \
		--duration-stat 10ms -o a.tar.gz
	status 0
	nothing_left_in three
	same 'the data folder' "$(ls one)" $'spec_info.yaml\ntwo'
	[[ ! -e data ]] || fail 'folders' 'no data' "$(ls)"
}

# ---- who reads it ------------------------------------------------------------------------------

test_commands_of_pipa_read_the_archive() {
	need_system_wide
	need_workloads
	start "$PIPA_WORKLOADS/unwinds" 1000000
	collect_rows 10 --duration-record 1
	status 0
	pipa report a.tar.gz
	status 0
	has out unwinds
	pipa fold a.tar.gz
	status 0
	matches out '^unwinds;.*;main;'
	pipa monitor --from a.tar.gz --csv
	status 0
	has out '%idle'
	same 'rows' "$(grep -c '^[^#]' < <(awk -F ';' '/^#/ { on = /;proc\/s;/ } on' out))" 10
}

run_tests "$@"
