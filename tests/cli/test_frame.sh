#!/usr/bin/env bash
# `pipa export --frame`: tables whose sums are those of `pipa report`.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

corpus=${PIPA_CORPUS:-$PIPA_SOURCE/../shared/corpus}

need_recording() {
	data=$corpus/perfdata/perf.data.callgraph-3.8
	[[ -e $data ]] || skip "no corpus at $corpus/perfdata"
}

# The weight of the report is the sum of the table's periods.
test_samples_have_the_count_and_weight_of_the_report() {
	need_recording
	pipa report -i "$data" --stdio
	status 0
	sed -nE 's/^# Samples: ([0-9]+) .* weight ([0-9]+).*/\1 \2/p' out > want
	[[ -s want ]] || fail 'the report' 'samples and weight' "$(head -n 5 out)"
	pipa export "$data" --frame samples -f csv
	status 0
	python3 -c '
import csv, sys
rows = list(csv.DictReader(open("out")))
print(len(rows), sum(int(r["period"]) for r in rows))' > got
	same 'sums' "$(cat got)" "$(cat want)"
}

test_json_has_the_rows_of_csv() {
	local table

	need_recording
	for table in samples records stacks locations functions; do
		pipa export "$data" --frame "$table" -f csv -o "$table.csv"
		status 0
		pipa export "$data" --frame "$table" -f json -o "$table.json"
		status 0
		python3 - "$table" <<- 'END' > difference || fail "$table" 'the same rows' "$(cat difference)"
			import csv, json, sys
			name = sys.argv[1]
			rows = list(csv.DictReader(open(name + ".csv")))
			lines = [json.loads(line) for line in open(name + ".json")]
			def text(value):
			    if value is None:
			        return ""
			    return str(value).lower() if isinstance(value, bool) else str(value)
			if len(rows) != len(lines):
			    print(len(rows), "rows,", len(lines), "lines")
			    sys.exit(1)
			for row, line in zip(rows, lines):
			    line = {key: text(value) for key, value in line.items()}
			    if row != line:
			        print(row, line, sep="\n")
			        sys.exit(1)
		END
	done
}

# Self time by joined tables is that of the report.
test_tables_join_to_the_functions_of_the_report() {
	local table

	data=$corpus/aarch64/dup_cfi.dwarf.bundle
	[[ -e $data ]] || skip "no corpus at $corpus/aarch64"
	for table in samples stacks locations functions; do
		pipa export "$data" --frame "$table" -f csv -o "$table.csv"
		status 0
	done
	python3 - <<- 'END' > got
		import csv
		def rows(name):
		    return csv.DictReader(open(name + ".csv"))
		names = {r["function"]: r["name"] for r in rows("functions")}
		inner = {r["location"]: names.get(r["function"]) for r in rows("locations") if r["inlined"] == "0"}
		leaf = {r["stack"]: r["location"] for r in rows("stacks") if r["frame"] == "0"}
		sums = {}
		for r in rows("samples"):
		    name = inner[leaf[r["stack"]]]
		    sums[name] = sums.get(name, 0) + int(r["period"])
		print(*max((weight, name) for name, weight in sums.items()))
	END
	pipa report -i "$data" --no-children -s symbol --json
	status 0
	python3 -c '
import json
row = json.load(open("out"))["rows"][0]
print(row["events"][0]["self"], row["symbol"])' > want
	same 'largest self weight' "$(cat got)" "$(cat want)"
}

test_profiles_without_times_have_null_times() {
	printf 'a;b 3\na;c 4\n' > x.folded
	pipa export x.folded -f csv
	status 0
	same 'rows' "$(cut -d, -f 1,8 out | tr '\n' ' ')" 'time,period ,3 ,4 '
}

test_parquet_is_complete() {
	printf 'a;b 3\n' > x.folded
	pipa export x.folded -f parquet -o x.parquet
	status 0
	same 'magic' "$(head -c 4 x.parquet)$(tail -c 4 x.parquet)" PAR1PAR1
}

test_the_name_of_the_output_chooses_the_format() {
	printf 'a;b 3\n' > x.folded
	pipa export x.folded -o x.parquet
	status 0
	same 'magic' "$(head -c 4 x.parquet)" PAR1
	pipa export x.folded -o x.csv
	status 0
	has x.csv 'time,time_utc,cpu,'
	pipa export x.folded --frame functions -o x.json
	status 0
	has x.json '"name": "b"'
}

# Counts of two intervals and CPUs: a row per interval and CPU, a column per event; <not counted> is null.
test_series_of_counts_have_a_column_per_event() {
	printf '%s\n' '1.000000001,CPU0,18446744073709551615,,cycles,500,50.00,,' \
		'1.000000001,CPU1,7,,cycles,1000,100.00,,' '1.000000001,CPU0,1.25,msec,task-clock,1000,100.00,,' \
		'1.000000001,CPU1,<not counted>,msec,task-clock,0,0.00,,' \
		'2.000000002,CPU0,3,,cycles,1000,100.00,,' > stat.csv
	pipa export stat.csv -f csv
	status 0
	cut -d, -f 1,7,8,10- out > got
	printf '%s\n' 'time,section,instance,cycles,cycles.running,task-clock,task-clock.running' \
		'1000000001,counters,CPU0,18446744073709551615,50,1.25,100' '1000000001,counters,CPU1,7,100,,0' \
		'2000000002,counters,CPU0,3,100,,' > want
	same 'rows' "$(cat got)" "$(cat want)"
	pipa export stat.csv --frame series -f parquet -o stat.parquet
	status 0
	# thrift: key "unit", value "msec"
	grep -aq $'unit\x18\x04msec' stat.parquet || fail 'the metadata' 'unit msec' "$(strings stat.parquet)"
}

test_series_of_json_have_the_metrics_and_missed_intervals() {
	printf '%s\n' '{"schema": "pipa-stat/1", "time": 0.5, "missed_intervals": 2, "elapsed": {"value": 0.25},
		"events": [{"event": "cycles", "value": 9007199254740993, "unit": "", "enabled_ns": 4, "running_ns": 1,
		"location": {"cpu": 3}, "metrics": [{"name": "ghz", "value": 1.5, "unit": "GHz"}]}]}' \
		'{"schema": "pipa-stat/1", "time": 1, "missed_intervals": 2, "events": [{"event": "cycles", "value": null}]}' \
		> stat.json
	pipa export stat.json -f json
	status 0
	python3 - <<- 'END' > got
		import json
		for line in open("out"):
		    row = json.loads(line)
		    print(*(row[key] for key in ("time", "interval", "missed_intervals", "instance", "cycles",
		                                 "cycles.running", "cycles.ghz")))
	END
	same 'rows' "$(cat got)" "500000000 0.25 2 CPU3 9007199254740993 25 1.5
1000000000 None 0 None None None None"
}

# Each value of the CSV files that monitor recorded is in the table, with its time in UTC.
test_series_of_statistics_have_the_recorded_values() {
	pipa monitor -i 0.1 -n 2 --cpu-util --mem --load -P ALL -o recorded
	status 0
	pipa export recorded -f csv -o series.csv
	status 0
	python3 - <<- 'END' > difference || fail 'series' 'the recorded values' "$(cat difference)"
		import calendar, csv, sys, time
		head = None
		series = list(csv.DictReader(open("series.csv")))
		loads = [r for r in series if r["section"] == "load"]
		lines = [l.rstrip("\n").split(";") for l in open("recorded/sar_load.csv") if not l.startswith("#")]
		head = open("recorded/sar_load.csv").readline().lstrip("# ").rstrip("\n").split(";")
		if len(loads) != 2 or len(lines) != 2:
		    sys.exit(print(len(loads), len(lines)) or 1)
		for row, cells in zip(loads, lines):
		    cells = dict(zip(head, cells))
		    if float(row["load.1"]) != float(cells["ldavg-1"]):
		        sys.exit(print(row, cells) or 1)
		    seconds = calendar.timegm(time.strptime(cells["timestamp"][:19], "%Y-%m-%d %H:%M:%S"))
		    if int(row["time_utc"]) // 10**9 != seconds or row["time"]:
		        sys.exit(print(row["time_utc"], cells["timestamp"]) or 1)
		if not any(r["section"] == "cpu" and r["instance"] == "0" for r in series):
		    sys.exit(print("no CPU 0") or 1)
	END
}

test_series_have_valid_and_unique_column_names() {
	printf '%s\n' '1.0,1,,time,1,100.00,,' $'1.0,2,,a\377b,1,100.00,,' '1.0,3,,A,1,100.00,,' '1.0,4,,a,1,100.00,,' > stat.csv
	pipa export stat.csv -f csv
	status 0
	same 'columns' "$(head -n 1 out | cut -d, -f 10-)" \
		$'time_2,time.running,a\357\277\275b,a\357\277\275b.running,A,A.running,a_2,a.running_2'
}

test_files_without_series_are_refused() {
	echo hello > text
	pipa export text --frame series -f csv
	status 1
	has err 'text holds no series'
	mkdir nothing
	pipa export nothing -f csv
	status 1
	has err 'nothing holds no series'
}

# Rows are selected as script selects its samples.
test_samples_are_selected_by_process_command_cpu_and_event() {
	local pid comm

	need_recording
	pipa export "$data" --frame samples -f csv -o all.csv
	status 0
	pid=$(python3 -c 'import csv; print(next(csv.DictReader(open("all.csv")))["pid"])')
	comm=$(python3 -c 'import csv; print(next(csv.DictReader(open("all.csv")))["comm"])')
	for options in "--pid $pid" "--comms $comm" "-C 0" "--tid $pid"; do
		# shellcheck disable=SC2086
		pipa script -i "$data" $options -F time
		status 0
		grep -c . out > want
		# shellcheck disable=SC2086
		pipa export "$data" $options -f csv
		status 0
		same "rows with $options" "$(($(wc -l < out) - 1))" "$(cat want)"
	done
	[[ $(wc -l < all.csv) -gt $(wc -l < out) ]] || fail 'the filter' 'fewer rows' 'all'
	pipa export "$data" -e nosuch -f csv
	status 0
	same 'rows of an event that is not there' "$(wc -l < out)" 1
	pipa export "$data" --pid 1 --frame stacks -f csv
	status 2
	has err 'require --frame samples'
	pipa export "$data" --pid 1 -f folded
	status 2
	has err 'require --frame samples'
}

# Count the records of each type in a table that was written to `out`.
count_records() {
	python3 -c '
import collections, csv
types = collections.Counter(row["type"].upper() for row in csv.DictReader(open("out")))
for name in sorted(types):
    print(name, types[name])'
}

test_records_are_those_that_perf_dumps() {
	local name

	command -v perf > /dev/null || skip 'there is no perf'
	need_recording
	for name in branch-4.14 ctx_switch_namespaces-4.14 lost_samples-4.4 piped.header_features-4.16; do
		data=$corpus/perfdata/perf.data.$name
		perf report -D -i "$data" 2> /dev/null | sed -nE 's/.*: PERF_RECORD_([A-Z_0-9]+).*/\1/p' | sort | uniq -c |
			awk '{ print $2, $1 }' > want
		[[ -s want ]] || skip "perf cannot read $name"
		pipa export "$data" --frame records -f csv
		status 0
		count_records > got
		same "records of $name" "$(cat got)" "$(cat want)"
	done
}

# Records of unknown types and malformed ones are rows with their bytes.
test_no_record_is_dropped() {
	data=$corpus/perfdata/perf.data.piped.target-3.4
	[[ -e $data ]] || skip "no corpus at $corpus/perfdata"
	pipa export "$data" --frame records -f csv
	status 0
	count_records > before
	cp "$data" more.data
	# type 99 with 8 bytes, AUX (11) with offset, size and flags, COMM (3) that ends before its name
	{
		printf '\x63\0\0\0\0\0\x10\0\x01\x02\x03\x04\x05\x06\x07\xff'
		printf '\x0b\0\0\0\0\0\x20\0\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0'
		printf '\x03\0\0\0\x02\0\x10\0\x01\0\0\0\x01\0\0\0'
	} >> more.data
	pipa export more.data --frame records -f csv
	status 0
	python3 - <<- 'END' > got
		import csv
		for row in csv.DictReader(open("out")):
		    if row["raw"] or row["type"] == "aux":
		        if row["type"] in ("aux", "comm") or row["type_number"] == "99":
		            print(row["type"], row["type_number"], row["size"], row["raw"], row["malformed"], row["fields"])
	END
	has got 'type 99 99 16 01020304050607ff'
	has got '"aux_offset": 1, "aux_size": 2, "flags": 3'
	has got 'comm 3 16 0100000001000000 true'
	same 'rows' "$(count_records | awk '{ n += $NF } END { print n }')" "$(($(awk '{ n += $NF } END { print n }' before) + 3))"
}

# query FILE SQL...: print the rows of each query, columns separated by |
query() {
	python3 - "$@" <<- 'END'
		import sqlite3, sys
		db = sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True)
		for sql in sys.argv[2:]:
		    for row in db.execute(sql):
		        print(*row, sep="|")
	END
}

test_a_database_has_all_tables_with_the_sums_of_the_report() {
	local view

	need_recording
	pipa report -i "$data" --stdio
	status 0
	sed -nE 's/^# Samples: ([0-9]+) .* weight ([0-9]+).*/\1|\2/p' out > want
	pipa export "$data" -f sqlite -o x.sqlite
	status 0
	same 'sums' "$(query x.sqlite 'SELECT count(*), sum(period) FROM samples')" "$(cat want)"
	same 'integrity' "$(query x.sqlite 'PRAGMA integrity_check')" ok
	same 'tables' "$(query x.sqlite "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name" | tr '\n' ' ')" \
		'branch_types call_paths comm_threads comms dsos functions locations machines metadata records samples selected_events stacks symbols threads '
	for view in branch_types call_paths comm_threads comms dsos machines samples selected_events symbols threads; do
		same "rows of ${view}_view" "$(query x.sqlite "SELECT count(*) FROM ${view}_view")" \
			"$(query x.sqlite "SELECT count(*) FROM $view")"
	done
	# the ids lead to the names
	same 'names' "$(query x.sqlite 'SELECT count(*) FROM samples s JOIN samples_view v ON v.id = s.id WHERE
		v.command IS NOT s.comm OR v.event IS NOT s.event OR v.pid IS NOT s.pid OR v.tid IS NOT s.tid')" 0
	same 'unit' "$(query x.sqlite "SELECT value FROM metadata WHERE \"table\" = 'samples' AND \"column\" = 'time'")" ns
	pipa export "$data" --frame records -f csv
	status 0
	same 'records' "$(query x.sqlite 'SELECT count(*) FROM records')" "$(($(wc -l < out) - 1))"
}

# The call paths are the stacks: walking up from each sample gives the frames of its stack.
test_call_paths_are_the_stacks() {
	data=$corpus/aarch64/dup_cfi.dwarf.bundle
	[[ -e $data ]] || skip "no corpus at $corpus/aarch64"
	pipa export "$data" -o x.db
	status 0
	query x.db "SELECT count(*), max(n) FROM (WITH RECURSIVE up(sample, path, n) AS (
		SELECT id, call_path_id, 0 FROM samples UNION ALL
		SELECT sample, parent_id, n + 1 FROM up JOIN call_paths c ON c.id = path WHERE path)
		SELECT sample, max(n) AS n FROM up GROUP BY sample)" > got
	query x.db "SELECT count(*), max(n) FROM (SELECT s.id, count(f.stack) AS n FROM samples s LEFT JOIN stacks f
		ON f.stack = s.stack GROUP BY s.id)" > want
	[[ -s want ]] || fail 'the database' 'samples and stacks' 'no rows'
	same 'depths' "$(cat got)" "$(cat want)"
	same 'self of the view' "$(query x.db "SELECT symbol, sum(period) FROM samples_view JOIN samples USING (id)
		GROUP BY symbol ORDER BY 2 DESC LIMIT 1" | cut -d'|' -f 1)" "$(query x.db "SELECT name, sum(period) FROM
		samples JOIN stacks USING (stack) JOIN locations USING (location) JOIN functions USING (function)
		WHERE frame = 0 AND inlined = 0 GROUP BY name ORDER BY 2 DESC LIMIT 1" | cut -d'|' -f 1)"
}

test_names_in_a_database_may_be_anything() {
	printf '%s\n' $'main;Robert\x27); DROP TABLE samples;--;\377"b 3' > x.folded
	pipa export x.folded -f sqlite
	status 0
	query out "SELECT name FROM functions WHERE name LIKE '%DROP%' OR name LIKE '%b'" > got
	has got $'\xef\xbf\xbd"b'
	has got 'DROP TABLE samples'
	printf '%s\n' $'1.0,2,,a"b\377,1,100.00,,' '1.0,3,,x]; --,1,100.00,,' > stat.csv
	pipa export stat.csv -o s.sqlite
	status 0
	same 'columns' "$(query s.sqlite $'SELECT "a""b\xef\xbf\xbd", "x]; --" FROM series')" '2|3'
}

test_a_database_is_complete_or_absent() {
	printf 'a;b 3\n' > x.folded
	mkdir tmp
	TMPDIR=$PWD/tmp pipa export x.folded -o x.sqlite
	status 0
	same 'temporary files' "$(ls -A tmp)" ''
	pipa export x.folded -f sqlite -o /dev/full
	status 1
	has err 'No space left on device'
	echo old > old.sqlite
	TMPDIR=$PWD/nowhere pipa export x.folded -o old.sqlite
	status 1
	has err "cannot create a database in $PWD/nowhere"
	same 'the old file' "$(cat old.sqlite)" old
	# the limit of the size of files simulates a full disk
	awk 'BEGIN { for (i = 0; i < 20000; i++) print "main;f" i, i }' > large.folded
	(ulimit -f 200; trap '' XFSZ; "$PIPA" export large.folded -o old.sqlite 2> err) && fail 'a full disk' 'a failure' success
	has err 'cannot write the database in'
	same 'the old file' "$(cat old.sqlite)" old
}

test_an_empty_recording_has_empty_tables() {
	pipa record -e dummy -o empty.data -- true
	[[ $got_status -eq 0 ]] || skip 'cannot record the event dummy'
	for format in parquet csv json sqlite; do
		pipa export empty.data --frame samples -f "$format" -o "empty.$format"
		status 0
	done
	same 'rows' "$(query empty.sqlite 'SELECT count(*) FROM samples')" 0
	same 'CSV' "$(wc -l < empty.csv)" 1
}

test_bad_usage() {
	printf 'a;b 3\n' > x.folded
	pipa export x.folded --frame nosuch
	status 2
	has err "--frame: invalid table 'nosuch'"
	pipa export x.folded --frame samples -f folded
	status 2
	has err '--frame requires -f parquet, csv, json or sqlite'
	pipa export x.folded --frame records -f csv
	status 1
	has err 'Only perf.data recordings have records'
	pipa export x.folded -f parquet -o /dev/full
	status 1
	has err 'No space left on device'
}

run_tests "$@"
