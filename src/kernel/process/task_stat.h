/*
 * Statistics of one task: a process with all its threads, or one thread. Read from /proc by
 * kernel/process/task_walk.h, or by BPF by kernel/bpf/task_iter.h.
 */
#ifndef PIPA_KERNEL_PROCESS_TASK_STAT_H
#define PIPA_KERNEL_PROCESS_TASK_STAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kernel/process/task.h"
#include "kernel/text/raw.h"

enum pipa_task_field {
	/* as it is */
	TASK_START_NS, /* after boot: with the PID it identifies a task */
	TASK_UID,      /* the real one */
	TASK_CPU,      /* it ran on last */
	TASK_THREADS,
	TASK_VSIZE_BYTES,
	TASK_RSS_BYTES,
	/* growing */
	TASK_USER_NS, /* guests included */
	TASK_SYSTEM_NS,
	TASK_GUEST_NS,
	TASK_WAIT_NS, /* runnable without a CPU; of a process, its first thread's */
	TASK_MINFLT,
	TASK_MAJFLT,
	TASK_READ_BYTES, /* from storage */
	TASK_WRITE_BYTES,
	TASK_CANCELLED_BYTES,
	TASK_IO_DELAY_NS,
	TASK_SWITCHES, /* it gave the CPU up; of a process, its first thread's */
	TASK_PREEMPTIONS,
	TASK_FIELDS,
	TASK_GROWING = TASK_USER_NS,
};

struct pipa_task_stat {
	pid_t tid, tgid;
	char state;		  /* 'S', as ps shows it */
	char comm[PIPA_COMM_LEN]; /* any bytes */
	/* for the owner of the readings; ignored by the code that fills them in */
	uint32_t slot, before;
	uint64_t fields[TASK_FIELDS]; /* PIPA_RAW_MISSING where it could not be read */
};

/* Readings of many, by ascending tid. */
struct pipa_task_stats {
	struct pipa_task_stat *items;
	size_t n, cap;
};

#endif
