#!/bin/bash
# CPU time of one tick of `monitor -P ALL` against sar showing the same tables, at one second, all
# written to /dev/null. A run of many ticks less a run of few: starting and ending cancel. sar starts
# sadc to read for it and does not wait for it, so sadc is run apart, with the activities sar asks of it
# for these tables, and its time is added.
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

readonly few=2 many=14
readonly tables=(-P ALL -u ALL -w -W -B -b -r ALL -S -H -v -q ALL -y -d -n ALL)
readonly sections=(--cpu-util --cswch --swap --paging --io --mem --hugepages --kernel-tables --load --psi --tty
	--disk --net --net-errors --nfs --sockets --ip --icmp --tcp --udp --ipv6 --softnet)
readonly sadc=/usr/lib/sysstat/sadc
activities=A_CPU,A_PCSW,A_SWAP,A_PAGE,A_IO,A_MEMORY,A_HUGE,A_KTABLES,A_QUEUE,A_SERIAL,A_DISK
activities+=,A_NET_DEV,A_NET_EDEV,A_NET_NFS,A_NET_NFSD,A_NET_SOCK,A_NET_IP,A_NET_EIP,A_NET_ICMP
activities+=,A_NET_EICMP,A_NET_TCP,A_NET_ETCP,A_NET_UDP,A_NET_SOCK6,A_NET_IP6,A_NET_EIP6,A_NET_ICMP6
activities+=,A_NET_EICMP6,A_NET_UDP6,A_NET_SOFT,A_PSI_CPU,A_PSI_IO,A_PSI_MEM

command -v sar > /dev/null || skip "needs sar (Debian: sysstat)"
[[ -x $sadc ]] || skip "needs $sadc"

# per_tick NAME: ns of CPU time between the short and the long run, for each tick
per_tick() {
	awk -v long="$(of ticks "$1-$many" cpu)" -v short="$(of ticks "$1-$few" cpu)" -v n=$((many - few)) \
		'BEGIN { printf "%.0f\n", (long - short) / n }'
}

measure ticks -r "$(rounds 3)" -w 0 \
	sar-$few sar "${tables[@]}" 1 $few + sar-$many sar "${tables[@]}" 1 $many + \
	sadc-$few "$sadc" -Z -S "$activities" 1 $((few + 1)) - + \
	sadc-$many "$sadc" -Z -S "$activities" 1 $((many + 1)) - + \
	pipa-$few "$pipa" monitor "${sections[@]}" -P ALL -i 1 -n $few + \
	pipa-$many "$pipa" monitor "${sections[@]}" -P ALL -i 1 -n $many + \
	mpstat-$few mpstat -P ALL 1 $few + mpstat-$many mpstat -P ALL 1 $many + \
	cpu-$few "$pipa" monitor --cpu-util -P ALL -i 1 -n $few + \
	cpu-$many "$pipa" monitor --cpu-util -P ALL -i 1 -n $many
show ticks
state "a tick of monitor, against sadc, which only reads" "$(per_tick pipa)" "$(per_tick sadc)" \
	least 1 sadc
state "a tick of monitor, against sar alone, which only shows" "$(per_tick pipa)" "$(per_tick sar)" \
	least 1 sar
state "a tick of monitor --cpu-util -P ALL, against mpstat -P ALL" "$(per_tick cpu)" "$(per_tick mpstat)" \
	least 1 mpstat
state "a tick of monitor, against sar and sadc" "$(per_tick pipa)" \
	$(($(per_tick sar) + $(per_tick sadc))) least 3 sar
