#!/bin/sh
# Run a workload once and measure it with pipa: counters, system statistics, samples and a report.
# Written by pipa generate, {{version}}.
{{! A template of pipa generate: see docs/templates.md. }}
#
# Environment:
#   PIPA        the program (default: pipa)
#   WORKSPACE   directory of the data (default: the one below)
#
# Data of an earlier run is renamed to NAME.1, NAME.2, ... and never overwritten. Exit status: that of the
# workload, or 1 if a file could not be written.
#
# shellcheck disable=SC2016 # values are text, not code
set -eu

workspace={{workspace}}

# settings and the command, in the form of docs/format/config.md
config={{config}}

pipa=${PIPA:-pipa}
workspace=${WORKSPACE:-$workspace}
data=$workspace/pipa-run
failed=0

# keep_old FILE: rename it to the first of FILE.1, FILE.2, ... that does not exist
keep_old() {
	[ -e "$1" ] || [ -L "$1" ] || return 0
	n=1
	while [ -e "$1.$n" ] || [ -L "$1.$n" ]; do
		n=$((n + 1))
	done
	mv -- "$1" "$1.$n"
}

# write FILE COMMAND...: the output of the command to a file of the workspace, complete or not at all
write() {
	file=$workspace/$1
	shift
	if "$@" > "$file.part"; then
		keep_old "$file"
		mv -- "$file.part" "$file"
		printf '%s\n' "$file"
	else
		rm -f -- "$file.part"
		echo "pipa-run.sh: cannot write $file" >&2
		failed=1
	fi
}

if ! command -v "$pipa" > /dev/null; then
	echo "pipa-run.sh: cannot find $pipa: set PIPA to the path of the program" >&2
	exit 127
fi
mkdir -p -- "$workspace"
for name in pipa-run config-pipa-shu.yaml ps.txt metrics.yaml; do
	keep_old "$workspace/$name"
done
printf '%s\n' "$config" > "$workspace/config-pipa-shu.yaml"

# the processes at the start, the busiest first if this ps can sort
ps -e --sort=-pcpu -o pid,ppid,user,pcpu,pmem,stat,args > "$workspace/ps.txt" 2> /dev/null ||
	ps > "$workspace/ps.txt" 2> /dev/null || rm -f -- "$workspace/ps.txt"

# Ctrl-C ends the workload; its data is evaluated nevertheless
status=0
trap : INT
"$pipa" run --config "$workspace/config-pipa-shu.yaml" --keep "$data" -f yaml \
	-o "$workspace/metrics.yaml" || status=$?
trap - INT

if [ -e "$data/perf.data" ]; then
	write perf.script "$pipa" script --header -i "$data/perf.data"
	write perf.report "$pipa" report --stdio --header -i "$data/perf.data"
{{if annotete}}
	write perf.annotate "$pipa" annotate --stdio --percent-limit 0.5 -i "$data/perf.data"
{{end}}
fi
write sar.txt env LC_ALL=C "$pipa" monitor --plain -A -P ALL --from "$data"
write report.html "$pipa" analyze "$data" -o -
[ "$status" -ne 0 ] || status=$failed
exit "$status"
