/*
 * Parse files of /proc to raw numbers. Pure: bytes in, rows out. Unknown, older, newer or
 * truncated text leaves fields missing and never fails.
 *
 * A file is a row of pipa_proc_files[]: path, parser, group of numbers. The fields of a group are
 * an enum; values that a file names are listed by that name.
 */
#ifndef PIPA_KERNEL_TEXT_PROC_TEXT_H
#define PIPA_KERNEL_TEXT_PROC_TEXT_H

#include <stddef.h>

#include "kernel/text/raw.h"

enum pipa_group {
	PIPA_GROUP_CPU,	   /* a row per CPU, "all" first */
	PIPA_GROUP_SYSTEM, /* machine-wide values of /proc/stat */
	PIPA_GROUP_VMSTAT,
	PIPA_GROUP_MEMINFO,
	PIPA_GROUP_DISK, /* a row per block device */
	PIPA_GROUP_NET,	 /* a row per interface */
	PIPA_GROUP_SNMP,
	PIPA_GROUP_SNMP6,
	PIPA_GROUP_SOCKETS,
	PIPA_GROUP_SOCKETS6,
	PIPA_GROUP_SOFTNET, /* a row per CPU, "all" first */
	PIPA_GROUP_NFS,
	PIPA_GROUP_NFSD,
	PIPA_GROUP_LOAD,
	PIPA_GROUP_PSI_CPU,
	PIPA_GROUP_PSI_IO,
	PIPA_GROUP_PSI_MEMORY,
	PIPA_GROUP_TABLES,
	PIPA_GROUP_TTY,	       /* a row per serial line */
	PIPA_GROUP_INTERRUPTS, /* "sum" first, then a row per IRQ that was ever raised */
	PIPA_GROUP_SOFTIRQS,   /* a row per CPU, "all" first */
	PIPA_GROUP_NR,
};

/* clang-format off */
enum { CPU_USER, CPU_NICE, CPU_SYS, CPU_IDLE, CPU_IOWAIT, CPU_IRQ, CPU_SOFT, CPU_STEAL, CPU_GUEST,
       CPU_GNICE, CPU_FIELDS };
enum { SYSTEM_INTR, SYSTEM_CTXT, SYSTEM_FORKS, SYSTEM_FIELDS };
enum { DISK_READS, DISK_READ_MERGES, DISK_READ_SECTORS, DISK_READ_MS, DISK_WRITES,
       DISK_WRITE_MERGES, DISK_WRITE_SECTORS, DISK_WRITE_MS, DISK_IN_FLIGHT, DISK_BUSY_MS,
       DISK_QUEUE_MS, DISK_DISCARDS, DISK_DISCARD_MERGES, DISK_DISCARD_SECTORS, DISK_DISCARD_MS,
       DISK_FLUSHES, DISK_FLUSH_MS, DISK_FIELDS };
enum { NET_RX_BYTES, NET_RX_PACKETS, NET_RX_ERRORS, NET_RX_DROPS, NET_RX_FIFO, NET_RX_FRAME,
       NET_RX_COMPRESSED, NET_RX_MULTICAST, NET_TX_BYTES, NET_TX_PACKETS, NET_TX_ERRORS,
       NET_TX_DROPS, NET_TX_FIFO, NET_COLLISIONS, NET_TX_CARRIER, NET_TX_COMPRESSED,
       NET_SPEED_MBIT, NET_HALF_DUPLEX, NET_FIELDS };
enum { INTERRUPTS_COUNT, INTERRUPTS_FIELDS };
enum { SOFTIRQ_HI, SOFTIRQ_TIMER, SOFTIRQ_NET_TX, SOFTIRQ_NET_RX, SOFTIRQ_BLOCK, SOFTIRQ_IRQ_POLL,
       SOFTIRQ_TASKLET, SOFTIRQ_SCHED, SOFTIRQ_HRTIMER, SOFTIRQ_RCU, SOFTIRQ_FIELDS };
enum { LOAD_1, LOAD_5, LOAD_15, LOAD_RUNNING, LOAD_TASKS, LOAD_BLOCKED, LOAD_FIELDS };
enum { PSI_SOME_10, PSI_SOME_60, PSI_SOME_300, PSI_SOME_US, PSI_FULL_10, PSI_FULL_60,
       PSI_FULL_300, PSI_FULL_US, PSI_FIELDS };
enum { SOFTNET_PACKETS, SOFTNET_DROPPED, SOFTNET_SQUEEZED, SOFTNET_RPS, SOFTNET_FLOW_LIMIT,
       SOFTNET_BACKLOG, SOFTNET_FIELDS };
enum { TTY_TX, TTY_RX, TTY_FRAME, TTY_PARITY, TTY_BREAK, TTY_OVERRUN, TTY_FIELDS };
enum { TABLES_DENTRIES, TABLES_DENTRIES_UNUSED, TABLES_FILES, TABLES_FILES_FREE, TABLES_INODES,
       TABLES_INODES_FREE, TABLES_PTYS, TABLES_FIELDS };
enum { NFS_PACKETS, NFS_UDP, NFS_TCP, NFS_CALLS, NFS_RETRANS, NFS_GETATTR, NFS_ACCESS, NFS_READ,
       NFS_WRITE, NFS_HITS, NFS_MISSES, NFS_BAD, NFS_FIELDS };

#define PIPA_VMSTAT_KEYS(X)                                                                        \
	X(pgpgin) X(pgpgout) X(pswpin) X(pswpout) X(pgfree) X(pgfault) X(pgmajfault)               \
	X(pgsteal_kswapd) X(pgsteal_direct) X(pgsteal_khugepaged) X(pgsteal_proactive)             \
	X(pgscan_kswapd) X(pgscan_direct) X(pgscan_khugepaged) X(pgscan_proactive) X(oom_kill)
#define PIPA_MEMINFO_KEYS(X)                                                                       \
	X(MemTotal) X(MemFree) X(MemAvailable) X(Buffers) X(Cached) X(SwapCached) X(Active)        \
	X(Inactive) X(SwapTotal) X(SwapFree) X(Dirty) X(AnonPages) X(Shmem) X(Slab)                \
	X(KernelStack) X(PageTables) X(Committed_AS) X(VmallocUsed) X(HugePages_Total)             \
	X(HugePages_Free) X(HugePages_Rsvd) X(HugePages_Surp) X(Hugepagesize)
#define PIPA_SNMP_KEYS(X)                                                                          \
	X(Ip, InReceives) X(Ip, InHdrErrors) X(Ip, InAddrErrors) X(Ip, ForwDatagrams)              \
	X(Ip, InUnknownProtos) X(Ip, InDiscards) X(Ip, InDelivers) X(Ip, OutRequests)              \
	X(Ip, OutDiscards) X(Ip, OutNoRoutes) X(Ip, ReasmReqds) X(Ip, ReasmOKs)                    \
	X(Ip, ReasmFails) X(Ip, FragOKs) X(Ip, FragFails) X(Ip, FragCreates)                       \
	X(Icmp, InMsgs) X(Icmp, InErrors) X(Icmp, InDestUnreachs) X(Icmp, InTimeExcds)             \
	X(Icmp, InParmProbs) X(Icmp, InSrcQuenchs) X(Icmp, InRedirects) X(Icmp, InEchos)           \
	X(Icmp, InEchoReps) X(Icmp, InTimestamps) X(Icmp, InTimestampReps)                         \
	X(Icmp, InAddrMasks) X(Icmp, InAddrMaskReps) X(Icmp, OutMsgs) X(Icmp, OutErrors)           \
	X(Icmp, OutDestUnreachs) X(Icmp, OutTimeExcds) X(Icmp, OutParmProbs)                       \
	X(Icmp, OutSrcQuenchs) X(Icmp, OutRedirects) X(Icmp, OutEchos) X(Icmp, OutEchoReps)        \
	X(Icmp, OutTimestamps) X(Icmp, OutTimestampReps) X(Icmp, OutAddrMasks)                     \
	X(Icmp, OutAddrMaskReps) X(Tcp, ActiveOpens) X(Tcp, PassiveOpens)                          \
	X(Tcp, AttemptFails) X(Tcp, EstabResets) X(Tcp, CurrEstab) X(Tcp, InSegs)                  \
	X(Tcp, OutSegs) X(Tcp, RetransSegs) X(Tcp, InErrs) X(Tcp, OutRsts)                         \
	X(Udp, InDatagrams) X(Udp, NoPorts) X(Udp, InErrors) X(Udp, OutDatagrams)
#define PIPA_SNMP6_KEYS(X)                                                                         \
	X(Ip6InReceives) X(Ip6InHdrErrors) X(Ip6InTooBigErrors) X(Ip6InNoRoutes)                   \
	X(Ip6InAddrErrors) X(Ip6InUnknownProtos) X(Ip6InTruncatedPkts) X(Ip6InDiscards)            \
	X(Ip6InDelivers) X(Ip6OutForwDatagrams) X(Ip6OutRequests) X(Ip6OutDiscards)                \
	X(Ip6OutNoRoutes) X(Ip6ReasmReqds) X(Ip6ReasmOKs) X(Ip6ReasmFails) X(Ip6FragOKs)           \
	X(Ip6FragFails) X(Ip6FragCreates) X(Ip6InMcastPkts) X(Ip6OutMcastPkts)                     \
	X(Icmp6InMsgs) X(Icmp6InErrors) X(Icmp6OutMsgs) X(Icmp6InDestUnreachs)                     \
	X(Icmp6InPktTooBigs) X(Icmp6InTimeExcds) X(Icmp6InParmProblems) X(Icmp6InEchos)            \
	X(Icmp6InEchoReplies) X(Icmp6InGroupMembQueries) X(Icmp6InGroupMembResponses)              \
	X(Icmp6InGroupMembReductions) X(Icmp6InRouterSolicits)                                     \
	X(Icmp6InRouterAdvertisements) X(Icmp6InNeighborSolicits)                                  \
	X(Icmp6InNeighborAdvertisements) X(Icmp6InRedirects) X(Icmp6OutDestUnreachs)               \
	X(Icmp6OutPktTooBigs) X(Icmp6OutTimeExcds) X(Icmp6OutParmProblems)                         \
	X(Icmp6OutEchoReplies) X(Icmp6OutGroupMembResponses) X(Icmp6OutGroupMembReductions)        \
	X(Icmp6OutRouterSolicits) X(Icmp6OutNeighborSolicits)                                      \
	X(Icmp6OutNeighborAdvertisements) X(Icmp6OutRedirects) X(Udp6InDatagrams)                  \
	X(Udp6NoPorts) X(Udp6InErrors) X(Udp6OutDatagrams)
#define PIPA_SOCKETS_KEYS(X)                                                                       \
	X(sockets, used) X(TCP, inuse) X(TCP, tw) X(TCP, orphan) X(UDP, inuse) X(RAW, inuse)       \
	X(FRAG, inuse)
#define PIPA_SOCKETS6_KEYS(X) X(TCP6, inuse) X(UDP6, inuse) X(RAW6, inuse) X(FRAG6, inuse)

#define X(key) VMSTAT_##key,
enum { PIPA_VMSTAT_KEYS(X) VMSTAT_FIELDS };
#undef X
#define X(key) MEMINFO_##key,
enum { PIPA_MEMINFO_KEYS(X) MEMINFO_FIELDS };
#undef X
#define X(part, key) SNMP_##part##_##key,
enum { PIPA_SNMP_KEYS(X) SNMP_FIELDS };
#undef X
#define X(key) SNMP6_##key,
enum { PIPA_SNMP6_KEYS(X) SNMP6_FIELDS };
#undef X
#define X(part, key) SOCKETS_##part##_##key,
enum { PIPA_SOCKETS_KEYS(X) SOCKETS_FIELDS };
enum { PIPA_SOCKETS6_KEYS(X) SOCKETS6_FIELDS };
#undef X
/* clang-format on */

struct pipa_readings {
	struct pipa_raw group[PIPA_GROUP_NR];
	bool interrupts; /* parse the counts of /proc/stat for each IRQ, which can be many */
};

void pipa_readings_init(struct pipa_readings *readings);
void pipa_readings_done(struct pipa_readings *readings);

/* A file of /proc. */
struct pipa_proc_file {
	const char *path;	   /* below /proc */
	enum pipa_group groups[4]; /* groups that the file fills; PIPA_GROUP_NR ends the list */
	size_t offset, count;	   /* of the fields, for files with one line of numbers */
	void (*parse)(const struct pipa_proc_file *file, const char *text, size_t len,
		      struct pipa_readings *readings);
	/* initial size of the buffer; small for sysctl files, whose read time depends on the size */
	size_t first_size;
};

extern const struct pipa_proc_file pipa_proc_files[];
extern const size_t pipa_n_proc_files;

/* Begin a reading, parse the text of each file (not terminated), and end the reading. */
void pipa_readings_begin(struct pipa_readings *readings);
void pipa_proc_parse(const struct pipa_proc_file *file, const char *text, size_t len,
		     struct pipa_readings *readings);
void pipa_readings_end(struct pipa_readings *readings);

#endif
