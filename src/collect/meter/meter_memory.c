/* Memory, swap and paging. */
#include "collect/meter/meter_columns.h"

static double memory_used(const struct pipa_metric_input *m)
{
	double total = value(m, MEMINFO_MemTotal);
	double unused = value(m, MEMINFO_MemFree) + value(m, MEMINFO_Buffers) +
			value(m, MEMINFO_Cached) + value(m, MEMINFO_Slab);

	return at_least(total - unused, 0);
}

static double memory_used_share(const struct pipa_metric_input *m)
{
	return percent(memory_used(m), value(m, MEMINFO_MemTotal));
}

static double memory_commit_share(const struct pipa_metric_input *m)
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

static double swap_used(const struct pipa_metric_input *m)
{
	return value(m, MEMINFO_SwapTotal) - value(m, MEMINFO_SwapFree);
}

static double swap_used_share(const struct pipa_metric_input *m)
{
	return percent(swap_used(m), value(m, MEMINFO_SwapTotal));
}

static double swap_cached_share(const struct pipa_metric_input *m)
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

static double huge(const struct pipa_metric_input *m, double pages)
{
	return pages * value(m, MEMINFO_Hugepagesize);
}

static double huge_free(const struct pipa_metric_input *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Free));
}

static double huge_used(const struct pipa_metric_input *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Total) - value(m, MEMINFO_HugePages_Free));
}

static double huge_used_share(const struct pipa_metric_input *m)
{
	return percent(huge_used(m), huge(m, value(m, MEMINFO_HugePages_Total)));
}

static double huge_reserved(const struct pipa_metric_input *m)
{
	return huge(m, value(m, MEMINFO_HugePages_Rsvd));
}

static double huge_surplus(const struct pipa_metric_input *m)
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

static double scan_kswapd(const struct pipa_metric_input *m)
{
	return grown(m, VMSTAT_pgscan_kswapd) / m->seconds;
}

/*
 * Not khugepaged's and not what was asked for through memory.reclaim: nobody had to wait. sysstat 12.6
 * adds pgscan_direct_throttle, which counts waits and not pages.
 */
static double scan_direct(const struct pipa_metric_input *m)
{
	return grown(m, VMSTAT_pgscan_direct) / m->seconds;
}

/*
 * By who reclaimed, whoever it was. sysstat 12.6 takes every count that begins with "pgsteal_": on
 * kernels since 5.8 the same pages a second time by kind (pgsteal_anon, pgsteal_file).
 */
static double stolen(const struct pipa_metric_input *m)
{
	return (grown(m, VMSTAT_pgsteal_kswapd) + grown(m, VMSTAT_pgsteal_direct) +
		grown(m, VMSTAT_pgsteal_khugepaged) + grown(m, VMSTAT_pgsteal_proactive)) /
	       m->seconds;
}

/* Of what was scanned, by whomever too: sysstat leaves out scans of those whose steals it counts. */
static double vm_efficiency(const struct pipa_metric_input *m)
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

SECTION(mem, "mem", NULL, "memory", memory, MEMINFO);
SECTION(swap, "swap", NULL, "swap space", swap_space, MEMINFO);
SECTION(hugepages, "hugepages", NULL, "huge pages", hugepages, MEMINFO);
SECTION(swapping, "swapping", NULL, "pages swapped", swapping, VMSTAT);
SECTION(paging, "paging", NULL, "paging", paging, VMSTAT);
