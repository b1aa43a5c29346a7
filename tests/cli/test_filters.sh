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

test_tables_of_samples_name_filters_without_a_match() {
	local table='export --frame samples -f csv'

	make_text
	# shellcheck disable=SC2086
	{
		pipa $table --comms workr text
		status 0
		stderr <<< "pipa export: --comms: no command 'workr'. Did you mean worker?"
		pipa $table --pid 1 text
		status 0
		stderr <<< 'pipa export: no sample matches --pid'
		pipa $table -C 99 --tid 7 text
		stderr <<< 'pipa export: no sample matches --tid --cpu'
		pipa $table --comms worker --pid 1 text
		stderr <<< 'pipa export: no sample matches all of the filters'
		pipa $table -e cycle text
		status 0
		stderr <<< "pipa export: no event 'cycle' in the input. Did you mean cycles?"
		pipa $table text
		stderr < /dev/null
	}
}

test_filter_names_filters_without_a_match() {
	make_text
	pipa filter -f folded --comms workr text
	status 0
	stderr <<< "pipa filter: --comms: no command 'workr'. Did you mean worker?"
	pipa filter -f folded --pid 1 text
	status 0
	stderr <<< 'pipa filter: no sample matches --pid'
	pipa filter -f folded -C 99 --label a=b text
	stderr <<< 'pipa filter: no sample matches --cpu --label a=b'
	pipa filter -f folded --comms worker --pid 1 text
	stderr <<< 'pipa filter: no sample matches all of the filters'
	pipa filter -f folded --time 100,200 text
	stderr <<< 'pipa filter: --time: no samples in the range'
	pipa export -f folded --time 100,200 text
	stderr <<< 'pipa export: --time: no samples in the range'
	pipa flamegraph -f svg --time 100,200 text
	has err '--time: no samples in the range'
}

test_diff_searches_a_name_in_all_files() {
	printf 'a;b 1\na;c 3\n' > before
	printf 'a;b 1\na;delta 3\n' > after
	pipa diff --symbols delta before after
	status 0
	has out delta
	stderr < /dev/null
	pipa diff --symbols delto before after
	status 0
	stderr <<< "pipa diff: --symbols: no symbol 'delto'. Did you mean delta?"
	pipa diff --symbols c before after
	stderr < /dev/null
}

test_annotate_names_the_nearest_event_and_caller() {
	make_text
	pipa annotate -e cycle text
	refused 1 <<< "pipa annotate: no event 'cycle' in the input. Did you mean cycles?"
	pipa annotate -s comput text
	refused 1 <<< "pipa annotate: no samples in function 'comput'. Did you mean compute?"
	pipa annotate -s mian text # it only calls
	refused 1 <<< "pipa annotate: no samples in function 'mian'. Did you mean main?"
	pipa annotate -s main text
	refused 1 <<< "pipa annotate: no samples in function 'main'. Only functions that it calls have samples."
	pipa annotate -s main < text -
	refused 1 <<< "pipa annotate: no samples in function 'main'. List functions with: pipa report --no-children"
}

test_lists_and_sort_keys_name_the_nearest() {
	pipa list sw cpu-clok
	refused 1 <<< "pipa list: nothing matches 'cpu-clok'. Did you mean cpu-clock?"
	pipa report -s cmm none
	refused 2 <<< "pipa report: --sort: invalid key 'cmm', expected comm, pid, tid, dso, symbol, srcline, cpu, event, parent or label:NAME. Did you mean comm or cpu?"
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
