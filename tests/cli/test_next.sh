#!/usr/bin/env bash
# The next collection: `pipa rules next` and the report of `pipa analyze` propose commands that pipa accepts.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

export PIPA_TREE_DATA_DIR='' PIPA_TREE_RUN_DIR=''

# table FILE COLUMNS ROW N: a table of statistics with N equal intervals
table() {
	local i

	printf '# hostname;interval;timestamp;%s\n' "$2"
	for ((i = 0; i < $4; i++)); do
		printf 'box;1;2026-11-15 03:%02d:%02d UTC;%s\n' $((i / 60)) $((i % 60)) "$3"
	done
} > "m/attach_session/$1"

# measurement N: N intervals of CPU statistics, and counters that were multiplexed
measurement() {
	local i event

	mkdir -p m/attach_session
	table sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' '-1;25.00;0.00;5.00;0.00;0.00;70.00' "$1"
	for ((i = 1; i <= $1; i++)); do
		for event in cycles instructions branches branch-misses cache-references cache-misses; do
			printf '%s.000000000,1000000,,%s,400000000,40.00,,\n' "$i" "$event"
		done
	done > m/attach_session/perf_stat.txt
}

# steps KEY: of each proposal in ./out
steps() {
	python3 -c 'import json, sys
for step in json.load(open("out")):
    print(json.dumps(step[sys.argv[1]], ensure_ascii=False) if sys.argv[1] == "why" else step[sys.argv[1]])' "$1"
}

# accepted COMMAND_LINE: pipa runs it, in a second
accepted() {
	local line=$1

	[[ $line == 'pipa '* ]] || fail 'a proposal' 'pipa ...' "$line"
	line=$(sed -E 's/ -n 60 / -n 1 -i 0.2 /' <<< "${line#pipa }")
	[[ $line != collect* ]] || line+=' --duration-stat 1 --duration-record 0.3 --no-spec-info -o next.tar.gz'
	run sh -c "'$PIPA' $line"
	status 0
}

test_every_proposed_command_is_accepted() {
	local line id

	need_sampling
	need_program python3
	need_system_wide
	measurement 5
	pipa rules next -f json m
	status 0
	steps id > ids
	steps command > commands
	cp out proposals
	for id in all longer samples counters multiplexed monitor statistics; do
		grep -qx "$id" ids || fail 'proposals' "$id" "$(cat ids)"
	done
	[[ $(wc -l < ids) -eq $(wc -l < commands) ]] || fail 'commands' 'one per proposal' "$(cat commands)"
	while IFS= read -r line; do
		accepted "$line"
	done < commands
	accepted 'pipa monitor --processes -n 60 -o processes'
	has commands "--perf-events 'cycles,instructions,branches,branch-misses'"
	[[ -d statistics && -d processes ]] || fail 'directories' 'statistics and processes' "$(ls)"
}

test_every_proposed_configuration_is_accepted() {
	local i

	need_sampling
	need_program python3
	need_system_wide
	measurement 5
	pipa rules next -f json m
	python3 -c 'import json
for i, step in enumerate(json.load(open("out"))):
    if step["config"]:
        open("%d.yaml" % i, "w").write(step["config"])'
	for i in [0-9]*.yaml; do
		pipa generate --config "$i" -o "s$i"
		status 0
		pipa collect --config "$i" --duration-stat 1 --duration-record 0.3 --no-spec-info -o c.tar.gz
		status 0
		lacks err 'unknown event'
	done
}

test_the_proposed_statistics_decide_the_rules() {
	local before after

	need_program python3
	measurement 5
	pipa rules explain -f json m
	before=$(grep -o '"state": "unknown"' out | wc -l)
	run "$PIPA" monitor -A -P ALL -n 3 -i 0.2 -o statistics
	status 0
	pipa rules explain -f json m statistics
	after=$(grep -o '"state": "unknown"' out | wc -l)
	((after < before)) || fail 'unknown rules with the statistics' "fewer than $before" "$after"
}

test_reasons_are_in_both_languages() {
	need_program python3
	measurement 5
	pipa rules next m
	status 0
	has out '# The measurement has fewer than 20 intervals (5 s)'
	has out 'pipa collect --duration-stat 120'
	pipa rules next --lang zh m
	has out '# 测量不足 20 个采样间隔（5 秒）'
	pipa rules next -f json m
	steps why > whys
	python3 - << 'END' || fail 'reasons' 'a Chinese text each' "$(cat whys)"
import json

for line in open("whys"):
    why = json.loads(line)
    assert why["en"] and any("\u4e00" <= c <= "\u9fff" for c in why["zh"]), why
    assert not any("\u4e00" <= c <= "\u9fff" for c in why["en"]), why
END
}

test_names_of_events_cannot_add_shell_code() {
	measurement 5
	printf "%s\n" "1.0,1000,,x'\$(touch owned),400,40.00,," '1.0,1000,,a;b,400,40.00,,' \
		>> m/attach_session/perf_stat.txt
	pipa rules next m
	status 0
	lacks out owned
	lacks out 'a;b'
}

test_the_report_has_the_proposals() {
	measurement 5
	pipa analyze -o r.html m
	status 0
	has r.html '"next": [{"id":"all","why":{"en":"'
}

run_tests "$@"
