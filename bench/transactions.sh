#!/bin/bash
# What looking for transactions costs, in CPU time added to reading: in 1 GB of `yes`, against cat that
# copies it to a pipe, as whoever passes output on must do besides; and, shown alone, in a log with numbers
# in every line, of which none matches.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

transactions=$build/bench/transactions
[[ -x $transactions ]] || die "no bench/transactions in $build"

# script NAME COMMAND: a command that lap can run
script() {
	printf '#!/bin/sh\n%s\n' "$2" > "$scratch/$1"
	chmod +x "$scratch/$1"
}

# look_through FILE: beside cat
look_through() {
	script read "exec '$transactions' -n < '$1'"
	script ours "exec '$transactions' < '$1'"
	script cat "cat '$1' | '$transactions' -n"
	measure it -r "$(rounds 7)" -w 1 -b read read "$scratch/read" + cat "$scratch/cat" \
		+ pipa "$scratch/ours"
	show it
}

{ yes || true; } | head -c 1G > "$scratch/yes"
echo '== yes'
look_through "$scratch/yes"
state "transactions in 1 GB of yes, CPU time added to reading it" "$(of it pipa added-cpu)" \
	"$(of it cat added-cpu)" least 2 cat
echo

awk 'BEGIN {
	for (i = 0; i < 1e6; i++)
		printf "2024-01-09 10:11:12.%06d [worker-%d] INFO request served in %d us, total so far %d\n",
			i, i % 8, i % 977, i
}' > "$scratch/log"
echo '== a log'
look_through "$scratch/log"
awk -v ns="$(of it pipa added-cpu)" 'BEGIN { printf "%.0f ns a line\n", ns / 1e6 }'
