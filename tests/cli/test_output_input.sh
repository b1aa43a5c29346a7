#!/usr/bin/env bash
# An output that is the input is refused by every command, by whatever name, before a byte is written.
# shellcheck disable=SC2094
. "${BASH_SOURCE[0]%/*}/lib.sh"

# Each command that reads a file and has -o: its usage status, then the command line, with IN for the input.
with_output=(
	'2 fold IN -o'
	'2 export IN -o'
	'2 export --frame samples IN -o'
	'2 export -f speedscope IN -o'
	'2 export -f cpuprofile IN -o'
	'2 export -f callgrind IN -o'
	'2 export -f firefox IN -o'
	'2 export -f chrome-trace IN -o'
	'2 export --frame series IN -o'
	'2 export -f sqlite IN -o'
	'2 merge IN other -o'
	'2 merge other IN -o'
	'2 filter IN -o'
	'2 flamegraph IN -o'
	'2 flamegraph -f svg IN -o'
	'2 flamegraph --chart IN -o'
	'2 flamegraph other --diff IN -o'
	'2 flamegraph other -k IN -o'
	'2 heatmap IN -o'
	'2 heatmap other --kallsyms IN -o'
	'2 graph IN -o'
	'2 graph -f dot IN -o'
	'2 diff IN other -o'
	'2 diff other IN -o'
	'2 diff --base IN other -o'
	'2 diff --html other IN -o'
	'2 bundle IN -o'
	'2 bundle --kallsyms IN other -o'
	'1 collect --config IN -o'
	'2 analyze IN -o'
	'2 analyze other IN -o'
	'2 analyze --rules IN other -o'
	'2 analyze -f json IN -o'
	'2 analyze other --compare IN -o'
	'2 analyze other -f json --compare IN -o'
	'2 plot IN -m cpu.usr -o'
	'2 plot other IN -k heatmap -o'
	'2 download --server localhost:1 --table t --token-file IN -o'
	'2 query --server localhost:1 --metric run_time --token-file IN -o'
	'125 heap chart IN -o'
	'125 heap chart other IN -o'
	'125 run --from IN -o'
	'125 run --baseline IN -o OUT -- true'
	'125 stat --baseline IN -o OUT -- true'
	'125 stat --baseline IN --append -o OUT -- true'
)

# Those that write to standard output, which may be opened on the input: >> and <>.
to_standard_output=(
	'2 report IN'
	'2 report --json IN'
	'2 script IN'
	'2 fold IN'
	'2 export IN'
	'2 export --frame samples IN'
	'2 export -f callgrind IN'
	'2 export -f firefox IN'
	'2 merge other IN'
	'2 filter IN'
	'2 otlp check IN'
	"2 plot IN -m ?"
	'2 rules check IN'
	'2 rules explain IN'
	'2 rules next IN'
	'2 rules explain --rules IN other'
	'2 flamegraph IN'
	'2 heatmap IN'
	'2 graph IN'
	'2 diff IN other'
	'2 annotate IN'
	'2 bundle IN -o -'
	'2 symbolize -e IN 0x10'
	'2 analyze -f json IN'
	'2 analyze IN -o -'
	'125 run --from IN'
	'2 monitor --from IN'
)

# refuses STATUS NAME: with that status and sentence, and the input is what it was
refuses() {
	status "$1"
	has err ": cannot write $2: it is the input file"
	same 'the input' "$(md5sum < perf.data)" "$sum"
	# shellcheck disable=SC2010
	same 'files' "$(ls -A | grep -c tar.zst)" 0
}

make_input() {
	printf 'main;f 3\nmain;g 4\n' > perf.data
	cp perf.data other
	sum=$(md5sum < perf.data)
}

# each_with_output OUTPUT [N]: all of the table, or its first N rows, with perf.data as input
each_with_output() {
	local line words expected

	for line in "${with_output[@]:0:${2:-100}}"; do
		[[ $line == *OUT* ]] || line+=' OUT'
		line=${line//IN/perf.data}
		read -r -a words <<< "$line"
		expected=${words[0]}
		words=("${words[@]:1}")
		pipa "${words[@]//OUT/$1}"
		refuses "$expected" "$1"
	done
}

test_the_same_path_is_refused_by_every_command() {
	make_input
	each_with_output perf.data
	each_with_output ./perf.data 1
	each_with_output "$PWD/perf.data" 1
}

test_a_symbolic_link_to_the_input_is_refused() {
	make_input
	ln -s perf.data link
	ln -s link link-to-link
	each_with_output link
	each_with_output link-to-link 2
}

test_a_hard_link_to_the_input_is_refused() {
	make_input
	ln perf.data hard
	each_with_output hard 3
}

test_a_descriptor_of_the_input_is_refused() {
	make_input
	exec 7<> perf.data
	each_with_output /proc/self/fd/7 3
	each_with_output /dev/fd/7 1
}

test_standard_output_that_is_the_input_is_refused() {
	local line words

	make_input
	for line in "${to_standard_output[@]}"; do
		read -r -a words <<< "${line//IN/perf.data}"
		command_line="pipa ${words[*]:1} >> perf.data"
		timeout 100 "$PIPA" "${words[@]:1}" >> perf.data 2> err
		got_status=$?
		refuses "${words[0]}" 'standard output'
	done
	timeout 100 "$PIPA" report perf.data 1<> perf.data 2> err
	got_status=$?
	refuses 2 'standard output'
}

test_standard_input_is_an_input_too() {
	make_input
	run timeout 100 "$PIPA" fold - -o perf.data < perf.data
	refuses 2 perf.data
	run timeout 100 "$PIPA" diff other - -o perf.data < perf.data
	refuses 2 perf.data
	run timeout 100 "$PIPA" graph -f svg - -o perf.data < perf.data
	refuses 2 perf.data
	printf '10\n' > perf.data
	sum=$(md5sum < perf.data)
	timeout 100 "$PIPA" symbolize -e "$PIPA" < perf.data >> perf.data 2> err
	got_status=$?
	refuses 2 'standard output'
}

test_the_files_of_a_directory_are_inputs() {
	local member

	mkdir -p recording kept/attach_session
	make_input
	mv perf.data recording/data
	cp recording/data recording/data.0
	for member in data data.0; do
		sum=$(md5sum < "recording/$member")
		pipa fold recording -o "recording/$member"
		status 2
		has err "cannot write recording/$member: it is the input file"
		same 'the input' "$(md5sum < "recording/$member")" "$sum"
	done
	printf '1;2\n' | tee kept/perf-stat.csv kept/stdout.txt kept/attach_session/sar_cpu.csv \
		kept/attach_session/perf.data > kept/report.json
	for member in perf-stat.csv stdout.txt attach_session/sar_cpu.csv attach_session/perf.data; do
		pipa run --from kept -o "kept/$member"
		status 125
		has err "cannot write kept/$member: it is the input file"
		same 'the input' "$(< "kept/$member")" '1;2'
	done
	timeout 100 "$PIPA" monitor --from kept >> kept/attach_session/sar_cpu.csv 2> err
	got_status=$?
	status 2
	pipa run --from kept -o kept/report.json # an earlier report is not read
	lacks err 'it is the input file'
}

test_the_default_name_of_a_bundle_may_be_the_input_by_a_link() {
	"$PIPA" record -o perf.data -- true 2> err || skip "cannot record: $(< err)"
	ln perf.data perf.data.tar.zst
	sum=$(md5sum < perf.data)
	pipa bundle
	status 1
	has err 'cannot write perf.data.tar.zst: it is the input file'
	same 'the input' "$(md5sum < perf.data)" "$sum"
}

test_the_configuration_of_a_run_is_an_input() {
	printf '# nothing is set\n' > perf.data
	sum=$(md5sum < perf.data)
	pipa run --config perf.data -o perf.data -- true
	refuses 125 perf.data
}

test_the_files_of_a_run_are_inputs_of_its_exports() {
	pipa run --no-record -f json -o baseline.json -- true
	status 0
	ln -s baseline.json link
	cp baseline.json copy
	for option in --export-json --export-csv --export-markdown; do
		for name in baseline.json link; do
			pipa run --no-record --baseline baseline.json $option $name -- true
			status 125
			has err "cannot write $name: it is the input file"
			cmp -s baseline.json copy || fail 'baseline' 'unchanged' 'another'
		done
	done
	pipa run --no-record -r 2 --export-csv two --export-json ./two -- true
	status 125
	has err '--export-csv and --export-json name the same file'
	pipa run --no-record -o two --export-json two -- true
	status 125
	has err '-o and --export-json name the same file'
	[[ ! -e two ]] || fail 'two' 'no file' 'a file'
}

test_the_certificates_of_a_receiver_are_inputs() {
	make_input
	for option in --otlp-ca --otlp-cert --otlp-key; do
		pipa record --otlp=http://127.0.0.1:1 $option perf.data -o perf.data -- true
		refuses 125 perf.data
	done
}

test_other_outputs_are_written() {
	make_input
	pipa fold perf.data -o out.folded
	status 0
	pipa fold perf.data -o other # a file that exists and is not the input
	status 0
	compare other other < <(sort perf.data)
	ln -sf other link
	pipa fold perf.data -o link
	status 0
	pipa fold perf.data -o /dev/null
	status 0
	run timeout 100 "$PIPA" fold /dev/null -o /dev/null < /dev/null
	lacks err 'it is the input file'
}

# A command that gets -o later is to be in the table.
test_every_command_with_an_output_is_in_the_table() {
	local command

	for command in $("$PIPA" help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
		[[ $command != @(help|record) ]] || continue # they read no file
		"$PIPA" "$command" --help | grep -qe '--output FILE' || continue
		[[ " ${with_output[*]}" == *" $command "* ]] ||
			fail 'commands with an output' "$command in the table" "${with_output[*]}"
	done
}

run_tests "$@"
