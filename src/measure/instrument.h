/*
 * A measuring instrument: counters, samples, statistics, captured output or a live profile. A session
 * (measure/session.h) calls the operations of its instruments, each for all of them in their order:
 *
 *   plan    before a command is started: resolve events, open what the command inherits
 *   open    the target exists; a command is blocked before its exec
 *   begin   measure from now on, or from the command's exec on
 *   pause   the target has ended: stop measuring
 *   finish  read the rest and complete the results
 *   close   free everything, also after an operation that failed or was not called
 *
 * Each operation may be NULL. open, begin, pause and finish are called once per run. `err` is that of the
 * instrument; callbacks of the loop report to that of pipa_loop_run().
 */
#ifndef PIPA_MEASURE_INSTRUMENT_H
#define PIPA_MEASURE_INSTRUMENT_H

#include <stdbool.h>

#include "base/error.h"

struct pipa_instrument_ops {
	int (*plan)(void *ctx, struct pipa_error *err);
	int (*open)(void *ctx, struct pipa_error *err);
	int (*begin)(void *ctx, struct pipa_error *err);
	void (*pause)(void *ctx);
	int (*finish)(void *ctx, struct pipa_error *err);
	void (*close)(void *ctx);
};

/* Which failures leave an instrument out of its session instead of ending the session. */
enum pipa_instrument_need {
	PIPA_INSTRUMENT_REQUIRED,  /* none */
	PIPA_INSTRUMENT_PERMITTED, /* plan or open: -EACCES and -EPERM */
	PIPA_INSTRUMENT_OPTIONAL, /* plan, open, begin and finish: all but -ENOMEM before the exec */
};

struct pipa_instrument {
	const struct pipa_instrument_ops *ops;
	void *ctx;
	enum pipa_instrument_need need;
	bool bounded; /* the session lasts until pipa_session_instrument_done() was called */

	/* set by the session */
	bool on;	       /* no operation has failed */
	bool done;	       /* a bounded one has measured all that it shall */
	struct pipa_error err; /* why it is not on */
};

#endif
