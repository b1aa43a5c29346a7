/*
 * The time during which a target is watched: a command is held, let go and waited for, threads that
 * ran already are watched for their end, signals and a time limit end it. Counting and sampling alike.
 *
 * A command decides itself when it ends: signals are passed on, and its status becomes ours. Without
 * one, SIGINT is the usual way to stop and no failure.
 */
#ifndef PIPA_MEASURE_FOLLOW_H
#define PIPA_MEASURE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/child.h"

struct pipa_error;
struct pipa_loop;
struct pipa_host;
struct pipa_target_list;
struct pipa_tasks;

struct pipa_follow {
	/* the caller's, set before the first begin */
	char **command;
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool limited;					  /* pipa_follow_limit() will be called */
	const struct pipa_host *host;
	const int *streams; /* the command's descriptors 0 to 2, -1: as ours; NULL: all as ours */
	struct pipa_loop *shared_loop; /* of the caller, who handles signals; NULL: one per run */
	void (*resized)(void *ctx);    /* the terminal has a new size; NULL: no matter */
	void *ctx;

	/* one run */
	struct pipa_loop *loop;
	struct pipa_child child;
	int command_fd; /* its pidfd */
	bool command_watched;
	const struct pipa_tasks *tasks; /* watched for their end; borrowed */
	int *pidfds;
	size_t n_pidfds, alive;
	uint64_t end_ns; /* when it was over, 0 before */
	bool timed_out;

	/* all runs */
	bool stopped; /* by a signal: no further run */
	int status;   /* what to exit with: the command's own, 128 + n for a signal */
};

/* Make a loop with signals and start the command, which is blocked before its exec. */
int pipa_follow_begin(struct pipa_follow *follow, struct pipa_error *err);

/* Make the blocked command the task of a target, if that is a command. */
int pipa_follow_aim(struct pipa_follow *follow, struct pipa_target_list *targets,
		    struct pipa_error *err);

/* Stop when all tasks have ended; -ESRCH if they have already. The list is borrowed until the end. */
int pipa_follow_tasks(struct pipa_follow *follow, const struct pipa_tasks *tasks,
		      struct pipa_error *err);

/* Stop at that time: a command gets SIGTERM, and SIGKILL two seconds later. */
int pipa_follow_limit(struct pipa_follow *follow, uint64_t at_ns, struct pipa_error *err);

/* Release the command. -errno of exec(3) sets *ret_exec_failed. */
int pipa_follow_release(struct pipa_follow *follow, bool *ret_exec_failed, struct pipa_error *err);

/* It is over. */
void pipa_follow_stop(struct pipa_follow *follow);

/* After the loop: the status, and what a command out of time has left after is killed. */
void pipa_follow_finish(struct pipa_follow *follow);

/* Give everything of this run back; harmless when nothing was begun. */
void pipa_follow_end(struct pipa_follow *follow);

#endif
