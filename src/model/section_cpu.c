/* CPU time, interrupts, load and pressure. */
#include "model/section_columns.h"

const struct pipa_column pipa_columns_cpu[PIPA_COL_CPU_NR] = {
	[PIPA_COL_CPU_USR] = COLUMN("cpu.usr", "%usr", PERCENT, 2, SHARE,
				    "CPU time in user mode, without guests"),
	[PIPA_COL_CPU_NICE] = COLUMN(
		"cpu.nice", "%nice", PERCENT, 2, SHARE,
		"CPU time in user mode with a nice value above 0, without guests"),
	[PIPA_COL_CPU_SYS] = COLUMN("cpu.sys", "%sys", PERCENT, 2, SHARE,
				    "CPU time in kernel mode, without interrupts and softirqs"),
	[PIPA_COL_CPU_IOWAIT] = COLUMN(
		"cpu.iowait", "%iowait", PERCENT, 2, SHARE,
		"idle CPU time during which the system had an outstanding disk I/O request"),
	[PIPA_COL_CPU_STEAL] = COLUMN(
		"cpu.steal", "%steal", PERCENT, 2, SHARE,
		"involuntary wait while the hypervisor served another virtual processor"),
	[PIPA_COL_CPU_IRQ] = COLUMN("cpu.irq", "%irq", PERCENT, 2, SHARE,
				    "CPU time spent servicing hardware interrupts"),
	[PIPA_COL_CPU_SOFT] = COLUMN("cpu.soft", "%soft", PERCENT, 2, SHARE,
				     "CPU time spent servicing softirqs"),
	[PIPA_COL_CPU_GUEST] = COLUMN("cpu.guest", "%guest", PERCENT, 2, SHARE,
				      "CPU time spent running a virtual processor"),
	[PIPA_COL_CPU_GNICE] = COLUMN(
		"cpu.gnice", "%gnice", PERCENT, 2, SHARE,
		"CPU time spent running a virtual processor with a nice value above 0"),
	[PIPA_COL_CPU_IDLE] = COLUMN("cpu.idle", "%idle", PERCENT, 2, SHARE,
				     "idle CPU time without an outstanding disk I/O request"),
};

const struct pipa_column pipa_columns_cpu_short[PIPA_COL_CPU_SHORT_NR] = {
	[PIPA_COL_CPU_SHORT_USER] = COLUMN("cpu.user", "%user", PERCENT, 2, SHARE,
					   "CPU time in user mode, including guests"),
	[PIPA_COL_CPU_SHORT_NICE_ALL] = COLUMN(
		"cpu.nice_all", "%nice", PERCENT, 2, SHARE,
		"CPU time in user mode with a nice value above 0, including guests"),
	[PIPA_COL_CPU_SHORT_SYSTEM] = COLUMN(
		"cpu.system", "%system", PERCENT, 2, SHARE,
		"CPU time in kernel mode, including interrupts and softirqs"),
	[PIPA_COL_CPU_SHORT_IOWAIT] = COLUMN(
		"cpu.iowait", "%iowait", PERCENT, 2, SHARE,
		"idle CPU time during which the system had an outstanding disk I/O request"),
	[PIPA_COL_CPU_SHORT_STEAL] = COLUMN(
		"cpu.steal", "%steal", PERCENT, 2, SHARE,
		"involuntary wait while the hypervisor served another virtual processor"),
	[PIPA_COL_CPU_SHORT_IDLE] = COLUMN("cpu.idle", "%idle", PERCENT, 2, SHARE,
					   "idle CPU time without an outstanding disk I/O request"),
};

const struct pipa_column pipa_columns_cswch[PIPA_COL_CSWCH_NR] = {
	[PIPA_COL_CSWCH_FORKS] = COLUMN("system.forks", "proc/s", PER_SECOND, 2, RATE,
					"tasks created"),
	[PIPA_COL_CSWCH_SWITCHES] = COLUMN("system.switches", "cswch/s", PER_SECOND, 2, RATE,
					   "context switches"),
};

const struct pipa_column pipa_columns_interrupts[PIPA_COL_INTERRUPTS_NR] = {
	[PIPA_COL_INTERRUPTS_COUNT] = COLUMN("interrupts.count", "intr/s", PER_SECOND, 2, RATE,
					     "interrupts received"),
};

const struct pipa_column pipa_columns_softirq[PIPA_COL_SOFTIRQ_NR] = {
	[PIPA_COL_SOFTIRQ_HI] = COLUMN("softirq.hi", "HI/s", PER_SECOND, 2, RATE,
				       "high-priority tasklets"),
	[PIPA_COL_SOFTIRQ_TIMER] = COLUMN("softirq.timer", "TIMER/s", PER_SECOND, 2, RATE,
					  "timer softirqs"),
	[PIPA_COL_SOFTIRQ_NET_TX] = COLUMN("softirq.net_tx", "NET_TX/s", PER_SECOND, 2, RATE,
					   "network transmit softirqs"),
	[PIPA_COL_SOFTIRQ_NET_RX] = COLUMN("softirq.net_rx", "NET_RX/s", PER_SECOND, 2, RATE,
					   "network receive softirqs"),
	[PIPA_COL_SOFTIRQ_BLOCK] = COLUMN("softirq.block", "BLOCK/s", PER_SECOND, 2, RATE,
					  "block device softirqs"),
	[PIPA_COL_SOFTIRQ_IRQ_POLL] = COLUMN("softirq.irq_poll", "IRQ_POLL/s", PER_SECOND, 2, RATE,
					     "polled block device interrupts"),
	[PIPA_COL_SOFTIRQ_TASKLET] = COLUMN("softirq.tasklet", "TASKLET/s", PER_SECOND, 2, RATE,
					    "tasklets"),
	[PIPA_COL_SOFTIRQ_SCHED] = COLUMN("softirq.sched", "SCHED/s", PER_SECOND, 2, RATE,
					  "scheduler softirqs"),
	[PIPA_COL_SOFTIRQ_HRTIMER] = COLUMN("softirq.hrtimer", "HRTIMER/s", PER_SECOND, 2, RATE,
					    "high-resolution timer softirqs"),
	[PIPA_COL_SOFTIRQ_RCU] = COLUMN("softirq.rcu", "RCU/s", PER_SECOND, 2, RATE,
					"RCU callbacks"),
};

const struct pipa_column pipa_columns_load[PIPA_COL_LOAD_NR] = {
	[PIPA_COL_LOAD_RUNNING] = COLUMN(
		"load.running", "runq-sz", NONE, 0, GAUGE,
		"tasks running or waiting for run time, without the reader"),
	[PIPA_COL_LOAD_TASKS] = COLUMN("load.tasks", "plist-sz", NONE, 0, GAUGE,
				       "tasks in the task list"),
	[PIPA_COL_LOAD_1] = COLUMN("load.1", "ldavg-1", NONE, 2, GAUGE,
				   "load average over the last minute"),
	[PIPA_COL_LOAD_5] = COLUMN("load.5", "ldavg-5", NONE, 2, GAUGE,
				   "load average over the last 5 minutes"),
	[PIPA_COL_LOAD_15] = COLUMN("load.15", "ldavg-15", NONE, 2, GAUGE,
				    "load average over the last 15 minutes"),
	[PIPA_COL_LOAD_BLOCKED] = COLUMN("load.blocked", "blocked", NONE, 0, GAUGE,
					 "tasks blocked waiting for I/O"),
};

#define ROW(index, ...) [PIPA_COL_##index] = COLUMN(__VA_ARGS__)

#define PSI_SOME(SECTION, id, tag, of)                                                             \
	ROW(SECTION##_SOME_10, "psi." id ".some_10", "%s" tag "-10", PERCENT, 2, GAUGE,            \
	    "share of time in which at least one task was stalled on " of ", average over 10 s"),  \
		ROW(SECTION##_SOME_60, "psi." id ".some_60", "%s" tag "-60", PERCENT, 2, GAUGE,    \
		    "share of time in which at least one task was stalled on " of                  \
		    ", average over 60 s"),                                                        \
		ROW(SECTION##_SOME_300, "psi." id ".some_300", "%s" tag "-300", PERCENT, 2, GAUGE, \
		    "share of time in which at least one task was stalled on " of                  \
		    ", average over 300 s"),                                                       \
		ROW(SECTION##_SOME, "psi." id ".some", "%s" tag, PERCENT, 2, SHARE,                \
		    "share of time in which at least one task was stalled on " of)
#define PSI_FULL(SECTION, id, tag, of)                                                             \
	ROW(SECTION##_FULL_10, "psi." id ".full_10", "%f" tag "-10", PERCENT, 2, GAUGE,            \
	    "share of time in which all non-idle tasks were stalled on " of                        \
	    ", average over 10 s"),                                                                \
		ROW(SECTION##_FULL_60, "psi." id ".full_60", "%f" tag "-60", PERCENT, 2, GAUGE,    \
		    "share of time in which all non-idle tasks were stalled on " of                \
		    ", average over 60 s"),                                                        \
		ROW(SECTION##_FULL_300, "psi." id ".full_300", "%f" tag "-300", PERCENT, 2, GAUGE, \
		    "share of time in which all non-idle tasks were stalled on " of                \
		    ", average over 300 s"),                                                       \
		ROW(SECTION##_FULL, "psi." id ".full", "%f" tag, PERCENT, 2, SHARE,                \
		    "share of time in which all non-idle tasks were stalled on " of)

const struct pipa_column pipa_columns_psi_cpu[PIPA_COL_PSI_CPU_NR] = {
	PSI_SOME(PSI_CPU, "cpu", "cpu", "CPU time"),
};

const struct pipa_column pipa_columns_psi_io[PIPA_COL_PSI_IO_NR] = {
	PSI_SOME(PSI_IO, "io", "io", "I/O"),
	PSI_FULL(PSI_IO, "io", "io", "I/O"),
};

const struct pipa_column pipa_columns_psi_memory[PIPA_COL_PSI_MEMORY_NR] = {
	PSI_SOME(PSI_MEMORY, "memory", "mem", "memory"),
	PSI_FULL(PSI_MEMORY, "memory", "mem", "memory"),
};

const struct pipa_column pipa_columns_freq[PIPA_COL_FREQ_NR] = {
	[PIPA_COL_FREQ_MHZ] = COLUMN("freq.mhz", "MHz", MHZ, 2, GAUGE, "current CPU frequency"),
};
