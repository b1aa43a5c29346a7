#include "model/sections.h"

#include <string.h>

#include "model/section_columns.h"

#define SECTION(index, name, label, title, columns)                                                \
	[PIPA_SECTION_##index] = { name, label, title, columns, PIPA_COL_##index##_NR }

const struct pipa_section pipa_sections[PIPA_SECTION_NR] = {
	SECTION(LIMITS, "limits", NULL, "limits of the cgroup of pipa", pipa_columns_limits),
	SECTION(CPU, "cpu", "CPU", "CPU time", pipa_columns_cpu),
	SECTION(CPU_SHORT, "cpu-short", "CPU", "CPU time, six columns", pipa_columns_cpu_short),
	SECTION(CSWCH, "cswch", NULL, "task creation and context switches", pipa_columns_cswch),
	SECTION(INTERRUPTS, "interrupts", "INTR", "interrupts", pipa_columns_interrupts),
	SECTION(SOFTIRQ, "softirq", "CPU", "softirqs", pipa_columns_softirq),
	SECTION(SWAPPING, "swapping", NULL, "swapping", pipa_columns_swapping),
	SECTION(PAGING, "paging", NULL, "paging", pipa_columns_paging),
	SECTION(IO, "io", NULL, "I/O and transfer rates", pipa_columns_io),
	SECTION(MEM, "mem", NULL, "memory utilization", pipa_columns_mem),
	SECTION(SWAP, "swap", NULL, "swap space", pipa_columns_swap),
	SECTION(HUGEPAGES, "hugepages", NULL, "huge pages", pipa_columns_hugepages),
	SECTION(KERNEL_TABLES, "kernel-tables", NULL, "kernel tables", pipa_columns_kernel_tables),
	SECTION(LOAD, "load", NULL, "load average and run queue", pipa_columns_load),
	SECTION(TTY, "tty", "TTY", "TTY devices", pipa_columns_tty),
	SECTION(DISK, "disk", "DEV", "disks", pipa_columns_disk),
	SECTION(NET, "net", "IFACE", "network interfaces", pipa_columns_net),
	SECTION(NET_ERRORS, "net-errors", "IFACE", "network errors", pipa_columns_net_errors),
	SECTION(NFS, "nfs", NULL, "NFS client", pipa_columns_nfs),
	SECTION(NFSD, "nfsd", NULL, "NFS server", pipa_columns_nfsd),
	SECTION(SOCKETS, "sockets", NULL, "sockets", pipa_columns_sockets),
	SECTION(IP, "ip", NULL, "IPv4", pipa_columns_ip),
	SECTION(IP_ERRORS, "ip-errors", NULL, "IPv4 errors", pipa_columns_ip_errors),
	SECTION(ICMP, "icmp", NULL, "ICMP", pipa_columns_icmp),
	SECTION(ICMP_ERRORS, "icmp-errors", NULL, "ICMP errors", pipa_columns_icmp_errors),
	SECTION(TCP, "tcp", NULL, "TCP", pipa_columns_tcp),
	SECTION(TCP_ERRORS, "tcp-errors", NULL, "TCP errors", pipa_columns_tcp_errors),
	SECTION(UDP, "udp", NULL, "UDP", pipa_columns_udp),
	SECTION(SOCKETS6, "sockets6", NULL, "IPv6 sockets", pipa_columns_sockets6),
	SECTION(IP6, "ip6", NULL, "IPv6", pipa_columns_ip6),
	SECTION(IP6_ERRORS, "ip6-errors", NULL, "IPv6 errors", pipa_columns_ip6_errors),
	SECTION(ICMP6, "icmp6", NULL, "ICMPv6", pipa_columns_icmp6),
	SECTION(ICMP6_ERRORS, "icmp6-errors", NULL, "ICMPv6 errors", pipa_columns_icmp6_errors),
	SECTION(UDP6, "udp6", NULL, "UDPv6", pipa_columns_udp6),
	SECTION(SOFTNET, "softnet", "CPU", "network softirqs", pipa_columns_softnet),
	SECTION(PSI_CPU, "psi-cpu", NULL, "CPU pressure", pipa_columns_psi_cpu),
	SECTION(PSI_IO, "psi-io", NULL, "I/O pressure", pipa_columns_psi_io),
	SECTION(PSI_MEMORY, "psi-memory", NULL, "memory pressure", pipa_columns_psi_memory),
	SECTION(FS, "fs", "FILESYSTEM", "file systems", pipa_columns_fs),
	SECTION(NUMA, "numa", "NODE", "NUMA nodes", pipa_columns_numa),
	SECTION(FREQ, "freq", "CPU", "CPU frequency", pipa_columns_freq),
	SECTION(THERMAL, "thermal", "SENSOR", "temperatures", pipa_columns_thermal),
	SECTION(CGROUPS, "cgroups", "CGROUP", "control groups", pipa_columns_cgroups),
	SECTION(PROCESSES, "processes", "PID", "Processes: CPU and memory", pipa_columns_processes),
	SECTION(PROCESS_IO, "process-io", "PID", "Processes: storage", pipa_columns_process_io),
	SECTION(PROCESS_SWITCHES, "process-switches", "PID", "Processes: context switches",
		pipa_columns_process_switches),
	SECTION(THREADS, "threads", "TID", "Threads: CPU and memory", pipa_columns_threads),
	SECTION(THREAD_IO, "thread-io", "TID", "Threads: storage", pipa_columns_thread_io),
	SECTION(THREAD_SWITCHES, "thread-switches", "TID", "Threads: context switches",
		pipa_columns_thread_switches),
};

const struct pipa_section *pipa_section_find(const char *name)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR; i++)
		if (strcmp(pipa_sections[i].name, name) == 0)
			return &pipa_sections[i];
	return NULL;
}

enum pipa_section_id pipa_section_id(const struct pipa_section *section)
{
	size_t i;

	for (i = 0; i < PIPA_SECTION_NR && &pipa_sections[i] != section; i++)
		;
	return (enum pipa_section_id)i;
}
