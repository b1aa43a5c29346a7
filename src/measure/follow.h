/*
 * Follow a target for the time of a measurement: hold a command before its exec, release it and
 * wait for it, or wait for the end of existing threads; signals and a time limit end it. Used for
 * counting and sampling.
 *
 * A command decides itself when it ends: signals are forwarded, and its status becomes the exit
 * status. Without a command, SIGINT is the usual way to stop and is not a failure.
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
	/* set by the caller before the first begin */
	char **command;
	const struct pipa_child_signals *command_signals; /* NULL: those of this thread */
	bool limited;					  /* pipa_follow_limit() will be called */
	bool whole_tree; /* pass signals on to all descendants: the command is a shell */
	bool spawn; /* start the command at its release: nothing is opened on it before its exec */
	const struct pipa_host *host;
	char **environment; /* of the command; NULL: ours */
	/* descriptors 0 to 2 of the command, -1: inherited; NULL: all inherited */
	const int *streams;
	struct pipa_loop *shared_loop; /* of the caller, which handles signals; NULL: one per run */
	void (*resized)(void *ctx);    /* SIGWINCH was received; may be NULL */
	void *ctx;

	/* of one run */
	struct pipa_loop *loop;
	struct pipa_child child;
	struct pipa_child_signals own_signals; /* before signals are watched */
	int command_fd;			       /* its pidfd */
	bool command_watched;
	const struct pipa_tasks *tasks; /* watched for their end; borrowed */
	int *pidfds;
	size_t n_pidfds, alive;
	uint64_t end_ns; /* when the target ended, 0 before */
	bool timed_out;

	/* of all runs */
	int stopped; /* the signal that ended it: no further run; 0: none */
	int status;  /* exit status: that of the command, 128 + n for a signal */
};

/* Make a loop with signals and start the command, which is blocked before its exec, unless it is spawned. */
int pipa_follow_begin(struct pipa_follow *follow, struct pipa_error *err);

/* Make the held command the task of a target, if that is a command. */
int pipa_follow_aim(struct pipa_follow *follow, struct pipa_target_list *targets,
		    struct pipa_error *err);

/*
 * Stop when all tasks have ended; -ESRCH if they have already. The list is borrowed until the end.
 */
int pipa_follow_tasks(struct pipa_follow *follow, const struct pipa_tasks *tasks,
		      struct pipa_error *err);

/* Stop at that time: a command gets SIGTERM, and SIGKILL two seconds later. */
int pipa_follow_limit(struct pipa_follow *follow, uint64_t at_ns, struct pipa_error *err);

/* Release the command. -errno of exec(3) sets *ret_exec_failed. */
int pipa_follow_release(struct pipa_follow *follow, bool *ret_exec_failed, struct pipa_error *err);

/* Mark the target as ended and stop the loop. */
void pipa_follow_stop(struct pipa_follow *follow);

/* Set the status after the loop, and kill remaining processes of a command that was timed out. */
void pipa_follow_finish(struct pipa_follow *follow);

/* Free everything of this run; has no effect before begin. */
void pipa_follow_end(struct pipa_follow *follow);

#endif
