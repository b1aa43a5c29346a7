/*
 * The user's command: forked at once, blocked before exec until the counters are open, then
 * released. It keeps our process group (Ctrl-C reaches it), our descriptors unless others are
 * given, and the signal mask it would have without pipa. If pipa dies before the release, it exits
 * without having run.
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
	int status;	       /* as in wait(2), after the end */
	struct rusage usage;   /* all of it, once ended */
	struct rusage before;  /* the part until it became the command: a fork of us */
	struct sigaction chld; /* as it was: ignored, the kernel would not keep our child */
};

/*
 * Fork and hold. mask is what the command's signal mask shall be; streams its descriptors 0 to 2, where
 * -1 is ours, NULL when all are.
 */
int pipa_child_start(char *const argv[], const sigset_t *mask, const int *streams,
		     struct pipa_child *ret, struct pipa_error *err);

/* While it is blocked: restrict it and its children to these CPUs. */
int pipa_child_pin(const struct pipa_child *child, const struct pipa_cpus *cpus,
		   struct pipa_error *err);

/*
 * Release it and wait until exec has happened; a failed exec is returned (-ENOENT, -EACCES...). If
 * a signal ended it while it was blocked, pipa_child_ended() is true.
 */
int pipa_child_release(struct pipa_child *child, const char *command, struct pipa_error *err);

/* Collect its end if it has ended. True once it has. */
bool pipa_child_ended(struct pipa_child *child);

/*
 * Become the reaper of processes that the command leaves running, so that pipa_child_signal_all()
 * reaches every descendant.
 */
void pipa_child_adopt_orphans(void);
void pipa_child_signal_all(int sig);

/* Kill and reap what is left of it; harmless if nothing is. */
void pipa_child_done(struct pipa_child *child);

#endif
