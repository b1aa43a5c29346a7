#!/usr/bin/env bash
#
# pipa diff beside perf diff: the same shares of the same rows, before and now.

. "${BASH_SOURCE[0]%/*}/lib.sh"

need_recordings() {
	local name

	need_program perf
	need_workloads
	for name in before after; do
		perf record -q -F 2000 -g -o "$name.data" -- "$PIPA_WORKLOADS/busy" written 600 \
			> /dev/null 2>&1 || skip 'perf record does not run here'
	done
	perf diff --help > /dev/null 2>&1 || skip 'this perf has no diff'
}

# Unresolved code is an address for perf and a range of code for pipa.
nameless='0x[0-9a-f]{16}$|[ !](fn|code)@0x[0-9a-f]+$'

# "base points dso [.] symbol" of perf's table; what is not there is 0
perf_rows() {
	perf diff "$@" 2> /dev/null | awk '
		/^#/ || !NF { next }
		{
			base = points = 0
			if (match($0, /^ *[0-9.]+%/))
				base = substr($0, 1, RLENGTH - 1)
			sub(/^ *[0-9.]+%/, "")
			if (match($0, /^ *[-+][0-9.]+%/))
				points = substr($0, 1, RLENGTH - 1)
			sub(/^ *[-+][0-9.]+%/, "")
			gsub(/ +/, " ")
			gsub(/^ | $/, "")
			print base + 0, points + 0, $0
		}' | alias_names
}

# The same of ours, of which "now" is known as well.
pipa_rows() {
	"$PIPA" diff "$@" | awk '
		/^#/ { next }
		{
			base = $1
			now = $2
			points = $3
			sub(/%/, "", base)
			sub(/%/, "", now)
			line = $0
			sub(/^.* (same|more|less|new|gone|unknown) +/, "", line)
			gsub(/ +/, " ", line)
			print base + 0, points + 0, now + 0, line
		}' | alias_names
}

# Rows that have half a percent on both sides agree to the last digit but one: perf shows no change of what
# is only on one side.
test_shares_and_changes_are_perfs() {
	local rows

	need_recordings
	perf_rows before.data after.data | grep -Ev "$nameless" > theirs
	[[ -s theirs ]] || skip 'perf diff shows nothing here'
	pipa_rows before.data after.data | grep -Ev "$nameless" > ours
	command_line='pipa diff beside perf diff'
	rows=$(awk '$1 >= 0.5 && $3 >= 0.5' ours | wc -l)
	between 'rows to compare' "$rows" 3 100000
	awk '
		NR == FNR { base = $1; points = $2; $1 = $2 = ""; sub(/^ +/, ""); bases[$0] = base; all[$0] = points; next }
		$1 >= 0.5 && $3 >= 0.5 {
			base = $1; points = $2; $1 = $2 = $3 = ""; sub(/^ +/, "")
			if (!($0 in all)) { print "perf lacks", $0; next }
			if ((base - bases[$0]) ^ 2 > 0.0121 ^ 2 || (points - all[$0]) ^ 2 > 0.0121 ^ 2)
				print base, points, "for perf", bases[$0], all[$0], $0
		}' theirs ours > apart
	compare 'rows that differ' apart < /dev/null
}

# Heavy rows of only one side: they are new for us and have no baseline for perf, or are gone.
test_new_and_removed_symbols_are_those_of_perf() {
	need_recordings
	perf_rows -s dso before.data after.data | awk '$1 >= 0.5 { print $1, $3 }' | sort > theirs
	[[ -s theirs ]] || skip 'perf diff shows nothing here'
	pipa_rows --by dso before.data after.data | awk '$1 >= 0.5 { print $1, $4 }' | sort > ours
	command_line='pipa diff --by dso beside perf diff -s dso'
	compare 'libraries' ours < theirs
}

run_tests "$@"
