#!/usr/bin/env bash
# Deep stacks, large and hostile inputs: time and memory stay bounded, and truncated stacks are marked.
. "${BASH_SOURCE[0]%/*}/lib.sh"
. "${BASH_SOURCE[0]%/*}/bounded.sh"

test_trees_end_at_the_requested_depth() {
	printf 'a;b;c;d;e 3\n' > folded
	pipa report --tree -s symbol --no-children --max-depth 2 folded
	status 0
	has out '100.00%  c [deeper]'
	lacks out '100.00%  b'
	has out '# branches cut at --max-depth 2: 1'
	pipa report --tree -G -s symbol --max-depth 3 folded
	status 0
	has out '100.00%  d [deeper]'
	has out '# branches cut at --max-depth 3: 1'
	pipa report --tree -s symbol folded
	status 0
	lacks out deeper
	lacks out max-depth
	pipa report --tree --max-depth 0 folded
	status 2
}

test_trees_of_deep_stacks_need_memory_for_few_rows() {
	stack 5000 > folded
	peak 250000 "$PIPA" report --tree folded
	status 0
	has out '# branches cut at --max-depth 128: 4871'
	peak 250000 "$PIPA" report --tree -G folded
	status 0
	has out '# branches cut at --max-depth 128: 4871'
}

test_recursion_of_a_million_calls_is_two_rows() {
	awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "%s%s", i ? ";" : "", i % 2 ? "b" : "a"; print " 3" }' \
		> folded
	peak 250000 "$PIPA" report --tree folded
	status 0
	has out '[deeper]'
	peak 250000 "$PIPA" report --json folded
	status 0
}

test_deep_stacks_take_memory_in_proportion() {
	local command

	stack 20000 > folded
	for command in report 'report --json' fold 'flamegraph -f svg' 'flamegraph -f html' \
		'graph -f svg' 'diff folded' 'diff --by stack folded' 'diff --html folded'; do
		# shellcheck disable=SC2086
		peak 250000 "$PIPA" $command folded
		status 0
	done
}

# Each writes what it has decompressed to a temporary file: of these it may not write much.
test_compressed_zeros_are_refused_at_once() {
	local command file

	head -c 100000000 /dev/zero | gzip -1 > zeros.gz
	head -c 100000000 /dev/zero | zstd -q > zeros.zst
	for file in zeros.gz zeros.zst; do
		for command in report 'report --json' fold 'flamegraph -f svg' heatmap 'graph -f svg' \
			script bundle annotate 'diff other' 'run --from' 'monitor --from'; do
			printf 'a;b 1\n' > other
			command_line="pipa $command $file"
			# shellcheck disable=SC2086
			(ulimit -f 2000 && exec timeout 100 "$PIPA" $command $file) > out 2> err
			got_status=$?
			[[ $got_status == [12] || $got_status == 125 ]] || fail 'exit status' 1 $got_status
			has err "$file"
			lacks err 'File too large'
		done
	done
}

test_archives_are_not_read_into_memory() {
	mkdir kept
	head -c 100000000 /dev/zero > kept/padding
	printf '1.0;;;;;\n' > kept/perf-stat.csv
	tar -C kept -cf kept.tar .
	gzip -1 -k kept.tar
	for file in kept.tar kept.tar.gz; do
		peak 60000 "$PIPA" run --from $file
		peak 60000 "$PIPA" monitor --from $file
	done
}

run_tests "$@"
