#!/usr/bin/env bash
# `pipa export`: pprof and OTLP profiles, read by go tool pprof and read back.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

need_go() {
	command -v go > /dev/null || skip "needs go"
}

need_profiles() {
	[[ -d $corpus/pprof ]] || skip "no corpus at $corpus/pprof"
}

# go_pprof OPTION FILE: its output without the name of the file and the note on symbols
go_pprof() {
	HOME=$PWD go tool pprof "$@" 2> go.err
}

test_profiles_of_go_are_the_same_again() {
	local file

	need_go
	need_profiles
	for file in "$corpus"/pprof/*.pb.gz; do
		pipa export "$file" -o again.pb.gz
		status 0
		go_pprof -raw "$file" > want
		go_pprof -raw again.pb.gz > got
		diff want got > difference || fail "$file" "the same by go tool pprof -raw" "$(cat difference)"
		go_pprof -top "$file" | tail -n +2 > want
		go_pprof -top again.pb.gz | tail -n +2 > got
		diff want got > difference || fail "$file" "the same by go tool pprof -top" "$(cat difference)"
	done
}

# same_as_go FILE: go tool pprof shows the same of a file and of its export.
same_as_go() {
	pipa export "$1" -o legacy.pb.gz
	status 0
	go_pprof -symbolize=none -raw "$1" > want
	go_pprof -symbolize=none -raw legacy.pb.gz > got
	[[ -s want ]] || fail "$1" "text of go tool pprof -raw" nothing
	diff want got > difference || fail "$1" "the same by go tool pprof -raw" "$(cat difference)"
}

# same_as_proto_of_go FILE: the file, and the profile.proto that go tool pprof makes of it, give the same profile.
same_as_proto_of_go() {
	go_pprof -symbolize=none -proto -output=go.pb.gz "$1" > /dev/null ||
		fail "$1" "read by go tool pprof" "$(cat go.err)"
	pipa export go.pb.gz -o again.pb.gz
	status 0
	go_pprof -symbolize=none -raw again.pb.gz > again
	diff again got > difference || fail "$1" "the same as of go's proto" "$(cat difference)"
}

test_legacy_profiles_are_read_as_by_go() {
	local file

	need_go
	for file in "$PIPA_SOURCE"/tests/data/pprof/*; do
		[[ $file == */threadcreate ]] || same_as_go "$file"
	done
}

test_legacy_profiles_of_the_corpus_are_read_as_by_go() {
	local file n=0

	need_go
	need_profiles
	for file in "$corpus"/pprof/*; do
		[[ $file == *.pb.gz || $file == */go.threadcreate.txt ]] && continue
		same_as_go "$file"
		same_as_proto_of_go "$file"
		n=$((n + 1))
	done
	[[ $n -ge 5 ]] || fail "legacy profiles of the corpus" "5 or more" "$n"
}

# go tool pprof refuses a count without addresses, which Go's own runtime writes.
test_counts_without_a_stack_are_read() {
	pipa export -f folded "$PIPA_SOURCE/tests/data/pprof/threadcreate"
	status 0
	pipa report --stdio -i "$PIPA_SOURCE/tests/data/pprof/threadcreate"
	status 0
	has out 'threadcreate'
}

test_a_compressed_legacy_profile_is_read() {
	gzip -c "$PIPA_SOURCE/tests/data/pprof/heap-v2" > heap.gz
	pipa export heap.gz -o a.pb.gz
	status 0
	pipa export "$PIPA_SOURCE/tests/data/pprof/heap-v2" -o b.pb.gz
	status 0
	cmp a.pb.gz b.pb.gz || fail 'the compressed profile' 'the same' differs
}

test_malformed_legacy_profiles_are_refused_with_the_line() {
	printf 'goroutine profile: total 4\n4 @ 0x1\nfour @ 0x2\n' > malformed
	pipa report -i malformed --stdio
	status 1
	has err "cannot read malformed: malformed pprof profile: line 3: expected 'COUNT @ ADDRESSES'"
}

# The sums of the columns, by go tool pprof.
test_a_recording_has_the_same_samples_in_go() {
	local data=$corpus/perfdata/perf.data.callgraph-3.8

	need_go
	[[ -f $data ]] || skip "no corpus at $corpus/perfdata"
	pipa export "$data" -o callgraph.pb.gz
	status 0
	go_pprof -raw callgraph.pb.gz > raw
	[[ $(awk '/^Locations/ { exit } /^ +[0-9]+ +[0-9]+:/ { n += $1 } END { print n }' raw) == 1768 ]] ||
		fail "samples of go tool pprof" 1768 "$(head -20 raw)"
}

# go tool pprof ends with an error if references or values of a profile are invalid.
test_exports_of_recordings_are_valid_by_go() {
	local file n=0

	need_go
	[[ -d $corpus/perfdata ]] || skip "no corpus at $corpus/perfdata"
	for file in "$corpus"/perfdata/*.data* "$corpus"/perfscript/*-01.txt; do
		[[ -f $file ]] || continue
		pipa export "$file" -o valid.pb.gz
		status 0
		go_pprof -symbolize=none -raw valid.pb.gz > raw || fail "$file" "valid by go tool pprof" "$(cat go.err)"
		n=$((n + 1))
	done
	[[ $n -ge 10 ]] || fail "recordings of the corpus" "10 or more" "$n"
}

# Functions begin on the line of their definition (DW_AT_decl_line).
test_functions_have_their_start_lines() {
	need_sampling
	need_go
	need_counting
	command -v gcc > /dev/null || skip "needs gcc"
	cat > spin.c <<- EOF
		/* line 1 */

		__attribute__((noinline)) long spin(long n)
		{
			volatile long sum = 0;

			while (n--)
				sum += n;
			return sum;
		}

		int main(void)
		{
			return spin(200000000) == 7;
		}
	EOF
	gcc -g -O1 -o spin spin.c
	pipa record -o data -F 499 -- ./spin
	status 0
	pipa export data -o data.pb.gz
	status 0
	go_pprof -raw data.pb.gz > raw
	grep -qE ' spin .*spin\.c:[0-9]+ s=3$' raw || fail 'the start line of spin' 's=3' "$(cat raw)"
}

# Fields that only pprof has, and what go tool pprof shows of them.
test_comments_urls_and_the_default_column_stay() {
	need_go
	pipa export "$PIPA_SOURCE/tests/fuzz/corpus/pprof/golden" --no-compress -o golden.pb
	status 0
	grep -qa 'https://example.com/cpu' golden.pb || fail 'the doc URL' 'https://example.com/cpu' 'none'
	go_pprof -raw golden.pb > raw
	has raw 'cpu/nanoseconds[dflt]'
}

# Allocators are hidden in reports, as go tool pprof hides them, and stay in exports.
test_frames_to_drop_are_hidden_in_reports() {
	printf '%s\n' '--- heapz 1 ---' 'format = java' 'resolution = bytes' '1048576000 1 @ 0x3 0x2 0x1' \
		'0x1 main (A.java:1)' '0x2 work (A.java:2)' '0x3 malloc (m.c:3)' > heap
	pipa fold heap -e inuse_space
	status 0
	stdout <<- EOF
		main;work 1048576000
	EOF
	pipa export -f folded -e inuse_space heap
	status 0
	stdout <<- EOF
		main;work;malloc 1048576000
	EOF
	need_go
	pipa export heap -o heap.pb.gz
	status 0
	go_pprof -symbolize=none -top heap.pb.gz > top
	lacks top malloc
}

# The event of the side-band records is not a column: go tool pprof would show it, and nothing else.
test_go_shows_the_samples_of_a_recording() {
	need_sampling
	need_go
	need_workloads
	need_counting
	pipa record -o data -F 997 -- "$PIPA_WORKLOADS/spin" 200
	status 0
	pipa export data -o data.pb.gz
	status 0
	go_pprof -raw data.pb.gz > raw
	has raw 'samples/count cpu/nanoseconds[dflt]'
	go_pprof -top data.pb.gz > top
	lacks top 'Total samples = 0'
}

test_stacks_keep_their_weights() {
	printf '%s\n' 'a;b;c 5' 'a;b 3' 'a;x 1' > folded
	pipa export folded -o folded.pb.gz
	status 0
	pipa export -f folded folded.pb.gz
	status 0
	stdout <<- EOF
		a;b 3
		a;b;c 5
		a;x 1
	EOF
}

test_a_report_of_the_export_equals_the_report() {
	printf '%s\n' 'a;b;c 5' 'a;b 3' 'a;x 1' > folded
	pipa report -i folded --no-children --stdio
	status 0
	grep -v '^#' out > want
	pipa export folded -o folded.pb.gz
	status 0
	pipa report -i folded.pb.gz --no-children --stdio
	status 0
	grep -v '^#' out | awk '{ print $1, $NF }' > got
	awk '{ print $1, $NF }' want > want.short
	compare 'the rows' got < want.short
}

# The thread that async-profiler writes as a frame is a thread, and the frame stays.
test_threads_of_async_profiler_are_labels() {
	printf '%s\n' '[GC tid=13];gc 2' '[main tid=12];Thread.run_[j];Foo.bar_[0];write_[k] 5' > folded
	pipa export -f folded folded
	status 0
	compare 'folded stacks' out < folded
	pipa fold folded
	status 0
	compare 'folded stacks' out < folded
	pipa report -i folded --stdio --no-children --sort comm,tid
	status 0
	has out '71.43%'
	grep -qE 'main +.*12$' out || fail 'a row of the thread' 'main ... 12' "$(cat out)"
	need_go
	pipa export folded -o folded.pb.gz
	status 0
	go_pprof -raw folded.pb.gz > raw
	has raw 'comm:[main]'
	has raw 'tid:[12]'
}

test_malformed_profiles_are_refused_with_the_offset() {
	printf '\x0a\x04\x08\x01\x10\x02\x12\x05\x0a\x01\x01\x12' > truncated.pb
	pipa report -i truncated.pb --stdio
	status 1
	has err 'cannot read truncated.pb: malformed pprof profile: Profile: length exceeds the message at offset 6'
}

test_a_terminal_gets_no_binary() {
	printf 'a 1\n' > folded
	script -qec "'$PIPA' export folded" /dev/null < /dev/null > tty.out 2>&1
	grep -q 'refusing to write a pprof profile to a terminal' tty.out || fail 'terminal' 'a refusal' "$(cat tty.out)"
}

test_an_unknown_format_is_refused() {
	printf 'a 1\n' > folded
	pipa export -f svg folded
	status 2
	has err "--format: invalid format 'svg', expected pprof, folded, json, otlp, otlp-json, callgrind, speedscope, cpuprofile, graph-json, flame-csv, firefox or chrome-trace, or parquet, csv or sqlite"
}

# A recording without samples has columns, so that the file is known as a profile.
test_a_profile_without_samples_is_read_again() {
	need_workloads
	need_counting
	pipa record -e dummy -o data -- true
	[[ -s data ]] || skip "no recording of event dummy"
	pipa export data -o data.pb.gz
	status 0
	pipa report data.pb.gz
	status 0
}

# ---- OTLP

test_profiles_of_go_are_the_same_after_otlp() {
	local file layout

	need_go
	need_profiles
	for file in "$corpus"/pprof/*.pb.gz; do
		for layout in 1.10 1.9; do
			pipa export "$file" -f otlp --otlp-layout "$layout" -o profile.otlp
			status 0
			pipa export profile.otlp -o again.pb.gz
			status 0
			go_pprof -raw "$file" > want
			go_pprof -raw again.pb.gz > got
			diff want got > difference ||
				fail "$file in layout $layout" "the same by go tool pprof -raw" "$(cat difference)"
		done
	done
}

test_a_report_of_otlp_equals_the_report_of_the_recording() {
	local name data

	[[ -d $corpus/perfdata ]] || skip "no corpus at $corpus/perfdata"
	for name in callgraph-3.8 callgraph_and_branch-3.4 piped.target-3.4 remmap-3.2; do
		data=$corpus/perfdata/perf.data.$name
		pipa report -i "$data" --no-children --stdio
		status 0
		grep -v '^#' out | sort > want
		pipa export "$data" -f otlp -o data.otlp
		status 0
		pipa report -i data.otlp --no-children --stdio
		status 0
		grep -v '^#' out | sort > got
		[[ -s got ]] || fail "$name" 'rows' none
		compare "the rows of $name" got < want
	done
}

test_each_event_of_a_recording_has_the_same_report_after_otlp() {
	local data=$corpus/perfdata/perf.data.group_desc-4.14 event

	[[ -f $data ]] || skip "no corpus at $corpus/perfdata"
	pipa export "$data" -f otlp -o data.otlp
	status 0
	for event in cache-references branch-misses; do
		pipa report -i "$data" --value "$event" --no-children --stdio
		status 0
		grep -v '^#' out | sort > want
		pipa report -i data.otlp --value "$event" --no-children --stdio
		status 0
		grep -v '^#' out | sort > got
		[[ -s got ]] || fail "$event" 'rows' none
		compare "the rows of $event" got < want
	done
}

test_a_recording_is_the_same_profile_as_pprof_and_as_otlp() {
	local data=$corpus/perfdata/perf.data.callgraph-3.8

	[[ -f $data ]] || skip "no corpus at $corpus/perfdata"
	pipa export "$data" -f otlp -o data.otlp
	status 0
	pipa export data.otlp -f folded -o got
	status 0
	pipa export "$data" -o data.pb.gz
	status 0
	pipa export data.pb.gz -f folded -o want
	status 0
	# unresolved addresses are offsets in the file in one, addresses in the other
	sed 's/0x[0-9a-f]*/ADDRESS/g' want | sort > want.sorted
	sed 's/0x[0-9a-f]*/ADDRESS/g' got | sort > got.sorted
	compare 'the stacks' got.sorted < want.sorted
}

test_otlp_has_the_attributes_of_process_and_host() {
	need_sampling
	need_workloads
	need_counting
	pipa record -o data -F 997 -- "$PIPA_WORKLOADS/spin" 200
	status 0
	pipa export data -f otlp -o data.otlp
	status 0
	for text in process.pid process.executable.path unknown_service:spin host.name host.arch os.type thread.id \
		thread.name profile.frame.type samples cpu nanoseconds pprof.scope.default_sample_type; do
		grep -qaF "$text" data.otlp || fail "$text" 'in the file' "$(strings data.otlp | head -30)"
	done
}

test_compressed_otlp_is_read() {
	printf '%s\n' 'a;b;c 5' 'a;b 3' > folded
	pipa export folded -f otlp -o one.otlp
	status 0
	gzip -k one.otlp
	pipa export -f folded one.otlp.gz
	status 0
	stdout <<- EOF
		a;b 3
		a;b;c 5
	EOF
}

test_malformed_otlp_is_refused_with_the_offset() {
	printf 'a;b 1\n' > folded
	pipa export folded -f otlp -o one.otlp
	status 0
	head -c -3 one.otlp > cut.otlp
	pipa report -i cut.otlp --stdio
	status 1
	has err 'cannot read cut.otlp: malformed OTLP profiles: ProfilesData: length exceeds the message at offset'
}

test_otlp_json_has_the_same_profile_and_ids_in_hexadecimal() {
	printf '%s\n' 'a;b;c 5' 'a;b 3' > folded
	pipa export folded -f otlp-json
	status 0
	has out '{"resourceProfiles":[{"resource":{"attributes":['
	has out '"stringTable":["",'
	[[ $(wc -l < out) -eq 1 ]] || fail 'lines' 1 "$(wc -l < out)"
	cp out one.json
	pipa export -f folded one.json
	status 0
	stdout <<- EOF
		a;b 3
		a;b;c 5
	EOF
	pipa export -f otlp folded -o one.otlp
	pipa export -f otlp one.json -o again.otlp
	status 0
	cmp one.otlp again.otlp || fail 'protobuf of the JSON' 'the same bytes' 'others'
	gzip -k one.json
	pipa report -i one.json.gz --stdio
	status 0
	has out 'c'
	pipa export "$PIPA_SOURCE/tests/fuzz/corpus/proto_json/golden" -f otlp-json
	has out '{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"}'
}

test_json_after_space_and_with_unknown_keys_is_read() {
	printf 'a;b 1\n' > folded
	pipa export folded -f otlp-json
	sed 's/{"resourceProfiles"/\n { "resourceProfiles"/; s/"dictionary":/"other":[{"x":null}],"dictionary":/' out > one.json
	pipa export -f folded one.json
	status 0
	echo 'a;b 1' | stdout
}

test_malformed_otlp_json_is_refused_with_its_offset() {
	printf '{"resourceProfiles":[{"scopeProfiles":3}]}' > bad.json
	pipa report -i bad.json --stdio
	status 1
	has err 'cannot read bad.json: malformed OTLP profiles: ResourceProfiles.scope_profiles: expected an array at offset 38'
	printf '{"resourceProfiles":[{"scopeProfiles":[{"profiles":[{"samples":[{"stackIndex":7,"values":[1]}]}]}]}],"dictionary":{"stackTable":[{}]}}' > bad.json
	pipa report -i bad.json --stdio
	status 1
	has err 'of its protobuf bytes'
}

test_an_unknown_layout_is_refused() {
	printf 'a 1\n' > folded
	pipa export -f otlp --otlp-layout 1.8 folded
	status 2
	has err "--otlp-layout: invalid version '1.8', expected 1.10 or 1.9"
}

test_losses_of_a_recording_are_those_of_its_profile() {
	local data=$corpus/perfdata/perf.data.lost_samples-4.4 form

	[[ -e $data ]] || skip "no corpus at $corpus/perfdata"
	pipa report -i "$data" --stdio
	status 0
	grep '^# lost: [1-9]' out > want || fail 'the report' 'lost samples' "$(head -n 3 out)"
	for form in pprof otlp; do
		pipa export "$data" -f "$form" -o "x.$form"
		status 0
		pipa report -i "x.$form" --stdio
		status 0
		grep '^# lost: ' out > got
		same "$form" "$(cat got)" "$(cat want)"
	done
}

run_tests "$@"
