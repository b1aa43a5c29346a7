#!/usr/bin/env bash
# `pipa analyze A --compare B`: known changes between two measurements are found, and no others.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# measurement DIR SEED USER AWAIT INSTRUCTIONS MODEL [SECONDS]: statistics with noise, counters, stacks, facts
measurement() {
	python3 - "$@" << 'END'
import datetime
import os
import random
import sys

top, seed, user, wait, instructions, model = sys.argv[1:7]
seconds = int(sys.argv[7]) if len(sys.argv) > 7 else 120
user, wait, instructions = float(user), float(wait), float(instructions)
chance = random.Random(int(seed))
session = os.path.join(top, "attach_session_demo")
os.makedirs(session)
begin = datetime.datetime(2026, 11, 15, 3, 0, 0)

def table(name, columns, rows):
    with open(os.path.join(session, name), "w") as out:
        out.write("# hostname;interval;timestamp;" + columns + "\n")
        for second in range(seconds):
            stamp = (begin + datetime.timedelta(seconds=second)).strftime("%Y-%m-%d %H:%M:%S UTC")
            for row in rows():
                out.write(f"box;1;{stamp};{row}\n")

def cpu():
    at = user + chance.gauss(0, 1)
    for name in ("-1", "0", "1"):
        yield f"{name};{at:.2f};0.00;5.00;1.00;0.00;{94 - at:.2f}"

table("sar_cpu.csv", "CPU;%user;%nice;%system;%iowait;%steal;%idle", cpu)
table("sar_disk.csv", "DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util",
      lambda: [f"sda;100;10;20;0;30;0.5;{wait + chance.gauss(0, 0.2):.2f};{20 + chance.gauss(0, 1):.2f}"])
table("sar_load.csv", "runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked", lambda: ["1;100;0.50;0.40;0.30;0"])
with open(os.path.join(session, "perf_stat.txt"), "w") as out:
    for second in range(1, seconds + 1):
        out.write(f"{second}.0,{1e9 + chance.gauss(0, 1e6):.0f},,cycles,1000000000,100.00,,\n")
        out.write(f"{second}.0,{instructions * 1e9 + chance.gauss(0, 1e6):.0f},,instructions,1000000000,100.00,,\n")
with open(os.path.join(session, "stacks.folded"), "w") as out:
    slow = int(20 * user)
    out.write(f"java;main;compute {slow}\njava;main;<b>wait</b> {2000 - slow}\n")
with open(os.path.join(top, "static_info.yaml"), "w") as out:
    out.write(f'cpu_info:\n  CPU(s): 2\n  Model name: "{model}"\ndisk_info:\n  block_devices:\n'
              '    - name: "sda"\n      type: "disk"\n      size_bytes: 1000\n      rotational: "SSD"\n')
END
}

# field FILE EXPRESSION: a value of the comparison
field() {
	python3 - "$1" "$2" << 'END'
import json
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
if text.startswith("{"):
    d = json.loads(text)
else:
    d = json.loads(re.search(r'id="pipa-data"[^>]*>(.*?)</script>', text, re.S).group(1))["compare"]
row = lambda table, key, of="": next(r for r in d["tables"][table]["rows"]
                                     if r["key"] == key and r.get("instance", "") == of)
print(eval(sys.argv[2]))
END
}

# is FILE EXPRESSION VALUE
is() {
	local got

	got=$(field "$1" "$2")
	same "$2" "$got" "$3"
}

test_known_changes_are_found_and_others_are_not() {
	measurement a 1 30 4 2 Xeon
	measurement b 2 40 12 1.5 Xeon
	pipa analyze a --compare b -f json -o cmp.json
	status 0
	is cmp.json 'd["schema"]' pipa.compare/1
	is cmp.json 'row("summary", "cpu_user")["verdict"]' higher
	is cmp.json '9 < row("summary", "cpu_user")["difference"] < 11' True
	is cmp.json 'row("summary", "cpu_system")["verdict"]' same
	is cmp.json 'row("summary", "ipc")["verdict"]' worse
	is cmp.json 'round(row("summary", "ipc")["percent"])' -25
	is cmp.json 'row("series", "disk.await", "sda")["verdict"]' worse
	is cmp.json 'row("series", "disk.util", "sda")["verdict"]' same
	is cmp.json 'row("metrics", "IPC")["verdict"]' worse
	is cmp.json '[r["title"] for r in d["tables"]["summary"]["rows"]]' \
		"['Avg CPU User %', 'Avg CPU System %', 'Avg CPU Idle %', 'Total Instructions', 'Total Cycles', 'IPC']"
	is cmp.json '[w["id"] for w in d["warnings"]]' "['one_run']"
	is cmp.json 'all(w["text"]["en"] and w["text"]["zh"] for w in d["warnings"])' True
	is cmp.json '{r["symbol"]: r["now"][0]["verdict"] for r in d["hot"]["rows"]}["compute"]' more
}

test_a_measurement_does_not_differ_from_itself() {
	measurement a 1 30 4 2 Xeon
	pipa analyze a --compare a -f json -o cmp.json
	status 0
	is cmp.json '{r["verdict"] for t in d["tables"].values() for r in t["rows"]} - {"same", "unclear"}' 'set()'
	is cmp.json '[t["significant"] for t in d["tables"].values()]' '[0, 0, 0, 0]'
	is cmp.json 'd["facts"]' '[]'
	is cmp.json '{f["change"] for f in d["findings"]} - {"stayed"}' 'set()'
	is cmp.json '{r["now"][0]["verdict"] for r in d["hot"]["rows"]}' "{'same'}"
}

test_equal_workloads_do_not_differ() {
	measurement a 1 30 4 2 Xeon
	measurement b 7 30 4 2 Xeon
	pipa analyze a --compare b -f json -o cmp.json
	is cmp.json '[t["significant"] for t in d["tables"].values()]' '[0, 0, 0, 0]'
}

test_findings_appear_and_vanish() {
	measurement a 1 30 4 2 Xeon
	measurement b 2 93 4 2 Xeon
	pipa analyze a --compare b -f json -o cmp.json
	is cmp.json '"cpu" in [f["id"] for f in d["findings"] if f["change"] == "appeared"][0]' True
	is cmp.json 'd["findings"][0]["b"]["state"], bool(d["findings"][0]["b"]["text"]["zh"])' "('fired', True)"
	pipa analyze b --compare a -f json -o back.json
	is back.json '[f["id"] for f in d["findings"] if f["change"] == "vanished"] == [f["id"] for f in json.load(open("cmp.json"))["findings"] if f["change"] == "appeared"]' True
}

test_different_machines_and_durations_are_warnings() {
	measurement a 1 30 4 2 Xeon
	measurement b 2 30 4 2 EPYC 60
	pipa analyze a --compare b -f json -o cmp.json
	is cmp.json '[w["id"] for w in d["warnings"]]' "['machine', 'duration', 'one_run']"
	is cmp.json '[(f["key"], f["a"], f["b"], f["machine"]) for f in d["facts"]]' "[('Model name', 'Xeon', 'EPYC', True)]"
	rm b/static_info.yaml
	pipa analyze a --compare b -f json -o cmp.json
	is cmp.json '"no_facts" in [w["id"] for w in d["warnings"]]' True
}

test_yaml_has_the_same_contents() {
	measurement a 1 30 4 2 Xeon
	pipa analyze a --compare a -f yaml
	status 0
	has out 'schema: "pipa.compare/1"'
	has out 'title: "Avg CPU User %"'
}

test_the_page_has_series_on_one_axis_and_a_flame_graph() {
	measurement a 1 30 4 2 Xeon
	measurement b 2 40 12 1.5 '<script>alert(1)</script>'
	pipa analyze a --compare b
	status 0
	stdout <<< report.html
	is report.html 'd["overlay"]["n"] == len(d["charts"][0][0]) == len(d["charts"][0][1])' True
	is report.html 'd["tables"]["series"]["rows"][row("series", "disk.await", "sda")["chart"]]["key"]' disk.await
	is report.html 'd["facts"][0]["b"]' '<script>alert(1)</script>'
	has report.html 'id="pipa-profile"'
	lacks report.html '<script>alert'
	pipa analyze a --compare b -o cmp.html
	stdout <<< cmp.html
	cmp report.html cmp.html || fail 'bytes of both pages' equal different
}

test_bad_inputs_have_clear_errors() {
	measurement a 1 30 4 2 Xeon
	pipa analyze a --compare missing -o x.html
	status 1
	has err missing
	[[ ! -e x.html ]] || fail x.html 'no file' 'a file'
	mkdir empty
	pipa analyze a --compare empty -o x.html
	status 1
	[[ ! -e x.html ]] || fail x.html 'no file' 'a file'
	pipa analyze a --compare ''
	status 2
	has err '--compare: empty file name'
	cp -r a b
	pipa analyze a --compare b/static_info.yaml -o b/static_info.yaml
	status 2
	head -c 5000 /dev/urandom > noise.bin
	pipa analyze a --compare noise.bin -o x.html
	status 1
}

test_sides_without_common_series_are_compared_by_metrics() {
	measurement a 1 30 4 2 Xeon
	mkdir b
	printf 'java;main;compute 60\njava;main;wait 40\n' > b/stacks.folded
	pipa analyze a --compare b/stacks.folded -f json -o cmp.json
	status 0
	is cmp.json '"no_common" in [w["id"] for w in d["warnings"]]' True
	is cmp.json 'len(d["hot"]["rows"]) > 0' True
}

run_tests "$@"
