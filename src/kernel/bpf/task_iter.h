/*
 * Read the statistics of all tasks by a BPF task iterator: a program of a few dozen instructions,
 * generated with the member offsets of the kernel's BTF. No text is formatted or parsed: a
 * sleeping process costs about 0.3 us, its /proc/PID/stat 2 to 4.
 *
 * Needs CAP_BPF and CAP_PERFMON, Linux 5.8 with BTF, and the initial pid namespace. Otherwise
 * opening fails and the caller reads /proc.
 */
#ifndef PIPA_KERNEL_BPF_TASK_ITER_H
#define PIPA_KERNEL_BPF_TASK_ITER_H

#include "kernel/process/task_stat.h"

struct pipa_root;
struct pipa_task_iter;

/* A negative errno without a message: the caller falls back to /proc. */
int pipa_task_iter_open(struct pipa_root *root, struct pipa_task_iter **ret);
void pipa_task_iter_close(struct pipa_task_iter *iter);

/*
 * Read all tasks into either or both lists (NULL: not wanted), which are emptied before. 0 or a negative
 * errno.
 */
int pipa_task_iter_read(struct pipa_task_iter *iter, struct pipa_task_stats *processes,
			struct pipa_task_stats *threads);

/* ---- for tests ------------------------------------------------------------------------------------ */

/*
 * Return user and system time as the kernel reports them (cputime_adjust): the times of the timer
 * tick, scaled to the exact run time. Neither decreases.
 */
struct pipa_cputime {
	uint64_t user_ns, system_ns;
};

struct pipa_cputime pipa_cputime_scale(struct pipa_cputime seen, uint64_t run_ns,
				       struct pipa_cputime told);

/* The letter of a task's state, from task_struct's __state and exit_state. */
char pipa_task_state(uint64_t state, uint64_t exit_state);

#endif
