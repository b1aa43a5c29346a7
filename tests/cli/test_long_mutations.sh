#!/usr/bin/env bash
#
# Long tier: recordings of the corpus and of this machine, cut and changed at many more places than
# test_hostile.sh does, under sanitizers too. PIPA_LONG_MUTATIONS is how many per recording (40).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}
times=${PIPA_LONG_MUTATIONS:-40}

# survive FILE...: report, script and fold of each mutation
survive() {
	local file

	[[ -x ${PIPA_HOSTILE:-} ]] || skip 'the tool hostile is not built'
	for file in "$@"; do
		run timeout -k 5 1200 "$PIPA_HOSTILE" "$times" "$file"
		[[ $got_status -eq 0 ]] || fail 'damage' 'none that harms' "status $got_status: $(tail -n 3 out)"
		has out ': survived'
	done
}

test_recordings_of_the_corpus() {
	[[ -d $corpus/perfdata ]] || skip "no corpus at $corpus/perfdata"
	survive "$corpus"/perfdata/*
}

test_recordings_of_aarch64() {
	local file

	[[ -d $corpus/aarch64 ]] || skip "no corpus at $corpus/aarch64"
	for file in "$corpus"/aarch64/*.bundle; do
		mkdir -p unpacked
		tar -xf "$file" -C unpacked || skip "cannot unpack $file"
		mv "$(find unpacked -name perf.data | head -n 1)" "$(basename "$file").data" ||
			fail "$file" 'a recording in it' "$(find unpacked)"
		rm -rf unpacked
	done
	for file in *.data; do # of large ones the first part: each mutation is read whole
		truncate -s '<400000' "$file"
	done
	survive ./*.data
}

# every way in which pipa records
test_fresh_recordings() {
	local n=0 options

	need_workloads
	while read -r options; do
		# shellcheck disable=SC2086
		pipa record -q -o "fresh.$((n++))" $options -- "$PIPA_WORKLOADS/unwinds" 30
		[[ $got_status -eq 0 ]] || skip "pipa cannot record here: $(tail -n 1 err)"
	done <<- 'END'
		-F 500
		-F 500 --call-graph fp
		-F 200 --call-graph dwarf,1024 --unwind later
		-F 500 -z
		-e page-faults -c 1
		-e page-faults,cpu-clock -c 10
	END
	survive fresh.*
}

run_tests "$@"
