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

#define KB(key) GAUGE(MEMINFO_##key, 1)

static const struct pipa_formula memory[] = {
	[PIPA_COL_MEM_FREE] = KB(MemFree),
	[PIPA_COL_MEM_AVAILABLE] = KB(MemAvailable),
	[PIPA_COL_MEM_USED] = STATE(memory_used),
	[PIPA_COL_MEM_USED_SHARE] = STATE(memory_used_share),
	[PIPA_COL_MEM_BUFFERS] = KB(Buffers),
	[PIPA_COL_MEM_CACHED] = KB(Cached),
	[PIPA_COL_MEM_COMMITTED] = KB(Committed_AS),
	[PIPA_COL_MEM_COMMIT_SHARE] = STATE(memory_commit_share),
	[PIPA_COL_MEM_ACTIVE] = KB(Active),
	[PIPA_COL_MEM_INACTIVE] = KB(Inactive),
	[PIPA_COL_MEM_DIRTY] = KB(Dirty),
	[PIPA_COL_MEM_ANONYMOUS] = KB(AnonPages),
	[PIPA_COL_MEM_SLAB] = KB(Slab),
	[PIPA_COL_MEM_KERNEL_STACK] = KB(KernelStack),
	[PIPA_COL_MEM_PAGE_TABLES] = KB(PageTables),
	[PIPA_COL_MEM_VMALLOC] = KB(VmallocUsed),
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

static const struct pipa_formula swap_space[] = {
	[PIPA_COL_SWAP_FREE] = KB(SwapFree),
	[PIPA_COL_SWAP_USED] = STATE(swap_used),
	[PIPA_COL_SWAP_USED_SHARE] = STATE(swap_used_share),
	[PIPA_COL_SWAP_CACHED] = KB(SwapCached),
	[PIPA_COL_SWAP_CACHED_SHARE] = STATE(swap_cached_share),
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

static const struct pipa_formula hugepages[] = {
	[PIPA_COL_HUGEPAGES_FREE] = STATE(huge_free),
	[PIPA_COL_HUGEPAGES_USED] = STATE(huge_used),
	[PIPA_COL_HUGEPAGES_USED_SHARE] = STATE(huge_used_share),
	[PIPA_COL_HUGEPAGES_RESERVED] = STATE(huge_reserved),
	[PIPA_COL_HUGEPAGES_SURPLUS] = STATE(huge_surplus),
};

static const struct pipa_formula swapping[] = {
	[PIPA_COL_SWAPPING_IN] = PER_SECOND(VMSTAT_pswpin),
	[PIPA_COL_SWAPPING_OUT] = PER_SECOND(VMSTAT_pswpout),
};

static double scan_kswapd(const struct pipa_metric_input *m)
{
	return grown(m, VMSTAT_pgscan_kswapd) / m->seconds;
}

/*
 * Direct reclaim, without khugepaged and memory.reclaim, for which no task waits. sysstat 12.6 adds
 * pgscan_direct_throttle, which counts waits and not pages.
 */
static double scan_direct(const struct pipa_metric_input *m)
{
	return grown(m, VMSTAT_pgscan_direct) / m->seconds;
}

/*
 * Reclaimed pages of all kinds of reclaim. sysstat 12.6 sums every count that begins with
 * "pgsteal_": since kernel 5.8 that includes the same pages again by type (pgsteal_anon,
 * pgsteal_file).
 */
static double reclaimed(const struct pipa_metric_input *m)
{
	return (grown(m, VMSTAT_pgsteal_kswapd) + grown(m, VMSTAT_pgsteal_direct) +
		grown(m, VMSTAT_pgsteal_khugepaged) + grown(m, VMSTAT_pgsteal_proactive)) /
	       m->seconds;
}

/*
 * Reclaimed per scanned pages, of all kinds of reclaim: sysstat omits scans of kinds whose steals
 * it counts.
 */
static double vm_efficiency(const struct pipa_metric_input *m)
{
	double others = grown(m, VMSTAT_pgscan_khugepaged) + grown(m, VMSTAT_pgscan_proactive);

	return percent(reclaimed(m), scan_kswapd(m) + scan_direct(m) + others / m->seconds);
}

static const struct pipa_formula paging[] = {
	[PIPA_COL_PAGING_IN] = RATE(VMSTAT_pgpgin, 1),
	[PIPA_COL_PAGING_OUT] = RATE(VMSTAT_pgpgout, 1),
	[PIPA_COL_PAGING_FAULTS] = PER_SECOND(VMSTAT_pgfault),
	[PIPA_COL_PAGING_MAJOR_FAULTS] = PER_SECOND(VMSTAT_pgmajfault),
	[PIPA_COL_PAGING_FREED] = PER_SECOND(VMSTAT_pgfree),
	[PIPA_COL_PAGING_SCAN_KSWAPD] = CALC(scan_kswapd),
	[PIPA_COL_PAGING_SCAN_DIRECT] = CALC(scan_direct),
	[PIPA_COL_PAGING_STOLEN] = CALC(reclaimed),
	[PIPA_COL_PAGING_EFFICIENCY] = CALC(vm_efficiency),
};

SECTION(mem, MEM, memory, MEMINFO);
SECTION(swap, SWAP, swap_space, MEMINFO);
SECTION(hugepages, HUGEPAGES, hugepages, MEMINFO);
SECTION(swapping, SWAPPING, swapping, VMSTAT);
SECTION(paging, PAGING, paging, VMSTAT);
