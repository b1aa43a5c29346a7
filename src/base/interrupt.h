/*
 * Blocking calls that end after a stop signal: SIGINT, SIGTERM, SIGHUP, SIGQUIT.
 *
 * A program that reads its signals from a signalfd (base/loop.h) keeps them blocked, so that a write(2) to
 * a full pipe or to a stopped terminal cannot be interrupted by any of them. Between pipa_interrupt_enter()
 * and pipa_interrupt_leave() they are delivered to a handler that only counts them; afterwards they are
 * queued again and reach the signalfd as if nothing had happened. From the first signal on a timer
 * interrupts such calls every PIPA_INTERRUPT_TICK_MS, so none is missed between the test and the call.
 *
 * One second after the first signal, or after the last byte that was accepted, a call that still blocks is
 * to be given up; after a second signal at once. Nothing is set O_NONBLOCK: the open file description may
 * be shared with the shell.
 *
 * State is per process. Worker threads block all signals; those that write are interrupted by the timer.
 */
#ifndef PIPA_BASE_INTERRUPT_H
#define PIPA_BASE_INTERRUPT_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>

enum { PIPA_INTERRUPT_TICK_MS = 50 };

/* Result of a call that was given up, negative; pipa_fail() has a text for it. */
#define PIPA_EGIVEN_UP ETIME

struct signalfd_siginfo;

/*
 * Let the process handle stop signals by these functions. A front end calls it once, before it starts a job or a
 * thread; without it pipa_interrupt_watch() does nothing, and jobs leave the signals to the process.
 */
void pipa_interrupt_enable(void);
bool pipa_interrupt_enabled(void);

/*
 * Handle the stop signals of the set that are not ignored, until the process ends. The calling thread is the
 * one that gets them. Where they are not blocked, the first two are only counted, and the third has its
 * default action.
 */
void pipa_interrupt_watch(const sigset_t *set);

/*
 * Block the signals of the set, then handle them. In the other order the handler would count a signal that comes
 * between the two, and no signalfd would ever return it. *old: the mask to restore, which blocks the timer's signal.
 */
void pipa_interrupt_block(const sigset_t *set, sigset_t *old);

/* Do not treat a signal as a request to stop, for instance SIGHUP in a daemon. Before the watch. */
void pipa_interrupt_exclude(int sig);

/*
 * Restore the signal dispositions: in a forked child, which has a state of its own, and in a child that
 * shares memory with this process until its exec, where only the dispositions may change.
 */
void pipa_interrupt_reset(void);
void pipa_interrupt_restore(void);

/* Count a signal that was read from a signalfd, unless it was counted before it was queued again. */
void pipa_interrupt_note(const struct signalfd_siginfo *info);

/* Return the number of stop signals so far, and which one was the first; 0: none. */
unsigned int pipa_interrupt_count(void);
int pipa_interrupt_signal(void);

/* Let stop signals interrupt the system call between the two; *old keeps the mask. errno is preserved. */
void pipa_interrupt_enter(sigset_t *old);
void pipa_interrupt_leave(const sigset_t *old);

/*
 * Do the same without the timer: stop signals are counted while the main thread waits for something that is
 * bounded or interrupted itself, for instance a thread that writes.
 */
void pipa_interrupt_enter_wait(sigset_t *old);

/* Return whether a call that blocks is to be given up now. */
bool pipa_interrupt_expired(void);

/* Wait another second: bytes were accepted. */
void pipa_interrupt_progress(void);

/* Remember that output was given up, and return whether any was. */
void pipa_interrupt_give_up(void);
bool pipa_interrupt_gave_up(void);

#endif
