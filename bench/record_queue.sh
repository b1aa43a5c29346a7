#!/bin/bash
# From the ring to the queue of `pipa record --otlp`: the time from reading a sample until it is in the queue that the
# encoding thread reads, unwound (handover.c), at 997 and 9,999 Hz on two threads; the same from the start of the drain, and
# what `record --otlp` loses when its receiver is dead, against `record -o`, for information.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

[[ -x $build/bench/handover && -x $build/bench/stacks ]] || die "no bench/handover and bench/stacks in $build"

for hz in 997 9999; do
	"$build/bench/handover" $hz "$build/bench/stacks" 2 > "$scratch/times" || skip 'cannot sample'
	read -r samples median p99 p999 most late lost drain drain_p999 drain_most < <(tail -n 1 "$scratch/times")
	met=missed
	awk -v x="$p999" 'BEGIN { exit !(x < 1000) }' && met=met
	echo "at $hz Hz: $samples samples, lost $lost; us from the ring to the queue: median $median, p99 $p99," \
		"p99.9 $p999 (target below 1000), maximum $most; $late above 1 ms: $met"
	echo "    from the start of the drain: median $drain, p99.9 $drain_p999, maximum $drain_most"
	printf '| from ring to queue at %s Hz, p99.9 | %s us | | | below 1 ms | %s |\n' "$hz" "$p999" $met \
		>> "${BENCH_ROWS:-/dev/null}"
done

# lost FILE: samples, and those that were lost
lost() {
	sed -n 's/.*: \([0-9]*\) samples.* lost \([0-9]*\).*/\1 samples, lost \2/p' "$1" | tail -n 1
}

"$pipa" record -F 9999 -o "$scratch/file" -- "$build/bench/stacks" 2 > /dev/null 2> "$scratch/plain"
"$pipa" record -F 9999 -o "$scratch/file" --otlp http://127.0.0.1:1 --otlp-retry 1s --export-interval 1s \
	-- "$build/bench/stacks" 2 > /dev/null 2> "$scratch/sent" || true
echo "record -o at 9,999 Hz: $(lost <(grep file "$scratch/plain"))"
echo "the same with --otlp to a dead receiver: $(lost <(grep 'file;' "$scratch/sent"))"
