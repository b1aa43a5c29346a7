#!/bin/bash
# A pprof profile of 300,000 samples with 24 frames each: encoding against building and packing it with protobuf-c,
# decoding to arrays against its unpack, and the whole import and export (`pipa export`, with gzip) against
# `go tool pprof -proto`. CPU time, medians of interleaved runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v go > /dev/null || skip "needs go (Debian: golang-go)"
command -v protoc-c > /dev/null || skip "needs protoc-c (Debian: protobuf-c-compiler, libprotobuf-c-dev)"

(cd "$bench" && protoc-c --c_out="$scratch" pprof.proto) || skip "protoc-c fails"
gcc -O2 -I"$scratch" -I"$bench" -o "$scratch/peer" "$bench/pprof_peer.c" "$scratch/pprof.pb-c.c" -lprotobuf-c ||
	skip "no libprotobuf-c"
export HOME=$scratch PPROF_TMPDIR=$scratch

n=$(rounds 9)
for ((i = 0; i < n; i++)); do
	"$build/bench/pprof" "$scratch/profile.pb" >> "$scratch/pipa.times"
	"$scratch/peer" "$scratch/profile.pb" >> "$scratch/peer.times"
done
# median PROGRAM WORD
median() {
	sed "s/.*$2 \([0-9]*\).*/\1/" "$scratch/$1.times" | sort -n | sed -n "$(((n + 1) / 2))p"
}
echo "$(stat -c %s "$scratch/profile.pb") bytes"
state "encode a pprof profile of 300,000 samples" "$(median pipa encode)" "$(median peer encode)" least 3 "protobuf-c"
state "decode it to arrays" "$(median pipa decode)" "$(median peer decode)" least 2 "protobuf-c"

gzip -1 "$scratch/profile.pb"
measure import -r "$(rounds 5)" -w 1 \
	pipa "$pipa" export "$scratch/profile.pb.gz" -o "$scratch/pipa.pb.gz" + \
	go go tool pprof -proto -output "$scratch/go.pb.gz" "$scratch/profile.pb.gz"
show import
state "import and export it with gzip" "$(of import pipa cpu)" "$(of import go cpu)" least 5 "go tool pprof -proto"
