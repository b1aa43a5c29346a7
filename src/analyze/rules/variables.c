#include "analyze/rules/variables.h"

#include <string.h>

#include "base/auto.h"

#define CPU_STATISTICS "CPU statistics"
#define PER_CPU "CPU statistics per CPU"
#define DISK_STATISTICS "disk statistics"
#define NET_STATISTICS "network statistics"
#define MEMORY_STATISTICS "memory statistics"
#define DESCRIPTION "a description of the machine (spec_info.yaml)"
#define EXPECTED "a list of expected CPUs"

#define PIPA(name, unit, formula, needs)                                                           \
	{                                                                                          \
		name, unit, formula, needs, true                                                   \
	}
#define OWN(name, unit, formula, needs)                                                            \
	{                                                                                          \
		name, unit, formula, needs, false                                                  \
	}

const struct pipa_rule_variable pipa_rule_variables[] = {
	PIPA("num_cpu", "", "CPU(s) of the description, else CPUs with statistics", CPU_STATISTICS),
	PIPA("total_cpu", "%", "mean %user + mean %system of all CPUs, or of the expected CPUs",
	     CPU_STATISTICS),
	PIPA("avg_iowait", "%", "mean %iowait of all CPUs, or of the expected CPUs",
	     CPU_STATISTICS),
	PIPA("avg_irq_percent", "%", "mean %irq of all CPUs", "CPU statistics with %irq"),
	PIPA("avg_softirq_percent", "%", "mean %soft of all CPUs", "CPU statistics with %soft"),
	PIPA("cpu_util_std_dev", "%", "sample standard deviation of mean %user + %system per CPU",
	     PER_CPU),
	PIPA("cpu_max_util", "%", "maximum of mean %user + %system per CPU", PER_CPU),
	PIPA("cpu_min_util", "%", "minimum of mean %user + %system per CPU", PER_CPU),
	PIPA("p95_single_core_iowait", "%", "maximum over CPUs of the 95th percentile of %iowait",
	     PER_CPU),
	PIPA("max_single_core_iowait", "%", "maximum over CPUs of the maximum of %iowait", PER_CPU),
	PIPA("iowait_core_count", "", "CPUs whose p95 %iowait exceeds IO_WAIT_HIGH_THRESHOLD",
	     PER_CPU),
	PIPA("iowait_core_details", "", "list of these CPUs", PER_CPU),
	PIPA("cpu_clusters_count", "", "classes of CPUs: idle, active, busy",
	     "statistics of at least 4 CPUs"),
	PIPA("cpu_clusters_summary", "", "number of CPUs per class",
	     "statistics of at least 4 CPUs"),
	PIPA("is_cpu_imbalanced", "", "more than one class of CPUs, one of them busy", PER_CPU),
	PIPA("numa_nodes_count", "", "NUMA nodes of the description", DESCRIPTION),
	PIPA("numa_max_diff", "%", "difference of mean %user + %system between nodes",
	     "CPU statistics and more than one NUMA node"),
	PIPA("numa_status_msg", "", "mean %user + %system per node",
	     "CPU statistics and more than one NUMA node"),
	PIPA("is_numa_imbalanced", "", "numa_max_diff exceeds NUMA_IMBALANCE_THRESHOLD",
	     "CPU statistics and more than one NUMA node"),
	PIPA("ipc", "", "instructions / cycles", "counters cycles and instructions"),
	PIPA("branch_miss_rate", "%", "branch-misses / branches",
	     "counters branch-misses and branches"),
	PIPA("l3_cache_miss_rate", "%",
	     "LLC-load-misses / LLC-loads, else ll_cache_miss_rd / ll_cache_rd",
	     "counters LLC-loads and LLC-load-misses, or ll_cache_rd and ll_cache_miss_rd"),
	PIPA("avg_nvcswch_s", "/s", "mean sum of nvcswch/s of all processes",
	     "switches per process"),
	PIPA("avg_cswch", "/s", "mean cswch/s", "context switch statistics"),
	PIPA("total_tps", "/s", "mean tps of all devices", "I/O statistics"),
	PIPA("avg_await", "ms", "mean await over all disks", DISK_STATISTICS),
	PIPA("avg_util", "%", "mean %util over all disks", DISK_STATISTICS),
	PIPA("avg_avgrq_sz", "kB", "mean areq-sz over all disks", DISK_STATISTICS),
	PIPA("busiest_disk_name", "", "disk with the highest mean %util, without loop and ram",
	     DISK_STATISTICS),
	PIPA("avg_disk_util", "%", "mean %util of the busiest disk", DISK_STATISTICS),
	PIPA("max_disk_util", "%", "maximum %util of the busiest disk", DISK_STATISTICS),
	PIPA("p95_disk_util", "%", "95th percentile of %util of the busiest disk", DISK_STATISTICS),
	PIPA("avg_disk_await", "ms", "mean await of the busiest disk", DISK_STATISTICS),
	PIPA("max_disk_await", "ms", "maximum await of the busiest disk", DISK_STATISTICS),
	PIPA("p95_disk_await", "ms", "95th percentile of await of the busiest disk",
	     DISK_STATISTICS),
	PIPA("avg_avgqu_sz", "", "mean aqu-sz of the busiest disk", DISK_STATISTICS),
	PIPA("max_avgqu_sz", "", "maximum aqu-sz of the busiest disk", DISK_STATISTICS),
	PIPA("p95_avgqu_sz", "", "95th percentile of aqu-sz of the busiest disk", DISK_STATISTICS),
	PIPA("avg_avgrq_sz_kb", "kB", "mean areq-sz of the busiest disk", DISK_STATISTICS),
	PIPA("disk_rkB_s", "kB/s", "mean rkB/s of the busiest disk", DISK_STATISTICS),
	PIPA("disk_wkB_s", "kB/s", "mean wkB/s of the busiest disk", DISK_STATISTICS),
	PIPA("disk_throughput_mb", "MB/s", "(disk_rkB_s + disk_wkB_s) / 1024", DISK_STATISTICS),
	PIPA("busiest_disk_type", "", "HDD or SSD by `rotational` of the description", DESCRIPTION),
	PIPA("busiest_disk_subtype", "", "HDD, SATA_SSD or NVME_SSD", DESCRIPTION),
	PIPA("effective_await_threshold", "ms", "IO_AWAIT_*_THRESHOLD of the subtype", DESCRIPTION),
	PIPA("avg_swaps", "kB/s", "mean pgpgin/s + mean pgpgout/s (page I/O, not swapping)",
	     "paging statistics"),
	PIPA("avg_majflt_s", "/s", "mean majflt/s", "paging statistics"),
	PIPA("pswpin_total", "/s", "mean pswpin/s", "swapping statistics"),
	PIPA("pswpout_total", "/s", "mean pswpout/s", "swapping statistics"),
	PIPA("avg_memused_percent", "%", "mean %memused", MEMORY_STATISTICS),
	PIPA("avg_commit_percent", "%", "mean %commit", MEMORY_STATISTICS),
	PIPA("avg_load1", "", "mean ldavg-1", "load statistics"),
	PIPA("avg_ifutil", "%", "mean %ifutil over all interfaces", NET_STATISTICS),
	PIPA("affinity_check_enabled", "", "expected CPUs were given, and at least 4 CPUs",
	     PER_CPU),
	PIPA("affinity_leakage_count", "",
	     "CPUs outside of the list with mean %user + %system > 15", EXPECTED),
	PIPA("leakage_cores_str", "", "list of these CPUs", EXPECTED),
	PIPA("affinity_absent_count", "", "CPUs of the list that are not in the class busy",
	     EXPECTED),
	PIPA("absent_cores_str", "", "list of these CPUs", EXPECTED),
	PIPA("expected_cpus_str", "", "the list as given", EXPECTED),

	OWN("cpu_busy", "%", "100 - mean %idle - mean %iowait of all CPUs, or of the expected CPUs",
	    CPU_STATISTICS),
	OWN("cpu_user", "%", "mean %user of all CPUs, or of the expected CPUs", CPU_STATISTICS),
	OWN("cpu_system", "%", "mean %system of all CPUs, or of the expected CPUs", CPU_STATISTICS),
	OWN("cpu_steal", "%", "mean %steal of all CPUs", CPU_STATISTICS),
	OWN("max_cpu_busy", "%", "maximum over CPUs of mean 100 - %idle - %iowait", PER_CPU),
	OWN("max_cpu_soft", "%", "maximum over CPUs of mean %soft", "CPU statistics with %soft"),
	OWN("busiest_cpu", "", "CPU with the highest mean 100 - %idle - %iowait", PER_CPU),
	OWN("busy_cpus", "", "CPUs whose mean 100 - %idle - %iowait exceeds 80", PER_CPU),
	OWN("cpu_mhz", "MHz", "mean frequency of all CPUs", "CPU frequencies"),
	OWN("cpu_mhz_percent", "%", "cpu_mhz / CPU MHz (max) of the description",
	    "CPU frequencies and their maximum"),
	OWN("cpi", "", "cycles / instructions", "counters cycles and instructions"),
	OWN("frontend_bound", "%", "slots stalled by the front end (top-down)",
	    "top-down counters"),
	OWN("backend_bound", "%", "slots stalled by the back end (top-down)", "top-down counters"),
	OWN("bad_speculation", "%", "slots lost to mispredicted paths (top-down)",
	    "top-down counters"),
	OWN("stalled_frontend", "%", "stalled-cycles-frontend / cycles",
	    "counter stalled-cycles-frontend"),
	OWN("stalled_backend", "%", "stalled-cycles-backend / cycles",
	    "counter stalled-cycles-backend"),
	OWN("branch_mpki", "", "1000 x branch-misses / instructions",
	    "counters branch-misses and instructions"),
	OWN("llc_mpki", "", "1000 x last-level cache misses / instructions",
	    "counters of the last-level cache and instructions"),
	OWN("l1d_miss_rate", "%",
	    "L1-dcache-load-misses / L1-dcache-loads, else l1d_cache_refill / l1d_cache",
	    "counters of the L1 data cache"),
	OWN("dtlb_miss_rate", "%", "dTLB-load-misses / dTLB-loads",
	    "counters dTLB-loads and dTLB-load-misses"),
	OWN("dtlb_mpki", "", "1000 x dTLB-load-misses / instructions",
	    "counters dTLB-load-misses and instructions"),
	OWN("itlb_mpki", "", "1000 x iTLB-load-misses / instructions",
	    "counters iTLB-load-misses and instructions"),
	OWN("migrations_s", "/s", "cpu-migrations / run time", "counter cpu-migrations"),
	OWN("migrations_per_cpu", "/s", "migrations_s / num_cpu", "counter cpu-migrations"),
	OWN("run_queue", "", "mean runq-sz", "load statistics"),
	OWN("run_queue_per_cpu", "", "mean runq-sz / num_cpu", "load statistics"),
	OWN("blocked_tasks", "", "mean blocked", "load statistics"),
	OWN("cswch_per_cpu", "/s", "mean cswch/s / num_cpu", "context switch statistics"),
	OWN("forks_s", "/s", "mean proc/s", "context switch statistics"),
	OWN("interrupts_per_cpu", "/s", "mean intr/s / num_cpu", "interrupt statistics"),
	OWN("psi_cpu", "%", "mean %scpu: at least one task waited for a CPU",
	    "pressure statistics"),
	OWN("psi_memory", "%", "mean %smem: at least one task waited for memory",
	    "pressure statistics"),
	OWN("psi_memory_full", "%", "mean %fmem: all tasks waited for memory",
	    "pressure statistics"),
	OWN("psi_io", "%", "mean %sio: at least one task waited for I/O", "pressure statistics"),
	OWN("psi_io_full", "%", "mean %fio: all tasks waited for I/O", "pressure statistics"),
	OWN("throttled_percent", "%", "mean share of periods in which the CPU quota was used up",
	    "cgroup limits"),
	OWN("mem_available_percent", "%", "mean kbavail / (kbmemfree + kbmemused)",
	    MEMORY_STATISTICS),
	OWN("direct_reclaim_s", "/s", "mean pgscand/s: pages scanned by allocating tasks",
	    "paging statistics"),
	OWN("kswapd_scan_s", "/s", "mean pgscank/s", "paging statistics"),
	OWN("reclaim_efficiency", "%", "mean %vmeff where pages were scanned", "paging statistics"),
	OWN("swap_used_percent", "%", "mean %swpused", "swap statistics"),
	OWN("hugepages_used_percent", "%", "mean %hugused", "huge page statistics"),
	OWN("hugepages_free_kb", "kB", "mean kbhugfree", "huge page statistics"),
	OWN("disk_count", "", "disks with statistics", DISK_STATISTICS),
	OWN("busiest_iface", "", "interface with the highest mean %ifutil", NET_STATISTICS),
	OWN("p95_iface_util", "%", "95th percentile of its %ifutil", NET_STATISTICS),
	OWN("net_packets_s", "/s", "mean rxpck/s + txpck/s of all interfaces", NET_STATISTICS),
	OWN("net_drops_s", "/s", "mean rxdrop/s + txdrop/s of all interfaces",
	    "network error statistics"),
	OWN("net_errors_s", "/s", "mean rxerr/s + txerr/s of all interfaces",
	    "network error statistics"),
	OWN("softnet_dropped_s", "/s", "mean dropd/s of all CPUs", "softnet statistics"),
	OWN("softnet_squeezed_s", "/s", "mean squeezd/s of all CPUs", "softnet statistics"),
	OWN("tcp_out_s", "/s", "mean oseg/s", "TCP statistics"),
	OWN("tcp_retransmits_s", "/s", "mean retrans/s", "TCP error statistics"),
	OWN("tcp_retransmit_percent", "%", "retrans/s / oseg/s", "TCP statistics"),
	OWN("udp_in_errors_s", "/s", "mean idgmerr/s", "UDP statistics"),
};

const size_t pipa_n_rule_variables = PIPA_COUNT(pipa_rule_variables);

const struct pipa_rule_variable *pipa_rule_variable_find(const char *name)
{
	size_t i;

	for (i = 0; i < pipa_n_rule_variables; i++)
		if (strcmp(pipa_rule_variables[i].name, name) == 0)
			return &pipa_rule_variables[i];
	return NULL;
}
