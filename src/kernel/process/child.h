/*
 * The user's command: forked at once, blocked before exec until the counters are open, then
 * released. It keeps our process group (Ctrl-C reaches it), our descriptors unless others are
 * given, and the signal mask it would have without pipa. If pipa dies before the release, it exits
 * without having run. A command on which nothing is opened is spawned instead, without a fork.
 */
#ifndef PIPA_KERNEL_PROCESS_CHILD_H
#define PIPA_KERNEL_PROCESS_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct pipa_cpus;
struct pipa_error;

struct pipa_child {
	pid_t pid;  /* 0 before the start and after the end was collected */
	int go;	    /* our end of the pipe it waits on, -1 once let go */
	int failed; /* it writes its usage so far here, and the errno of exec; -1 after reading */
	bool ended;
	int status;	      /* as in wait(2), after the end */
	struct rusage usage;  /* all of it, once ended */
	struct rusage before; /* the part before its exec */
};

/* Signal state that the command inherits. */
struct pipa_child_signals {
	sigset_t mask;
	bool ignore_sigchld;
};

/*
 * Start the command, blocked before its exec. streams are its descriptors 0 to 2, -1: ours; NULL: all are.
 * environment is that of the command, NULL: ours. This process must not ignore SIGCHLD: the kernel would discard
 * the status of the command.
 */
int pipa_child_start(char *const argv[], const struct pipa_child_signals *signals,
		     const int *streams, char *const *environment, struct pipa_child *ret,
		     struct pipa_error *err);

/* While it is blocked: restrict it and its children to these CPUs. */
int pipa_child_pin(const struct pipa_child *child, const struct pipa_cpus *cpus,
		   struct pipa_error *err);

/*
 * Release it and wait until exec has happened; a failed exec is returned (-ENOENT, -EACCES...). If
 * a signal ended it while it was blocked, pipa_child_ended() is true.
 */
int pipa_child_release(struct pipa_child *child, const char *command, struct pipa_error *err);

/*
 * Start the command at once, without a copy of our memory: by clone(2) with CLONE_VM and CLONE_VFORK, as
 * posix_spawn(3) does. A fork of pipa and the two wakeups of a release take 0.2 ms more. A failed exec is
 * returned, as by pipa_child_release(); call pipa_child_done() also then.
 */
int pipa_child_spawn(char *const argv[], const struct pipa_child_signals *signals,
		     const int *streams, char *const *environment, struct pipa_child *ret,
		     struct pipa_error *err);

/* Collect its end if it has ended. True once it has. */
bool pipa_child_ended(struct pipa_child *child);

/*
 * Become the reaper of processes that commands leave running. A property of the process: only for a front
 * end that runs one command at a time.
 */
void pipa_child_adopt_orphans(void);

/*
 * Send a signal to the command and its descendants; with `adopted` to all descendants of this process, which
 * includes those that the command left running. Without it, and after the command has ended, none is reached.
 */
void pipa_child_signal_all(const struct pipa_child *child, bool adopted, int sig);

/* Kill and reap what is left of it; harmless if nothing is. */
void pipa_child_done(struct pipa_child *child);

#endif
