#!/usr/bin/env bash
#
# Recordings and texts that gzip or zstd has packed are read as what is in them.

. "${BASH_SOURCE[0]%/*}/lib.sh"

record_some() {
	need_sampling
	pipa record -o plain.data -- "$PIPA_WORKLOADS/busy" written 200
	status 0
	"$PIPA" report plain.data > expected
}

test_a_compressed_recording_has_the_report_of_the_plain_one() {
	record_some
	gzip -c plain.data > packed.gz
	pipa report packed.gz
	status 0
	stdout < expected
	pipa report - < packed.gz
	status 0
	stdout < expected
	"$PIPA" script plain.data > expected
	pipa script packed.gz
	status 0
	stdout < expected
}

test_zstd_is_decompressed_too() {
	need_program zstd
	record_some
	zstd -q -19 plain.data -o packed.zst
	pipa report packed.zst
	status 0
	stdout < expected
}

test_a_recording_from_a_pipe_may_be_compressed() {
	record_some
	"$PIPA" record -o - -- "$PIPA_WORKLOADS/busy" written 100 2> /dev/null > piped ||
		skip 'nothing is recorded into a pipe here'
	"$PIPA" report piped > expected
	gzip piped
	pipa report piped.gz
	status 0
	stdout < expected
}

test_compressed_folded_stacks_are_read() {
	printf 'a;b 3\na;c 4\n' | gzip > stacks.gz
	pipa fold stacks.gz
	status 0
	stdout <<< $'a;b 3\na;c 4'
	stderr < /dev/null
}

test_the_rest_of_a_truncated_file_is_shown_with_a_note() {
	local i

	for ((i = 0; i < 5000; i++)); do
		printf 'a;b%d 3\n' $((RANDOM))
	done | gzip > stacks.gz
	head -c "$(($(stat -c %s stacks.gz) / 2))" stacks.gz > cut.gz
	pipa fold cut.gz
	status 0
	has out 'a;b'
	has err 'the compressed file is truncated or corrupt at this point'
	pipa report --json cut.gz
	status 0
	has out '"complete": false'
}

run_tests "$@"
