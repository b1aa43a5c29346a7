#include "collect/meter_table.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"

/* ---- arithmetic ------------------------------------------------------------------------------ */

static double growth(const struct pipa_moment *m, unsigned int field)
{
	return m->grown[field] == PIPA_RAW_MISSING ? NAN : (double)m->grown[field];
}

static double value(const struct pipa_moment *m, unsigned int field)
{
	return m->now[field] == PIPA_RAW_MISSING ? NAN : (double)m->now[field];
}

static double percent(double part, double whole)
{
	if (isnan(whole))
		return NAN;
	return whole > 0 ? 100 * part / whole : part >= 0 ? 0 : NAN;
}

/* Like fmax(), which would make a number of what is missing. */
static double at_least(double value, double least)
{
	return value < least ? least : value;
}

double pipa_meter_value(const struct pipa_moment *m, const struct pipa_formula *f)
{
	switch (f->kind) {
	case PIPA_FORMULA_GAUGE: return value(m, f->field) * f->factor;
	case PIPA_FORMULA_RATE: return growth(m, f->field) / m->seconds * f->factor;
	case PIPA_FORMULA_STATE:
	case PIPA_FORMULA_CALC: return f->calc(m);
	}
	return NAN;
}

/* One row of a table. */
#define GAUGE(id, name, unit, digits, field, factor)                                               \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_GAUGE, field, factor, NULL                                    \
		}                                                                                  \
	}
#define RATE(id, name, unit, field, factor)                                                        \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, 2, &(const struct pipa_formula)                        \
		{                                                                                  \
			PIPA_FORMULA_RATE, field, factor, NULL                                     \
		}                                                                                  \
	}
#define CALC(id, name, unit, digits, fn)                                                           \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_CALC, 0, 1, fn                                                \
		}                                                                                  \
	}
#define STATE(id, name, unit, digits, fn)                                                          \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_STATE, 0, 1, fn                                               \
		}                                                                                  \
	}
#define PER_SECOND(id, name, field) RATE(id, name, PER_SECOND, field, 1)

/* ---- CPU --------------------------------------------------------------------------------------- */

/* An old kernel without the column: none of that time. */
static double cpu_growth(const struct pipa_moment *m, unsigned int field)
{
	return m->grown[field] == PIPA_RAW_MISSING ? 0 : (double)m->grown[field];
}

/* Guest time is part of user and nice already. */
static double cpu_total(const struct pipa_moment *m)
{
	double total = 0;
	unsigned int i;

	for (i = CPU_USER; i <= CPU_STEAL; i++)
		total += cpu_growth(m, i);
	return total;
}

/* Every kernel counts idle time: without it the line was cut. */
static bool cpu_is_cut(const struct pipa_moment *m)
{
	return m->grown[CPU_IDLE] == PIPA_RAW_MISSING;
}

static double cpu_share(const struct pipa_moment *m, double time)
{
	double total = cpu_total(m);

	if (cpu_is_cut(m))
		return NAN;
	return total > 0 ? 100 * fmax(time, 0) / total : 0;
}

#define CPU_SHARE(name, expression)                                                                \
	static double name(const struct pipa_moment *m)                                            \
	{                                                                                          \
		return cpu_share(m, expression);                                                   \
	}

CPU_SHARE(cpu_usr, cpu_growth(m, CPU_USER) - cpu_growth(m, CPU_GUEST))
CPU_SHARE(cpu_nice, cpu_growth(m, CPU_NICE) - cpu_growth(m, CPU_GNICE))
CPU_SHARE(cpu_sys, cpu_growth(m, CPU_SYS))
CPU_SHARE(cpu_iowait, cpu_growth(m, CPU_IOWAIT))
CPU_SHARE(cpu_steal, cpu_growth(m, CPU_STEAL))
CPU_SHARE(cpu_irq, cpu_growth(m, CPU_IRQ))
CPU_SHARE(cpu_soft, cpu_growth(m, CPU_SOFT))
CPU_SHARE(cpu_guest, cpu_growth(m, CPU_GUEST))
CPU_SHARE(cpu_gnice, cpu_growth(m, CPU_GNICE))
CPU_SHARE(cpu_user, cpu_growth(m, CPU_USER))
CPU_SHARE(cpu_nice_all, cpu_growth(m, CPU_NICE))
CPU_SHARE(cpu_system, cpu_growth(m, CPU_SYS) + cpu_growth(m, CPU_IRQ) + cpu_growth(m, CPU_SOFT))

/* A CPU that stopped its tick has not grown at all: it was idle. */
static double cpu_idle(const struct pipa_moment *m)
{
	double total = cpu_total(m);

	if (cpu_is_cut(m))
		return NAN;
	return total > 0 ? 100 * cpu_growth(m, CPU_IDLE) / total : 100;
}

static const struct pipa_column cpu[] = {
	CALC("cpu.usr", "%usr", PERCENT, 2, cpu_usr),
	CALC("cpu.nice", "%nice", PERCENT, 2, cpu_nice),
	CALC("cpu.sys", "%sys", PERCENT, 2, cpu_sys),
	CALC("cpu.iowait", "%iowait", PERCENT, 2, cpu_iowait),
	CALC("cpu.steal", "%steal", PERCENT, 2, cpu_steal),
	CALC("cpu.irq", "%irq", PERCENT, 2, cpu_irq),
	CALC("cpu.soft", "%soft", PERCENT, 2, cpu_soft),
	CALC("cpu.guest", "%guest", PERCENT, 2, cpu_guest),
	CALC("cpu.gnice", "%gnice", PERCENT, 2, cpu_gnice),
	CALC("cpu.idle", "%idle", PERCENT, 2, cpu_idle),
};

/* The six columns of sar -u: guest time counts as user, interrupts as system. */
static const struct pipa_column cpu_short[] = {
	CALC("cpu.user", "%user", PERCENT, 2, cpu_user),
	CALC("cpu.nice_all", "%nice", PERCENT, 2, cpu_nice_all),
	CALC("cpu.system", "%system", PERCENT, 2, cpu_system),
	CALC("cpu.iowait", "%iowait", PERCENT, 2, cpu_iowait),
	CALC("cpu.steal", "%steal", PERCENT, 2, cpu_steal),
	CALC("cpu.idle", "%idle", PERCENT, 2, cpu_idle),
};

static const struct pipa_column cswch[] = {
	PER_SECOND("system.forks", "proc/s", SYSTEM_FORKS),
	PER_SECOND("system.switches", "cswch/s", SYSTEM_CTXT),
};

/* ---- memory ------------------------------------------------------------------------------------ */

static double memory_used(const struct pipa_moment *m)
{
	double total = value(m, MEMINFO_MemTotal);
	double unused = value(m, MEMINFO_MemFree) + value(m, MEMINFO_Buffers) +
			value(m, MEMINFO_Cached) + value(m, MEMINFO_Slab);

	return at_least(total - unused, 0);
}

static double memory_used_share(const struct pipa_moment *m)
{
	return percent(memory_used(m), value(m, MEMINFO_MemTotal));
}

static double memory_commit_share(const struct pipa_moment *m)
{
	return percent(value(m, MEMINFO_Committed_AS),
		       value(m, MEMINFO_MemTotal) + value(m, MEMINFO_SwapTotal));
}

#define KB(id, name, key) GAUGE(id, name, KB, 0, MEMINFO_##key, 1)

static const struct pipa_column memory[] = {
	KB("memory.free", "kbmemfree", MemFree),
	KB("memory.available", "kbavail", MemAvailable),
	STATE("memory.used", "kbmemused", KB, 0, memory_used),
	STATE("memory.used_share", "%memused", PERCENT, 2, memory_used_share),
	KB("memory.buffers", "kbbuffers", Buffers),
	KB("memory.cached", "kbcached", Cached),
	KB("memory.committed", "kbcommit", Committed_AS),
	STATE("memory.commit_share", "%commit", PERCENT, 2, memory_commit_share),
	KB("memory.active", "kbactive", Active),
	KB("memory.inactive", "kbinact", Inactive),
	KB("memory.dirty", "kbdirty", Dirty),
	KB("memory.anonymous", "kbanonpg", AnonPages),
	KB("memory.slab", "kbslab", Slab),
	KB("memory.kernel_stack", "kbkstack", KernelStack),
	KB("memory.page_tables", "kbpgtbl", PageTables),
	KB("memory.vmalloc", "kbvmused", VmallocUsed),
};

static double swap_used(const struct pipa_moment *m)
{
	return value(m, MEMINFO_SwapTotal) - value(m, MEMINFO_SwapFree);
}

static double swap_used_share(const struct pipa_moment *m)
{
	return percent(swap_used(m), value(m, MEMINFO_SwapTotal));
}

static double swap_cached_share(const struct pipa_moment *m)
{
	return percent(value(m, MEMINFO_SwapCached), swap_used(m));
}

static const struct pipa_column swap_space[] = {
	KB("swap.free", "kbswpfree", SwapFree),
	STATE("swap.used", "kbswpused", KB, 0, swap_used),
	STATE("swap.used_share", "%swpused", PERCENT, 2, swap_used_share),
	KB("swap.cached", "kbswpcad", SwapCached),
	STATE("swap.cached_share", "%swpcad", PERCENT, 2, swap_cached_share),
};

static double huge(const struct pipa_moment *m, double pages)
{
	return pages * value(m, MEMINFO_Hugepagesize);
}

static double huge_free(const struct pipa_moment *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Free));
}

static double huge_used(const struct pipa_moment *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Total) - value(m, MEMINFO_HugePages_Free));
}

static double huge_used_share(const struct pipa_moment *m)
{
	return percent(huge_used(m), huge(m, value(m, MEMINFO_HugePages_Total)));
}

static double huge_reserved(const struct pipa_moment *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Rsvd));
}

static double huge_surplus(const struct pipa_moment *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Surp));
}

static const struct pipa_column hugepages[] = {
	STATE("huge.free", "kbhugfree", KB, 0, huge_free),
	STATE("huge.used", "kbhugused", KB, 0, huge_used),
	STATE("huge.used_share", "%hugused", PERCENT, 2, huge_used_share),
	STATE("huge.reserved", "kbhugrsvd", KB, 0, huge_reserved),
	STATE("huge.surplus", "kbhugsurp", KB, 0, huge_surplus),
};

static const struct pipa_column swapping[] = {
	PER_SECOND("swap.in", "pswpin/s", VMSTAT_pswpin),
	PER_SECOND("swap.out", "pswpout/s", VMSTAT_pswpout),
};

/* What a kernel does not count has not happened. */
static double grown(const struct pipa_moment *m, unsigned int field)
{
	double g = growth(m, field);

	return isnan(g) ? 0 : g;
}

static double scan_kswapd(const struct pipa_moment *m)
{
	return grown(m, VMSTAT_pgscan_kswapd) / m->seconds;
}

/*
 * Not khugepaged's and not what was asked for through memory.reclaim: nobody had to wait. sysstat 12.6
 * adds pgscan_direct_throttle, which counts waits and not pages.
 */
static double scan_direct(const struct pipa_moment *m)
{
	return grown(m, VMSTAT_pgscan_direct) / m->seconds;
}

/*
 * By who reclaimed, whoever it was. sysstat 12.6 takes every count that begins with "pgsteal_": on
 * kernels since 5.8 the same pages a second time by kind (pgsteal_anon, pgsteal_file).
 */
static double stolen(const struct pipa_moment *m)
{
	return (grown(m, VMSTAT_pgsteal_kswapd) + grown(m, VMSTAT_pgsteal_direct) +
		grown(m, VMSTAT_pgsteal_khugepaged) + grown(m, VMSTAT_pgsteal_proactive)) /
	       m->seconds;
}

/* Of what was scanned, by whomever too: sysstat leaves out scans of those whose steals it counts. */
static double vm_efficiency(const struct pipa_moment *m)
{
	double others = grown(m, VMSTAT_pgscan_khugepaged) + grown(m, VMSTAT_pgscan_proactive);

	return percent(stolen(m), scan_kswapd(m) + scan_direct(m) + others / m->seconds);
}

static const struct pipa_column paging[] = {
	RATE("paging.in", "pgpgin/s", KB_PER_SECOND, VMSTAT_pgpgin, 1),
	RATE("paging.out", "pgpgout/s", KB_PER_SECOND, VMSTAT_pgpgout, 1),
	PER_SECOND("paging.faults", "fault/s", VMSTAT_pgfault),
	PER_SECOND("paging.major_faults", "majflt/s", VMSTAT_pgmajfault),
	PER_SECOND("paging.freed", "pgfree/s", VMSTAT_pgfree),
	CALC("paging.scan_kswapd", "pgscank/s", PER_SECOND, 2, scan_kswapd),
	CALC("paging.scan_direct", "pgscand/s", PER_SECOND, 2, scan_direct),
	CALC("paging.stolen", "pgsteal/s", PER_SECOND, 2, stolen),
	CALC("paging.efficiency", "%vmeff", PERCENT, 2, vm_efficiency),
};

/* ---- disks ------------------------------------------------------------------------------------- */

static double disk_ios(const struct pipa_moment *m)
{
	return grown(m, DISK_READS) + grown(m, DISK_WRITES) + grown(m, DISK_DISCARDS);
}

static double disk_tps(const struct pipa_moment *m)
{
	return disk_ios(m) / m->seconds;
}

static double disk_discard_sectors(const struct pipa_moment *m)
{
	return grown(m, DISK_DISCARD_SECTORS) / m->seconds;
}

static double disk_discard_kb(const struct pipa_moment *m)
{
	return disk_discard_sectors(m) / 2;
}

static double per_io(double amount, double ios)
{
	return ios > 0 ? amount / ios : 0;
}

static double disk_request_kb(const struct pipa_moment *m)
{
	return per_io(grown(m, DISK_READ_SECTORS) + grown(m, DISK_WRITE_SECTORS) +
			      grown(m, DISK_DISCARD_SECTORS),
		      disk_ios(m)) /
	       2;
}

static double disk_await(const struct pipa_moment *m)
{
	return per_io(grown(m, DISK_READ_MS) + grown(m, DISK_WRITE_MS) + grown(m, DISK_DISCARD_MS),
		      disk_ios(m));
}

static double disk_read_await(const struct pipa_moment *m)
{
	return per_io(grown(m, DISK_READ_MS), grown(m, DISK_READS));
}

static double disk_write_await(const struct pipa_moment *m)
{
	return per_io(grown(m, DISK_WRITE_MS), grown(m, DISK_WRITES));
}

static double disk_queue(const struct pipa_moment *m)
{
	return growth(m, DISK_QUEUE_MS) / m->seconds / 1e3;
}

/* More than 100 where the kernel's clock and ours differ; sar does not cut it either. */
static double disk_util(const struct pipa_moment *m)
{
	return growth(m, DISK_BUSY_MS) / m->seconds / 10;
}

static const struct pipa_column disk[] = {
	CALC("disk.tps", "tps", PER_SECOND, 2, disk_tps),
	RATE("disk.read", "rkB/s", KB_PER_SECOND, DISK_READ_SECTORS, 0.5),
	RATE("disk.written", "wkB/s", KB_PER_SECOND, DISK_WRITE_SECTORS, 0.5),
	CALC("disk.discarded", "dkB/s", KB_PER_SECOND, 2, disk_discard_kb),
	CALC("disk.request_size", "areq-sz", KB, 2, disk_request_kb),
	CALC("disk.queue", "aqu-sz", NONE, 2, disk_queue),
	CALC("disk.await", "await", MS, 2, disk_await),
	CALC("disk.util", "%util", PERCENT, 2, disk_util),
	CALC("disk.read_await", "r_await", MS, 2, disk_read_await),
	CALC("disk.write_await", "w_await", MS, 2, disk_write_await),
};

/* Whole disks that were ever used, like sar. */
static bool disk_is_shown(const struct pipa_moment *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && value(m, DISK_READS) + value(m, DISK_WRITES) > 0;
}

static double discards(const struct pipa_moment *m)
{
	return grown(m, DISK_DISCARDS) / m->seconds;
}

/* All disks together, as sar -b. */
static const struct pipa_column io[] = {
	CALC("io.tps", "tps", PER_SECOND, 2, disk_tps),
	PER_SECOND("io.reads", "rtps", DISK_READS),
	PER_SECOND("io.writes", "wtps", DISK_WRITES),
	CALC("io.discards", "dtps", PER_SECOND, 2, discards),
	PER_SECOND("io.read_sectors", "bread/s", DISK_READ_SECTORS),
	PER_SECOND("io.written_sectors", "bwrtn/s", DISK_WRITE_SECTORS),
	CALC("io.discarded_sectors", "bdscd/s", PER_SECOND, 2, disk_discard_sectors),
};

static bool disk_is_physical(const struct pipa_moment *m, const char *instance PIPA_UNUSED)
{
	return (m->mark & PIPA_MARK_WHOLE) && (m->mark & PIPA_MARK_PHYSICAL);
}

/* ---- network ----------------------------------------------------------------------------------- */

/* Of what the link can carry: in either direction where it is full duplex, together where not. */
static double net_utilization(const struct pipa_moment *m)
{
	double rx = growth(m, NET_RX_BYTES), tx = growth(m, NET_TX_BYTES),
	       speed = value(m, NET_SPEED_MBIT);
	double bytes = value(m, NET_HALF_DUPLEX) > 0 ? rx + tx : fmax(rx, tx);

	if (isnan(rx + tx))
		return NAN;
	return speed > 0 ? 100 * bytes * 8 / m->seconds / (speed * 1e6) : 0;
}

static const struct pipa_column net[] = {
	PER_SECOND("net.rx_packets", "rxpck/s", NET_RX_PACKETS),
	PER_SECOND("net.tx_packets", "txpck/s", NET_TX_PACKETS),
	RATE("net.rx", "rxkB/s", KB_PER_SECOND, NET_RX_BYTES, 1.0 / 1024),
	RATE("net.tx", "txkB/s", KB_PER_SECOND, NET_TX_BYTES, 1.0 / 1024),
	PER_SECOND("net.rx_compressed", "rxcmp/s", NET_RX_COMPRESSED),
	PER_SECOND("net.tx_compressed", "txcmp/s", NET_TX_COMPRESSED),
	PER_SECOND("net.rx_multicast", "rxmcst/s", NET_RX_MULTICAST),
	CALC("net.utilization", "%ifutil", PERCENT, 2, net_utilization),
};

static const struct pipa_column net_errors[] = {
	PER_SECOND("net.rx_errors", "rxerr/s", NET_RX_ERRORS),
	PER_SECOND("net.tx_errors", "txerr/s", NET_TX_ERRORS),
	PER_SECOND("net.collisions", "coll/s", NET_COLLISIONS),
	PER_SECOND("net.rx_drops", "rxdrop/s", NET_RX_DROPS),
	PER_SECOND("net.tx_drops", "txdrop/s", NET_TX_DROPS),
	PER_SECOND("net.tx_carrier", "txcarr/s", NET_TX_CARRIER),
	PER_SECOND("net.rx_frame", "rxfram/s", NET_RX_FRAME),
	PER_SECOND("net.rx_fifo", "rxfifo/s", NET_RX_FIFO),
	PER_SECOND("net.tx_fifo", "txfifo/s", NET_TX_FIFO),
};

#define SNMP(id, name, part, key) PER_SECOND(id, name, SNMP_##part##_##key)

static const struct pipa_column ip[] = {
	SNMP("ip.received", "irec/s", Ip, InReceives),
	SNMP("ip.forwarded", "fwddgm/s", Ip, ForwDatagrams),
	SNMP("ip.delivered", "idel/s", Ip, InDelivers),
	SNMP("ip.requests", "orq/s", Ip, OutRequests),
	SNMP("ip.reassembly", "asmrq/s", Ip, ReasmReqds),
	SNMP("ip.reassembled", "asmok/s", Ip, ReasmOKs),
	SNMP("ip.fragmented", "fragok/s", Ip, FragOKs),
	SNMP("ip.fragments", "fragcrt/s", Ip, FragCreates),
};

static const struct pipa_column ip_errors[] = {
	SNMP("ip.header_errors", "ihdrerr/s", Ip, InHdrErrors),
	SNMP("ip.address_errors", "iadrerr/s", Ip, InAddrErrors),
	SNMP("ip.unknown_protocols", "iukwnpr/s", Ip, InUnknownProtos),
	SNMP("ip.in_discards", "idisc/s", Ip, InDiscards),
	SNMP("ip.out_discards", "odisc/s", Ip, OutDiscards),
	SNMP("ip.no_routes", "onort/s", Ip, OutNoRoutes),
	SNMP("ip.reassembly_failures", "asmf/s", Ip, ReasmFails),
	SNMP("ip.fragment_failures", "fragf/s", Ip, FragFails),
};

static const struct pipa_column icmp[] = {
	SNMP("icmp.in", "imsg/s", Icmp, InMsgs),
	SNMP("icmp.out", "omsg/s", Icmp, OutMsgs),
	SNMP("icmp.in_echos", "iech/s", Icmp, InEchos),
	SNMP("icmp.in_echo_replies", "iechr/s", Icmp, InEchoReps),
	SNMP("icmp.out_echos", "oech/s", Icmp, OutEchos),
	SNMP("icmp.out_echo_replies", "oechr/s", Icmp, OutEchoReps),
	SNMP("icmp.in_timestamps", "itm/s", Icmp, InTimestamps),
	SNMP("icmp.in_timestamp_replies", "itmr/s", Icmp, InTimestampReps),
	SNMP("icmp.out_timestamps", "otm/s", Icmp, OutTimestamps),
	SNMP("icmp.out_timestamp_replies", "otmr/s", Icmp, OutTimestampReps),
	SNMP("icmp.in_masks", "iadrmk/s", Icmp, InAddrMasks),
	SNMP("icmp.in_mask_replies", "iadrmkr/s", Icmp, InAddrMaskReps),
	SNMP("icmp.out_masks", "oadrmk/s", Icmp, OutAddrMasks),
	SNMP("icmp.out_mask_replies", "oadrmkr/s", Icmp, OutAddrMaskReps),
};

static const struct pipa_column icmp_errors[] = {
	SNMP("icmp.in_errors", "ierr/s", Icmp, InErrors),
	SNMP("icmp.out_errors", "oerr/s", Icmp, OutErrors),
	SNMP("icmp.in_unreachable", "idstunr/s", Icmp, InDestUnreachs),
	SNMP("icmp.out_unreachable", "odstunr/s", Icmp, OutDestUnreachs),
	SNMP("icmp.in_time_exceeded", "itmex/s", Icmp, InTimeExcds),
	SNMP("icmp.out_time_exceeded", "otmex/s", Icmp, OutTimeExcds),
	SNMP("icmp.in_parameter_problems", "iparmpb/s", Icmp, InParmProbs),
	SNMP("icmp.out_parameter_problems", "oparmpb/s", Icmp, OutParmProbs),
	SNMP("icmp.in_quenches", "isrcq/s", Icmp, InSrcQuenchs),
	SNMP("icmp.out_quenches", "osrcq/s", Icmp, OutSrcQuenchs),
	SNMP("icmp.in_redirects", "iredir/s", Icmp, InRedirects),
	SNMP("icmp.out_redirects", "oredir/s", Icmp, OutRedirects),
};

static const struct pipa_column tcp[] = {
	SNMP("tcp.active", "active/s", Tcp, ActiveOpens),
	SNMP("tcp.passive", "passive/s", Tcp, PassiveOpens),
	SNMP("tcp.in", "iseg/s", Tcp, InSegs),
	SNMP("tcp.out", "oseg/s", Tcp, OutSegs),
};

static const struct pipa_column tcp_errors[] = {
	SNMP("tcp.failed", "atmptf/s", Tcp, AttemptFails),
	SNMP("tcp.resets", "estres/s", Tcp, EstabResets),
	SNMP("tcp.retransmits", "retrans/s", Tcp, RetransSegs),
	SNMP("tcp.in_errors", "isegerr/s", Tcp, InErrs),
	SNMP("tcp.out_resets", "orsts/s", Tcp, OutRsts),
};

static const struct pipa_column udp[] = {
	SNMP("udp.in", "idgm/s", Udp, InDatagrams),
	SNMP("udp.out", "odgm/s", Udp, OutDatagrams),
	SNMP("udp.no_ports", "noport/s", Udp, NoPorts),
	SNMP("udp.in_errors", "idgmerr/s", Udp, InErrors),
};

#define COUNTED(id, name, field) GAUGE(id, name, NONE, 0, field, 1)

static const struct pipa_column sockets[] = {
	COUNTED("sockets.used", "totsck", SOCKETS_sockets_used),
	COUNTED("sockets.tcp", "tcpsck", SOCKETS_TCP_inuse),
	COUNTED("sockets.udp", "udpsck", SOCKETS_UDP_inuse),
	COUNTED("sockets.raw", "rawsck", SOCKETS_RAW_inuse),
	COUNTED("sockets.fragments", "ip-frag", SOCKETS_FRAG_inuse),
	COUNTED("sockets.time_wait", "tcp-tw", SOCKETS_TCP_tw),
};

static const struct pipa_column sockets6[] = {
	COUNTED("sockets6.tcp", "tcp6sck", SOCKETS_TCP6_inuse),
	COUNTED("sockets6.udp", "udp6sck", SOCKETS_UDP6_inuse),
	COUNTED("sockets6.raw", "raw6sck", SOCKETS_RAW6_inuse),
	COUNTED("sockets6.fragments", "ip6-frag", SOCKETS_FRAG6_inuse),
};

#define SNMP6(id, name, key) PER_SECOND(id, name, SNMP6_##key)

static const struct pipa_column ip6[] = {
	SNMP6("ip6.received", "irec6/s", Ip6InReceives),
	SNMP6("ip6.forwarded", "fwddgm6/s", Ip6OutForwDatagrams),
	SNMP6("ip6.delivered", "idel6/s", Ip6InDelivers),
	SNMP6("ip6.requests", "orq6/s", Ip6OutRequests),
	SNMP6("ip6.reassembly", "asmrq6/s", Ip6ReasmReqds),
	SNMP6("ip6.reassembled", "asmok6/s", Ip6ReasmOKs),
	SNMP6("ip6.in_multicast", "imcpck6/s", Ip6InMcastPkts),
	SNMP6("ip6.out_multicast", "omcpck6/s", Ip6OutMcastPkts),
	SNMP6("ip6.fragmented", "fragok6/s", Ip6FragOKs),
	SNMP6("ip6.fragments", "fragcr6/s", Ip6FragCreates),
};

static const struct pipa_column ip6_errors[] = {
	SNMP6("ip6.header_errors", "ihdrer6/s", Ip6InHdrErrors),
	SNMP6("ip6.address_errors", "iadrer6/s", Ip6InAddrErrors),
	SNMP6("ip6.unknown_protocols", "iukwnp6/s", Ip6InUnknownProtos),
	SNMP6("ip6.too_big", "i2big6/s", Ip6InTooBigErrors),
	SNMP6("ip6.in_discards", "idisc6/s", Ip6InDiscards),
	SNMP6("ip6.out_discards", "odisc6/s", Ip6OutDiscards),
	SNMP6("ip6.in_no_routes", "inort6/s", Ip6InNoRoutes),
	SNMP6("ip6.out_no_routes", "onort6/s", Ip6OutNoRoutes),
	SNMP6("ip6.reassembly_failures", "asmf6/s", Ip6ReasmFails),
	SNMP6("ip6.fragment_failures", "fragf6/s", Ip6FragFails),
	SNMP6("ip6.truncated", "itrpck6/s", Ip6InTruncatedPkts),
};

static const struct pipa_column icmp6[] = {
	SNMP6("icmp6.in", "imsg6/s", Icmp6InMsgs),
	SNMP6("icmp6.out", "omsg6/s", Icmp6OutMsgs),
	SNMP6("icmp6.in_echos", "iech6/s", Icmp6InEchos),
	SNMP6("icmp6.in_echo_replies", "iechr6/s", Icmp6InEchoReplies),
	SNMP6("icmp6.out_echo_replies", "oechr6/s", Icmp6OutEchoReplies),
	SNMP6("icmp6.in_group_queries", "igmbq6/s", Icmp6InGroupMembQueries),
	SNMP6("icmp6.in_group_responses", "igmbr6/s", Icmp6InGroupMembResponses),
	SNMP6("icmp6.out_group_responses", "ogmbr6/s", Icmp6OutGroupMembResponses),
	SNMP6("icmp6.in_group_reductions", "igmbrd6/s", Icmp6InGroupMembReductions),
	SNMP6("icmp6.out_group_reductions", "ogmbrd6/s", Icmp6OutGroupMembReductions),
	SNMP6("icmp6.in_router_solicits", "irtsol6/s", Icmp6InRouterSolicits),
	SNMP6("icmp6.out_router_solicits", "ortsol6/s", Icmp6OutRouterSolicits),
	SNMP6("icmp6.in_router_adverts", "irtad6/s", Icmp6InRouterAdvertisements),
	SNMP6("icmp6.in_neighbor_solicits", "inbsol6/s", Icmp6InNeighborSolicits),
	SNMP6("icmp6.out_neighbor_solicits", "onbsol6/s", Icmp6OutNeighborSolicits),
	SNMP6("icmp6.in_neighbor_adverts", "inbad6/s", Icmp6InNeighborAdvertisements),
	SNMP6("icmp6.out_neighbor_adverts", "onbad6/s", Icmp6OutNeighborAdvertisements),
};

static const struct pipa_column icmp6_errors[] = {
	SNMP6("icmp6.in_errors", "ierr6/s", Icmp6InErrors),
	SNMP6("icmp6.in_unreachable", "idtunr6/s", Icmp6InDestUnreachs),
	SNMP6("icmp6.out_unreachable", "odtunr6/s", Icmp6OutDestUnreachs),
	SNMP6("icmp6.in_time_exceeded", "itmex6/s", Icmp6InTimeExcds),
	SNMP6("icmp6.out_time_exceeded", "otmex6/s", Icmp6OutTimeExcds),
	SNMP6("icmp6.in_parameter_problems", "iprmpb6/s", Icmp6InParmProblems),
	SNMP6("icmp6.out_parameter_problems", "oprmpb6/s", Icmp6OutParmProblems),
	SNMP6("icmp6.in_redirects", "iredir6/s", Icmp6InRedirects),
	SNMP6("icmp6.out_redirects", "oredir6/s", Icmp6OutRedirects),
	SNMP6("icmp6.in_too_big", "ipck2b6/s", Icmp6InPktTooBigs),
	SNMP6("icmp6.out_too_big", "opck2b6/s", Icmp6OutPktTooBigs),
};

static const struct pipa_column udp6[] = {
	SNMP6("udp6.in", "idgm6/s", Udp6InDatagrams),
	SNMP6("udp6.out", "odgm6/s", Udp6OutDatagrams),
	SNMP6("udp6.no_ports", "noport6/s", Udp6NoPorts),
	SNMP6("udp6.in_errors", "idgmer6/s", Udp6InErrors),
};

static const struct pipa_column softnet[] = {
	PER_SECOND("softnet.packets", "total/s", SOFTNET_PACKETS),
	PER_SECOND("softnet.dropped", "dropd/s", SOFTNET_DROPPED),
	PER_SECOND("softnet.squeezed", "squeezd/s", SOFTNET_SQUEEZED),
	PER_SECOND("softnet.rps", "rx_rps/s", SOFTNET_RPS),
	PER_SECOND("softnet.flow_limit", "flw_lim/s", SOFTNET_FLOW_LIMIT),
	COUNTED("softnet.backlog", "blg_len", SOFTNET_BACKLOG),
};

static const struct pipa_column nfs[] = {
	PER_SECOND("nfs.calls", "call/s", NFS_CALLS),
	PER_SECOND("nfs.retransmits", "retrans/s", NFS_RETRANS),
	PER_SECOND("nfs.reads", "read/s", NFS_READ),
	PER_SECOND("nfs.writes", "write/s", NFS_WRITE),
	PER_SECOND("nfs.accesses", "access/s", NFS_ACCESS),
	PER_SECOND("nfs.getattrs", "getatt/s", NFS_GETATTR),
};

static const struct pipa_column nfsd[] = {
	PER_SECOND("nfsd.calls", "scall/s", NFS_CALLS),
	PER_SECOND("nfsd.bad_calls", "badcall/s", NFS_BAD),
	PER_SECOND("nfsd.packets", "packet/s", NFS_PACKETS),
	PER_SECOND("nfsd.udp", "udp/s", NFS_UDP),
	PER_SECOND("nfsd.tcp", "tcp/s", NFS_TCP),
	PER_SECOND("nfsd.hits", "hit/s", NFS_HITS),
	PER_SECOND("nfsd.misses", "miss/s", NFS_MISSES),
	PER_SECOND("nfsd.reads", "sread/s", NFS_READ),
	PER_SECOND("nfsd.writes", "swrite/s", NFS_WRITE),
	PER_SECOND("nfsd.accesses", "saccess/s", NFS_ACCESS),
	PER_SECOND("nfsd.getattrs", "sgetatt/s", NFS_GETATTR),
};

/* ---- the rest ---------------------------------------------------------------------------------- */

/* Ourselves, who were running to read it, left out. */
static double run_queue(const struct pipa_moment *m)
{
	double running = value(m, LOAD_RUNNING);

	return running > 0 ? running - 1 : running;
}

static const struct pipa_column load[] = {
	STATE("load.running", "runq-sz", NONE, 0, run_queue),
	COUNTED("load.tasks", "plist-sz", LOAD_TASKS),
	GAUGE("load.1", "ldavg-1", NONE, 2, LOAD_1, 0.01),
	GAUGE("load.5", "ldavg-5", NONE, 2, LOAD_5, 0.01),
	GAUGE("load.15", "ldavg-15", NONE, 2, LOAD_15, 0.01),
	COUNTED("load.blocked", "blocked", LOAD_BLOCKED),
};

static double files_used(const struct pipa_moment *m)
{
	return value(m, TABLES_FILES) - value(m, TABLES_FILES_FREE);
}

static double inodes_used(const struct pipa_moment *m)
{
	return value(m, TABLES_INODES) - value(m, TABLES_INODES_FREE);
}

static const struct pipa_column kernel_tables[] = {
	COUNTED("tables.dentries_unused", "dentunusd", TABLES_DENTRIES_UNUSED),
	STATE("tables.files", "file-nr", NONE, 0, files_used),
	STATE("tables.inodes", "inode-nr", NONE, 0, inodes_used),
	COUNTED("tables.ptys", "pty-nr", TABLES_PTYS),
};

/* Microseconds stalled in a second are ten-thousandths of a percent. */
#define PSI_SOME(id, tag)                                                                          \
	GAUGE("psi." id ".some_10", "%s" tag "-10", PERCENT, 2, PSI_SOME_10, 0.01),                \
		GAUGE("psi." id ".some_60", "%s" tag "-60", PERCENT, 2, PSI_SOME_60, 0.01),        \
		GAUGE("psi." id ".some_300", "%s" tag "-300", PERCENT, 2, PSI_SOME_300, 0.01),     \
		RATE("psi." id ".some", "%s" tag, PERCENT, PSI_SOME_US, 1e-4)
#define PSI_FULL(id, tag)                                                                          \
	GAUGE("psi." id ".full_10", "%f" tag "-10", PERCENT, 2, PSI_FULL_10, 0.01),                \
		GAUGE("psi." id ".full_60", "%f" tag "-60", PERCENT, 2, PSI_FULL_60, 0.01),        \
		GAUGE("psi." id ".full_300", "%f" tag "-300", PERCENT, 2, PSI_FULL_300, 0.01),     \
		RATE("psi." id ".full", "%f" tag, PERCENT, PSI_FULL_US, 1e-4)

static const struct pipa_column psi_cpu[] = { PSI_SOME("cpu", "cpu") };
static const struct pipa_column psi_io[] = { PSI_SOME("io", "io"), PSI_FULL("io", "io") };
static const struct pipa_column psi_memory[] = { PSI_SOME("memory", "mem"),
						 PSI_FULL("memory", "mem") };

static const struct pipa_column tty[] = {
	PER_SECOND("tty.rx", "rcvin/s", TTY_RX),
	PER_SECOND("tty.tx", "xmtin/s", TTY_TX),
	PER_SECOND("tty.frame_errors", "framerr/s", TTY_FRAME),
	PER_SECOND("tty.parity_errors", "prtyerr/s", TTY_PARITY),
	PER_SECOND("tty.breaks", "brk/s", TTY_BREAK),
	PER_SECOND("tty.overruns", "ovrun/s", TTY_OVERRUN),
};

/* A CPU that comes online goes on counting where it was: its first reading says nothing yet. */
static bool cpu_is_shown(const struct pipa_moment *m, const char *instance PIPA_UNUSED)
{
	return m->known;
}

#define CPU_SECTION(id, text, columns, group)                                                      \
	{                                                                                          \
		{ id, "CPU", text, columns, PIPA_COUNT(columns) }, PIPA_GROUP_##group,             \
			cpu_is_shown, false                                                        \
	}
#define SECTION(id, what, text, columns, group)                                                    \
	{                                                                                          \
		{ id, what, text, columns, PIPA_COUNT(columns) }, PIPA_GROUP_##group, NULL, false  \
	}

const struct pipa_meter_section pipa_meter_table[] = {
	CPU_SECTION("cpu", "CPU time", cpu, CPU),
	CPU_SECTION("cpu-short", "CPU time, six columns", cpu_short, CPU),
	SECTION("cswch", NULL, "tasks made and switched", cswch, SYSTEM),
	SECTION("swapping", NULL, "pages swapped", swapping, VMSTAT),
	SECTION("paging", NULL, "paging", paging, VMSTAT),
	{ { "io", NULL, "all disks together", io, PIPA_COUNT(io) },
	  PIPA_GROUP_DISK,
	  disk_is_physical,
	  true },
	SECTION("mem", NULL, "memory", memory, MEMINFO),
	SECTION("swap", NULL, "swap space", swap_space, MEMINFO),
	SECTION("hugepages", NULL, "huge pages", hugepages, MEMINFO),
	SECTION("kernel-tables", NULL, "kernel tables", kernel_tables, TABLES),
	SECTION("load", NULL, "load", load, LOAD),
	SECTION("tty", "TTY", "serial lines", tty, TTY),
	{ { "disk", "DEV", "disks", disk, PIPA_COUNT(disk) },
	  PIPA_GROUP_DISK,
	  disk_is_shown,
	  false },
	SECTION("net", "IFACE", "network interfaces", net, NET),
	SECTION("net-errors", "IFACE", "network errors", net_errors, NET),
	SECTION("nfs", NULL, "NFS client", nfs, NFS),
	SECTION("nfsd", NULL, "NFS server", nfsd, NFSD),
	SECTION("sockets", NULL, "sockets", sockets, SOCKETS),
	SECTION("ip", NULL, "IPv4", ip, SNMP),
	SECTION("ip-errors", NULL, "IPv4 errors", ip_errors, SNMP),
	SECTION("icmp", NULL, "ICMP", icmp, SNMP),
	SECTION("icmp-errors", NULL, "ICMP errors", icmp_errors, SNMP),
	SECTION("tcp", NULL, "TCP", tcp, SNMP),
	SECTION("tcp-errors", NULL, "TCP errors", tcp_errors, SNMP),
	SECTION("udp", NULL, "UDP", udp, SNMP),
	SECTION("sockets6", NULL, "IPv6 sockets", sockets6, SOCKETS6),
	SECTION("ip6", NULL, "IPv6", ip6, SNMP6),
	SECTION("ip6-errors", NULL, "IPv6 errors", ip6_errors, SNMP6),
	SECTION("icmp6", NULL, "ICMPv6", icmp6, SNMP6),
	SECTION("icmp6-errors", NULL, "ICMPv6 errors", icmp6_errors, SNMP6),
	SECTION("udp6", NULL, "UDPv6", udp6, SNMP6),
	CPU_SECTION("softnet", "network soft interrupts", softnet, SOFTNET),
	SECTION("psi-cpu", NULL, "CPU pressure", psi_cpu, PSI_CPU),
	SECTION("psi-io", NULL, "I/O pressure", psi_io, PSI_IO),
	SECTION("psi-memory", NULL, "memory pressure", psi_memory, PSI_MEMORY),
};

const size_t pipa_n_meter_table = PIPA_COUNT(pipa_meter_table);
