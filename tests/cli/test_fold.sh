#!/usr/bin/env bash
# `pipa fold`: folded stacks of perf script's text and of folded stacks.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}/perfscript

need_corpus() {
	[[ -d $corpus ]] || skip "no corpus at $corpus"
}

two_events() {
	printf '%s\n' 'a 1/2 [000] 1.0:   100 cycles: ' $'\t              12 f(int) (/bin/a)' '' \
		'a 1/2 [000] 1.0:     7 instructions: ' $'\t              34 g (/bin/a)' ''
}

test_the_corpus_folds_byte_for_byte() {
	local text option

	need_corpus
	for text in "$corpus"/perf-*-01.txt; do
		for option in addrs all jit kernel pid tid; do
			pipa fold "--${option/#[pt]id/with-$option}" "$text"
			status 0
			cmp -s out "${text%.txt}-collapsed-$option.txt" ||
				fail "$text --$option" "$(cat "${text%.txt}-collapsed-$option.txt")" "$(cat out)"
		done
	done
}

test_the_corpus_reads_the_same_from_a_pipe() {
	local text=$corpus/perf-java-stacks-01.txt

	need_corpus
	dd if="$text" bs=37 status=none | "$PIPA" fold --all - > piped 2> err
	compare 'folded' piped < "${text%.txt}-collapsed-all.txt"
	"$PIPA" fold --all - < "$text" > piped 2> err
	compare 'folded' piped < "${text%.txt}-collapsed-all.txt"
}

test_folded_stacks_of_the_corpus_fold_to_themselves() {
	local folded

	need_corpus
	for folded in "$corpus"/*-collapsed-*.txt; do
		pipa fold "$folded"
		status 0
		cmp -s out "$folded" || fail "$folded" 'itself' "$(cat out)"
	done
}

test_folded_stacks_are_merged_and_sorted() {
	printf '%s\n' 'b;f(int) 3' 'a;x y 1' 'b;f(int) 4' broken 'a 2' > folded
	pipa fold folded
	status 0
	stdout <<- EOF
		a 2
		a;x y 1
		b;f(int) 7
	EOF
	stderr <<< 'pipa fold: malformed lines skipped: 1'
}

test_the_first_of_several_events_is_used_with_a_note() {
	two_events > text
	pipa fold text
	status 0
	stdout <<< 'a;f 100'
	stderr <<< 'pipa fold: using event cycles, the first of 2. Select another one with --value NAME.'
	pipa fold text --event instructions
	stdout <<< 'a;g 7'
	stderr < /dev/null
	pipa fold --event=cycles text
	stdout <<< 'a;f 100'
	stderr < /dev/null
	pipa fold -e cycle text
	refused 1 <<< "pipa fold: no event 'cycle' in the input. Did you mean cycles?"
}

test_raw_names_keep_their_parameters() {
	two_events > text
	pipa fold --raw-names --with-tid -e cycles text
	stdout <<< 'a-1/2;f(int) 100'
}

test_the_result_can_go_to_a_file() {
	two_events > text
	pipa fold -e cycles -o folded text
	status 0
	stdout < /dev/null
	compare 'the file' folded <<< 'a;f 100'
}

test_a_truncated_sample_is_skipped_with_a_note() {
	two_events | head -n 2 > text
	two_events | sed '/instr/,$d' > both
	cat text >> both
	pipa fold both
	status 0
	stdout <<< 'a;f 100'
	stderr <<< 'pipa fold: truncated samples skipped: 1'
}

test_input_without_stacks_is_refused_with_a_hint() {
	printf 'PERFILE2xxxxxxxxxxxx' > perf.data
	pipa fold perf.data
	refused 1 <<< 'pipa fold: perf.data: truncated header'
	two_events | gzip | gzip > text.gz.gz
	pipa fold text.gz.gz
	refused 1 <<< 'pipa fold: text.gz.gz is compressed with gzip. Its content is compressed again.'
	pipa fold "$PIPA"
	refused_like 1 "pipa fold: .* is of unknown format. Supported: perf.data, output of perf script, folded stacks, pprof, OTLP, speedscope, cpuprofile"
	: > empty
	pipa fold empty
	refused 1 <<< "pipa fold: empty is empty. Supported: perf.data, output of perf script, folded stacks, pprof, OTLP, speedscope, cpuprofile"
	pipa fold nowhere
	refused 1 <<< 'pipa fold: cannot open nowhere: No such file or directory'
	pipa fold .
	refused 1 <<< 'pipa fold: .: not a perf.data directory (no file named "data")'
}

test_wrong_calls_are_refused() {
	pipa fold a b
	refused 2 <<< "pipa fold: unexpected argument 'b', expected one recording"
	pipa fold --nonsense
	status 2
}

test_perf_data_is_the_default_input() {
	pipa fold
	refused 1 <<< 'pipa fold: cannot open perf.data: No such file or directory'
	printf 'a;b 1\na;b 2\n' > perf.data
	pipa fold
	stdout <<< 'a;b 3'
}

test_a_closed_pipe_is_not_an_error() {
	local i

	for ((i = 0; i < 20000; i++)); do
		echo "some frame $i;another frame $i;and yet another frame $i 1"
	done > folded
	("$PIPA" fold folded 2> err; echo $? > got) | head -n 1 > out
	same 'status' "$(cat got)" 141
	stderr < /dev/null
	run sh -c "'$PIPA' fold folded > /dev/full"
	status 1
	has err 'No space left on device'
}

# An independent computation: awk over the same text, by the rules in fold_name.h that apply here.
fold_with_awk() {
	awk '
		/^#/ { next }
		/^$/ {
			if (comm != "") {
				line = comm
				for (i = n; i >= 1; i--) line = line ";" frame[i]
				sum[line] += period
			}
			comm = ""; n = 0; next
		}
		/^[^\t ]/ {
			match($0, / +[0-9]+\/[0-9]+ +/)
			comm = substr($0, 1, RSTART - 1)
			gsub(/ /, "_", comm)
			period = $(NF - 1)
			next
		}
		{
			sub(/^[\t ]+[0-9a-f]+ /, "")
			dso = $0
			sub(/.* \(/, "", dso); sub(/\)$/, "", dso)
			sub(/ \([^ ]*\)$/, "")
			sub(/\+0x[0-9a-f]+$/, "")
			if ($0 == "[unknown]") {
				sub(/.*\//, "", dso)
				$0 = dso == "[unknown]" ? dso : "[" dso "]"
			} else {
				sub(/\(.*/, "")
			}
			frame[++n] = $0
		}
		END { for (line in sum) printf "%s %.0f\n", line, sum[line] }' "$1" |
		sort -k 1 | sed 's/ \([0-9]*\)$/\t\1/' | sort -t $'\t' -k 1,1 | tr '\t' ' '
}

test_a_fresh_recording_of_perf_folds_as_awk_does_it() {
	need_program perf
	need_workloads
	perf record -q -e cpu-clock -F 999 -g -o perf.data -- "$PIPA_WORKLOADS/spin" 300 \
		> /dev/null 2>&1 || skip 'perf cannot record here'
	perf script -F comm,pid,tid,time,period,event,ip,sym,symoff,dso -i perf.data > text 2> /dev/null
	[[ $(grep -c '^[^[:space:]]' text) -gt 20 ]] || skip 'perf has recorded next to nothing'
	fold_with_awk text > expected
	pipa fold text
	status 0
	stderr < /dev/null
	stdout < expected
}

test_a_recording_without_call_chains_folds_too() {
	need_program perf
	need_workloads
	perf record -q -e cpu-clock -F 999 -o perf.data -- "$PIPA_WORKLOADS/spin" 300 \
		> /dev/null 2>&1 || skip 'perf cannot record here'
	perf script -i perf.data > text 2> /dev/null
	[[ $(wc -l < text) -gt 20 ]] || skip 'perf has recorded next to nothing'
	pipa fold text
	status 0
	stderr < /dev/null
	same 'sum of the weights' "$(awk '{ sum += $NF } END { printf "%.0f", sum }' out)" \
		"$(grep -oE '[0-9]+ cpu-clock' text | awk '{ sum += $1 } END { printf "%.0f", sum }')"
	same 'frames in a stack' "$(awk -F ';' 'NF != 2' out)" ''
}

run_tests "$@"
