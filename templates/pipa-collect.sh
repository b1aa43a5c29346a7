#!/bin/sh
# Observe this machine with pipa: counters, system statistics and samples in one archive.
# Written by pipa generate, {{version}}. pipa-parse.sh evaluates the archive.
{{! A template of pipa generate: see docs/templates.md. }}
#
# Environment:
#   PIPA        the program (default: pipa)
#   WORKSPACE   directory of the data (default: the one below)
#
# Data of an earlier run is renamed to NAME.1, NAME.2, ... and never overwritten.
#
# shellcheck disable=SC2016 # values are text, not code
set -eu

workspace={{workspace}}

# settings, in the form of docs/format/config.md
config={{config}}

pipa=${PIPA:-pipa}
workspace=${WORKSPACE:-$workspace}
archive=$workspace/pipa-collection.tar.gz

# keep_old FILE: rename it to the first of FILE.1, FILE.2, ... that does not exist
keep_old() {
	[ -e "$1" ] || [ -L "$1" ] || return 0
	n=1
	while [ -e "$1.$n" ] || [ -L "$1.$n" ]; do
		n=$((n + 1))
	done
	mv -- "$1" "$1.$n"
}

if ! command -v "$pipa" > /dev/null; then
	echo "pipa-collect.sh: cannot find $pipa: set PIPA to the path of the program" >&2
	exit 127
fi
mkdir -p -- "$workspace"
for name in pipa-collection.tar.gz config-pipa-shu.yaml ps.txt; do
	keep_old "$workspace/$name"
done
printf '%s\n' "$config" > "$workspace/config-pipa-shu.yaml"

# the processes at the start, as a forest if this ps can draw one
ps -e --forest -o pid,ppid,user,pcpu,pmem,stat,args > "$workspace/ps.txt" 2> /dev/null ||
	ps > "$workspace/ps.txt" 2> /dev/null || rm -f -- "$workspace/ps.txt"

# the lock and the cached description of the machine
PIPA_TREE_DATA_DIR=${PIPA_TREE_DATA_DIR:-$workspace/machine}
export PIPA_TREE_DATA_DIR

{{if until_stopped}}
echo 'pipa-collect.sh: press Ctrl-C to end the measurement' >&2
{{end}}
{{if export_config}}
exec "$pipa" collect --config "$workspace/config-pipa-shu.yaml" -o "$archive"
{{else}}
exec "$pipa" collect --config "$workspace/config-pipa-shu.yaml" --no-spec-info -o "$archive"
{{end}}
