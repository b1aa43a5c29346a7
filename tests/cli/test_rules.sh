#!/usr/bin/env bash
# `pipa rules`: rule files, and the findings that they give on measurements with a known bottleneck.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

tree=$PIPA_SOURCE/tests/data/pipa/decision_tree.yaml

# rows FILE COLUMNS ROW...: a table of statistics with five intervals
rows() {
	local second row

	printf '# hostname;interval;timestamp;%s\n' "$2" > "$archive/attach_session/$1"
	for second in 10 11 12 13 14; do
		for row in "${@:3}"; do
			printf 'box;1;2026-11-15 03:03:%s UTC;%s\n' "$second" "$row"
		done
	done >> "$archive/attach_session/$1"
}

# cpu NUMBER USER SYSTEM IOWAIT STEAL: a row of sar_cpu.csv
cpu() {
	awk -v n="$1" -v u="$2" -v s="$3" -v w="$4" -v t="$5" \
		'BEGIN { printf "%s;%.2f;0.00;%.2f;%.2f;%.2f;%.2f", n, u, s, w, t, 100 - u - s - w - t }'
}

# machine ARCHIVE: four CPUs, two nodes, an SSD; everything healthy and half busy
machine() {
	archive=$1
	mkdir -p "$archive/attach_session"
	cat > "$archive/spec_info.yaml" << 'END'
cpu_info:
  CPU(s): 4
numa_info:
  numa_topology:
    node0: "0-1"
    node1: "2-3"
disk_info:
  block_devices:
    - name: "sda"
      type: "disk"
      size_bytes: 1000
      rotational: "SSD"
END
	cpus 25 5 0 0
	disk 10 0.5 1 32
	switches 800
	load 1
	network 5
	paging 0 0
}

# cpus USER SYSTEM IOWAIT STEAL: the same for all CPUs
cpus() {
	rows sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' "$(cpu -1 "$@")" \
		"$(cpu 0 "$@")" "$(cpu 1 "$@")" "$(cpu 2 "$@")" "$(cpu 3 "$@")"
}

# disk UTIL AWAIT QUEUE SIZE
disk() {
	rows sar_disk.csv 'DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util' \
		"sda;100.00;400.00;400.00;0.00;$4;$3;$2;$1"
}

switches() {
	rows sar_cswch.csv 'proc/s;cswch/s' "1.00;$1"
}

load() {
	rows sar_load.csv 'runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked' "$1;100;1.00;1.00;1.00;0"
}

network() {
	rows sar_network.csv 'IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil' \
		"eth0;10.00;10.00;1.00;1.00;0.00;0.00;0.00;$1"
}

# paging MAJFLT SCAND
paging() {
	rows sar_paging.csv \
		'pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff' \
		"0.00;0.00;100.00;$1;0.00;0.00;$2;0.00;0.00"
}

# counters LINE...: output of perf stat -x,
counters() {
	printf '%s\n' "$@" > "$archive/attach_session/perf_stat.txt"
}

# findings [ARGS]: the ids of the findings, in order
findings() {
	pipa rules explain -f json "$@" "$archive"
	status 0
	python3 -c 'import json, sys
print(*(f["id"] for f in json.load(open("out"))["findings"]))'
}

need_python() {
	python3 -c '' 2> /dev/null || skip 'python3 is not installed'
}

# ---- PIPA's file ---------------------------------------------------------------------------------

test_the_decision_tree_of_pipa_is_valid_unchanged() {
	pipa rules check "$tree"
	status 0
	stdout << 'END'
17 rules, 14 thresholds, 0 problems
END
	stderr < /dev/null
}

test_the_decision_tree_of_pipa_finds_a_saturated_disk() {
	machine a
	cpus 10 5 0 0
	disk 85 30 85 8
	pipa rules explain --rules "$tree" a
	status 0
	has out '1. 宏观状态: OFF-CPU'
	has out '系统体征：OFF-CPU (业务核心平均利用率 15.00% vs. 阈值:50%)。'
	has out '检测到磁盘 sda (SATA_SSD) 出现性能瓶颈'
	has out 'P95 响应时间 (30.00ms) vs. 介质阈值 (5.0ms)'
	has out 'IOPS 饱和 [info, confidence 60 %]'
	has out '请求拥塞堆积 [info'
	lacks out '宏观状态: ON-CPU ['
	lacks out '系统空闲 ['
	has out '6 fired, 6 not fired, 0 unknown, 0 invalid, 5 not reached'
}

test_the_decision_tree_of_pipa_audits_expected_cpus() {
	machine a
	rows sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' "$(cpu -1 40 5 0 0)" \
		"$(cpu 0 70 5 0 0)" "$(cpu 1 5 0 0 0)" "$(cpu 2 60 5 0 0)" "$(cpu 3 1 0 0 0)"
	pipa rules explain --rules "$tree" --expected-cpus 0-1 a
	status 0
	has out '已启用 CPU 亲和性验证 (预期核心: 0-1)。'
	has out '检测到 1 个非预期核心处于高负载状态！'
	has out '异常核心: 2。'
	has out '空闲预留核心: 1。'
	has out '系统中的 CPU 核心已自动划分为 2 个不同的行为'
}

test_expected_cpus_without_statistics_are_absent() {
	machine a
	cpus 60 5 0 0
	pipa rules explain --rules "$tree" --expected-cpus 100-103 a
	status 0
	lacks out '完全一致'
	has out '空闲预留核心: 100'
}

# ---- built-in rules ------------------------------------------------------------------------------

test_stolen_time_is_not_a_saturated_cpu() {
	machine a
	cpus 35 5 0 58
	pipa rules explain a
	status 0
	has out '1. CPU time stolen'
	lacks out '. CPUs saturated ['
}

test_the_built_in_rules_are_valid_and_can_be_printed_and_used() {
	pipa rules check default
	status 0
	has out ' 0 problems'
	pipa rules print
	status 0
	cp out mine.yaml
	pipa rules check mine.yaml
	status 0
	machine a
	pipa rules explain --rules mine.yaml a
	status 0
}

test_the_built_in_rules_are_complete_in_both_languages() {
	need_python
	python3 -c 'import yaml' 2> /dev/null || skip 'python3-yaml is not installed'
	python3 - "$PIPA_SOURCE/rules/default.yaml" "$PIPA_SOURCE/docs/rules.md" > said << 'END' ||
import re, sys, yaml

rules = yaml.safe_load(open(sys.argv[1], encoding="utf-8"))
docs = open(sys.argv[2], encoding="utf-8").read()
bad = []

def words(where, value):
    if not isinstance(value, dict) or set(value) != {"en", "zh"}:
        bad.append(f"{where}: not in both languages")
        return
    if re.search(r"[\u4e00-\u9fff]", value["en"]):
        bad.append(f"{where}: Chinese in the English text")
    holes = [sorted(re.findall(r"\{(\w+)", text)) for text in value.values()]
    if set(holes[0]) != set(holes[1]):
        bad.append(f"{where}: other placeholders in Chinese")

def walk(items, ids):
    for rule in items:
        words(rule["id"] + ": name", rule["name"])
        if rule["id"] in ids:
            bad.append(rule["id"] + " occurs twice")
        ids.add(rule["id"])
        for key in ("finding", "next"):
            if key in rule:
                words(f'{rule["id"]}: {key}', rule[key])
        if "finding" in rule and not all(k in rule for k in ("severity", "confidence", "evidence", "next")):
            bad.append(rule["id"] + " is not complete")
        walk(rule.get("sub_rules", []), ids)

walk(rules["rules"], set())
for name, entry in rules["config"].items():
    words(name, entry["reason"])
    row = f'| `{name}` | {entry["value"]:g} | {entry.get("unit", "")} | {entry["reason"]["en"]} |'
    if row not in docs:
        bad.append(f"docs/rules.md lacks {row}")
print("\n".join(bad))
sys.exit(bool(bad))
END
		fail 'built-in rules' complete "$(cat said)"
}

test_every_variable_is_documented() {
	need_python
	machine a
	pipa rules explain -f json a
	status 0
	python3 - "$PIPA_SOURCE/docs/rules.md" > said << 'END' || fail 'docs/rules.md' 'all variables' "$(cat said)"
import json, sys

docs = open(sys.argv[1], encoding="utf-8").read()
names = [v["name"] for v in json.load(open("out"))["variables"] if not v["threshold"]]
missing = [name for name in names if f"| `{name}` |" not in docs]
print(len(names), *missing)
sys.exit(bool(missing) or len(names) < 100)
END
}

test_a_healthy_machine_has_no_findings() {
	need_python
	machine a
	same 'findings' "$(findings)" ''
	pipa rules explain a
	has out 'No findings.'
}

test_labels_are_chinese_on_demand() {
	machine a
	cpus 95 3 0 0
	pipa rules explain --lang zh a
	status 0
	has out 'CPU 饱和 [严重，置信度 90 %]'
	has out '    下一步：查找热点函数'
	has out '未触发'
	has out 'ipc：缺失，需要计数器 cycles 和 instructions'
	lacks out 'confidence'
	lacks out ': absent'
	lacks out 'Next:'
	lacks out 'fired'
	lacks out 'Rules'
}

test_an_idle_machine_is_called_idle() {
	need_python
	machine a
	cpus 1 1 0 0
	disk 1 0.5 0 32
	switches 50
	same 'findings' "$(findings)" idle
}

# first BOTTLENECK: the first finding is this one
first() {
	local found

	found=$(findings)
	same "first finding ($found)" "${found%% *}" "$1"
}

test_the_right_bottleneck_comes_first() {
	need_python
	machine a
	cpus 95 4 0 0
	load 10
	first cpu.saturated
	machine a
	rows sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' "$(cpu -1 26 1 0 0)" \
		"$(cpu 0 98 1 0 0)" "$(cpu 1 2 1 0 0)" "$(cpu 2 2 1 0 0)" "$(cpu 3 2 1 0 0)"
	first cpu.one_hot
	machine a
	cpus 40 5 0 20
	first cpu.steal
	machine a
	rows sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' "$(cpu -1 37 5 0 0)" \
		"$(cpu 0 70 5 0 0)" "$(cpu 1 70 5 0 0)" "$(cpu 2 5 5 0 0)" "$(cpu 3 5 5 0 0)"
	first cpu.numa
	machine a
	cpus 10 5 40 0
	disk 98 45 12 8
	first disk.saturated
	machine a
	disk 90 0.3 2 32
	first disk.busy
	machine a
	network 95
	first network.saturated
	machine a
	paging 10 500
	first memory.direct_reclaim
	machine a
	paging 900 0
	first memory.paging
	machine a
	cpus 30 10 0 0
	switches 60000
	first offcpu.locks
	machine a
	cpus 60 30 0 0
	switches 120000
	first scheduler.switches
	machine a
	cpus 30 10 0 0
	switches 120000 # the locks explain the switches
	first offcpu.locks
}

test_tables_that_a_collection_lacks_are_used_if_they_are_there() {
	need_python
	machine a
	rows more.csv 'IFACE;rxerr/s;txerr/s;coll/s;rxdrop/s;txdrop/s;txcarr/s;rxfram/s;rxfifo/s;txfifo/s' \
		'eth0;0.00;0.00;0.00;400.00;0.00;0.00;0.00;0.00;0.00'
	first network.drops
	machine a
	rows more.csv 'active/s;passive/s;iseg/s;oseg/s' '0.00;0.00;900.00;1000.00'
	rows errors.csv 'atmptf/s;estres/s;retrans/s;isegerr/s;orsts/s' '0.00;0.00;50.00;0.00;0.00'
	first network.retransmits
	rm a/attach_session/errors.csv
	machine a
	rows more.csv 'pswpin/s;pswpout/s' '300.00;900.00'
	first memory.swapping
	machine a
	rows more.csv '%smem-10;%smem-60;%smem-300;%smem;%fmem-10;%fmem-60;%fmem-300;%fmem' \
		'1.00;1.00;1.00;30.00;1.00;1.00;1.00;9.00'
	first memory.pressure
	machine a
	rows more.csv 'CPU;total/s;dropd/s;squeezd/s;rx_rps/s;flw_lim/s;blg_len' '-1;9999.00;0.00;900.00;0.00;0.00;0'
	first network.squeezed
	machine a
	rows more.csv 'hostcpus;cpus;quota;%thr;thr/s;kbhost;kbmax;kbmem;%mem;kbswpmax;kbswp;pidsmax;pids' \
		'4;4;1.00;60.00;6.00;1000;1000;10;1.00;0;0;100;10'
	first cpu.throttled
}

test_defects_of_the_data_lower_confidence() {
	local file

	machine a
	cpus 95 4 0 0
	pipa rules explain a
	has out 'CPUs saturated [critical, confidence 90 %]'
	file=a/attach_session/sar_cpu.csv
	sed -i 's/03:03:13/03:03:16/; s/03:03:14/03:03:17/' "$file"
	pipa rules explain a
	status 0
	matches out 'CPUs saturated \[critical, confidence [1-8][0-9] %\]'
}

test_counters_explain_the_pipeline() {
	need_python
	machine a
	counters '1.0,1000000,,cycles,1000,100.00,,' '1.0,400000,,instructions,1000,100.00,,' \
		'1.0,10000,,ll_cache_rd,1000,100.00,,' '1.0,8000,,ll_cache_miss_rd,1000,100.00,,' \
		'1.0,50000,,branches,1000,100.00,,' '1.0,5000,,branch-misses,1000,100.00,,' \
		'1.0,4000,,dTLB-load-misses,1000,100.00,,'
	same 'findings' "$(findings)" 'cpu.ipc cpu.branches cpu.cache cpu.tlb'
	pipa rules explain a
	has out '0.40 instructions per cycle (limit 0.7)'
	has out '12.5 branches per 1000 instructions are mispredicted, 10.0 % of all branches.'
	has out '- llc_mpki = 20'
	has out '- l3_cache_miss_rate = 80 %'
	lacks out '?'
}

test_an_absent_variable_is_unknown_and_names_the_missing_data() {
	machine a
	rm a/attach_session/sar_disk.csv
	pipa rules explain a
	status 0
	has out 'unknown      Disk saturated (disk.saturated)'
	has out 'p95_disk_util: absent, needs disk statistics'
	has out 'psi_memory: absent, needs pressure statistics'
	lacks out 'Disk saturated ['
}

test_findings_are_printed_in_chinese() {
	machine a
	cpus 95 4 0 0
	pipa rules explain --lang zh a
	status 0
	has out '1. CPU 饱和 [严重，置信度 90 %]'
	has out 'CPU 忙碌时间为 99.0 %（阈值 90.0 %）：计算能力是瓶颈。'
}

test_an_archive_gives_the_same_as_its_directory() {
	machine a
	cpus 95 4 0 0
	pipa rules explain a
	cp out directory
	tar -C a -czf a.tar.gz .
	pipa rules explain a.tar.gz
	status 0
	compare 'archive' out < directory
}

# ---- rule files of users -------------------------------------------------------------------------

test_problems_have_line_and_column() {
	cat > r.yaml << 'END'
config:
  LIMIT: 5
rules:
  - name: a
    precondition: "total_cpus > LIMIT"
    finding: "{total_cpu:.1f} {nothing} {LIMIT:%d}"
  - name: b
    precondition: >-
      total_cpu > 1
      and and
    severty: critical
  - name: c
    precondition: "__import__('os').system('touch hacked')"
END
	pipa rules check r.yaml
	status 1
	stdout << 'END'
r.yaml:5:20: unknown name 'total_cpus', did you mean total_cpu or total_tps?
r.yaml:6:32: unknown name 'nothing'
r.yaml:6:41: invalid format, expected .0f to .9f
r.yaml:10:11: expected a value
r.yaml:11:5: unknown key 'severty', did you mean severity?
r.yaml:13:20: unknown function: only min, max, abs and defined exist
3 rules, 1 threshold, 6 problems
END
	machine a
	pipa rules explain --rules r.yaml a
	status 0
	has out 'No findings.'
	has out 'invalid      b'
	has out 'r.yaml:10:11: expected a value'
	[[ ! -e hacked ]] || fail 'code of a rule' 'not executed' executed
}

test_thresholds_of_a_later_file_replace_those_of_the_built_in_rules() {
	need_python
	machine a
	printf 'config:\n  CPU_SATURATED: 20\n' > mine.yaml
	first=$(findings --rules default --rules mine.yaml)
	same 'first finding' "${first%% *}" cpu.saturated
}

test_hostile_rule_files_are_refused() {
	printf 'rules: &a\n  - name: x\n    sub_rules: *a\n' > alias.yaml
	pipa rules check alias.yaml
	refused 1 << 'END'
pipa rules: alias.yaml:3:16: aliases are not supported
END
	printf -- '- a\n' > list.yaml
	pipa rules check list.yaml
	refused 1 << 'END'
pipa rules: list.yaml:1:1: expected the keys 'config' and 'rules'
END
	head -c 5000000 /dev/zero | tr '\0' 'a' > large.yaml
	pipa rules check large.yaml
	status 1
	has err 'too large for a rule file'
	pipa rules check missing.yaml
	refused_like 1 'pipa rules: cannot .*missing.yaml.*: No such file or directory'
}

test_markup_and_names_of_a_rule_file_do_not_reach_the_terminal_unescaped() {
	machine a
	printf 'rules:\n  - name: "a\\e[31mb"\n    finding: "x\\e]0;t\\a <script>y</script>"\n' > r.yaml
	pipa rules explain --rules r.yaml a
	status 0
	has out 'a\x1b[31mb [info'
	! grep -q $'\e' out || fail 'output' 'no escape character' 'one'
}

test_arguments_are_checked() {
	pipa rules
	refused 2 << 'END'
pipa rules: no action given. Usage: pipa rules check FILE, pipa rules explain ARCHIVE, pipa rules next ARCHIVE, or pipa rules print
END
	pipa rules frob x
	refused 2 << 'END'
pipa rules: unknown action 'frob'. Usage: pipa rules check FILE, pipa rules explain ARCHIVE, pipa rules next ARCHIVE, or pipa rules print
END
	pipa rules explain
	refused_like 2 'pipa rules: no file given\. .*'
	machine a
	pipa rules explain --expected-cpus zero a
	status 2
	has err "--expected-cpus: invalid CPUs 'zero', expected a list like 0-3,7"
	pipa rules explain --lang fr a
	refused_like 2 "pipa rules: --lang: invalid language 'fr', expected en or zh.*"
	mkdir empty
	pipa rules explain empty
	status 1
}

run_tests "$@"
