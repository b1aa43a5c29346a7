#!/bin/bash
# CPU time of one tick on a machine with 512 CPUs and 2,000 disks, which is invented: a tree of files
# put over /proc and /sys in a mount namespace (needs root). The files are ordinary ones, so this is the
# cost of the tools alone; the kernel's part of making the text is left out for both. Beside it sadc,
# which only reads and writes what it read in binary, with the same tables.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly few=1 many=6 cpus=512 disks=2000
readonly sadc=/usr/lib/sysstat/sadc
[[ $(id -u) -eq 0 ]] || skip "needs root to mount over /proc"
[[ -x $sadc ]] || skip "needs $sadc (Debian: sysstat)"

awk -v dir="$scratch/machine" -v tick=0 -v cpus=$cpus -v disks=$disks -v nets=64 \
	-f "$bench/../tests/lib/proc_tree.awk"
cat > "$scratch/inside" <<- 'END'
	#!/bin/sh
	mount --bind "${0%/*}/machine/sys" /sys && mount --bind "${0%/*}/machine/proc" /proc && exec "$@"
END
chmod +x "$scratch/inside"
inside=(unshare -m "$scratch/inside")
"${inside[@]}" test -e /proc/uptime || skip "no file system can be mounted over /proc here"

per_tick() {
	awk -v long="$(of ticks "$1-$many" cpu)" -v short="$(of ticks "$1-$few" cpu)" -v n=$((many - few)) \
		'BEGIN { printf "%.0f\n", (long - short) / n }'
}

tables=A_CPU,A_PCSW,A_SWAP,A_PAGE,A_IO,A_MEMORY,A_HUGE,A_KTABLES,A_QUEUE,A_SERIAL,A_DISK,A_NET_DEV
tables+=,A_NET_EDEV,A_NET_SOFT,A_PSI_CPU,A_PSI_IO,A_PSI_MEM
measure ticks -r "$(rounds 3)" -w 0 \
	sadc-$few "${inside[@]}" "$sadc" -S "$tables" 1 $((few + 1)) "$scratch/sa-$few" + \
	sadc-$many "${inside[@]}" "$sadc" -S "$tables" 1 $((many + 1)) "$scratch/sa-$many" + \
	pipa-$few "${inside[@]}" "$pipa" monitor --all -P ALL --csv -i 1 -n $few + \
	pipa-$many "${inside[@]}" "$pipa" monitor --all -P ALL --csv -i 1 -n $many
show ticks
state "a tick of $cpus CPUs and $disks disks, against sadc, which only reads" "$(per_tick pipa)" \
	"$(per_tick sadc)" least 1 sadc
