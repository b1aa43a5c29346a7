#!/bin/bash
# A pprof profile of 50,000 stacks with 24 frames of 2,000 functions as callgrind: CPU time of `pipa export -f callgrind`
# against `go tool pprof -callgrind`, interleaved runs.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v go > /dev/null || skip "needs go (Debian: golang-go)"

export HOME=$scratch PPROF_TMPDIR=$scratch
awk 'BEGIN {
	srand(1)
	for (i = 0; i < 50000; i++) {
		stack = "main"
		f = 0
		for (k = 0; k < 23; k++) {
			f = (f * 7 + int(rand() * 4) + k) % 2000
			stack = stack ";f" f
		}
		print stack, 1 + i % 97
	}
}' > "$scratch/stacks.folded"
"$pipa" export "$scratch/stacks.folded" -o "$scratch/profile.pb.gz"
measure callgrind -r "$(rounds 5)" -w 1 \
	pipa "$pipa" export -f callgrind "$scratch/profile.pb.gz" -o "$scratch/pipa.callgrind" + \
	go go tool pprof -symbolize=none -callgrind -output "$scratch/go.callgrind" "$scratch/profile.pb.gz"
show callgrind
state "convert a profile to callgrind" "$(of callgrind pipa cpu)" "$(of callgrind go cpu)" least 3 "go tool pprof -callgrind"
