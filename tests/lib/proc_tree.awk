# An invented machine, as /proc and /sys show it, at one of two moments.
#
#	awk -v dir=DIR -v tick=0|1 [-v cpus=4] [-v disks=3] [-v nets=3] [-v uptime=100000.00]
#	    [-v change=1] [-v kernel=new] -f proc_tree.awk
#
# No two counters have the same value or grow by the same amount, and none stands still, so that a
# field taken for its neighbour shows. Written over what is there, in place: whoever has the files
# open reads the new text.
#
# change=1 is a machine that does not hold still. Between the two moments CPU 1 goes offline, CPU 2
# comes online, CPU 3 sleeps without a tick and CPU 0's iowait goes back; disk and interface 1 vanish, 2 appear; 32-bit counters
# wrap. kernel=new has what sysstat 12.6 did not know yet.

# A counter that grows by another amount than any other, or by a multiple of it.
function counter(times) {
	n++
	return sprintf("%.0f", n * 7919 + 100003 + tick * (1009 + 4 * n) * (times ? times : 1))
}

# The same, 32 bits wide; where things change it wraps.
function counter32(times,   was) {
	n++
	was = change ? 4294967296 - 500 - n : n * 7919 + 100003
	return sprintf("%.0f", (was + tick * (1009 + 4 * n) * (times ? times : 1)) % 4294967296)
}

# Numbers with a blank before each.
function counters(many,   i, text) {
	for (i = 0; i < many; i++)
		text = text " " counter()
	return text
}

function counters32(many,   i, text) {
	for (i = 0; i < many; i++)
		text = text " " counter32()
	return text
}

# Something that goes up and down.
function gauge(   up) {
	n++
	up = n % 2 ? 1 : -1
	return n * 7919 + 100003 + up * tick * (101 + n)
}

function hundredths() {
	n++
	return sprintf("%d.%02d", n % 60 + tick, (n * 37 + tick * 11) % 100)
}

# put(PATH, TEXT): a file below dir; its folder is made at the end, with all others
function put(path, text) {
	files[++n_files] = path
	text_of[path] = text
}

function folder(path) {
	sub(/\/[^\/]*$/, "", path)
	return path
}

# A line for each key.
function keyed(keys, kind, separator, suffix,   list, i, many, text) {
	many = split(keys, list, " ")
	for (i = 1; i <= many; i++)
		text = text list[i] separator (kind == "gauge" ? gauge() : counter()) suffix "\n"
	return text
}

# ---- CPUs ----------------------------------------------------------------------------------------

function cpu_field(cpu, field,   grows) {
	n++
	# user holds guest, nice holds guest_nice
	grows = field == 1 ? 400 : field == 2 ? 300 : field == 9 ? 120 : field == 10 ? 70 : 11 * field
	grows += 7 * (cpu % 61) + field
	if (change && cpu == 3)
		grows = 0
	if (change && cpu == 0 && field == 5)
		grows = -3
	return 50000 + 1000 * field + n + tick * grows
}

function stat(   cpu, field, value, sum, lines, text) {
	for (cpu = 0; cpu < cpus; cpu++) {
		text = "cpu" cpu
		for (field = 1; field <= 10; field++) {
			value = cpu_field(cpu, field)
			sum[field] += value
			text = text " " value
		}
		if (!(change && (cpu == 1 && tick == 1 || cpu == 2 && tick == 0)))
			lines = lines text "\n"
	}
	text = "cpu "
	for (field = 1; field <= 10; field++)
		text = text " " sum[field]
	return text "\n" lines "intr " counter() " 0 1 2 3\n" "ctxt " counter() "\n" "btime 1700000000\n" \
		"processes " counter() "\nprocs_running " 3 + tick "\nprocs_blocked " 5 + 2 * tick "\n" \
		"softirq " counter() counters(10) "\n"
}

function softnet(   cpu, i, line, text) {
	for (cpu = 0; cpu < cpus; cpu++) {
		line = ""
		for (i = 0; i < 15; i++)
			line = line sprintf("%s%08x", i ? " " : "", i == 12 ? cpu : i == 11 ? \
				gauge() % 1000 : i > 2 && i < 9 ? 0 : counter32() + 0)
		if (!(change && (cpu == 1 && tick == 1 || cpu == 2 && tick == 0)))
			text = text line "\n"
	}
	return text
}

# ---- disks and interfaces ------------------------------------------------------------------------

function is_there(index_) {
	return !(change && (index_ == 1 && tick == 1 || index_ == 2 && tick == 0))
}

function disk_name(i) {
	return i < 26 ? "sd" substr("abcdefghijklmnopqrstuvwxyz", i + 1, 1) : "sdx" i
}

# What a disk was busy for: less than the interval.
function busy(   was) {
	n++
	was = change ? 4294967296 - 50 : n * 1009
	return sprintf("%.0f", (was + tick * (100 + n % 1500)) % 4294967296)
}

# The numbers of a disk: requests, merges, sectors, time of reads and writes...
function disk_numbers(   text) {
	text = counters(2) " " counter(17) " " counter32(3) counters(2) " " counter(29) " " counter32(7)
	text = text " " gauge() % 50 " " busy() " " counter32(11)
	return text counters(2) " " counter(41) " " counter32(5) counters(1) " " counter32()
}

# A line of /proc/diskstats, the same numbers in /sys, and the number that leads there.
function disk(major, minor, name, numbers, here) {
	links["sys/dev/block/" major ":" minor] = "../../block/" name
	if (here)
		put("sys/block/" name "/stat", numbers "\n")
	else
		gone["sys/block/" name "/stat"]
	sub(/.*\//, "", name)
	return here ? sprintf("%4d %7d %s", major, minor, name) numbers "\n" : ""
}

function diskstats(   i, name, text) {
	for (i = 0; i < disks; i++) {
		name = disk_name(i)
		put("sys/block/" name "/device/model", "invented\n")
		text = text disk(8, 16 * i, name, disk_numbers(), is_there(i))
		text = text disk(8, 16 * i + 1, name "/" name "1", disk_numbers(), is_there(i))
	}
	# a virtual disk is a disk, but no part of the sum; one that was never used is not shown
	put("sys/block/dm-0/size", "1\n")
	return text disk(253, 0, "dm-0", disk_numbers(), 1) \
		disk(7, 0, "loop0", " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0", 1)
}

function net_dev(   i, name, text, line) {
	text = "Inter-|   Receive                                                |  Transmit\n" \
		" face |bytes    packets errs drop fifo frame compressed multicast|" \
		"bytes    packets errs drop fifo colls carrier compressed\n"
	for (i = 0; i < nets; i++) {
		name = i ? "eth" i : "lo"
		line = sprintf("%6s: ", name) counter(997) counters(7) " " counter(1999) counters(7) "\n"
		if (is_there(i))
			text = text line
		if (i) {
			put("sys/class/net/" name "/speed", i % 2 ? "100\n" : "10\n")
			put("sys/class/net/" name "/duplex", i % 3 ? "full\n" : "half\n")
		}
	}
	return text
}

# ---- network protocols ---------------------------------------------------------------------------

function snmp_part(part, keys,   many, list, i, text) {
	many = split(keys, list, " ")
	text = part ": " keys "\n" part ":"
	for (i = 1; i <= many; i++)
		text = text " " (list[i] == "MaxConn" ? "-1" : list[i] == "CurrEstab" ? gauge() : counter())
	return text "\n"
}

function snmp() {
	return snmp_part("Ip", "Forwarding DefaultTTL InReceives InHdrErrors InAddrErrors ForwDatagrams " \
			"InUnknownProtos InDiscards InDelivers OutRequests OutDiscards OutNoRoutes " \
			"ReasmTimeout ReasmReqds ReasmOKs ReasmFails FragOKs FragFails FragCreates " \
			"OutTransmits") \
		snmp_part("Icmp", "InMsgs InErrors InCsumErrors InDestUnreachs InTimeExcds InParmProbs " \
			"InSrcQuenchs InRedirects InEchos InEchoReps InTimestamps InTimestampReps " \
			"InAddrMasks InAddrMaskReps OutMsgs OutErrors " \
			(kernel == "new" ? "OutRateLimitGlobal OutRateLimitHost " : "") "OutDestUnreachs OutTimeExcds OutParmProbs OutSrcQuenchs OutRedirects OutEchos " \
			"OutEchoReps OutTimestamps OutTimestampReps OutAddrMasks OutAddrMaskReps") \
		snmp_part("IcmpMsg", "InType3 InType8 OutType0 OutType3") \
		snmp_part("Tcp", "RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens PassiveOpens AttemptFails " \
			"EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts InCsumErrors") \
		snmp_part("Udp", "InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors " \
			"InCsumErrors IgnoredMulti MemErrors") \
		snmp_part("UdpLite", "InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors " \
			"InCsumErrors IgnoredMulti MemErrors")
}

function snmp6() {
	return keyed("Ip6InReceives Ip6InHdrErrors Ip6InTooBigErrors Ip6InNoRoutes Ip6InAddrErrors " \
		"Ip6InUnknownProtos Ip6InTruncatedPkts Ip6InDiscards Ip6InDelivers Ip6OutForwDatagrams " \
		"Ip6OutRequests Ip6OutDiscards Ip6OutNoRoutes Ip6ReasmTimeout Ip6ReasmReqds Ip6ReasmOKs " \
		"Ip6ReasmFails Ip6FragOKs Ip6FragFails Ip6FragCreates Ip6InMcastPkts Ip6OutMcastPkts " \
		"Ip6InOctets Ip6OutOctets Ip6InMcastOctets Ip6OutMcastOctets Ip6InBcastOctets " \
		"Icmp6InMsgs Icmp6InErrors Icmp6OutMsgs Icmp6OutErrors Icmp6InCsumErrors " \
		"Icmp6InDestUnreachs Icmp6InPktTooBigs Icmp6InTimeExcds Icmp6InParmProblems Icmp6InEchos " \
		"Icmp6InEchoReplies Icmp6InGroupMembQueries Icmp6InGroupMembResponses " \
		"Icmp6InGroupMembReductions Icmp6InRouterSolicits Icmp6InRouterAdvertisements " \
		"Icmp6InNeighborSolicits Icmp6InNeighborAdvertisements Icmp6InRedirects " \
		"Icmp6InMLDv2Reports Icmp6OutDestUnreachs Icmp6OutPktTooBigs Icmp6OutTimeExcds " \
		"Icmp6OutParmProblems Icmp6OutEchos Icmp6OutEchoReplies Icmp6OutGroupMembQueries " \
		"Icmp6OutGroupMembResponses Icmp6OutGroupMembReductions Icmp6OutRouterSolicits " \
		"Icmp6OutRouterAdvertisements Icmp6OutNeighborSolicits Icmp6OutNeighborAdvertisements " \
		"Icmp6OutRedirects Icmp6OutMLDv2Reports Udp6InDatagrams Udp6NoPorts Udp6InErrors " \
		"Udp6OutDatagrams Udp6RcvbufErrors Udp6SndbufErrors Udp6InCsumErrors", "counter",
		"                   \t", "")
}

function sockstat() {
	return "sockets: used " gauge() "\nTCP: inuse " gauge() " orphan " gauge() " tw " gauge() \
		" alloc " gauge() " mem " gauge() "\nUDP: inuse " gauge() " mem " gauge() \
		"\nUDPLITE: inuse " gauge() "\nRAW: inuse " gauge() "\nFRAG: inuse " gauge() \
		" memory " gauge() "\n"
}

function sockstat6() {
	return "TCP6: inuse " gauge() "\nUDP6: inuse " gauge() "\nUDPLITE6: inuse " gauge() \
		"\nRAW6: inuse " gauge() "\nFRAG6: inuse " gauge() " memory " gauge() "\n"
}

function rpc_nfs() {
	return "net" counters32(4) "\nrpc" counters32(3) "\nproc3 22" counters32(22) \
		"\nproc4 61" counters32(61) "\n"
}

function rpc_nfsd() {
	return "rc" counters32(3) "\nfh" counters32(5) "\nio" counters32(2) "\nth 8" counters32(11) \
		"\nra 32" counters32(11) "\nnet" counters32(4) "\nrpc" counters32(5) \
		"\nproc3 22" counters32(22) "\nproc4 2" counters32(2) "\nproc4ops 72" nfs4_ops() "\n"
}

# Short, since sysstat reads no more than 255 bytes of a line: what is looked at is large.
function nfs4_ops(   i, text) {
	for (i = 0; i < 72; i++)
		text = text " " (i == 3 || i == 9 || i == 25 || i == 38 ? counter32() : i + tick)
	return text
}

# ---- the rest ------------------------------------------------------------------------------------

# Sizes that fit together: what is used is the rest.
function meminfo() {
	return "MemTotal:       99999999 kB\n" \
		keyed("MemFree MemAvailable Buffers Cached SwapCached Active Inactive Active(anon) " \
			"Inactive(anon) Active(file) Inactive(file) Unevictable Mlocked", "gauge",
			":       ", " kB") \
		"SwapTotal:      88888888 kB\n" \
		keyed("SwapFree Zswap Zswapped Dirty Writeback AnonPages Mapped Shmem KReclaimable Slab " \
			"SReclaimable SUnreclaim KernelStack PageTables SecPageTables NFS_Unstable Bounce " \
			"WritebackTmp CommitLimit Committed_AS VmallocTotal VmallocUsed VmallocChunk Percpu",
			"gauge", ":       ", " kB") \
		"HugePages_Total:    " 1000 + tick "\nHugePages_Free:    " 701 - tick \
		"\nHugePages_Rsvd:    " 53 + tick "\nHugePages_Surp:    " 19 + tick \
		"\nHugepagesize:       2048 kB\n"
}

function vmstat() {
	return keyed("nr_free_pages nr_inactive_anon", "gauge", " ", "") \
		keyed("pgpgin pgpgout pswpin pswpout pgalloc_normal pgfree pgactivate pgfault pgmajfault " \
			"pgrefill pgsteal_kswapd pgsteal_direct pgscan_kswapd pgscan_direct pginodesteal " \
			"slabs_scanned oom_kill", "counter", " ", "") \
		(kernel == "new" ? keyed("pgsteal_khugepaged pgsteal_proactive pgscan_khugepaged " \
			"pgscan_proactive pgscan_direct_throttle pgscan_anon pgscan_file pgsteal_anon " \
			"pgsteal_file", "counter", " ", "") : "")
}

function pressure(   text, i) {
	for (i = 0; i < 2; i++)
		text = text (i ? "full" : "some") " avg10=" hundredths() " avg60=" hundredths() \
			" avg300=" hundredths() " total=" counter(97) "\n"
	return text
}

function serial(   i, text) {
	text = "serinfo:1.0 driver revision:\n"
	for (i = 0; i < 2; i++)
		text = text i ": uart:16550A port:000003F8 irq:4 tx:" counter32() " rx:" counter32() \
			" fe:" counter32() " pe:" counter32() " brk:" counter32() " oe:" counter32() \
			" RTS|DTR\n"
	return text "2: uart:unknown port:000003E8 irq:4\n"
}

function write_all(   i, path, made) {
	for (i = 1; i <= n_files; i++)
		made[folder(files[i])]
	for (path in links)
		made[folder(path)]
	for (path in gone)
		print dir "/" path | "xargs rm -f"
	close("xargs rm -f")
	for (path in made)
		print dir "/" path | "xargs mkdir -p"
	close("xargs mkdir -p")
	for (i = 1; i <= n_files; i++) {
		path = dir "/" files[i]
		printf "%s", text_of[files[i]] > path
		close(path)
	}
	for (path in links)
		print links[path] "\n" dir "/" path | "xargs -n 2 ln -sfn"
	close("xargs -n 2 ln -sfn")
}

BEGIN {
	cpus = cpus ? cpus : 4
	disks = disks ? disks : 3
	nets = nets ? nets : 3
	put("proc/uptime", (uptime ? uptime : "100000.00") " 200000.00\n")
	put("proc/stat", stat())
	put("proc/vmstat", vmstat())
	put("proc/diskstats", diskstats())
	put("proc/net/dev", net_dev())
	put("proc/net/snmp", snmp())
	put("proc/net/snmp6", snmp6())
	put("proc/net/sockstat", sockstat())
	put("proc/net/sockstat6", sockstat6())
	put("proc/net/softnet_stat", softnet())
	put("proc/net/rpc/nfs", rpc_nfs())
	put("proc/net/rpc/nfsd", rpc_nfsd())
	put("proc/loadavg", hundredths() " " hundredths() " " hundredths() " " 7 + tick "/" 211 + tick " 9\n")
	put("proc/pressure/cpu", pressure())
	put("proc/pressure/io", pressure())
	put("proc/pressure/memory", pressure())
	put("proc/sys/fs/dentry-state", gauge() "\t" gauge() "\t45\t0\t" gauge() "\t0\n")
	put("proc/sys/fs/file-nr", 50000 + gauge() "\t" 3 + tick "\t9999999\n")
	put("proc/sys/fs/inode-state", 900000 + gauge() "\t" gauge() "\t0\t0\t0\t0\t0\n")
	put("proc/sys/kernel/pty/nr", 17 + tick "\n")
	put("proc/tty/driver/serial", serial())
	put("proc/meminfo", meminfo())
	for (i = 0; i < cpus; i++)
		put("sys/devices/system/cpu/cpu" i "/online", "1\n")
	put("sys/devices/system/cpu/online", "0-" cpus - 1 "\n")
	put("sys/devices/system/cpu/possible", "0-" cpus - 1 "\n")
	write_all()
}
