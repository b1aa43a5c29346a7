/*
 * A measuring session: a target that is followed on one loop, and the instruments that measure it. The
 * order of operations and the handling of their failures are here, for every command that measures.
 *
 * Callers call plan, open, begin, wait and close; a caller with a loop of its own (pipa_follow.shared_loop)
 * calls finish after its loop instead of wait. Several runs of one plan: open, begin, wait and end for
 * each, then close. After a failure: close.
 */
#ifndef PIPA_MEASURE_SESSION_H
#define PIPA_MEASURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_error;
struct pipa_follow;
struct pipa_instrument;

struct pipa_session {
	/* set by the caller before open; borrowed */
	struct pipa_follow *follow;
	struct pipa_instrument *const *instruments;
	size_t n;
	uint64_t duration_ns; /* from begin, 0: until the target ends; may be set after open */
	/* an instrument was left out before it began, `err` of the instrument has the reason; may be NULL */
	void (*left_out)(void *ctx, const struct pipa_instrument *instrument);
	/* the command is blocked and inherits nothing that is changed from now on; may be NULL */
	void (*held)(void *ctx);
	void *ctx;

	/* set by the session */
	uint64_t start_ns; /* when a command was released */
	bool exec_failed;
	bool planned, begun;
	unsigned int pending; /* bounded instruments and the duration: the session ends at 0 */
};

/* Plan all instruments. */
int pipa_session_plan(struct pipa_session *session, struct pipa_error *err);

/* Plan if that was not done, start a command blocked before its exec, open the instruments. */
int pipa_session_open(struct pipa_session *session, struct pipa_error *err);

/* Begin to measure and release the command. -errno of exec(3) sets exec_failed. */
int pipa_session_begin(struct pipa_session *session, struct pipa_error *err);

/* Run the loop until the session ends, then finish, also after a failure: what was measured is kept. */
int pipa_session_wait(struct pipa_session *session, struct pipa_error *err);

/* Pause all instruments, then finish each, also after one has failed. Returns the first failure. */
int pipa_session_finish(struct pipa_session *session, struct pipa_error *err);

/* End a run; the instruments and their plans stay for the next one. */
void pipa_session_end(struct pipa_session *session);

/* Close the instruments, then stop to follow the target. */
void pipa_session_close(struct pipa_session *session);

/* A bounded instrument has measured all that it shall; the last one ends the session. */
void pipa_session_instrument_done(struct pipa_session *session, struct pipa_instrument *instrument);

#endif
