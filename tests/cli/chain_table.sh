#!/usr/bin/env bash
# Print the accuracy of the call chains of recordings whose true chains are known: a row per recording with its
# samples, those with the true chain, and the stacks that are marked as incomplete.
#
#	tests/cli/chain_table.sh [PIPA]
#
# Recordings: tests/data/chains (x86_64) and, if it is there, the directory aarch64 of the corpus at $PIPA_CORPUS.
# tests/cli/chains.py has the chains and the targets. The exit status is 1 if a recording misses its target.
set -euo pipefail
source=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)
pipa=$(realpath "${1:-$source/build/release/pipa}")
corpus=${PIPA_CORPUS:-$source/../shared/corpus}/aarch64
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
missed=0

# row LABEL NAME SCRIPT-ARGUMENT...: NAME is that of chains.py
row() {
	local label=$1 name=$2

	shift 2
	"$pipa" script --json "$@" 2> /dev/null > "$scratch/samples" || true
	python3 "$source/tests/cli/chains.py" "$name" < "$scratch/samples" > "$scratch/row" || missed=1
	awk -v label="$label" '
		NR == 1 { printf "%-24s %7d %7d %8.2f %% %11d\n", label, $2, $3, $4, $6; next }
		{ print }' "$scratch/row"
}

printf '%-24s %7s %7s %10s %11s\n' recording samples true share incomplete
for file in "$source"/tests/data/chains/*.bundle; do
	label=${file##*/}
	label=${label%.bundle}
	row "$label" "program.${label##*.}" "$file"
done
[[ -d $corpus ]] || exit "$missed"
for file in "$corpus"/*.bundle; do
	label=${file##*/}
	row "aarch64.${label%.bundle}" "${label%.bundle}" "$file"
done
mkdir -p "$scratch/root/tmp"
for name in node.dwarf node.fp java.dwarf java.fp; do
	for map in "$corpus/$name".perf-*.map.zst; do
		pid=${map##*perf-}
		zstd -q -d -f "$map" -o "$scratch/root/tmp/perf-${pid%.zst}"
	done
	row "aarch64.$name" "$name" --symfs "$scratch/root" "$corpus/$name.data.zst"
done
exit "$missed"
