#!/usr/bin/env bash
# `pipa generate`: the scripts it writes, from defaults, configurations and answers, and that they run.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# answer ANSWER...: pipa generate on a terminal; its screen is ./out
answer() {
	need_program python3
	printf '%s\n' "$@" > answers
	run timeout --foreground -k 5 100 python3 "$PIPA_SOURCE/tests/cli/answers.py" "$PIPA" generate < answers
	command_line="pipa generate, answers: $*"
}

# clean SCRIPT...: shellcheck has no findings, and dash accepts them
clean() {
	local script

	for script in "$@"; do
		dash -n "$script" > said 2>&1 || fail "$script for dash" 'no syntax error' "$(cat said)"
		same "mode of $script" "$(stat -c %a "$script")" 755
	done
	need_program shellcheck
	shellcheck "$@" > said 2>&1 || fail 'shellcheck' 'no finding' "$(cat said)"
}

# short_config NAME LINE...: seconds instead of minutes, then the lines
short_config() {
	{
		printf '%s\n' 'freq_record: 99' 'duration_record: 1' 'duration_stat: 1' \
			'count_delta_stat: 500' 'events_record: cpu-clock' 'events_stat: [page-faults, cpu-clock]'
		printf '%s\n' "${@:2}"
	} > "$1"
}

# ---- defaults and configurations ---------------------------------------------------------------

test_defaults_are_taken_without_a_terminal() {
	pipa generate < /dev/null
	status 0
	stdout << 'END'
./pipa-collect.sh
./pipa-parse.sh
END
	stderr < /dev/null
	clean pipa-collect.sh pipa-parse.sh
	has pipa-collect.sh "workspace='$PWD'"
	has pipa-collect.sh 'freq_record: 999'
	has pipa-collect.sh 'events_record: "{cycles,instructions}:S"'
	has pipa-collect.sh 'count_delta_stat: 1000'
	has pipa-collect.sh 'events_stat: ["cycles:D", "instructions:D", "ref-cycles:D"]'
	has pipa-collect.sh 'duration_record: 120'
	lacks pipa-collect.sh Ctrl-C' to end'
	lacks pipa-parse.sh annotate
}

test_the_configuration_template_is_accepted_and_gives_the_defaults() {
	pipa generate config-template -o a
	status 0
	stdout <<< a/config-pipa-shu.yaml
	pipa generate --config a/config-pipa-shu.yaml -o b
	status 0
	pipa generate -o c < /dev/null
	status 0
	diff -r b c > said || fail 'scripts of the template' 'those of the defaults' "$(cat said)"
	pipa generate upload-template -o a
	status 0
	printf '1.0,CPU0,1000,,cycles,1000,100.00,,\n' > perf-stat.csv
	pipa run --config a/config-upload.yaml -f json
	status 0
	has out '"workload": "rocksdb"'
}

test_the_configurations_of_pipas_python_tool_are_used() {
	pipa generate --config "$PIPA_SOURCE/tests/data/pipa/config-template.yaml"
	status 0
	stdout << 'END'
./data/pipa-collect.sh
./data/pipa-parse.sh
END
	clean data/*.sh
	has data/pipa-collect.sh '"l2_lines_in.all"]'
	has data/pipa-collect.sh "workspace='$PWD/data'"
}

test_wrong_configurations_are_refused_with_their_position() {
	printf 'freq_record: 99\nworkspce: x\n' > a.yaml
	pipa generate --config a.yaml
	refused 1 << 'END'
pipa generate: a.yaml:2:1: unknown key 'workspce'. Did you mean workspace?
END
	printf '\nduration_stat: 0\n' > a.yaml
	pipa generate --config a.yaml
	refused 1 <<< 'pipa generate: a.yaml:2:16: duration_stat: expected seconds above 0, or -1'
	printf 'freq_record: 0\n' > a.yaml
	pipa generate --config a.yaml
	refused 1 <<< 'pipa generate: a.yaml:1:14: freq_record: expected 1 to 1000000 Hz'
	printf 'run_by_perf: true\ncommand: " "\n' > a.yaml
	pipa generate --config a.yaml
	refused 1 <<< \
		'pipa generate: a.yaml:2:10: command: expected the workload, because run_by_perf is true'
	printf 'run_by_perf: yes\ncommand: true\nuse_taskset: on\ncore_range: 0,60000\n' > a.yaml
	pipa generate --config a.yaml
	refused 1 <<< 'pipa generate: a.yaml:4:13: core_range: CPU 60000 is not online on this machine'
	pipa generate --config - <<< 'run_by_perf: true'
	refused_like 1 'pipa generate: standard input: command: .*'
	pipa generate --config missing.yaml
	refused_like 1 'pipa generate: cannot open missing.yaml: No such file or directory.*'
	same 'files' "$(ls)" $'a.yaml\nerr\nout'
}

test_wrong_arguments_are_refused() {
	pipa generate nonsense
	refused_like 2 "pipa generate: unknown action 'nonsense', expected scripts, .*"
	pipa generate templates --config x
	refused_like 2 'pipa generate: templates: the action cannot be combined with .*'
	pipa generate -o ''
	refused 2 <<< 'pipa generate: -o: empty directory name'
	: > file
	pipa generate -o file/x < /dev/null
	refused_like 1 'pipa generate: cannot make directory file: .*|pipa generate: cannot make directory .*'
}

test_a_script_that_was_changed_is_kept() {
	pipa generate -o s < /dev/null
	pipa generate -o s < /dev/null
	same 'an equal file is not renamed' "$(ls s)" $'pipa-collect.sh\npipa-parse.sh'
	echo '# mine' >> s/pipa-collect.sh
	pipa generate -o s < /dev/null
	status 0
	has s/pipa-collect.sh.1 '# mine'
	lacks s/pipa-collect.sh '# mine'
	echo '# mine too' >> s/pipa-collect.sh
	pipa generate -o s < /dev/null
	has s/pipa-collect.sh.2 '# mine too'
	has s/pipa-collect.sh.1 '# mine'
}

# ---- the scripts run ---------------------------------------------------------------------------

test_the_scripts_that_observe_run_and_keep_old_data() {
	need_sampling
	need_program dash
	need_system_wide
	short_config shu.yaml 'workspace: ./my data' 'annotete: true'
	pipa generate --config shu.yaml -o scripts
	status 0
	clean scripts/*.sh
	export PIPA
	mkdir elsewhere
	(cd elsewhere && run dash ../scripts/pipa-collect.sh && status 0) || exit 1
	[[ -s 'my data/pipa-collection.tar.gz' && -s 'my data/ps.txt' ]] ||
		fail 'the data directory' 'an archive' "$(ls 'my data')"
	same 'the directory it was started from' "$(ls -A elsewhere)" $'err\nout'
	run dash scripts/pipa-parse.sh
	status 0
	for name in perf.script perf.report sar.txt metrics.yaml report.html perf.annotate; do
		[[ -s "my data/$name" ]] || fail "my data/$name" 'some text' "$(ls 'my data')"
	done
	has 'my data/perf.report' cpu-clock
	has 'my data/metrics.yaml' run_time

	# once more: nothing of the first run is lost
	md5sum 'my data'/{pipa-collection.tar.gz,perf.script,metrics.yaml} | cut -d ' ' -f 1 > before
	run dash scripts/pipa-collect.sh
	status 0
	run dash scripts/pipa-parse.sh
	status 0
	md5sum 'my data'/{pipa-collection.tar.gz,perf.script,metrics.yaml}.1 | cut -d ' ' -f 1 > after
	compare 'the renamed data' after < before
	[[ -s 'my data/pipa-collection.tar.gz' ]] || fail 'the new archive' 'some bytes' 'none'
}

test_the_script_that_starts_the_workload_runs_it_once() {
	need_program dash
	short_config shu.yaml 'workspace: data' 'run_by_perf: true' 'use_taskset: true' 'core_range: 0' \
		'command: "echo ran >> ran; grep Cpus_allowed_list /proc/self/status; exit 3"'
	pipa generate --config shu.yaml -o .
	status 0
	stdout <<< ./pipa-run.sh
	clean pipa-run.sh
	export PIPA
	run dash pipa-run.sh
	status 3
	same 'runs of the workload' "$(wc -l < ran)" 1
	matches out 'Cpus_allowed_list:[[:blank:]]0$'
	has data/metrics.yaml 'command:'
	has data/report.html '"schema"'
	[[ -s data/sar.txt && -s data/pipa-run/perf-stat.csv ]] || fail 'data' 'sar.txt' "$(ls -R data)"
	run dash pipa-run.sh
	status 3
	same 'runs of the workload' "$(wc -l < ran)" 2
	[[ -s data/pipa-run.1/perf-stat.csv && -s data/metrics.yaml.1 && -s data/pipa-run/perf-stat.csv ]] ||
		fail 'old data' 'pipa-run.1' "$(ls data)"
}

test_scripts_name_missing_programs_and_files() {
	pipa generate < /dev/null
	PIPA=/nowhere/pipa run sh pipa-collect.sh
	status 127
	has err 'pipa-collect.sh: cannot find /nowhere/pipa: set PIPA'
	PIPA=$PIPA WORKSPACE=$PWD/other run sh pipa-parse.sh
	status 1
	has err "pipa-parse.sh: cannot read $PWD/other/pipa-collection.tar.gz: run pipa-collect.sh first"
}

test_an_endless_collection_ends_with_a_signal() {
	need_sampling
	need_system_wide
	short_config shu.yaml
	sed -i 's/^duration_.*/&/; s/^duration_stat: 1/duration_stat: -1/' shu.yaml
	pipa generate --config shu.yaml
	status 0
	clean pipa-collect.sh
	export PIPA
	launch sh pipa-collect.sh
	until_true grep -q 'collecting until' err
	has err 'press Ctrl-C to end'
	sleep 1.1
	kill -INT "$started"
	landed
	status 0
	[[ -s pipa-collection.tar.gz ]] || fail 'the archive' 'some bytes' "$(ls)"
}

# ---- hostile values ----------------------------------------------------------------------------

test_values_cannot_add_shell_code() {
	local hostile="\$(touch owned) \`touch owned\` '; touch owned; ' \" ; touch owned #"

	need_program dash
	export PIPA
	python3 - "$hostile" > shu.yaml << 'END'
import json, sys

print("workspace: %s" % json.dumps(sys.argv[1].replace("/", "")))
print("run_by_perf: true")
print("events_record: %s" % json.dumps(sys.argv[1]))
print("events_stat: [%s]" % json.dumps(sys.argv[1]))
print("command: %s" % json.dumps("printf '%s\\n' \"$HOSTILE\"\ntrue\n# EOF\n# END"))
END
	pipa generate --config shu.yaml -o a
	status 0
	clean a/pipa-run.sh
	HOSTILE=$hostile run dash a/pipa-run.sh
	status 0
	has out "$hostile"
	sed -i 's/^run_by_perf.*//; s/^command.*//' shu.yaml
	printf 'duration_record: 1\nduration_stat: 1\n' >> shu.yaml
	pipa generate --config shu.yaml -o a
	status 0
	clean a/pipa-collect.sh a/pipa-parse.sh
	run dash a/pipa-collect.sh
	run dash a/pipa-parse.sh
	[[ -z $(find . -name owned) ]] || fail 'hostile values' 'no code' "$(find .)"
	[[ -d $hostile ]] || fail 'the data directory' "$hostile" "$(ls)"
}

# ---- templates ---------------------------------------------------------------------------------

test_templates_can_be_replaced_one_by_one() {
	pipa generate templates -o t
	status 0
	same 'templates' "$(ls t)" \
		$'config-pipa-shu.yaml\nconfig-upload.yaml\npipa-collect.sh\npipa-parse.sh\npipa-run.sh'
	pipa generate -o plain < /dev/null
	pipa generate --template t -o same < /dev/null
	diff -r plain same > said || fail 'scripts of the same templates' 'equal' "$(cat said)"
	rm t/*
	printf '%s\n' '#!/bin/sh' '# for {{freq_record}} Hz' 'hz={{freq_record}}' "echo \"\$hz\"" > t/pipa-collect.sh
	pipa generate --template t -o own < /dev/null
	status 0
	run sh own/pipa-collect.sh
	stdout <<< 999
	cmp -s own/pipa-parse.sh plain/pipa-parse.sh || fail 'pipa-parse.sh' 'the built-in one' 'another'
	echo 'echo {{freq_record}}' >> t/pipa-collect.sh
	pipa generate --template t -o own < /dev/null
	refused 1 <<< \
		'pipa generate: pipa-collect.sh:5:6: a value must be assigned on a line of its own: name={{name}}'
	pipa generate --template plain/none < /dev/null
	refused_like 1 'pipa generate: plain/none: no template found in this directory.*'
}

# ---- questions ---------------------------------------------------------------------------------

test_questions_are_those_of_pipas_python_tool_in_its_order() {
	answer '' 'my data' 500 cpu-clock y '' 250 'page-faults,{cpu-clock,faults}' n y 7
	status 0
	grep -oE '^[A-Z][A-Za-z ,()-]+( \[[^]]*\])?: ' out | sed 's/ $//' > said
	compare 'the questions' said << 'END'
Choice [1]:
Data directory [./]:
Sampling frequency, Hz [999]:
Events to sample [{cycles,instructions}:S]:
Annotate hot functions [y/N]:
Count with perf-stat or emon [perf-stat]:
Counting interval, ms [1000]:
Events to count [cycles:D,instructions:D,ref-cycles:D]:
Fixed duration of sampling [Y/n]:
Fixed duration of counting [Y/n]:
Duration of counting, seconds [120]:
END
	clean 'my data'/*.sh
	has 'my data/pipa-collect.sh' 'freq_record: 500'
	has 'my data/pipa-collect.sh' 'events_stat: ["page-faults", "{cpu-clock,faults}"]'
	has 'my data/pipa-collect.sh' 'duration_record: -1'
	has 'my data/pipa-collect.sh' 'duration_stat: 7'
	has 'my data/pipa-parse.sh' annotate
}

test_the_questions_have_a_workload_and_its_cores() {
	answer 2 w '' '' '' emon '' '' y 0-60000 0,x 0 "echo 'a b'"
	status 0
	has out 'emon is not used'
	matches out 'CPU [0-9]+ is not online on this machine'
	has out "invalid CPUs '0,x', expected a list like 0-3,7"
	clean w/pipa-run.sh
	has w/pipa-run.sh 'core_range: 0'
	has w/pipa-run.sh "command: \"echo '\\''a b'\\''\""
	same 'files' "$(ls w)" pipa-run.sh
}

test_a_question_is_repeated_after_an_invalid_answer() {
	answer 9 x 1 '' 0 -3 1000001 99 '' maybe n vtune perf-stat '' '' '' '' '' ''
	status 0
	same 'complaints about the menu' "$(grep -c 'expected a whole number from 1 to 6' out)" 2
	same 'complaints about the frequency' \
		"$(grep -c 'expected a whole number from 1 to 1000000' out)" 3
	has out 'expected y or n'
	has out 'expected perf-stat or emon'
	has pipa-collect.sh 'freq_record: 99'
}

test_an_empty_command_is_refused() {
	answer 2 '' '' '' '' '' '' '' n ''
	status 1
	has out 'pipa generate: empty command, expected that of the workload'
	[[ ! -e pipa-run.sh ]] || fail 'files' 'none' "$(ls)"
}

test_the_menu_offers_configurations() {
	answer 3
	status 0
	[[ -s config-pipa-shu.yaml ]] || fail 'files' config-pipa-shu.yaml "$(ls)"
	answer 5
	status 0
	[[ -s config-upload.yaml ]] || fail 'files' config-upload.yaml "$(ls)"
	echo 'workspace: there' > config-pipa-shu.yaml
	answer 4 ''
	status 0
	[[ -x there/pipa-collect.sh ]] || fail 'files' there/pipa-collect.sh "$(ls there)"
}

test_a_user_can_cancel() {
	local keys

	for keys in 6 EOF INT; do
		answer "$keys"
		status 0
		same "last line after $keys" "$(tail -n 1 out)" 'pipa generate: cancelled, no file was written'
	done
	answer 1 '' '' INT
	status 0
	same 'last line' "$(tail -n 1 out)" 'pipa generate: cancelled, no file was written'
	same 'files' "$(ls)" $'answers\nerr\nout'
}

run_tests "$@"
