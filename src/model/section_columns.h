/* Tables of columns, one per section, defined in section_*.c and used by model/sections.c. */
#ifndef PIPA_MODEL_SECTION_COLUMNS_H
#define PIPA_MODEL_SECTION_COLUMNS_H

#include "model/sections.h"

/* A row of a table: the members of struct pipa_column. */
#define COLUMN(id, name, unit, digits, kind, text)                                                 \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, PIPA_METRIC_##kind, text                       \
	}

extern const struct pipa_column pipa_columns_limits[PIPA_COL_LIMITS_NR];
extern const struct pipa_column pipa_columns_cpu[PIPA_COL_CPU_NR];
extern const struct pipa_column pipa_columns_cpu_short[PIPA_COL_CPU_SHORT_NR];
extern const struct pipa_column pipa_columns_cswch[PIPA_COL_CSWCH_NR];
extern const struct pipa_column pipa_columns_interrupts[PIPA_COL_INTERRUPTS_NR];
extern const struct pipa_column pipa_columns_softirq[PIPA_COL_SOFTIRQ_NR];
extern const struct pipa_column pipa_columns_swapping[PIPA_COL_SWAPPING_NR];
extern const struct pipa_column pipa_columns_paging[PIPA_COL_PAGING_NR];
extern const struct pipa_column pipa_columns_io[PIPA_COL_IO_NR];
extern const struct pipa_column pipa_columns_mem[PIPA_COL_MEM_NR];
extern const struct pipa_column pipa_columns_swap[PIPA_COL_SWAP_NR];
extern const struct pipa_column pipa_columns_hugepages[PIPA_COL_HUGEPAGES_NR];
extern const struct pipa_column pipa_columns_kernel_tables[PIPA_COL_KERNEL_TABLES_NR];
extern const struct pipa_column pipa_columns_load[PIPA_COL_LOAD_NR];
extern const struct pipa_column pipa_columns_tty[PIPA_COL_TTY_NR];
extern const struct pipa_column pipa_columns_disk[PIPA_COL_DISK_NR];
extern const struct pipa_column pipa_columns_net[PIPA_COL_NET_NR];
extern const struct pipa_column pipa_columns_net_errors[PIPA_COL_NET_ERRORS_NR];
extern const struct pipa_column pipa_columns_nfs[PIPA_COL_NFS_NR];
extern const struct pipa_column pipa_columns_nfsd[PIPA_COL_NFSD_NR];
extern const struct pipa_column pipa_columns_sockets[PIPA_COL_SOCKETS_NR];
extern const struct pipa_column pipa_columns_ip[PIPA_COL_IP_NR];
extern const struct pipa_column pipa_columns_ip_errors[PIPA_COL_IP_ERRORS_NR];
extern const struct pipa_column pipa_columns_icmp[PIPA_COL_ICMP_NR];
extern const struct pipa_column pipa_columns_icmp_errors[PIPA_COL_ICMP_ERRORS_NR];
extern const struct pipa_column pipa_columns_tcp[PIPA_COL_TCP_NR];
extern const struct pipa_column pipa_columns_tcp_errors[PIPA_COL_TCP_ERRORS_NR];
extern const struct pipa_column pipa_columns_udp[PIPA_COL_UDP_NR];
extern const struct pipa_column pipa_columns_sockets6[PIPA_COL_SOCKETS6_NR];
extern const struct pipa_column pipa_columns_ip6[PIPA_COL_IP6_NR];
extern const struct pipa_column pipa_columns_ip6_errors[PIPA_COL_IP6_ERRORS_NR];
extern const struct pipa_column pipa_columns_icmp6[PIPA_COL_ICMP6_NR];
extern const struct pipa_column pipa_columns_icmp6_errors[PIPA_COL_ICMP6_ERRORS_NR];
extern const struct pipa_column pipa_columns_udp6[PIPA_COL_UDP6_NR];
extern const struct pipa_column pipa_columns_softnet[PIPA_COL_SOFTNET_NR];
extern const struct pipa_column pipa_columns_psi_cpu[PIPA_COL_PSI_CPU_NR];
extern const struct pipa_column pipa_columns_psi_io[PIPA_COL_PSI_IO_NR];
extern const struct pipa_column pipa_columns_psi_memory[PIPA_COL_PSI_MEMORY_NR];
extern const struct pipa_column pipa_columns_fs[PIPA_COL_FS_NR];
extern const struct pipa_column pipa_columns_numa[PIPA_COL_NUMA_NR];
extern const struct pipa_column pipa_columns_freq[PIPA_COL_FREQ_NR];
extern const struct pipa_column pipa_columns_thermal[PIPA_COL_THERMAL_NR];
extern const struct pipa_column pipa_columns_cgroups[PIPA_COL_CGROUPS_NR];
extern const struct pipa_column pipa_columns_processes[PIPA_COL_PROCESSES_NR];
extern const struct pipa_column pipa_columns_process_io[PIPA_COL_PROCESS_IO_NR];
extern const struct pipa_column pipa_columns_process_switches[PIPA_COL_PROCESS_SWITCHES_NR];
extern const struct pipa_column pipa_columns_threads[PIPA_COL_THREADS_NR];
extern const struct pipa_column pipa_columns_thread_io[PIPA_COL_THREAD_IO_NR];
extern const struct pipa_column pipa_columns_thread_switches[PIPA_COL_THREAD_SWITCHES_NR];

#endif
