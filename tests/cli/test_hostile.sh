#!/usr/bin/env bash
# Recordings that are cut, flipped and worse: what is whole is shown, the damage is named.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfdata

need_corpus() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
}

# survive TIMES FILE...: with that many cuts and changes each
survive() {
	[[ -x ${PIPA_HOSTILE:-} ]] || skip 'the tool hostile is not built'
	run timeout -k 5 280 "$PIPA_HOSTILE" "$@"
	[[ $got_status -eq 0 ]] || fail 'damage' 'none that harms' "$(tail -n 3 out)"
	same 'recordings' "$(grep -c ': survived$' out)" $(($# - 1))
}

test_corrupted_files_of_the_corpus_cause_no_crash() {
	need_corpus
	survive 4 "$corpus"/*
}

test_corrupted_fresh_recordings_cause_no_crash() {
	pipa record -o plain -e page-faults -c 1 -g -- ls /
	[[ $got_status -eq 0 && -s plain ]] || skip "pipa cannot record here: $(tail -n 1 err)"
	pipa record -o packed -z -e page-faults -c 1 -- ls /
	pipa record -o - -e page-faults -c 1 -- true
	cp out piped
	survive 20 plain packed piped
}

# each of report, script and fold, with the file in $file
all_say() {
	local command

	for command in 'report --stats' report script fold; do
		# shellcheck disable=SC2086,SC2031
		pipa $command "$file"
		status "$1"
		cat out err > said
		matches said "$2"
	done
}

test_a_truncated_recording_is_shown_with_the_offset() {
	need_corpus
	file=short
	head -c 300000 "$corpus/perf.data.hw_and_sw-3.4" > short
	all_say 0 'corrupt(: | records: ).*, first at offset [0-9]+: the file is truncated'
	head -c 20000 "$corpus/perf.data.piped.target-3.4" > short
	all_say 0 'corrupt(: | records: ).*, first at offset [0-9]+: '
}

test_the_header_of_a_truncated_recording_is_printed() {
	pipa record -o whole -e page-faults -c 1 -- ls /
	[[ $got_status -eq 0 && -s whole ]] || skip "pipa cannot record here: $(tail -n 1 err)"
	head -c 1000 whole > short
	pipa report --header-only short
	status 0
	matches out '^# event : page-faults'
	matches err '^pipa report: corrupt records: [0-9]+, first at offset [0-9]+: the file is truncated'
	pipa script --header-only short
	status 0
	matches err '^pipa script: corrupt records: [0-9]+, first at offset [0-9]+: the file is truncated'
	pipa report --header-only whole
	status 0
	stderr < /dev/null
	lacks out '# event'
}

test_a_record_that_does_not_fit_is_named() {
	need_corpus
	file=flipped
	cp "$corpus/perf.data.singleprocess-3.8" flipped
	chmod u+w flipped
	# an EXIT record becomes a MMAP2, which is longer
	printf '\012' | dd of=flipped bs=1 seek=11176 conv=notrunc status=none
	all_say 0 'corrupt(: | records: )1( records)?, first at offset 11176: MMAP2 record: content does not match the record size'
}

test_only_a_file_without_any_record_is_a_failure() {
	need_corpus
	file=stump
	head -c 60 "$corpus/perf.data.hw_and_sw-3.4" > stump
	all_say 1 'stump: truncated header'
	{ head -c 16 "$corpus/perf.data.piped.target-3.4"; head -c 5000 /dev/zero; } > stump
	all_say 1 'cannot read stump: at offset 16: '
}

run_tests "$@"
