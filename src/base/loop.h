/*
 * Event loop: signals, timers, child exits and descriptors in one epoll and one thread. Nothing
 * runs in signal context.
 *
 * A callback returns 0 to continue or a negative errno, which ends pipa_loop_run() with that code; it
 * describes the failure in err, which is that of pipa_loop_run(). pipa_loop_stop() ends the loop with 0
 * after the callback returns.
 */
#ifndef PIPA_BASE_LOOP_H
#define PIPA_BASE_LOOP_H

#include <signal.h>
#include <stdint.h>
#include <sys/signalfd.h>

struct pipa_error;
struct pipa_loop;

typedef int (*pipa_loop_fd_fn)(void *ctx, struct pipa_error *err);
typedef int (*pipa_loop_timer_fn)(void *ctx, uint64_t expirations, struct pipa_error *err);
typedef int (*pipa_loop_signal_fn)(void *ctx, const struct signalfd_siginfo *info,
				   struct pipa_error *err);

int pipa_loop_new(struct pipa_loop **ret, struct pipa_error *err);
void pipa_loop_free(struct pipa_loop *loop); /* restores the signal mask; NULL is fine */

/* Block the signals of the set and deliver them to fn instead. Once per loop. */
int pipa_loop_signals(struct pipa_loop *loop, const sigset_t *set, pipa_loop_signal_fn fn,
		      void *ctx, struct pipa_error *err);

/*
 * Call fn at first_ns (monotonic, absolute) and then every every_ns, 0 for once. Expirations are
 * counted from first_ns, so a late one does not shift the rest; `expirations` above 1 means late
 * ones.
 */
int pipa_loop_timer(struct pipa_loop *loop, uint64_t first_ns, uint64_t every_ns,
		    pipa_loop_timer_fn fn, void *ctx, struct pipa_error *err);

/* End the timer that calls fn with ctx, if there is one. */
void pipa_loop_drop_timer(struct pipa_loop *loop, pipa_loop_timer_fn fn, void *ctx);

/* Call fn when fd is readable or hung up; fd stays the caller's and fn must drain or close it. */
int pipa_loop_watch(struct pipa_loop *loop, int fd, pipa_loop_fd_fn fn, void *ctx,
		    struct pipa_error *err);
void pipa_loop_unwatch(struct pipa_loop *loop, int fd);

int pipa_loop_run(struct pipa_loop *loop, struct pipa_error *err);
void pipa_loop_stop(struct pipa_loop *loop);

static inline void pipa_loop_free_auto(struct pipa_loop **loop)
{
	pipa_loop_free(*loop);
}

#endif
