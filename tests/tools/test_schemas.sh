#!/usr/bin/env bash
#
# JSON that pipa writes is valid for docs/format: the kept reports, the program's current output, and,
# so that the schemas are known to bite, some documents that are wrong. YAML is the same in other
# clothes.

set -uo pipefail
source=${PIPA_SOURCE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
pipa=${PIPA:-$source/build/release/pipa}
python=/usr/bin/python3 # the distribution's, which has its packages
format=$source/docs/format
data=$source/tests/data/stat
failed=0

skip() {
	echo "skip: $*"
	if [[ -n ${PIPA_SKIP_LOG-} ]]; then
		echo "schemas: $*" >> "$PIPA_SKIP_LOG"
	fi
}

fail() {
	echo "not ok: $*"
	failed=$((failed + 1))
}

if ! "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2> /dev/null; then
	skip "JSON is not validated: python3-jsonschema is not installed"
	exit 77
fi

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat > "$dir/validate" <<'PYTHON'
"""validate SCHEMA FILE...: complain about each file with a document that is not as the schema says.

.json holds one document, .jsonl one a line, .yaml some. A .yaml beside a .json has to say the same.
"""
import json
import os
import sys

import jsonschema

try:
    import yaml
except ImportError:
    yaml = None


def documents(path):
    with open(path, encoding="utf-8") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file]
        if path.endswith(".yaml"):
            return list(yaml.safe_load_all(file))
        return [json.load(file)]


schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
bad = 0
for path in sys.argv[2:]:
    stem, suffix = os.path.splitext(path)
    if suffix == ".yaml" and not yaml:
        continue
    found = documents(path)
    if not found:
        print(f"{path}: empty")
        bad += 1
    for document in found:
        for error in validator.iter_errors(document):
            where = "/".join(str(part) for part in error.absolute_path)
            print(f"{path}: {where}: {error.message[:300]}")
            bad += 1
    twin = next((stem + s for s in (".json", ".jsonl") if os.path.exists(stem + s)), None)
    if suffix == ".yaml" and twin and found != documents(twin):
        print(f"{path}: says something else than {twin}")
        bad += 1
sys.exit(bad > 0)
PYTHON

# valid SCHEMA FILE...: all are valid for the schema
valid() {
	"$python" "$dir/validate" "$format/$1.schema.json" "${@:2}" ||
		fail "not as docs/format/$1.schema.json says"
}

# invalid NAME SCHEMA DOCUMENT: the schema refuses it
invalid() {
	printf '%s\n' "$3" > "$dir/wrong.json"
	if "$python" "$dir/validate" "$format/$2.schema.json" "$dir/wrong.json" > "$dir/said"; then
		fail "the schema of $2 takes a document with $1"
	elif ! grep -q 'wrong.json: ' "$dir/said"; then
		fail "validation broke: $(cat "$dir/said")"
	fi
}

# live SCHEMA SUFFIX ARGS...: what the program writes to its standard output
live() {
	local status=0

	rm -f "$dir"/live.*
	"$pipa" "${@:3}" > "$dir/live.$2" 2> "$dir/err" || status=$?
	if [[ $status -ne 0 || ! -s $dir/live.$2 ]]; then
		fail "pipa ${*:3}: exit $status: $(cat "$dir/err")"
		return
	fi
	valid "$1" "$dir/live.$2"
}

"$python" -c 'import yaml' 2> /dev/null || skip "YAML is not validated: python3-yaml is not installed"

# ---- kept reports

shopt -s nullglob
kept=("$data"/*.json "$data"/*.jsonl "$data"/*.yaml)
[[ ${#kept[@]} -gt 40 ]] || fail "only ${#kept[@]} kept reports in $data"
valid stat "${kept[@]}"

# ---- the program now

live stat json stat --json --log-fd 1 -e page-faults,task-clock,cycles,duration_time true
live stat yaml stat --yaml --log-fd 1 true
live run json run -f json -- true
live run yaml run -f yaml --no-record -- true
live heap json heap -f json --report-to /dev/stdout -- sh -c :
live heap json heap -f json --rate 1 --leaks --resident --sort pid --report-to /dev/stdout -- sh -c 'ls / > /dev/null & wait'
live heap json heap -f json --rate 1 --no-frees --sort pid --report-to /dev/stdout -- sh -c :
live run json run -f json -r 3 --transactions 12 -o /dev/stdout -- true
cp "$dir/live.json" "$dir/before"
live run json run -f json --baseline "$dir/before" -- sh -c "i=0; while [ \$i -lt 99999 ]; do i=\$((i+1)); done"
mkdir "$dir/earlier"
printf '1.0,CPU0,%s,,cycles,1000,50.00,,\n' 1000 > "$dir/earlier/perf-stat.csv"
printf '%s: a\n' hw_info sw_info platform comment > "$dir/config.yaml"
live run json run -f json --from "$dir/earlier" --cores 0 --transactions 3 --config "$dir/config.yaml"
printf 'main;f 3\nmain;g 1\n' > "$dir/folded"
mkdir -p "$dir/earlier/attach_session"
printf '%s\n' '# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle' \
	'b;1;2026-11-15 03:03:10 UTC;-1;95.00;0.00;4.00;0.00;0.00;1.00' > "$dir/earlier/attach_session/sar_cpu.csv"
live rules json rules explain -f json "$dir/earlier"
live rules json rules check -f json default
live profile json export -f json "$dir/folded"
invalid 'a sample without a stack' profile "$(sed 's/"stack": \[[^]]*\]/"stacks": []/' "$dir/live.json")"
live profile json filter -f json --focus f "$dir/folded"
"$pipa" record -g -o "$dir/recorded" -- ls / > /dev/null 2>&1
live profile json export -f json "$dir/recorded"
live stat json stat --json --log-fd 1 -r 3 true
cp "$dir/live.json" "$dir/before"
live stat json stat --json --log-fd 1 -r 3 --baseline "$dir/before" true
live stat jsonl stat --json --log-fd 1 -I 20 --summary sleep 0.1
live stat yaml stat --yaml --log-fd 1 -I 20 --summary sleep 0.1
live stat json stat --json --log-fd 1 --metric-only true
live stat json stat --json --log-fd 1 -M cpus_utilized,faults_per_second true
live stat json stat --json --log-fd 1 -n true
live stat json stat --json --log-fd 1 --per-thread -p $$ -e task-clock --timeout 20
if "$pipa" stat -a -e cpu-clock true 2> /dev/null; then
	for by in -A --per-core --per-die --per-socket --per-node; do
		live stat json stat --json --log-fd 1 -a "$by" sleep 0.02
	done
	live stat jsonl stat --json --log-fd 1 -a -A -I 20 sleep 0.05
else
	skip "no report of whole CPUs: no permission to count them"
fi
for kind in hw cache sw pmu tracepoint metric; do
	live list json list --json "$kind"
done
live monitor jsonl monitor --json --all -P ALL -i 20ms -n 2
live monitor jsonl monitor --json --processes --threads --idle -i 20ms -n 2
if perf record -q -N -g -e page-faults -c 1 -o "$dir/perf.data" true > /dev/null 2>&1; then
	live script jsonl script --json "$dir/perf.data"
	live script jsonl script --json -F comm,time "$dir/perf.data"
	"$pipa" bundle -o "$dir/bundle" "$dir/perf.data" 2> /dev/null
	zstd -dcq "$dir/bundle" | tar -xOf - manifest.json > "$dir/bundle.json"
	valid bundle "$dir/bundle.json"
	live annotate json annotate --json --percent-limit 0 "$dir/perf.data"
else
	skip "no samples as JSON, and no bundle: perf cannot record here"
fi
printf 'main;f 60\nmain;g 40\n' > "$dir/before.folded"
printf 'main;f 90\nmain;h 10\n' > "$dir/after.folded"
for by in symbol library line path; do
	live diff json diff --json --by "$by" "$dir/before.folded" "$dir/after.folded" "$dir/before.folded"
done
live diff json diff --json --absolute --base "$dir/before.folded" --base "$dir/after.folded" "$dir/before.folded"
live symbolize jsonl symbolize --exe /bin/sh --json 1 5000 ffffffffffffffff
live symbolize jsonl symbolize --pid $$ --json 1 ffffffff81000000
live list json list --json
live list json list --json sw 'nothing-matches-this'
# its exit status is 0 if anything can be counted
"$pipa" doctor --json > "$dir/doctor.json" || true
valid doctor "$dir/doctor.json"

printf '{"resourceProfiles":[{},{}],"dictionary":{},"x":1}' > "$dir/payload.json"
"$pipa" otlp check -f json -n 1 "$dir/payload.json" > "$dir/otlp.json" || true
valid otlp-check "$dir/otlp.json"
: | "$pipa" otlp check -f json --receiver collector - > "$dir/otlp.json" || fail "an empty payload is refused"
valid otlp-check "$dir/otlp.json"

# ---- what is wrong is refused

head='"schema": "pipa-stat/1", "target": "x", "runs": 1, "aggregation": "global", "notes": []'
time='"elapsed": {"value": 1, "unit": "s"}'
counted='"event": "cs", "state": "counted", "value": 1, "unit": "", "enabled_ns": 1, "running_ns": 1'
printf '%s\n' "{$head, $time, \"events\": [{$counted}]}" > "$dir/right.json"
valid stat "$dir/right.json"
invalid 'an unknown key' stat "{$head, $time, \"events\": [], \"extra\": 1}"
invalid 'another schema' stat "{${head/stat\/1/stat\/2}, $time, \"events\": []}"
invalid 'no events' stat "{$head, $time}"
invalid 'no wall time' stat "{$head, \"events\": []}"
invalid 'a text for a number' stat "{$head, $time, \"events\": [{${counted/: 1,/: \"1\",}}]}"
invalid 'a count without its state' stat "{$head, $time, \"events\": [{\"event\": \"cs\", \"value\": 1}]}"
invalid 'a value that was not counted' stat "{$head, $time, \"events\": [{${counted/counted/not counted}}]}"
invalid 'an unknown state' stat "{$head, $time, \"events\": [{${counted/counted/guessed}}]}"
invalid 'a location in a global report' stat "{$head, $time, \"events\": [{$counted, \"location\": {\"cpu\": 0, \"cpus\": 1}}]}"
invalid 'a time without late ticks' stat "{$head, $time, \"time\": 1, \"events\": []}"
invalid 'an empty note' stat "{${head/\[\]/[\"\"]}, $time, \"events\": []}"
invalid 'an unknown verdict' stat "{$head, $time, \"events\": [], \"changes\": [{\"event\": \"cs\", \"unit\": \"\", \"before\": 1, \"after\": 1, \"percent\": 0, \"verdict\": \"maybe\"}]}"
invalid 'an unknown kind' list '{"schema": "pipa-list/1", "events": [{"name": "cs", "kind": "odd", "state": "ok"}]}'
invalid 'an unknown key' list '{"schema": "pipa-list/1", "events": [{"name": "cs", "kind": "sw", "state": "ok", "more": 1}]}'
invalid 'a fix for what is well' doctor '{"schema": "pipa-doctor/1", "checks": [{"name": "a", "state": "ok", "text": "b", "fix": "c"}]}'
invalid 'nothing checked' doctor '{"schema": "pipa-doctor/1", "checks": []}'
invalid 'a file without its size' bundle '{"schema": "pipa-bundle/1", "recording": {}, "missing": [], "files": [{"name": "a", "path": "b"}]}'
invalid 'a build id of half a byte' bundle '{"schema": "pipa-bundle/1", "recording": {}, "files": [], "missing": [{"path": "b", "build_id": "abc", "reason": "gone"}]}'
invalid 'a text for a number' monitor '{"schema": "pipa-monitor/1", "time": 1, "interval": 1, "load": [{"ldavg-1": "0.5"}]}'
invalid 'an unknown section' monitor '{"schema": "pipa-monitor/1", "time": 1, "interval": 1, "lod": []}'
invalid 'a number for an address' script '{"schema": "pipa-script/1", "stack": [{"ip": 4096}]}'
invalid 'a place without an address' script '{"schema": "pipa-script/1", "stack": [{"sym": "main"}]}'
invalid 'no functions' annotate '{"schema": "pipa-annotate/1", "event": "cycles", "samples": 1, "symbols": []}'
invalid 'a frame without a function' symbolize '{"schema": "pipa-symbolize/1", "address": "0x1", "frames": [{}]}'
invalid 'no rows' diff '{"schema": "pipa-diff/1", "event": "", "unit": "", "by": "symbol", "self": true, "absolute": false, "complete": true, "base": {}, "now": []}'
invalid 'seconds for nanoseconds' script '{"schema": "pipa-script/1", "time_ns": 1.5}'

[[ $failed -eq 0 ]] && echo "${#kept[@]} kept reports and the program's own are as docs/format says"
exit $((failed > 0))
