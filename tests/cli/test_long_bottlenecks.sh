#!/usr/bin/env bash
#
# Bottlenecks made on purpose on a machine that is otherwise idle: the first finding names the right one, and a healthy
# machine has none. Live: CPU, disk, locks, network, memory. Synthesised: one each of the archive kinds below. Prints the
# confusion matrix at the end: expected, first finding, all findings. PIPA_LONG_SECONDS is the length of each
# measurement (default: 12).
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "${BASH_SOURCE[0]%/*}/lib.sh"

seconds=${PIPA_LONG_SECONDS:-12}
matrix=$(mktemp "${TMPDIR:-/tmp}/pipa-bottlenecks.XXXXXX")

# need_idle: other load on the machine would be the bottleneck. The pages that the case before has written may still be on
# their way to the disk.
need_idle() {
	local busy try

	for ((try = 0; try < 20; try++)); do
		"$PIPA" monitor --cpu-util --csv -n 3 > idle.csv 2> /dev/null
		busy=$(awk -F';' '/^#/ { next } { sum += 100 - $NF; n++ } END { print n ? int(sum / n) : 100 }' idle.csv)
		((busy >= 25)) || return 0
	done
	skip "the machine is busy: $busy %"
}

# findings PATH: the ids of the findings in order, without those that describe the workload
findings() {
	pipa rules explain -f json "$1"
	status 0
	python3 -c 'import json
print(*(f["id"] for f in json.load(open("out"))["findings"] if f["severity"] != "info"))'
}

# measure [PREFIX...]: record the statistics of the machine while a workload runs
measure() {
	mkdir -p recorded
	live=yes
	"$@" "$PIPA" monitor -A -P ALL -i 1 -n "$seconds" -o recorded > monitor.log 2>&1 ||
		fail 'pipa monitor' 0 "$(tail -n 3 monitor.log)"
}

# expect WANTED...: the first finding is one of these; "none": there is none. Kept for the matrix. What the hypervisor
# withheld from this machine while it was measured is real, but it is not what the case made.
expect() {
	local found

	need_program python3
	found=$(findings recorded)
	if [[ ${live-} ]]; then
		found=$(sed -E 's/(^| )cpu\.steal( |$)/\1/; s/ $//' <<< "$found")
	fi
	printf '%-22s %-22s %s\n' "$1" "${found%% *}" "$found" >> "$matrix"
	[[ " $* " == *" ${found%% *} "* || $1 == none && -z $found ]] || fail 'first finding' "$*" "$found"
}

# background COMMAND...: run it until the case ends
background() {
	start "$@" > background.log 2>&1
}

# ---- live ----------------------------------------------------------------------------------------

test_healthy_machine() {
	need_idle
	need_program python3
	background python3 -c 'import time
while True:
    end = time.monotonic() + 0.02
    while time.monotonic() < end: pass
    time.sleep(0.08)'
	measure
	expect none
}

test_cpu_bound() {
	local i

	need_idle
	for ((i = 0; i < 2 * $(nproc); i++)); do
		background "$PIPA_WORKLOADS/spin" "$((1000 * (seconds + 10)))"
	done
	measure
	expect cpu.saturated scheduler.run_queue
}

test_disk_bound() {
	need_idle
	need_program fio
	background fio --name=disk --filename="$PWD/disk.bin" --size=256m --rw=randwrite --bs=4k --direct=1 --fsync=1 \
		--ioengine=psync --numjobs=4 --time_based --runtime=$((seconds + 10))
	sleep 2
	measure
	expect disk.saturated disk.busy disk.pressure
}

test_lock_contention() {
	need_idle
	need_program python3
	background python3 -c 'import threading, time
lock = threading.Lock()
def work():
    while True:
        with lock: time.sleep(0.00002)
for i in range(16): threading.Thread(target=work, daemon=True).start()
time.sleep(1000)'
	measure
	expect offcpu.locks
}

test_lossy_network() {
	need_idle
	need_program ip
	need_program nft
	need_program python3
	ip netns add pipa-a 2> /dev/null || skip "no network namespaces"
	ip netns add pipa-b
	trap 'ip netns delete pipa-a; ip netns delete pipa-b' EXIT
	ip link add va netns pipa-a type veth peer name vb netns pipa-b || skip 'no veth interfaces'
	ip -n pipa-a addr add 10.77.0.1/24 dev va
	ip -n pipa-b addr add 10.77.0.2/24 dev vb
	ip -n pipa-a link set va up
	ip -n pipa-b link set vb up
	ip netns exec pipa-b nft -f - << 'END' || skip 'no nftables'
table ip lossy {
	chain drops {
		type filter hook input priority 0;
		tcp dport 7777 numgen random mod 100 < 5 drop
	}
}
END
	background ip netns exec pipa-b python3 -c 'import socket
s = socket.create_server(("10.77.0.2", 7777))
c, _ = s.accept()
while c.recv(65536): pass'
	sleep 1
	background ip netns exec pipa-a python3 -c 'import socket
s = socket.create_connection(("10.77.0.2", 7777))
while True: s.sendall(bytes(65536))'
	measure ip netns exec pipa-a
	expect network.retransmits network.drops
}

# memory_group LIMIT: make the cgroup $group with a limit in bytes, which the end of the case removes. The name is a global
# variable: the trap runs when the function has returned.
memory_group() {
	for group in /sys/fs/cgroup/pipa-test /sys/fs/cgroup/memory/pipa-test; do
		[[ -e ${group%/*}/cgroup.procs ]] && mkdir "$group" 2> /dev/null && break # not a plain directory
	done
	[[ -d $group ]] || skip 'no memory cgroups'
	echo "$1" > "$group/memory.max" 2> /dev/null || echo "$1" > "$group/memory.limit_in_bytes" ||
		skip 'no limit of memory'
}

# leave_group: end its processes and remove it
leave_group() {
	local try

	xargs -r kill -KILL < "$group/cgroup.procs" 2> /dev/null
	for ((try = 0; try < 50; try++)); do
		rmdir "$group" 2> /dev/null && return
		sleep 0.1
	done
}

test_swapping() {
	swap=$PWD/swap.bin
	need_idle
	need_program python3
	need_program mkswap
	[[ $(id -u) -eq 0 ]] || skip 'swapon requires root'
	dd if=/dev/zero of="$swap" bs=1M count=512 2> /dev/null
	chmod 600 "$swap"
	{ mkswap "$swap" && swapon "$swap"; } > swap.log 2>&1 || skip "no swap on a file: $(tail -n 1 swap.log)"
	trap 'leave_group; swapoff "$swap"' EXIT
	memory_group $((64 << 20))
	# 256 MiB of which 64 fit into memory, in random order
	background bash -c "echo \$\$ > '$group/cgroup.procs'; exec python3 -c 'import random
size = 256 << 20
pages = bytearray(size)
while True: pages[random.randrange(size)] = 1'"
	sleep 5
	measure
	expect memory.swapping
}

test_memory_pressure() {
	need_idle
	need_program python3
	[[ -r /proc/pressure/memory ]] || skip 'no pressure statistics'
	trap leave_group EXIT
	memory_group $((48 << 20))
	# four readers of a working set of 128 MiB that does not fit. The file is written inside the group: pages that are
	# cached for another group cost this one nothing.
	background bash -c "echo \$\$ > '$group/cgroup.procs'; head -c 128M /dev/zero > file.bin; sync file.bin
for ((i = 0; i < 4; i++)); do
	python3 -c 'import mmap, os, random
size = 128 << 20
pages = mmap.mmap(os.open(\"file.bin\", os.O_RDONLY), size, prot=mmap.PROT_READ)
while True: pages[random.randrange(size)]' &
done
wait"
	sleep 5
	measure
	expect memory.pressure memory.direct_reclaim
}

# ---- synthesised ---------------------------------------------------------------------------------

# table FILE COLUMNS ROW: statistics of 30 s with the same row each
table() {
	local second

	mkdir -p recorded
	printf '# hostname;interval;timestamp;%s\n' "$2" > "recorded/$1"
	for ((second = 10; second < 40; second++)); do
		printf 'box;1;2026-11-15 03:03:%s UTC;%s\n' "$second" "$3"
	done >> "recorded/$1"
}

# statistics NODES CPUS USER STEAL HOT-CPU HOT-USER: CPU statistics of some seconds; CPUs below HOT-CPU are hot
statistics() {
	mkdir -p recorded
	awk -v nodes="$1" -v cpus="$2" 'BEGIN {
		printf "cpu_info:\n  CPU(s): %d\nnuma_info:\n  numa_topology:\n", cpus
		for (n = 0; n < nodes; n++)
			printf "    node%d: \"%d-%d\"\n", n, n * cpus / nodes, (n + 1) * cpus / nodes - 1
	}' > recorded/spec_info.yaml
	awk -v cpus="$2" -v user="$3" -v steal="$4" -v hot="$5" -v most="$6" '
		function row(t, cpu, u) {
			printf "box;1;2026-11-15 03:03:%02d UTC;%d;%.2f;0.00;2.00;0.00;%.2f;%.2f\n", t, cpu, u, steal,
				98 - u - steal
		}
		BEGIN {
			print "# hostname;interval;timestamp;CPU;%user;%nice;%system;%iowait;%steal;%idle"
			for (t = 10; t < 40; t++) {
				row(t, -1, (hot * most + (cpus - hot) * user) / cpus)
				for (i = 0; i < cpus; i++)
					row(t, i, i < hot ? most : user)
			}
		}' > recorded/sar_cpu.csv
}

test_synthesised_stolen_time() {
	statistics 1 4 30 25 0 0
	expect cpu.steal
}

test_synthesised_hot_cpu() {
	statistics 1 64 8 0 1 97
	expect cpu.one_hot
}

test_synthesised_numa_nodes() {
	statistics 2 64 10 0 32 60
	expect cpu.numa
}

test_synthesised_healthy_machine() {
	statistics 2 64 30 0 0 0
	expect none
}

test_synthesised_retransmits() {
	statistics 1 4 20 0 0 0
	table sar_tcp.csv 'active/s;passive/s;iseg/s;oseg/s' '0.00;0.00;900.00;1000.00'
	table sar_tcp_errors.csv 'atmptf/s;estres/s;retrans/s;isegerr/s;orsts/s' '0.00;0.00;45.00;0.00;0.00'
	expect network.retransmits
}

test_synthesised_drops() {
	statistics 1 4 20 0 0 0
	table sar_network_errors.csv \
		'IFACE;rxerr/s;txerr/s;coll/s;rxdrop/s;txdrop/s;txcarr/s;rxfram/s;rxfifo/s;txfifo/s' \
		'eth0;0.00;0.00;0.00;250.00;0.00;0.00;0.00;0.00;0.00'
	expect network.drops
}

test_synthesised_memory_pressure() {
	statistics 1 4 20 0 0 0
	table sar_psi_memory.csv '%smem-10;%smem-60;%smem-300;%smem;%fmem-10;%fmem-60;%fmem-300;%fmem' \
		'30.00;30.00;30.00;30.00;12.00;12.00;12.00;12.00'
	expect memory.pressure
}

test_synthesised_swapping() {
	statistics 1 4 20 0 0 0
	table sar_swapping.csv 'pswpin/s;pswpout/s' '900.00;1200.00'
	table sar_paging.csv 'pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff' \
		'3600.00;4800.00;2000.00;0.00;3000.00;0.00;0.00;0.00;0.00'
	expect memory.swapping
}

test_synthesised_direct_reclaim() {
	statistics 1 4 20 0 0 0
	table sar_paging.csv 'pgpgin/s;pgpgout/s;fault/s;majflt/s;pgfree/s;pgscank/s;pgscand/s;pgsteal/s;%vmeff' \
		'10.00;10.00;2000.00;0.00;3000.00;5000.00;2000.00;6000.00;85.00'
	expect memory.direct_reclaim
}

test_synthesised_saturated_disk() {
	statistics 1 4 10 0 0 0
	table sar_disk.csv 'DEV;tps;rkB/s;wkB/s;dkB/s;areq-sz;aqu-sz;await;%util' \
		'sda;900.00;3600.00;0.00;0.00;4.00;90.00;95.00;99.50'
	expect disk.saturated disk.busy
}

test_synthesised_quota() {
	statistics 1 4 20 0 0 0
	table sar_limits.csv 'hostcpus;cpus;quota;%thr;thr/s;kbhost;kbmax;kbmem;%mem;kbswpmax;kbswp;pidsmax;pids' \
		'4;4;1.50;45.00;4.50;8000000;;400000;;;;;60'
	expect cpu.throttled
}

test_synthesised_network_softirq() {
	statistics 1 4 20 0 0 0
	table sar_cpu_all.csv 'CPU;%usr;%nice;%sys;%iowait;%steal;%irq;%soft;%guest;%gnice;%idle' \
		'0;10.00;0.00;2.00;0.00;0.00;0.00;65.00;0.00;0.00;23.00'
	expect interrupts.softirq
}

run_tests "$@"
result=$?
if [[ -s $matrix ]]; then
	printf '%-22s %-22s %s\n' expected 'first finding' 'all findings'
	sort -u "$matrix"
fi
rm -f "$matrix"
(exit "$result")
