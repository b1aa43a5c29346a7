#!/usr/bin/env bash
# Every command with every format: it works, or names the part that the format lacks.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# make_files: the same profile as perf.data, bundle, perf script text, folded stacks and pprof
make_files() {
	need_workloads
	need_counting
	pipa record -g -e cpu-clock -o perf -- "$PIPA_WORKLOADS/spin" 100
	status 0
	pipa bundle perf -o bundle
	status 0
	pipa script perf
	status 0
	mv out script
	pipa fold perf -o folded
	status 0
	pipa export perf -f pprof -o pprof
	status 0
}

# works COMMAND...: each command line, with FILE for the file, succeeds
# lacks MESSAGE COMMAND...: status 1 and this message
works() {
	local command

	for command; do
		# shellcheck disable=SC2086
		pipa ${command//FILE/$input}
		status 0
	done
}

lacks() {
	local message=$1 command

	shift
	for command; do
		# shellcheck disable=SC2086
		pipa ${command//FILE/$input}
		status 1
		grep -qF -- "$message" err || fail "pipa ${command//FILE/$input}" "$message" "$(cat err)"
	done
}

# notes MESSAGE COMMAND...: status 0 and a note
notes() {
	local message=$1 command

	shift
	for command; do
		# shellcheck disable=SC2086
		pipa ${command//FILE/$input}
		status 0
		grep -qF -- "$message" err || fail "pipa ${command//FILE/$input}" "$message" "$(cat err)"
	done
}

test_every_command_reads_every_format_or_names_the_missing_data() {
	local input

	make_files
	for input in perf bundle script folded pprof; do
		works 'report FILE' 'report --sort symbol FILE' 'flamegraph FILE -o page.html' 'graph FILE -o graph.svg' \
			'fold FILE' 'export FILE -o out.pb.gz' 'export FILE -f folded' 'export FILE -f json' \
			'merge FILE FILE -o out.pb.gz' 'filter FILE --focus . -o out.pb.gz' 'diff FILE FILE'
	done
	for input in perf bundle script; do
		works 'heatmap FILE -o page.html' 'flamegraph --chart FILE -o page.html' 'filter FILE --time 0, -o out.pb.gz' \
			'report --time 0, FILE' 'annotate FILE' 'report --sort pid,tid FILE'
	done
	for input in folded pprof; do
		lacks "cannot draw the heat map: $input has no timestamps" 'heatmap FILE -o page.html'
		lacks "cannot draw the flame chart: $input has no timestamps" 'flamegraph --chart FILE -o page.html'
		lacks "cannot select samples by time: $input has no timestamps" 'filter FILE --time 0,1 -o out.pb.gz' \
			'report --time 0,1 FILE' 'flamegraph --time 0,1 FILE -o page.html' 'graph --time 0,1 FILE -o page.svg' \
			'export --time 0,1 FILE -o out.pb.gz' 'merge --time 0,1 FILE FILE -o out.pb.gz' \
			'heatmap --time 0,1 FILE -o page.html'
		lacks "cannot print samples: $input has only sums, it is" 'script FILE'
		lacks "cannot print the header: $input has none, it is" 'report --header-only FILE'
		lacks 'Only a perf.data recording can be bundled.' 'bundle FILE -o out.tar'
		notes "--sort cpu: $input has no CPU numbers" 'report --sort cpu FILE'
	done
	for input in perf bundle script folded pprof; do
		lacks "cannot select samples by trace id: $input has no trace ids" \
			'filter FILE --trace-id 0af7651916cd43dd8448eb211c80319c -o out.pb.gz'
		notes "--sort label:x: $input has no labels" 'report --sort label:x FILE'
	done
	input=perf
	works 'script FILE' 'report --header-only FILE'
	input=bundle
	works 'script FILE' 'report --header-only FILE'
	input=pprof
	works 'annotate FILE' 'report --sort pid,tid FILE'
	input=script
	lacks 'script is text of perf script' 'script FILE'
	input=folded
	works 'annotate FILE'
	grep -q 'no code: its address is not known' out || fail annotate 'no address' "$(head -5 out)"
	input=folded
	notes '--sort pid: folded has no process and thread ids' 'report --sort pid,tid FILE'
	input=folded
	notes '--sort srcline: folded has no source lines' 'report --sort srcline FILE'
}

run_tests "$@"
