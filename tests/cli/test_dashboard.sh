#!/usr/bin/env bash
# Grafana's dashboards, PIPA's and that of contrib/grafana, on a database that `pipa upload` filled.
# shellcheck disable=SC2119 # stop_pipad has an optional argument
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"
# shellcheck source=pipad.sh
. "${BASH_SOURCE[0]%/*}/pipad.sh"

# complete_report FILE WORKLOAD: a report with all keys that a result has
complete_report() {
	python3 - "$PIPA_SOURCE/proto/pipa.proto" "$2" > "$1" <<- 'END'
		import json, re, sys
		doc = {"schema": "pipa-run/1", "runs": 1, "notes": []}
		texts = {"workload": sys.argv[2], "platform": "it's \"x\"", "username": "ann", "dev": "sda"}
		for kind, name in re.findall(r"(string|uint64|double) (\w+) = \d+;", open(sys.argv[1]).read().split("message DeployResp")[0]):
		    key = re.sub("^cpu_(?!freq)", "%", name)
		    key = key.replace("percent_", "%").replace("kB_s", "kB/s").replace("areq_sz", "areq-sz").replace("aqu_sz", "aqu-sz")
		    doc["DEV" if key == "dev" else key] = texts.get(name, "text") if kind == "string" else 7 if kind == "uint64" else 0.5
		doc["used_threads"] = [36, 37]
		print(json.dumps(doc))
	END
}

test_every_query_of_the_dashboards_has_data() {
	need_program python3
	need_program sqlite3
	serve_pipad
	complete_report a.json rocksdb
	complete_report b.json "it's redis"
	pipa upload a.json b.json --server "127.0.0.1:$port"
	status 0
	same 'columns without a value' "$(sqlite3 example.db 'select count(*) from pragma_table_info("example")')" 58
	for when in running stopped; do
		record=$(sqlite3 'file:example.db?mode=ro' 'select record from example order by workload desc limit 1')
		run python3 "$PIPA_SOURCE/tests/cli/dashboard.py" \
			"$PIPA_SOURCE/contrib/grafana/dashboards/pipa-results.json" example.db example "$record"
		[[ $got_status -eq 0 ]] || fail "queries while pipad is $when" 'data' "$(cat out err)"
		[[ $when == stopped ]] || stop_pipad
	done
}

test_provisioning_files_name_the_plugin_and_the_directory_of_the_dashboard() {
	local dir=$PIPA_SOURCE/contrib/grafana

	need_program python3
	python3 -c 'import yaml' 2> /dev/null || skip 'python3 has no yaml'
	run python3 - "$dir" <<- 'END'
		import json, sys, yaml
		dir = sys.argv[1]
		source = yaml.safe_load(open(dir + "/provisioning/datasources/pipa.yaml"))["datasources"][0]
		provider = yaml.safe_load(open(dir + "/provisioning/dashboards/pipa.yaml"))["providers"][0]
		dashboard = json.load(open(dir + "/dashboards/pipa-results.json"))
		ids = [panel["id"] for panel in dashboard["panels"]]
		assert len(ids) == len(set(ids))
		print(source["type"], source["jsonData"]["path"], provider["options"]["path"], dashboard["uid"])
	END
	stdout <<- 'END'
		frser-sqlite-datasource /srv/sqlites/example.db /var/lib/grafana/dashboards pipa-results
	END
}

run_tests "$@"
