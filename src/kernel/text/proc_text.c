#include "kernel/text/proc_text.h"

#include "base/auto.h"
#include "kernel/text/proc_parsers.h"

#define NONE PIPA_GROUP_NR
#define FILLS(name, group, fn, size)                                                               \
	{                                                                                          \
		name, { PIPA_GROUP_##group, NONE, NONE, NONE }, 0, 0, fn, size                     \
	}
#define LINE(name, first, n)                                                                       \
	{                                                                                          \
		name, { PIPA_GROUP_TABLES, NONE, NONE, NONE }, first, n, pipa_parse_numbers, 128   \
	}

const struct pipa_proc_file pipa_proc_files[] = {
	{ "stat",
	  { PIPA_GROUP_CPU, PIPA_GROUP_SYSTEM, PIPA_GROUP_LOAD, PIPA_GROUP_INTERRUPTS },
	  0,
	  0,
	  pipa_parse_stat,
	  16384 },
	FILLS("vmstat", VMSTAT, pipa_parse_vmstat, 8192),
	FILLS("meminfo", MEMINFO, pipa_parse_meminfo, 4096),
	FILLS("diskstats", DISK, pipa_parse_diskstats, 8192),
	FILLS("net/dev", NET, pipa_parse_net_dev, 4096),
	FILLS("net/snmp", SNMP, pipa_parse_snmp, 4096),
	FILLS("net/snmp6", SNMP6, pipa_parse_snmp6, 8192),
	FILLS("net/sockstat", SOCKETS, pipa_parse_sockets, 512),
	FILLS("net/sockstat6", SOCKETS6, pipa_parse_sockets6, 512),
	FILLS("net/softnet_stat", SOFTNET, pipa_parse_softnet, 4096),
	FILLS("net/rpc/nfs", NFS, pipa_parse_rpc, 2048),
	FILLS("net/rpc/nfsd", NFSD, pipa_parse_rpc, 2048),
	FILLS("loadavg", LOAD, pipa_parse_loadavg, 128),
	FILLS("pressure/cpu", PSI_CPU, pipa_parse_pressure, 256),
	FILLS("pressure/io", PSI_IO, pipa_parse_pressure, 256),
	FILLS("pressure/memory", PSI_MEMORY, pipa_parse_pressure, 256),
	LINE("sys/fs/dentry-state", TABLES_DENTRIES, 2),
	LINE("sys/fs/file-nr", TABLES_FILES, 2),
	LINE("sys/fs/inode-state", TABLES_INODES, 2),
	LINE("sys/kernel/pty/nr", TABLES_PTYS, 1),
	FILLS("tty/driver/serial", TTY, pipa_parse_tty, 4096),
	FILLS("softirqs", SOFTIRQS, pipa_parse_softirqs, 4096),
};

const size_t pipa_n_proc_files = PIPA_COUNT(pipa_proc_files);

void pipa_readings_init(struct pipa_readings *readings)
{
	static const size_t fields[PIPA_GROUP_NR] = {
		[PIPA_GROUP_CPU] = CPU_FIELDS,		[PIPA_GROUP_SYSTEM] = SYSTEM_FIELDS,
		[PIPA_GROUP_VMSTAT] = VMSTAT_FIELDS,	[PIPA_GROUP_MEMINFO] = MEMINFO_FIELDS,
		[PIPA_GROUP_DISK] = DISK_FIELDS,	[PIPA_GROUP_NET] = NET_FIELDS,
		[PIPA_GROUP_SNMP] = SNMP_FIELDS,	[PIPA_GROUP_SNMP6] = SNMP6_FIELDS,
		[PIPA_GROUP_SOCKETS] = SOCKETS_FIELDS,	[PIPA_GROUP_SOCKETS6] = SOCKETS6_FIELDS,
		[PIPA_GROUP_SOFTNET] = SOFTNET_FIELDS,	[PIPA_GROUP_NFS] = NFS_FIELDS,
		[PIPA_GROUP_NFSD] = NFS_FIELDS,		[PIPA_GROUP_LOAD] = LOAD_FIELDS,
		[PIPA_GROUP_PSI_CPU] = PSI_FIELDS,	[PIPA_GROUP_PSI_IO] = PSI_FIELDS,
		[PIPA_GROUP_PSI_MEMORY] = PSI_FIELDS,	[PIPA_GROUP_TABLES] = TABLES_FIELDS,
		[PIPA_GROUP_TTY] = TTY_FIELDS,		[PIPA_GROUP_INTERRUPTS] = INTERRUPTS_FIELDS,
		[PIPA_GROUP_SOFTIRQS] = SOFTIRQ_FIELDS,
	};
	size_t i;

	readings->interrupts = false;
	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_init(&readings->group[i], fields[i]);
	readings->group[PIPA_GROUP_CPU].cpus = true;
	readings->group[PIPA_GROUP_CPU].grow = pipa_grow_cpu;
	readings->group[PIPA_GROUP_SOFTNET].cpus = true;
	readings->group[PIPA_GROUP_SOFTIRQS].cpus = true;
}

void pipa_readings_done(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_done(&readings->group[i]);
}

void pipa_readings_begin(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_begin(&readings->group[i]);
}

void pipa_proc_parse(const struct pipa_proc_file *file, const char *text, size_t len,
		     struct pipa_readings *readings)
{
	file->parse(file, text, len, readings);
}

void pipa_readings_end(struct pipa_readings *readings)
{
	size_t i;

	for (i = 0; i < PIPA_GROUP_NR; i++)
		pipa_raw_end(&readings->group[i]);
}
