#!/bin/sh
# Evaluate an archive of pipa-collect.sh: texts of the samples and statistics, metrics, a report.
# Written by pipa generate, {{version}}.
{{! A template of pipa generate: see docs/templates.md. }}
#
#   pipa-parse.sh [ARCHIVE]
#
# Environment:
#   PIPA        the program (default: pipa)
#   WORKSPACE   directory of the data (default: the one below)
#
# Files of an earlier run are renamed to NAME.1, NAME.2, ... and never overwritten. Exit status: 0, or 1 if
# a file could not be written.
#
# shellcheck disable=SC2016 # values are text, not code
set -eu

workspace={{workspace}}

pipa=${PIPA:-pipa}
workspace=${WORKSPACE:-$workspace}
archive=${1:-$workspace/pipa-collection.tar.gz}
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
		echo "pipa-parse.sh: cannot write $file" >&2
		failed=1
	fi
}

if ! command -v "$pipa" > /dev/null; then
	echo "pipa-parse.sh: cannot find $pipa: set PIPA to the path of the program" >&2
	exit 127
fi
if [ ! -e "$archive" ]; then
	echo "pipa-parse.sh: cannot read $archive: run pipa-collect.sh first" >&2
	exit 1
fi
mkdir -p -- "$workspace"
write perf.script "$pipa" script --header -i "$archive"
write perf.report "$pipa" report --stdio --header -i "$archive"
write sar.txt env LC_ALL=C "$pipa" monitor --plain -A -P ALL --from "$archive"
{{if annotete}}
write perf.annotate "$pipa" annotate --stdio --percent-limit 0.5 -i "$archive"
{{end}}
write metrics.yaml "$pipa" analyze "$archive" -f yaml -o -
write report.html "$pipa" analyze "$archive" -o -
exit "$failed"
