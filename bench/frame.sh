#!/bin/bash
# 10 million rows of samples as Parquet, against DuckDB's COPY of the same rows on one thread (npm, fetched for this). CPU
# time, medians of interleaved runs; pipa's includes making up the rows.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

for tool in node npm; do
	command -v "$tool" > /dev/null || skip "needs $tool"
done
machine=x64
[[ $(uname -m) != aarch64 ]] || machine=arm64
npm install --prefix "$scratch/npm" --silent @duckdb/node-api@1.5.5-r.5 \
	"@duckdb/node-bindings-linux-$machine@1.5.5-r.5" > /dev/null 2>&1 ||
	skip "needs DuckDB, which npm could not fetch"

n=$(rounds 5)
for ((i = 0; i < n; i++)); do
	"$build/bench/frame" "$scratch/pipa.parquet" 10000000 >> "$scratch/pipa.times"
	node "$bench/frame_peer.mjs" "$scratch/npm/node_modules" "$scratch/pipa.parquet" "$scratch/duckdb.parquet" \
		>> "$scratch/duckdb.times"
done
# median PROGRAM
median() {
	sort -n "$scratch/$1.times" | sed -n "$(((n + 1) / 2))p"
}
echo "pipa $(stat -c %s "$scratch/pipa.parquet") bytes, DuckDB $(stat -c %s "$scratch/duckdb.parquet") bytes"
state "write 10 million rows as Parquet" "$(median pipa)" "$(median duckdb)" most 1 "DuckDB"
