/*
 * The time during which a target is watched: a command is held, let go and waited for, threads that
 * ran already are watched for their end, signals and a time limit end it. Counting and sampling alike.
 *
 * A command decides itself when it ends: signals are passed on, and its status becomes ours. Without
 * one, SIGINT is the usual way to stop and no failure.
 */
#ifndef PIPA_MEASURE_FOLLOW_H
#define PIPA_MEASURE_FOLLOW_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/process/child.h"

struct pipa_error;
struct pipa_loop;
struct pipa_root;
struct pipa_target_list;

struct pipa_follow {
	/* the caller's, set before the first begin */
	char **command;
	const sigset_t *command_mask; /* NULL: ours */
	bool limited;		      /* pipa_follow_limit() will be called */
	struct pipa_root *root;
	struct pipa_target_list
		*targets;   /* its tasks become the command's, where that is the target; or NULL */
	const int *streams; /* the command's descriptors 0 to 2, -1: as ours; NULL: all as ours */
	struct pipa_loop *shared_loop; /* of the caller, who handles signals; NULL: one per run */
	struct pipa_error *err;
	void (*resized)(void *ctx); /* the terminal has a new size; NULL: no matter */
	void *ctx;

	/* one run */
	struct pipa_loop *loop;
	struct pipa_child child;
	int command_fd; /* its pidfd */
	bool command_watched;
	int *pidfds;
	size_t n_pidfds, alive;
	uint64_t end_ns; /* when it was over, 0 before */
	bool timed_out;

	/* all runs */
	bool stopped; /* by a signal: no further run */
	int status;   /* what to exit with: the command's own, 128 + n for a signal */
};

/* A loop with signals, and the command held. */
int pipa_follow_begin(struct pipa_follow *follow);

/* The command that is held becomes another target's task, where a command is its target. */
int pipa_follow_aim(struct pipa_follow *follow, struct pipa_target_list *targets);

/* Watch the tasks for their end; -ESRCH when none is left. */
int pipa_follow_tasks(struct pipa_follow *follow);

/* At that time it is over: a command is asked to end, and made to two seconds later. */
int pipa_follow_limit(struct pipa_follow *follow, uint64_t at_ns);

/* Let the command go; a failed exec is returned and told apart. */
int pipa_follow_release(struct pipa_follow *follow, bool *ret_exec_failed);

/* It is over. */
void pipa_follow_stop(struct pipa_follow *follow);

/* After the loop: the status, and what a command out of time has left after is killed. */
void pipa_follow_finish(struct pipa_follow *follow);

/* Give everything of this run back; harmless when nothing was begun. */
void pipa_follow_end(struct pipa_follow *follow);

#endif
