#!/usr/bin/env bash
# Text of perf script and folded stacks in all their forms; what cannot be read of it is counted and shown.
# shellcheck disable=SC2086
. "${BASH_SOURCE[0]%/*}/lib.sh"

# sample HEADER: a stack of two frames
sample() {
	printf '%s\n\t            7f10 work+0x10 (/bin/prog)\n\t            55d0 main+0x8 (/bin/prog)\n\n' "$1"
}

samples() {
	pipa report --json "$@"
	python3 -c 'import json; d = json.load(open("out")); print(d["samples"], d["lost"], d["complete"])' \
		2> /dev/null || cat err
}

test_comments_before_perf_script_may_be_of_any_length() {
	{
		printf '# ========\n# cmdline : %s\n#\n' "$(printf 'x%.0s' {1..100000})"
		sample 'prog 12 [000] 1.5: 7 cycles: '
	} > one-line
	{
		printf '# a comment\n%.0s' {1..20000}
		sample 'prog 12 [000] 1.5: 7 cycles: '
	} > many-lines
	gzip -k one-line
	for file in one-line many-lines one-line.gz; do
		same "$file" "$(samples "$file")" '1 0 True'
		same "$file on standard input" "$(samples - < "$file")" '1 0 True'
	done
	pipa fold one-line
	stdout <<< 'prog;main;work 7'
}

test_a_header_without_samples_is_noted() {
	printf '# ========\n# cmdline : %s\n#\n' "$(printf 'x%.0s' {1..100000})" > header
	for command in report fold 'flamegraph -f svg' 'graph -f svg'; do
		pipa $command header
		status 0
		has err 'header has no samples'
	done
}

test_samples_need_neither_time_nor_indentation() {
	sample 'prog 12 cycles: ' > indented
	sed 's/^[ \t]*//' indented > stripped
	sed 's/^[ \t]*//; s/ (.*//' indented > without-dso
	sed '1d; s/^[ \t]*//' indented > without-header
	for file in indented stripped without-dso; do
		pipa fold "$file"
		stdout <<< 'prog;main;work 1'
	done
	pipa fold without-header
	stdout <<< 'main;work 1'
}

test_counts_may_have_a_fraction() {
	printf 'a;b 1.5\na;c 2.5\na;b 1\nd 1e3\n' > folded
	pipa fold folded
	status 0
	stdout <<- EOF
	a;b 2.5
	a;c 2.5
	d 1000
	EOF
	stderr < /dev/null
	pipa report --csv --no-children -s symbol folded
	status 0
	matches out '^thousandths,.*,2500,2500,3,b$'
	matches out '^thousandths,.*,1000000,1000000,1000,d$'
	pipa flamegraph -f svg folded
	status 0
	pipa graph -f svg folded
	status 0
	pipa diff folded folded
	status 0
}

test_small_fractions_are_kept() {
	printf 'main;io 0.000421\nmain;lock 0.000312\nmain;x 0.0012\nmain;y 1234567.25\n' > folded
	pipa fold folded
	status 0
	stdout < <(sort folded)
	pipa report --csv --no-children -s symbol folded
	status 0
	matches out '^millionths,.*,421,1,io$'
	printf 'a 0.0000004\na 2\n' > folded
	pipa fold folded
	stdout <<< 'a 2'
	has err 'malformed lines skipped: 1'
}

test_counts_with_and_without_fractions_are_compared_and_added() {
	local base now

	printf 'a;b 1500\na;c 2000\n' > whole
	printf 'a;b 1500.5\na;c 2000\n' > half
	printf 'a;b 1500.000002\na;c 2000\na;d 0.000001\n' > small
	for files in 'whole half' 'half whole' 'whole small' 'small whole' 'half small' 'small half'; do
		read -r base now <<< "$files"
		pipa diff --absolute --fail-above 1 $base $now
		status 0
		! grep -q assumed err || fail 'note' '' "$(< err)"
		pipa diff --html -o page.html $base $now
		status 0
		pipa merge -f folded $base $now
		status 0
		stderr < /dev/null
		awk '{ sum[$1] = $2 } END { exit sum["a;b"] < 3000 || sum["a;b"] > 3002 || sum["a;c"] != 4000 }' out ||
			fail 'sums' 'of both files' "$(< out)"
	done
	pipa diff --absolute --fail-above 1 whole half whole
	status 0
	has out 'thousandths'
	printf 'a;b 15000\na;c 20000\n' > larger
	pipa diff --absolute --fail-above 1 half larger
	status 3
	has err 'total 899.86 % above the base'
}

# malformed: 2 of 4 lines; truncated: the second of two samples
make_bad() {
	printf 'a;b 3\na;c\na;d 4\na;e x\n' > malformed
	sample 'prog 12 [000] 1.5: 7 cycles: ' > truncated
	sample 'prog 12 [000] 1.6: 7 cycles: ' | head -n 2 >> truncated
}

test_omitted_parts_are_shown_by_every_command() {
	local command

	make_bad
	for command in fold 'flamegraph -f svg' 'flamegraph -f html' 'graph -f svg' 'graph -f dot' \
		'report --csv' 'diff malformed'; do
		pipa $command malformed
		status 0
		has err 'malformed lines skipped: 2'
	done
	for command in fold 'flamegraph -f svg' 'flamegraph -f html' 'flamegraph --chart' heatmap \
		'graph -f svg' 'report --csv' 'diff truncated'; do
		pipa $command truncated
		status 0
		has err 'truncated samples skipped: 1'
	done
	for command in report 'report --stats'; do
		pipa $command malformed
		status 0
		has out '# malformed lines skipped: 2'
		pipa $command truncated
		status 0
		has out '# truncated samples skipped: 1'
	done
}

test_omitted_parts_are_in_json() {
	make_bad
	same malformed "$(samples malformed)" '7 0 False'
	has out '"malformed_lines": 2'
	same truncated "$(samples truncated)" '1 1 False'
	has out '"truncated_samples": 1'
	pipa diff --json truncated truncated
	status 0
	has out '"complete": false'
	lacks out '"complete": true'
}

test_text_without_one_complete_sample_is_refused() {
	local command

	sample 'prog 12 [000] 1.5: 7 cycles: ' | head -n 2 > truncated
	for command in report 'report --json' 'report --stats' fold 'flamegraph -f svg' \
		'flamegraph --chart' 'graph -f svg' heatmap 'diff truncated'; do
		pipa $command truncated
		status 1
		has err 'cannot read truncated: no sample is complete'
	done
}

run_tests "$@"
