#!/usr/bin/env bash
#
# What comparing commands costs: wall time and own CPU time of 100 runs of `true` by `pipa run` and by hyperfine,
# with and without a shell, and the mean that each reports for a sleeping and a computing command.

. "${BASH_SOURCE[0]%/*}/lib.sh"

command -v hyperfine > /dev/null || skip "needs hyperfine (Debian: hyperfine)"

work=$build/bench/workload
[[ -x $work ]] || die "no bench/workload in $build"

echo "== 100 runs of true, executed directly"
measure direct -r "$(rounds 15)" \
	hyperfine hyperfine -N -r 100 --style none true + \
	pipa "$pipa" run --shell=none -r 100 --command true -f csv -o "$scratch/ours.csv"
show direct
state "100 runs of true, wall time" "$(of direct pipa wall)" "$(of direct hyperfine wall)" most 1 hyperfine
state "100 runs of true, own CPU time" "$(of direct pipa own)" "$(of direct hyperfine own)" most 1 hyperfine

echo "== 100 runs of true by sh, with 50 to calibrate"
measure shell -r "$(rounds 15)" \
	hyperfine hyperfine -S sh -r 100 --style none true + \
	pipa "$pipa" run -r 100 --command true -f csv -o "$scratch/ours.csv"
show shell
state "100 runs of true by sh, wall time" "$(of shell pipa wall)" "$(of shell hyperfine wall)" most 1 hyperfine

# means COMMAND: print what each reports, from interleaved runs, and the difference in standard errors
means() {
	local i

	rm -f "$scratch"/ours "$scratch"/theirs
	for ((i = 0; i < $(rounds 9); i++)); do
		hyperfine -N -r 10 --style none --export-csv "$scratch/theirs.csv" "$1" > /dev/null 2>&1
		"$pipa" run --shell=none -r 10 -f csv -o "$scratch/ours.csv" --command "$1"
		awk -F, 'NR == 2 { print $4 }' "$scratch/theirs.csv" >> "$scratch/theirs"
		awk -F, 'NR == 2 { print $4 }' "$scratch/ours.csv" >> "$scratch/ours"
	done
	paste "$scratch/ours" "$scratch/theirs" | awk -v command="$1" '
		{ a += $1; b += $2; aa += $1 * $1; bb += $2 * $2 }
		END {
			n = NR; a /= n; b /= n
			se = sqrt(((aa / n - a * a) + (bb / n - b * b)) / (n - 1))
			printf "%s: pipa %.3f ms, hyperfine %.3f ms, difference %+.3f ms, %.1f standard errors\n",
				command, a * 1e3, b * 1e3, (a - b) * 1e3, (se > 0 ? (a - b) / se : 0)
			printf "ratio: %.3f (pipa / hyperfine, within noise expected)\n", a / b
		}'
}

echo "== medians of 10 runs, interleaved"
means 'sleep 0.05'
means "$work spin 20000"
