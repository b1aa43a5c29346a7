#!/usr/bin/env bash
#
# pipa, pipa help, pipa list and pipa doctor.

. "${BASH_SOURCE[0]%/*}/lib.sh"

# ---- pipa ----------------------------------------------------------------------------------

usage() {
	stdout << 'END'
usage: pipa COMMAND [ARGS]

Performance analysis for Linux: counters, profiles and system statistics.

commands:
  run         run a workload and report its performance, resource use and hot functions
  collect     collect counters, statistics and samples of the machine into one archive
  analyze     analyze measurements and write an HTML report with findings and evidence
  stat        count events of a command, of existing processes or of CPUs
  monitor     show system statistics: CPU, memory, disks, network, pressure
  top         show the hottest functions of the machine, a process or a command, live
  record      sample a command, existing processes or CPUs into a perf.data file
  heap        sample the allocations of a command: peak, memory in use, leaks
  report      summarize a recording by command, DSO and symbol
  diff        compare recordings and test which changes are significant
  annotate    print samples per instruction and source line of functions
  script      print every sample of a recording
  fold        print folded stacks, one line per distinct stack
  flamegraph  draw a flame graph as HTML or SVG
  heatmap     write a heat map of samples over time as HTML
  graph       draw a call graph as HTML, SVG or DOT
  bundle      archive a recording with the binaries and debug files needed to symbolize it
  symbolize   print function, source file and line of addresses
  export      convert a profile for other tools: pprof, OTLP, tables, viewers
  merge       add up profiles of several files
  filter      write a part of a profile: some samples, some frames
  upload      store results and recordings at a pipad server
  download    download a table of results from a pipad server
  query       print statistics of metrics of the results at a pipad server
  otlp        check a payload of OpenTelemetry profiles (OTLP)
  plot        draw charts of metrics as SVG, PDF or PNG
  rules       check rule files, or show which rules a measurement fires and why
  generate    write shell scripts that measure with pipa, from templates
  list        list the events and metrics available on this machine
  doctor      check which features work on this machine and how to enable the rest
  help        show the help of a command or topic: pipa help stat

`pipa COMMAND --help` lists the options of a command. `pipa doctor` checks which features work on
this machine. Help topics: events, metrics, formats.
END
	stderr < /dev/null
}

test_no_command_prints_the_first_commands_and_is_an_error() {
	pipa
	status 2
	stdout << 'END'
usage: pipa COMMAND [ARGS]

  pipa run ./program            measure a program: time, CPU, memory, hot functions
  pipa record ./program         sample it into perf.data
  pipa report                   show where the samples are
  pipa flamegraph -o out.html   draw them as a flame graph
  pipa monitor                  watch the machine

`pipa help` lists all commands. `pipa doctor` checks which features work on this machine.
END
	stderr < /dev/null
}

test_topics_have_help() {
	pipa help events
	status 0
	has out 'sched:sched_switch'
	pipa help formats
	status 0
	has out 'folded stacks'
	pipa help metrics
	status 0
	matches out '^  cpu +CPU time \(10\)$'
	pipa help metrics cpu
	status 0
	has out '  %usr         cpu.usr                    CPU time in user mode, without guests [%]'
	pipa help metrics stat
	status 0
	has out '  ipc '
	pipa help metrics all
	status 0
	between 'lines' "$(wc -l < out)" 300 2000
	pipa help metrics nothing
	refused 2 <<< "pipa: unexpected argument 'nothing' of help topic metrics. pipa help metrics lists the sections of metrics."
	pipa help nothing cpu
	refused_like 2 "pipa: unknown command 'nothing'. .*"
}

test_help_shows_the_usage() {
	local form

	for form in help --help -h; do
		pipa "$form"
		status 0
		usage
	done
}

test_every_command_has_help_in_three_forms() {
	local command

	for command in stat list doctor; do
		pipa help "$command"
		status 0
		cp out want
		matches want "^usage: pipa $command "
		stderr < /dev/null
		pipa "$command" --help
		status 0
		stdout < want
		pipa "$command" -h
		status 0
		stdout < want
	done
}

test_the_help_of_stat_names_every_option_once() {
	pipa stat --help
	grep -oE -- '^ +(-., )?--[a-z-]+' out | grep -oE -- '--[a-z-]+' | sort > options
	same 'options named twice' "$(uniq -d options)" ''
	for option in --event --pid --all-cpus --cgroup --repeat --baseline --json --yaml --output; do
		has options "$option"
	done
}

test_help_stays_within_a_hundred_columns() {
	local command

	for command in stat list doctor; do
		pipa help "$command"
		same "long lines in the help of $command" "$(awk 'length > 100' out)" ''
	done
}

test_the_version_is_one_line() {
	local form

	for form in --version version; do
		pipa "$form"
		status 0
		same lines "$(wc -l < out)" 1
		matches out '^pipa [0-9]+\.[0-9]+\.[0-9]+'
		stderr < /dev/null
	done
}

test_an_unknown_command_gets_the_nearest_one() {
	pipa stats
	refused 2 << 'END'
pipa: unknown command 'stats'. Did you mean stat?
END
	pipa zzzzzzzz
	refused 2 << 'END'
pipa: unknown command 'zzzzzzzz'. pipa help lists all commands.
END
	pipa --nope
	refused_like 2 "pipa: unknown option '--nope'. .*"
	pipa help nope-nope
	refused_like 2 "pipa: unknown command 'nope-nope'. .*"
}

test_a_full_disk_is_a_failure_of_everything_that_prints() {
	local args

	[[ -w /dev/full ]] || skip 'no /dev/full'
	for args in --version help 'help stat' 'list sw' doctor; do
		command_line="pipa $args > /dev/full"
		# shellcheck disable=SC2086 # several words
		"$PIPA" $args > /dev/full 2> err
		got_status=$?
		same "exit status of $args" "$got_status" 1
		same "lines of $args" "$(wc -l < err)" 1
		has err 'cannot write standard output: No space left on device'
	done
}

test_a_closed_pipe_is_silent() {
	command_line='pipa list | head -n 1'
	{
		"$PIPA" list 2> err
		echo $? > status
	} | head -c 1 > /dev/null
	stderr < /dev/null
	between 'exit status' "$(cat status)" 0 141
}

# ---- pipa list -----------------------------------------------------------------------------

test_the_list_has_a_chapter_per_kind() {
	pipa list
	status 0
	stderr < /dev/null
	# PMUs and tracepoints are not everywhere
	grep -E '^[^ ].*:$' out | grep -vE '^(PMU events|Tracepoints):$' > chapters
	compare chapters chapters << 'END'
Hardware events:
Hardware cache events:
Software events:
Metrics (-M):
END
}

test_a_single_kind_can_be_listed() {
	local kind

	for kind in hw:'Hardware events' cache:'Hardware cache events' sw:'Software events' \
		metric:'Metrics (-M)'; do
		pipa list --all "${kind%%:*}"
		status 0
		same 'chapters' "$(grep -E '^[^ ]' out)" "${kind#*:}:"
		between 'lines' "$(wc -l < out)" 5 1000
	done
	pipa list pmu
	status 0
	pipa list tracepoint
	status 0
}

test_the_list_has_supported_events_and_all_adds_the_rest() {
	local all supported

	pipa list --all
	status 0
	all=$(grep -c '^  ' out)
	supported=$(grep '^  ' out | grep -vc 'not supported here')
	pipa list
	status 0
	lacks out 'not supported here;  '
	same 'lines' "$(grep '^  ' out | grep -vc 'not supported here; --all')" "$supported"
	between 'all' "$all" "$supported" 100000
}

test_software_events_are_tested_by_opening_them() {
	need_counting
	pipa list sw 'page*'
	status 0
	stdout << 'END'
Software events:
  page-faults                          or faults
END
}

test_every_event_of_the_list_can_be_counted_as_listed() {
	local event

	need_counting
	pipa list --json sw
	sed -nE 's/^ +"name": "(.*)",/\1/p' out > names
	between 'names' "$(wc -l < names)" 10 100
	while read -r event; do
		"$PIPA" stat -x, -e "$event" true > /dev/null 2> err ||
			fail "$event" 'counted' "$(cat err)"
	done < names
}

test_tracepoints_are_listed_and_narrowed_by_a_glob() {
	need_tracepoints
	pipa list tracepoint 'sched:sched_process_fork'
	status 0
	stdout << 'END'
Tracepoints:
  sched:sched_process_fork
END
	pipa list 'sched:sched_process_f*'
	status 0
	matches out '^  sched:sched_process_fork$'
	lacks out 'Hardware'
}

test_a_glob_without_a_match_is_an_error() {
	pipa list hw 'zzzz*'
	refused 1 << 'END'
pipa list: nothing matches 'zzzz*'. Quote globs: pipa list tracepoint 'sched:*'
END
}

test_an_unknown_kind_gets_the_nearest_one() {
	pipa list cach
	refused 2 << 'END'
pipa list: invalid kind of events 'cach'. Did you mean cache?
END
	pipa list zzzzzz
	refused 2 << 'END'
pipa list: invalid kind of events 'zzzzzz'. Expected hw, cache, sw, pmu, tracepoint or metric.
END
	pipa list a b c
	refused_like 2 "pipa list: too many arguments: 'c'.*"
	pipa list --nope
	refused_like 2 "pipa list: unknown option '--nope'. .*"
}

test_options_may_follow_the_kind() {
	pipa list hw cycles --json
	status 0
	cp out want
	pipa list --json hw cycles
	stdout < want
	pipa list hw -j cycles
	stdout < want
}

test_the_list_as_json() {
	need_counting
	pipa list --json sw page-faults
	status 0
	stdout << 'END'
{
  "schema": "pipa-list/1",
  "events": [
    {
      "name": "page-faults",
      "kind": "sw",
      "state": "ok",
      "description": "or faults"
    }
  ]
}
END
}

# ---- pipa doctor ---------------------------------------------------------------------------

test_the_doctor_checks_everything() {
	pipa doctor
	stderr < /dev/null
	between 'exit status' "$got_status" 0 1
	grep -E '^(ok|partial|no) ' out | cut -c 9-26 | sed 's/ *$//' > checks
	compare checks checks << 'END'
counting
system-wide
permissions
hardware counters
NMI watchdog
tracepoints
kernel symbols
eBPF
debug files
open files
sampling rate
END
}

test_the_doctor_has_advice_for_each_fault() {
	pipa doctor
	# a `try:` line follows each fault; a PMU that does not count has no known cure
	awk '/^(partial|no) / { if (fault && !cured) print fault; fault = $0; cured = 0 }
		/^ok / { if (fault && !cured) print fault; fault = "" }
		/^ +try: / { cured = 1 }' out | grep -v 'there is a PMU' > uncured
	compare 'faults without advice' uncured < /dev/null
}

test_the_doctor_finds_no_fault_as_root() {
	need_root
	need_counting
	pipa doctor
	status 0
	matches out '^ok +counting +user space and kernel of your own processes$'
}

test_the_doctor_as_json() {
	pipa doctor --json
	stderr < /dev/null
	head -n 3 out > got
	compare 'the beginning' got << 'END'
{
  "schema": "pipa-doctor/1",
  "checks": [
END
	same 'checks' "$(grep -c '"name":' out)" 11
	same 'states' "$(grep -cE '"state": "(ok|partial|missing)"' out)" 11
}

test_the_doctor_in_colour() {
	pipa doctor --color always
	between 'coloured lines' "$(grep -c $'\033' out)" 11 11
	pipa doctor
	same 'coloured lines in a file' "$(grep -c $'\033' out)" 0
	pipa doctor --color purple
	refused 2 << 'END'
pipa doctor: --color: invalid mode 'purple', expected auto, always or never
END
}

test_the_doctor_takes_no_arguments() {
	pipa doctor please
	refused_like 2 "pipa doctor: unexpected argument 'please'.*"
}

run_tests "$@"
