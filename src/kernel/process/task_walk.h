/*
 * Read the statistics of all tasks from /proc. Files stay open and are read again with pread(2),
 * which costs 1.7 us instead of 4.0 for open, read and close (/proc/PID/stat, measured with 577
 * processes), for as many tasks as the descriptor limit permits. The memory size of a task that
 * did not run is read every 16th time.
 */
#ifndef PIPA_KERNEL_PROCESS_TASK_WALK_H
#define PIPA_KERNEL_PROCESS_TASK_WALK_H

#include <stdbool.h>

#include "kernel/process/task_stat.h"

struct pipa_error;
struct pipa_root;
struct pipa_task_walk;

/* The files of a task. */
enum pipa_task_file {
	PIPA_TASK_SCHEDSTAT, /* always read: it shows which tasks slept, and needs no other file */
	PIPA_TASK_STAT,	     /* always read of the others */
	PIPA_TASK_IO,
	PIPA_TASK_STATUS, /* unless every tick needs it, now and then: the uid changes rarely */
	PIPA_TASK_FILES,
};

/* files: a bit for each file that every reading needs, 1 << PIPA_TASK_IO. max_open: descriptors to keep. */
int pipa_task_walk_open(struct pipa_root *root, unsigned int files, size_t max_open,
			struct pipa_task_walk **ret, struct pipa_error *err);
void pipa_task_walk_close(struct pipa_task_walk *walk);

/* As pipa_task_iter_read(). */
int pipa_task_walk_read(struct pipa_task_walk *walk, struct pipa_task_stats *processes,
			struct pipa_task_stats *threads);

/*
 * For what another way of reading does not show: list the processes, read them in the other way, and keep
 * of the list those that it lacks though they are still there. Only they are read from then on; how many
 * they are, or -ENOMEM from the listing.
 */
int pipa_task_walk_list(struct pipa_task_walk *walk);
size_t pipa_task_walk_keep_hidden(struct pipa_task_walk *walk,
				  const struct pipa_task_stats *processes);

/* How many tasks of the last reading did not let us read that file; SIZE_MAX: the kernel has none. */
size_t pipa_task_walk_refused(const struct pipa_task_walk *walk, enum pipa_task_file file);

#endif
