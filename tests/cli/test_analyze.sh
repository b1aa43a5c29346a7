#!/usr/bin/env bash
# `pipa analyze`: the report and the metrics of measurements of all kinds, and of damaged ones.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

# rows FILE COLUMNS ROW...: a table of statistics with five intervals
rows() {
	local second row

	printf '# hostname;interval;timestamp;%s\n' "$2" > "$session/$1"
	for second in 10 11 12 13 14; do
		for row in "${@:3}"; do
			printf 'box;1;2026-11-15 03:03:%s UTC;%s\n' "$second" "$row"
		done
	done >> "$session/$1"
}

# measurement DIR [SEPARATOR]: that of PIPA's end-to-end test, two CPUs and a disk that is 92 % full
measurement() {
	local second

	session=$1/attach_session_demo
	mkdir -p "$session"
	cat > "$1/static_info.yaml" << 'END'
cpu_info:
  CPU(s): 2
  Architecture: "x86_64"
disk_info:
  block_devices:
    - name: "sda"
      type: "disk"
      size_bytes: 1000
      rotational: "SSD"
      fs_usage:
        total: 1000
        used: 920
        free: 80
        percent: 92
        mount: "/"
END
	rows sar_cpu.csv 'CPU;%user;%nice;%system;%iowait;%steal;%idle' '-1;10.00;0.00;5.00;0.00;0.00;85.00' \
		'0;10.00;0.00;5.00;0.00;0.00;85.00' '1;10.00;0.00;5.00;0.00;0.00;85.00'
	rows sar_disk.csv 'DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util' \
		'sda;100.00;10.00;20.00;0.00;30.00;85.00;30.00;85.00'
	rows sar_network.csv 'IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;txcmp/s;rxmcst/s;%ifutil' \
		'eth0;1.00;1.00;10.00;20.00;0.00;0.00;0.00;1.00'
	rows sar_memory.csv 'kbmemfree;kbavail;kbmemused;%memused;kbbuffers;kbcached;kbcommit;%commit;kbactive;kbinact;kbdirty' \
		'1000;2000;3000;75.00;10;20;30;1.00;40;50;60'
	rows sar_load.csv 'runq-sz;plist-sz;ldavg-1;ldavg-5;ldavg-15;blocked' '1;100;0.50;0.40;0.30;0'
	for second in 1 2 3 4 5; do
		printf '%s.000000000,1000,,cycles,1000000000,100.00,,\n' "$second"
		printf '%s.000000000,2000,,instructions,1000000000,100.00,,\n' "$second"
	done > "$session/perf_stat.txt"
	[[ ${2:-,} == , ]] || sed -i "s/,/$2/g" "$session/perf_stat.txt"
	printf 'java;main;compute 60\njava;main;wait 40\n' > "$session/stacks.folded"
}

# payload FILE: the data of a report as JSON
payload() {
	python3 - "$1" << 'END'
import re
import sys

page = open(sys.argv[1], encoding="utf-8").read()
print(re.search(r'id="pipa-data"[^>]*>(.*?)</script>', page, re.S).group(1).replace("<\\/", "</"))
END
}

# field FILE EXPRESSION: a value of the data
field() {
	payload "$1" | python3 -c "import json, sys; d = json.load(sys.stdin); print($2)"
}

test_the_report_gets_a_free_name_which_is_printed() {
	measurement data
	pipa analyze data
	status 0
	stdout <<< report.html
	pipa analyze data
	stdout <<< report_1.html
	pipa analyze data
	stdout <<< report_2.html
	pipa analyze data -o report.html
	stdout <<< report.html
	same 'files' "$(ls)" "$(printf '%s\n' data err out report.html report_1.html report_2.html)"
	same 'schema' "$(field report.html 'd["schema"]')" pipa.report/1
	same 'title' "$(field report.html 'd["title"]')" data
}

test_spellings_of_PIPA_are_accepted() {
	measurement data
	pipa analyze data --expected_cpus 0-1 --output_path out.html --lang zh --title 'A <b> title'
	status 0
	stdout <<< out.html
	same 'language' "$(field out.html 'd["lang"]')" zh
	same 'title' "$(field out.html 'd["title"]')" 'A <b> title'
	pipa analyze data --expected_cpus=x
	refused 2 << 'END'
pipa analyze: --expected-cpus: invalid CPUs 'x', expected a list like 0-3,7
END
}

test_hot_functions_have_their_source_lines_and_instructions() {
	need_program cc
	cat > hot.c <<- 'END'
		volatile unsigned long v;
		__attribute__((noinline)) unsigned long work(unsigned long n)
		{
			unsigned long s = 0;

			for (unsigned long i = 0; i < n; i++)
				s += i / (v | 7); /* </script> */
			return s;
		}
		int main(void)
		{
			v = work(100000000);
			return 0;
		}
	END
	cc -O1 -g hot.c -o hot 2> err || skip "cc: $(head -n 1 err)"
	"$PIPA" record -q -e cpu-clock:u -c 1000000 -o hot.data ./hot > /dev/null 2>&1 || skip 'pipa cannot record here'
	pipa analyze hot.data
	status 0
	same 'function' "$(field report.html 'd["hot"][0]["symbol"], d["hot"][0]["object"], d["hot"][0]["scope"]')" \
		'work hot User'
	same 'shares' "$(field report.html '50 < d["hot"][0]["self"] <= d["hot"][0]["total"] <= 100')" True
	same 'samples' "$(field report.html 'sum(h["samples"] for h in d["hot"]) <= d["profile"]["samples"]')" True
	pipa analyze -f json hot.data
	status 0
	same 'function of the metrics' "$(field report.html '"%s %.3f %d" % tuple(d["hot"][0][k] for k in ("symbol", "self", "samples"))')" \
		"$(python3 -c 'import json; h = json.load(open("out"))["hot_functions"][0]
print("%s %.3f %d" % (h["symbol"], h["percent"], h["samples"]))')"
	same 'line' "$(field report.html '[l[3] for l in d["hot"][0]["lines"] if l[0].endswith("hot.c") and l[1] == 7]')" \
		"['s += i / (v | 7); /* </script> */']"
	"$PIPA" annotate hot.data work 2>&1 | sed -nE 's/^ +([0-9.]+) : +([0-9a-f]+):  (.*)/0x\2 \1 \3/p' | sort > expected
	field report.html '"\n".join("%s %.2f %s" % tuple(i) for i in d["hot"][0]["instructions"])' | sort > instructions
	grep -q ' ??$' expected || compare 'instructions' instructions < expected
	rm hot
	pipa analyze hot.data -o other.html
	status 0
	same 'lines of a file that is gone' "$(field other.html 'd["hot"][0]["lines"], d["hot"][0]["instructions"]')" '[] []'
}

test_the_metrics_are_those_of_run() {
	measurement data
	tar -C data -czf data.tar.gz .
	for form in json yaml; do
		"$PIPA" run --from data.tar.gz -f $form --transactions 100 > expected 2> expected.err
		pipa analyze data.tar.gz -f $form --transactions 100
		status 0
		stdout < expected
		pipa analyze -f $form --transactions 100 data.tar.gz -o file
		same 'file' "$(cat file)" "$(cat expected)"
	done
	pipa analyze -f json data
	has out '"cycles": 5000'
	has out '"run_time": 5'
	pipa analyze -f json data/attach_session_demo/sar_cpu.csv data/attach_session_demo/perf_stat.txt
	status 0
	has out '"cycles": 5000'
	has out '"%usr": 10'
	pipa run --from data/attach_session_demo/perf_stat.txt -f json
	status 0
	has out '"instructions": 10000'
	pipa analyze -f text data
	refused 2 << 'END'
pipa analyze: -f: invalid format 'text', expected html, yaml or json
END
}

test_both_separators_and_layouts_give_the_same_analysis() {
	local form

	measurement commas
	measurement semicolons ';'
	mkdir flat
	cp commas/attach_session_demo/* flat
	cp commas/static_info.yaml flat/spec_info.yaml
	mv flat/perf_stat.txt flat/perf-stat.csv
	tar -C flat -czf flat.tar.gz .
	for form in commas semicolons flat.tar.gz; do
		pipa rules explain -f json $form
		status 0
		python3 -c 'import json
d = json.load(open("out"))
print(json.dumps([d["findings"], d["rules"], d["variables"]], indent=1))' > $form.rules
		sed -i "s/$form/INPUT/g" $form.rules
		pipa analyze $form -f json
		grep -v '"workload"\|"data_location"\|no hot functions' out > $form.metrics
		has out '"cycles": 5000'
	done
	for form in semicolons flat.tar.gz; do
		compare "rules of $form" $form.rules < commas.rules
		compare "metrics of $form" $form.metrics < commas.metrics
	done
}

test_nothing_usable_is_a_failure() {
	mkdir empty
	pipa analyze empty
	status 1
	has err 'pipa analyze: empty holds nothing that can be analyzed.'
	pipa analyze nowhere
	status 1
	has err 'pipa analyze: cannot open nowhere: No such file or directory'
	echo hello > text
	pipa analyze text
	status 1
	has err 'pipa analyze: text holds nothing that can be analyzed.'
	gzip -c "$PIPA_SOURCE/README.md" | head -c 10 > cut.tar.gz
	pipa analyze cut.tar.gz
	status 1
	has err 'pipa analyze: cut.tar.gz holds nothing that can be analyzed: it is truncated or corrupt'
	lacks err 'empty'
	: > none
	pipa analyze none
	status 1
	has err 'pipa analyze: none holds nothing that can be analyzed: the file is empty'
	rm cut.tar.gz none
	printf 'PERFILE2 and no more' > perf.data
	pipa analyze perf.data
	status 1
	has err 'pipa analyze: perf.data holds nothing that can be analyzed.'
	pipa analyze
	refused_like 2 'pipa analyze: no file given\..*'
	same 'files' "$(ls)" "$(printf '%s\n' empty err out perf.data text)"
}

test_text_of_stat_is_not_read_as_stacks() {
	printf "\n Performance counter stats for 'sleep 1':\n\n      1.00 msec task-clock   #    0.001 CPUs utilized\n" > a
	printf '#           time             counts unit events\n     0.502072278     75      page-faults\n' > b
	for file in a b; do
		pipa analyze $file
		status 1
		has err "pipa analyze: $file: report of stat as text, whose values are rounded; write it with -x , or --json"
	done
}

test_an_archive_that_fills_the_disk_is_refused() {
	need_program zstd
	measurement data
	{
		tar -C data -cf - . | head -c -10240
		python3 -c 'import sys, tarfile
info = tarfile.TarInfo("attach_session_demo/sar_io.csv")
info.size = 300 << 20
sys.stdout.buffer.write(info.tobuf())'
		head -c 300M /dev/zero
	} | zstd -q > bomb.tar.zst
	pipa analyze bomb.tar.zst
	status 1
	has err 'pipa analyze: bomb.tar.zst expands to more than 500 times its size. Decompress it yourself if you trust it.'
	pipa analyze data bomb.tar.zst
	status 0
	has err 'bomb.tar.zst: bomb.tar.zst expands to more than 500 times its size'
}

test_a_run_ends_with_its_report() {
	pipa run --interval 50ms --report out.html --transactions 7 -- sh -c 'echo said; sleep 0.3; exit 3'
	status 3
	matches err '^pipa run: report: out.html$'
	has out said
	same 'title' "$(field out.html 'd["title"]')" 'sh -c echo said; sleep 0.3; exit 3'
	same 'input' "$(field out.html 'd["inputs"]')" "['sh -c echo said; sleep 0.3; exit 3']"
	same 'CPU statistics' "$(field out.html '"cpu" in str(d["series"])')" True
	same 'a description of the machine' "$(field out.html 'bool(d["system"])')" True
	payload out.html > data
	! grep -q "${TMPDIR:-/tmp}/pipa-" data || fail 'paths in the report' 'no temporary file' "$(grep -o '/tmp/pipa-.\{20\}' data)"
	pipa run --report -- true
	has err 'pipa run: report: report.html'
	pipa run --report -- true
	has err 'pipa run: report: report_1.html'
	pipa run --interval 50ms --keep kept --report=kept.html -- sleep 0.2
	status 0
	same 'input' "$(field kept.html 'd["title"]')" 'sleep 0.2'
	[[ -s kept/sar_cpu.csv && -s kept/spec_info.yaml ]] || fail 'kept' 'statistics and machine' "$(ls kept)"
	pipa analyze kept -o again.html
	status 0
	lacks err 'stdout.txt'
	pipa run --from kept --report from.html -f json
	status 0
	same 'title' "$(field from.html 'd["title"]')" kept
}

test_a_report_needs_one_run() {
	pipa run --report -r 2 -- true
	refused_like 125 'pipa run: --report requires one run of one command\..*'
	pipa run --report=- -- true
	refused_like 125 "pipa run: --report: invalid file name '-'.*"
	pipa run --report a.html -o a.html -- true
	refused_like 125 'pipa run: -o and --report name the same file.*'
	pipa run --report -- ./nowhere
	status 127
	[[ ! -e report.html ]] || fail 'report of a command that was not found' none 'one'
}

test_a_collection_ends_with_its_report() {
	need_sampling
	need_system_wide
	pipa collect --duration-stat 0.3 --duration-record 0.2 --sar-interval 0.1 -o c.tar.gz --report
	status 0
	stdout << 'END'
c.tar.gz
report.html
END
	same 'title' "$(field report.html 'd["title"]')" c.tar.gz
	pipa collect --duration-stat 0.2 --no-record --sar-interval 0.1 -o d.tar.gz --report x.html
	status 0
	has out x.html
}

test_reasons_of_missing_parts_are_in_both_languages() {
	measurement data
	printf 'nothing known\n' > data/attach_session_demo/other.bin
	: > data/attach_session_demo/sar_io.csv
	rm data/static_info.yaml
	printf 'rules:\n  - name: a\n    precondition: "cpu_bsy >"\n' > rules.yaml
	pipa analyze data nowhere --rules rules.yaml -o r.html
	status 0
	same 'reasons' "$(field r.html '"; ".join(sorted(n["text"]["zh"] for n in d["unusable"]))')" \
		'不是 pipa 能读取的文件; 文件为空; 无法打开 nowhere：没有该文件或目录; 没有机器描述：缺少 spec_info.yaml; 表达式不完整'
	same 'English' "$(field r.html '"; ".join(sorted(n["text"]["en"] for n in d["unusable"]))')" \
		'cannot open nowhere: No such file or directory; no description of the machine: spec_info.yaml is missing; not a file that pipa reads; the expression ends early; the file is empty'
	same 'fault' "$(field r.html 'd["tree"][0]["fault"]["zh"]')" '表达式不完整'
}

test_metrics_of_corrupt_data_are_those_of_the_page() {
	local second

	session=data/attach_session_demo
	mkdir -p "$session"
	{
		echo '# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle'
		for ((second = 0; second < 60; second++)); do
			if ((second < 12)); then # warm-up
				row='-1;2.00;0.00;1.00;0.00;0.00;97.00'
			elif ((second == 30)); then
				row='-1;260.00;0.00;1.00;-4.00;0.00;39.00'
			else
				row='-1;60.00;0.00;1.00;0.00;0.00;39.00'
			fi
			printf 'box;1;2026-11-15 03:03:%02d UTC;%s\n' $second "$row"
			((second != 40)) || printf 'box;1;2026-11-15 03:03:40 UTC;-1;0.00;0.00;1.00;0.00;0.00;99.00\n'
		done
	} > $session/sar_cpu.csv
	pipa analyze data -o r.html
	status 0
	pipa analyze data -f json
	status 0
	mv out m.json
	same 'of the page' "$(field r.html '[m["value"] for m in d["metrics"] if m["key"] == "%usr"]')" '[60]'
	same 'of JSON' "$(python3 -c 'import json; print(json.load(open("m.json"))["%usr"])')" 60
	field r.html 'sorted((m["key"], m["value"]) for m in d["metrics"])' > page.txt
	python3 -c 'import json; d = json.load(open("m.json"))
print(sorted((k, v) for k, v in d.items() if type(v) in (int, float) and k not in ("runs", "exit_status")))' > json.txt
	same 'all metrics' "$(cat json.txt)" "$(cat page.txt)"
	same 'defects' "$(python3 -c 'import json; d = json.load(open("m.json"))
print(d["phases"]["reason"], sorted((q["kind"], q["column"], q["count"], q["repaired"]) for q in d["quality"]))')" \
		"found [('duplicate', '', 1, True), ('negative', 'cpu.iowait', 1, True), ('over_100', 'cpu.user', 1, True)]"
	pipa run --from data -f yaml
	status 0
	has out '  reason: "found"'
	pipa run --from data
	has out 'cpu-short cpu.user: 1 x over_100: Percentages are above 100; they are treated as missing.'
}

test_each_part_has_one_reason() {
	measurement data
	: > data/attach_session_demo/perf.data
	pipa analyze data -o r.html
	status 0
	stderr <<< 'pipa analyze: data/attach_session_demo/perf.data: the file is empty'
	pipa analyze nowhere
	status 1
	stderr <<< 'pipa analyze: cannot open nowhere: No such file or directory'
}

test_a_path_that_cannot_be_printed_is_an_error() {
	[[ -c /dev/full ]] || skip 'no /dev/full'
	measurement data
	"$PIPA" analyze data > /dev/full 2> err && fail 'exit status' 'not 0' 0
	[[ -s report.html ]] || fail report.html 'is written' 'missing'
	stderr <<< 'pipa analyze: cannot write standard output: No space left on device'
}

test_a_run_that_ends_within_a_second_has_no_gaps() {
	need_system_wide
	pipa run --no-record --keep kept -- sleep 2.3
	status 0
	pipa analyze kept -o r.html
	status 0
	same 'defects' "$(field r.html 'sorted({(q["kind"], q["section"]) for q in d["quality"] if q["kind"] not in ("late", "no_clock")})')" \
		"[('few_intervals', '')]" # three
}

run_tests "$@"
