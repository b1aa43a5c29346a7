#!/usr/bin/env bash
# `pipa export -f firefox` and `-f chrome-trace`: threads with times. tests/firefox has the loader of the Firefox Profiler.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

# a thread that is on two CPUs, and a pause
four_samples() {
	printf '%s\n' 'app 10/11 [002] 1.000001001: 5 cycles: ' ' 40 leaf (/x/app)' ' 41 main (/x/app)' '' \
		'app 10/11 [002] 1.000003003: 5 cycles: ' ' 40 leaf (/x/app)' ' 41 main (/x/app)' '' \
		'app 10/11 [003] 1.000005005: 5 cycles: ' ' 40 other (/x/app)' ' 41 main (/x/app)' '' \
		'app 10/11 [003] 1.000105005: 5 cycles: ' ' 40 other (/x/app)' ' 41 main (/x/app)' ''
}

# valid FORMAT FILE: what python3 reads of it goes to ./sums
valid() {
	python3 "$PIPA_SOURCE/tests/cli/timed_profile.py" "$1" "$2" > sums 2>&1 ||
		fail "$1" "a valid file" "$(cat sums)"
}

test_equal_frames_of_consecutive_samples_are_one_slice() {
	four_samples > script
	pipa export -f chrome-trace script
	status 0
	valid chrome out
	tail -n +2 out > events
	diff - events <<- 'END' || fail events 'those above' 'others'
	{"ph":"M","pid":10,"tid":10,"ts":0,"cat":"__metadata","name":"process_name","args":{"name":"app"}},
	{"ph":"M","pid":10,"tid":11,"ts":0,"cat":"__metadata","name":"thread_name","args":{"name":"app"}},
	{"ph":"B","pid":10,"tid":11,"ts":0,"name":"main","cat":"app"},
	{"ph":"B","pid":10,"tid":11,"ts":0,"name":"leaf","cat":"app"},
	{"ph":"E","pid":10,"tid":11,"ts":4.004,"name":"leaf"},
	{"ph":"B","pid":10,"tid":11,"ts":4.004,"name":"other","cat":"app"},
	{"ph":"E","pid":10,"tid":11,"ts":6.006,"name":"other"},
	{"ph":"E","pid":10,"tid":11,"ts":6.006,"name":"main"},
	{"ph":"B","pid":10,"tid":11,"ts":104.004,"name":"main","cat":"app"},
	{"ph":"B","pid":10,"tid":11,"ts":104.004,"name":"other","cat":"app"},
	{"ph":"E","pid":10,"tid":11,"ts":106.006,"name":"other"},
	{"ph":"E","pid":10,"tid":11,"ts":106.006,"name":"main"}
	]}
	END
}

test_times_and_cpus_of_samples_are_exact() {
	four_samples > script
	pipa export -f firefox script
	status 0
	valid firefox out
	has out '"time":[0,0.002002,0.004004,0.104004]'
	has out '"startTime":[0,0.004004],"endTime":[0.002002,0.104004]'
	has out '{"type":"CPU","cpu":2},{"type":"CPU","cpu":3}'
}

test_all_recordings_of_the_corpus_are_valid() {
	local file want

	[[ -d $corpus/perfdata ]] || skip "no corpus at $corpus"
	for file in "$corpus"/perfdata/perf.data.{callgraph,systemwide.0}-3.8 "$corpus"/perfdata/perf.data.hw_and_sw-3.4 \
		"$corpus"/perfscript/perf-cycles-instructions-01.txt "$corpus"/aarch64/dup_cfi.dwarf.bundle \
		"$corpus"/pprof/go-labels.cpu.pb.gz; do
		pipa export -f firefox "$file"
		status 0
		valid firefox out
		tail -n 1 sums > got
		pipa report -i "$file" --json
		want=$(sed -n 's/^  "samples": \([0-9]*\),$/samples \1/p' out)
		[[ $(< got) == "$want" ]] || fail "$file" "$want" "$(cat got)"
		[[ $file != *.pb.gz ]] || continue
		pipa export -f chrome-trace "$file"
		status 0
		valid chrome out
	done
}

test_losses_are_markers_and_instant_events() {
	[[ -d $corpus/perfdata ]] || skip "no corpus at $corpus"
	pipa export -f firefox "$corpus/perfdata/perf.data.lost_samples-4.4"
	status 0
	valid firefox out
	[[ $(grep -c '^Lost samples ' sums) == 2 ]] || fail markers '2 of lost samples' "$(cat sums)"
	has out '{"label":"Lost samples","format":"integer","value":2}'
	pipa export -f chrome-trace "$corpus/perfdata/perf.data.lost_samples-4.4"
	status 0
	valid chrome out
	[[ $(grep -c '^Lost samples 1$' sums) == 2 ]] || fail events '2 of lost samples' "$(cat sums)"
	pipa export -f firefox "$corpus/perfdata/perf.data.hw_and_sw-3.4"
	status 0
	valid firefox out
	[[ $(grep -c '^Throttled ' sums) == 27 ]] || fail markers '27 throttled intervals' "$(cat sums)"
}

test_a_trace_needs_times() {
	printf 'main;f 5\n' > folded
	pipa export -f chrome-trace folded -o trace
	status 1
	has err 'cannot write a trace: the samples have no times'
	[[ ! -e trace ]] || fail trace 'no file' "$(cat trace)"
	pipa export -f firefox folded
	status 0
	valid firefox out
	has sums 'samples 5'
}

test_an_output_with_gz_is_compressed() {
	four_samples > script
	pipa export script -o a.firefox.json
	status 0
	pipa export script -o a.firefox.json.gz
	status 0
	gzip -dc a.firefox.json.gz | diff - a.firefox.json || fail a.firefox.json.gz 'the same' 'another text'
	pipa export script -o a.trace.json.gz
	status 0
	gzip -dc a.trace.json.gz > trace || fail a.trace.json.gz 'gzip' 'something else'
	valid chrome trace
}

test_hostile_names_are_valid_json() {
	local name=$'a"b\\\x01\x1b[31m\xff</script>'

	printf '%s 10/11 1.0: 5 cycles: \n 40 %s (/x/%s)\n\n' "$name" "$name" "$name" > script
	pipa export -f firefox script
	status 0
	valid firefox out
	pipa export -f chrome-trace script
	status 0
	valid chrome out
	printf '%s;%s 3\n' "$name" "$name" > folded
	pipa export -f firefox folded
	status 0
	valid firefox out
}

test_a_profile_without_samples_is_valid() {
	printf 'a;b 0\n' > folded
	pipa export -f firefox folded
	status 0
	valid firefox out
	has sums 'samples 0'
}

test_a_full_disk_is_an_error() {
	local format

	[[ -w /dev/full ]] || skip "no /dev/full"
	four_samples > script
	for format in firefox chrome-trace callgrind graph-json; do
		run bash -c "\"$PIPA\" export -f $format script > /dev/full"
		status 1
		has err 'No space left on device'
		[[ $(wc -l < err) == 1 ]] || fail "$format" 'one line' "$(cat err)"
	done
	run bash -c "\"$PIPA\" export -f flame-csv script > /dev/full"
	status 1
}

run_tests "$@"
