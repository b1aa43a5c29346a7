/* Control groups, processes and threads. */
#include "model/section_columns.h"

#define ROW(index, ...) [PIPA_COL_##index] = COLUMN(__VA_ARGS__)

/* Rows that processes and threads share. */
#define TGID(SECTION, id)                                                                          \
	ROW(SECTION##_TGID, id ".tgid", "TGID", NONE, 0, ATTRIBUTE,                                \
	    "PID of the process of the thread")
#define CPU_AND_MEMORY(SECTION, id)                                                                \
	ROW(SECTION##_UID, id ".uid", "UID", NONE, 0, ATTRIBUTE, "real user id of the task"),      \
		ROW(SECTION##_USR, id ".usr", "%usr", PERCENT, 2, SHARE,                           \
		    "CPU time in user mode, without guests, in percent of one CPU"),               \
		ROW(SECTION##_SYSTEM, id ".system", "%system", PERCENT, 2, SHARE,                  \
		    "CPU time in kernel mode, in percent of one CPU"),                             \
		ROW(SECTION##_GUEST, id ".guest", "%guest", PERCENT, 2, SHARE,                     \
		    "CPU time spent running a virtual processor, in percent of one CPU"),          \
		ROW(SECTION##_WAIT, id ".wait", "%wait", PERCENT, 2, SHARE,                        \
		    "time spent runnable, waiting for a CPU"),                                     \
		ROW(SECTION##_TOTAL, id ".total", "%CPU", PERCENT, 2, SHARE,                       \
		    "CPU time in user and kernel mode, in percent of one CPU"),                    \
		ROW(SECTION##_CPU, id ".cpu", "CPU", NONE, 0, ATTRIBUTE,                           \
		    "CPU that the task last ran on"),                                              \
		ROW(SECTION##_MINFLT, id ".minflt", "minflt/s", PER_SECOND, 2, RATE,               \
		    "minor page faults"),                                                          \
		ROW(SECTION##_MAJFLT, id ".majflt", "majflt/s", PER_SECOND, 2, RATE,               \
		    "major page faults: a page was loaded from disk"),                             \
		ROW(SECTION##_VSZ, id ".vsz", "VSZ", KB, 0, GAUGE, "virtual memory size"),         \
		ROW(SECTION##_RSS, id ".rss", "RSS", KB, 0, GAUGE, "resident set size"),           \
		ROW(SECTION##_MEM, id ".mem", "%MEM", PERCENT, 2, GAUGE,                           \
		    "resident set size as a share of MemTotal"),                                   \
		ROW(SECTION##_THREADS, id ".threads", "threads", NONE, 0, GAUGE,                   \
		    "threads in the process")
#define STORAGE(SECTION, id)                                                                       \
	ROW(SECTION##_RD, id ".rd", "kB_rd/s", KB_PER_SECOND, 2, RATE,                             \
	    "kilobytes that the task caused to be read from disk"),                                \
		ROW(SECTION##_WR, id ".wr", "kB_wr/s", KB_PER_SECOND, 2, RATE,                     \
		    "kilobytes that the task caused to be written to disk"),                       \
		ROW(SECTION##_CCWR, id ".ccwr", "kB_ccwr/s", KB_PER_SECOND, 2, RATE,               \
		    "kilobytes of cancelled writes, such as of truncated dirty page cache"),       \
		ROW(SECTION##_IODELAY, id ".iodelay", "iodelay", NONE, 0, DELTA,                   \
		    "block I/O delay, in clock ticks, waits for sync and swap-in included")
#define SWITCHES(SECTION, id)                                                                      \
	ROW(SECTION##_CSWCH, id ".cswch", "cswch/s", PER_SECOND, 2, RATE,                          \
	    "voluntary context switches"),                                                         \
		ROW(SECTION##_NVCSWCH, id ".nvcswch", "nvcswch/s", PER_SECOND, 2, RATE,            \
		    "involuntary context switches")
#define STATE_AND_COMMAND(SECTION, id)                                                             \
	ROW(SECTION##_STATE, id ".state", "S", WORD, 0, TEXT,                                      \
	    "state of the task, as in /proc/PID/stat"),                                            \
		ROW(SECTION##_COMMAND, id ".command", "Command", WORD, 0, TEXT,                    \
		    "command name of the task")

const struct pipa_column pipa_columns_limits[PIPA_COL_LIMITS_NR] = {
	[PIPA_COL_LIMITS_HOST_CPUS] = COLUMN("limits.host_cpus", "hostcpus", NONE, 0, GAUGE,
					     "online CPUs of the machine"),
	[PIPA_COL_LIMITS_CPUS] = COLUMN(
		"limits.cpus", "cpus", NONE, 0, GAUGE,
		"CPUs in the smallest cpuset of our group and its ancestors; missing: no limit"),
	[PIPA_COL_LIMITS_QUOTA] = COLUMN(
		"limits.quota", "quota", NONE, 2, GAUGE,
		"smallest cpu.max of our group and its ancestors, in CPUs; missing: no limit"),
	[PIPA_COL_LIMITS_THROTTLED_SHARE] = COLUMN(
		"limits.throttled_share", "%thr", PERCENT, 2, SHARE,
		"share of CFS periods in which the group with the smallest quota was throttled"),
	[PIPA_COL_LIMITS_THROTTLED] = COLUMN(
		"limits.throttled", "thr/s", PER_SECOND, 2, RATE,
		"CFS periods per second in which the group with the smallest quota was throttled"),
	[PIPA_COL_LIMITS_HOST_MEMORY] = COLUMN("limits.host_memory", "kbhost", KB, 0, GAUGE,
					       "MemTotal of /proc/meminfo"),
	[PIPA_COL_LIMITS_MEMORY_MAX] = COLUMN(
		"limits.memory_max", "kbmax", KB, 0, GAUGE,
		"smallest memory.max of our group and its ancestors; missing: no limit"),
	[PIPA_COL_LIMITS_MEMORY] = COLUMN(
		"limits.memory", "kbmem", KB, 0, GAUGE,
		"memory.current of the group with the smallest memory.max"),
	[PIPA_COL_LIMITS_MEMORY_SHARE] = COLUMN("limits.memory_share", "%mem", PERCENT, 2, GAUGE,
						"memory.current as a share of memory.max"),
	[PIPA_COL_LIMITS_SWAP_MAX] = COLUMN(
		"limits.swap_max", "kbswpmax", KB, 0, GAUGE,
		"smallest memory.swap.max of our group and its ancestors; missing: no limit"),
	[PIPA_COL_LIMITS_SWAP] = COLUMN(
		"limits.swap", "kbswp", KB, 0, GAUGE,
		"memory.swap.current of the group with the smallest memory.swap.max"),
	[PIPA_COL_LIMITS_PIDS_MAX] = COLUMN(
		"limits.pids_max", "pidsmax", NONE, 0, GAUGE,
		"smallest pids.max of our group and its ancestors; missing: no limit"),
	[PIPA_COL_LIMITS_PIDS] = COLUMN("limits.pids", "pids", NONE, 0, GAUGE,
					"pids.current of the group with the smallest pids.max"),
};

const struct pipa_column pipa_columns_cgroups[PIPA_COL_CGROUPS_NR] = {
	[PIPA_COL_CGROUPS_CPU] = COLUMN("cgroup.cpu", "%CPU", PERCENT, 2, SHARE,
					"CPU time used, in percent of one CPU"),
	[PIPA_COL_CGROUPS_USR] = COLUMN("cgroup.usr", "%usr", PERCENT, 2, SHARE,
					"CPU time in user mode, in percent of one CPU"),
	[PIPA_COL_CGROUPS_SYS] = COLUMN("cgroup.sys", "%sys", PERCENT, 2, SHARE,
					"CPU time in kernel mode, in percent of one CPU"),
	[PIPA_COL_CGROUPS_THROTTLED_SHARE] = COLUMN(
		"cgroup.throttled_share", "%thr", PERCENT, 2, SHARE,
		"share of CFS periods in which the group was throttled"),
	[PIPA_COL_CGROUPS_THROTTLED] = COLUMN(
		"cgroup.throttled", "thr/s", PER_SECOND, 2, RATE,
		"CFS periods per second in which the group was throttled"),
	[PIPA_COL_CGROUPS_MEMORY] = COLUMN(
		"cgroup.memory", "kbmem", KB, 0, GAUGE,
		"memory.current: memory used by the group and its descendants"),
	[PIPA_COL_CGROUPS_MEMORY_MAX] = COLUMN(
		"cgroup.memory_max", "kbmax", KB, 0, GAUGE,
		"memory.max: hard limit of memory; missing: no limit"),
	[PIPA_COL_CGROUPS_MEMORY_SHARE] = COLUMN("cgroup.memory_share", "%mem", PERCENT, 2, GAUGE,
						 "memory.current as a share of memory.max"),
	[PIPA_COL_CGROUPS_SWAP] = COLUMN(
		"cgroup.swap", "kbswp", KB, 0, GAUGE,
		"memory.swap.current: swap space used by the group and its descendants"),
	[PIPA_COL_CGROUPS_READ] = COLUMN("cgroup.read", "rkB/s", KB_PER_SECOND, 2, RATE,
					 "kilobytes read from block devices"),
	[PIPA_COL_CGROUPS_WRITTEN] = COLUMN("cgroup.written", "wkB/s", KB_PER_SECOND, 2, RATE,
					    "kilobytes written to block devices"),
	[PIPA_COL_CGROUPS_PIDS] = COLUMN("cgroup.pids", "pids", NONE, 0, GAUGE,
					 "pids.current: tasks in the group and its descendants"),
};

const struct pipa_column pipa_columns_processes[PIPA_COL_PROCESSES_NR] = {
	CPU_AND_MEMORY(PROCESSES, "process"),
	STATE_AND_COMMAND(PROCESSES, "process"),
};

const struct pipa_column pipa_columns_process_io[PIPA_COL_PROCESS_IO_NR] = {
	STORAGE(PROCESS_IO, "process"),
	STATE_AND_COMMAND(PROCESS_IO, "process"),
};

const struct pipa_column pipa_columns_process_switches[PIPA_COL_PROCESS_SWITCHES_NR] = {
	SWITCHES(PROCESS_SWITCHES, "process"),
	STATE_AND_COMMAND(PROCESS_SWITCHES, "process"),
};

const struct pipa_column pipa_columns_threads[PIPA_COL_THREADS_NR] = {
	TGID(THREADS, "thread"),
	CPU_AND_MEMORY(THREADS, "thread"),
	STATE_AND_COMMAND(THREADS, "thread"),
};

const struct pipa_column pipa_columns_thread_io[PIPA_COL_THREAD_IO_NR] = {
	TGID(THREAD_IO, "thread"),
	STORAGE(THREAD_IO, "thread"),
	STATE_AND_COMMAND(THREAD_IO, "thread"),
};

const struct pipa_column pipa_columns_thread_switches[PIPA_COL_THREAD_SWITCHES_NR] = {
	TGID(THREAD_SWITCHES, "thread"),
	SWITCHES(THREAD_SWITCHES, "thread"),
	STATE_AND_COMMAND(THREAD_SWITCHES, "thread"),
};
