/*
 * Lock that permits one collection per directory. It ends with its process; a file beside it holds
 * the PID.
 */
#ifndef PIPA_JOB_COLLECT_COLLECT_LOCK_H
#define PIPA_JOB_COLLECT_COLLECT_LOCK_H

#include <sys/types.h>

struct pipa_error;

struct pipa_collect_lock {
	int fd;	    /* -1: not held */
	int pid_fd; /* of the file with the PID, which has the record lock */
	char *pid_file;
};

/* Make the directory and take the lock. -EBUSY if another process holds it. */
int pipa_collect_lock_take(const char *run_dir, struct pipa_collect_lock *lock,
			   struct pipa_error *err);
void pipa_collect_lock_drop(struct pipa_collect_lock *lock);

/* Store why this collection failed, for the next one to report and remove. Requires the lock. */
void pipa_collect_failure_keep(const char *run_dir, const char *why);
void pipa_collect_failure_forget(const char *run_dir);

/* Make the directory and its parents. */
int pipa_collect_make_dir(const char *path, struct pipa_error *err);

#endif
