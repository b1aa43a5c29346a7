#!/usr/bin/env bash
#
# pipa monitor beside sysstat over the same seconds: the columns of the same name agree, within
# rounding and the moment by which one reads after the other.

. "${BASH_SOURCE[0]%/*}/lib.sh"

seconds=3

# something to see: CPU time, forks, switches, page faults, blocks written
load() {
	local end=$((SECONDS + seconds + 2))

	while ((SECONDS < end)); do
		dd if=/dev/zero of=written bs=64k count=16 conv=fsync 2> /dev/null
		sleep 0.01
	done
}

# both SECTION-OPTIONS: sysstat's recording in ./sa, pipa's CSV in ./ours
both() {
	local sar

	load &
	echo "$!" >> "$case_dir/started"
	sleep 0.3
	sar -A -o sa "$seconds" 1 > /dev/null 2>&1 &
	sar=$!
	"$PIPA" monitor "$@" -P ALL --csv -i "$seconds" -n 1 > ours 2> err ||
		fail 'pipa monitor' 'exit 0' "$(cat err)"
	wait "$sar"
}

# agree NAME SADF-OPTIONS...: each row and column of sadf's table that pipa has too
agree() {
	local name=$1 wrong

	shift
	sadf -d sa -- "$@" > theirs 2> /dev/null
	[[ -s theirs ]] || skip "sysstat has no table for $*"
	command_line="sadf -d -- $* against pipa monitor"
	wrong=$(awk -F ';' -v name="$name" '
		function close_to(a, b,   d, m) {
			d = a > b ? a - b : b - a
			m = a > b ? a : b
			return d <= 0.02 || d <= 0.12 * m + slack
		}
		# where rows are told apart, the fourth column names them
		function key() { return labelled ? $4 : "" }
		FNR == 1 { file++ }
		/^#/ {
			wanted = index(";" substr($0, 3) ";", ";" name ";") > 0
			labelled = $4 ~ /^(CPU|DEV|IFACE|TTY)$/
			n = split(substr($0, 3), title, ";")
			next
		}
		!wanted { next }
		file == 1 {
			for (i = 4 + labelled; i <= n; i++)
				theirs[key(), title[i]] = $i
			next
		}
		{
			for (i = 4 + labelled; i <= n; i++) {
				if (!((key(), title[i]) in theirs))
					continue
				compared++
				slack = title[i] ~ /^%/ ? 2.5 : title[i] ~ /^kb/ ? 20000 : 3
				if (!close_to(theirs[key(), title[i]], $i))
					printf "%s %s: sysstat %s, pipa %s\n", key(), title[i],
						theirs[key(), title[i]], $i
			}
		}
		END { if (!compared) print "nothing to compare" }' theirs ours)
	[[ -z $wrong ]] || fail "$name" 'the same as sysstat' "$wrong"
}

need_sysstat() {
	need_program sar
	need_program sadf
	sar 1 1 > /dev/null 2>&1 || skip 'sar does not run here'
}

test_columns_agree_with_sar() {
	need_sysstat
	both --all
	agree %soft -u ALL
	agree cswch/s -w
	agree fault/s -B
	agree bwrtn/s -b
	agree kbmemfree -r ALL
	agree kbswpfree -S
	agree pswpin/s -W
	agree kbhugfree -H
	agree plist-sz -q LOAD
	agree wkB/s -d -p
	agree rxkB/s -n DEV
	agree rxerr/s -n EDEV
	agree totsck -n SOCK
	agree irec/s -n IP
	agree imsg/s -n ICMP
	agree active/s -n TCP
	agree idgm/s -n UDP
	agree squeezd/s -n SOFT
	agree file-nr -v
}

run_tests "$@"
