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

test_bad_usage() {
	printf 'a;b 3\n' > x.folded
	pipa export x.folded --frame nosuch
	status 2
	has err "--frame: invalid table 'nosuch'"
	pipa export x.folded --frame samples -f folded
	status 2
	has err '--frame needs the format parquet, csv or json'
	pipa export x.folded --frame records -f csv
	status 1
	has err 'Only perf.data recordings have records'
	pipa export x.folded -f parquet -o /dev/full
	status 1
	has err 'No space left on device'
}

run_tests "$@"
