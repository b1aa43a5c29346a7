#!/usr/bin/env bash
# Filters that leave nothing: each command reports the unknown name, and similar ones.
. "${BASH_SOURCE[0]%/*}/lib.sh"

make_text() {
	local i

	for i in 1 2 3; do
		printf 'worker 12/%d [000] %d.5: 7 cycles: \n' $i $i
		printf '\t            7f10 compute+0x10 (/usr/lib/libwork.so)\n\t            55d0 main+0x8 (/bin/prog)\n\n'
	done > text
}

test_report_names_filters_without_a_match() {
	make_text
	for form in --stdio --csv --json; do
		pipa report $form --comms workr text
		status 0
		has err "pipa report: --comms: no command 'workr'. Did you mean worker?"
		pipa report $form --dsos libwerk.so text
		status 0
		has err "pipa report: --dsos: no object 'libwerk.so'. Did you mean libwork.so?"
		pipa report $form --symbols compote,nothing_like_it text
		status 0
		has err "pipa report: --symbols: no symbol 'compote'. Did you mean compute?"
		has err "pipa report: --symbols: no symbol 'nothing_like_it'"
		pipa report $form --time 100,200 text
		status 0
		has err 'pipa report: --time: no samples in the range'
	done
	pipa report --symbols compute --dsos prog text # each of them is there
	status 0
	has err 'pipa report: no sample matches all of the filters'
	pipa report --symbols compute,nothing_like_it text
	status 0
	stderr < /dev/null # there is something to show
	pipa report text
	stderr < /dev/null
}

test_other_commands_name_filters_without_a_match() {
	make_text
	pipa diff --symbols compote text text
	status 0
	has err "--symbols: no symbol 'compote'. Did you mean compute?"
	pipa graph -f dot --comms workr text
	has err "--comms: no command 'workr'. Did you mean worker?"
	pipa heatmap --time 100,200 text
	has err '--time: no samples in the range'
	for command in fold 'flamegraph -f svg' heatmap 'graph -f svg'; do
		# shellcheck disable=SC2086
		pipa $command --event cycle text
		status 1
		has err "no event 'cycle' in the input. Did you mean cycles?"
	done
}

test_script_names_filters_without_a_match() {
	"$PIPA" record -e cpu-clock:u -o data -- "$PIPA_WORKLOADS/spin" 50 2> err || skip "cannot record: $(< err)"
	pipa script --comms spim data
	status 0
	has err "pipa script: --comms: no command 'spim'. Did you mean spin?"
	pipa script --pid 1 data
	status 0
	has err 'pipa script: no sample matches --pid'
	pipa script --time 1,2 data
	status 0
	has err '--time: no samples in the range'
}

run_tests "$@"
