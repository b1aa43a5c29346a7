#!/bin/bash
# CPU time of one tick of `monitor --all -P ALL --csv` against bare_pread, which keeps the same files
# open and does nothing but pread() them: what no monitor can go below. Both every 10 ms, written to
# /dev/null; a run of many ticks less a run of few, so that starting and ending cancel.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly few=20 many=220 ms=10
bare=$build/bench/bare_pread
[[ -x $bare ]] || die "no bench/bare_pread in $build"

# The files that pipa keeps open, as itself says.
"$pipa" monitor --all -P ALL --csv -i 1 -n 1 > /dev/null 2>&1 &
files=()
for ((i = 0; i < 50 && ${#files[@]} < 10; i++)); do
	sleep 0.01
	mapfile -t files < <(find "/proc/$!/fd" -type l -printf '%l\n' 2> /dev/null | grep -E '^(/proc|/sys)/.*[^/]$' |
		grep -vx '/proc\|/sys' | sed "s,^/proc/$!/,/proc/self/,")
done
wait
[[ ${#files[@]} -ge 10 ]] || die "pipa keeps no files open"

# per_tick NAME: ns of CPU time between the short and the long run, for each tick
per_tick() {
	awk -v long="$(of ticks "$1-$many" cpu)" -v short="$(of ticks "$1-$few" cpu)" -v n=$((many - few)) \
		'BEGIN { printf "%.0f\n", (long - short) / n }'
}

measure ticks -r "$(rounds 11)" -w 1 \
	bare-$few "$bare" $ms $few "${files[@]}" + bare-$many "$bare" $ms $many "${files[@]}" + \
	pipa-$few "$pipa" monitor --all -P ALL --csv -i 0.01 -n $few + \
	pipa-$many "$pipa" monitor --all -P ALL --csv -i 0.01 -n $many
show ticks
state "a tick of monitor --all --csv, against pread() of its ${#files[@]} files" "$(per_tick pipa)" \
	"$(per_tick bare)" most 1.5 pread
