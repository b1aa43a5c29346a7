/*
 * Decide which threads of a running process have inherited its events while they are being opened,
 * so that each thread is sampled exactly once.
 *
 * The kernel inherits first and writes PERF_RECORD_FORK last, one thread at a time. The side-band
 * events of a thread are opened and enabled before its other events, so a new thread without a fork
 * record has inherited nothing. The first thread reported after all events were opened may have
 * inherited before that; every later thread has inherited all events.
 *
 * Pure: times and thread ids in, a decision out.
 */
#ifndef PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H
#define PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H

#include <stdint.h>
#include <sys/types.h>

enum pipa_covered {
	PIPA_COVERED_NOT,
	PIPA_COVERED_PARTLY, /* unknown how many events of its parent the thread has */
	PIPA_COVERED,
};

struct pipa_inherit_tracker {
	struct {
		struct pipa_opened_thread {
			pid_t tid;
			uint64_t begun_ns, done_ns; /* when its events were opened */
		} * items;			    /* by tid */
		size_t n, cap;
	} opened;
	struct {
		struct pipa_fork {
			pid_t tid, parent;
			uint64_t ns;
		} * items;
		size_t n, cap;
	} forks;
};

void pipa_inherit_tracker_done(struct pipa_inherit_tracker *coverage);

/*
 * Record that the events of a thread were opened, or opened again, between these times. 0 or
 * -ENOMEM.
 */
int pipa_inherit_tracker_opened(struct pipa_inherit_tracker *coverage, pid_t tid, uint64_t begun_ns,
				uint64_t done_ns);

/* Add a fork record; records may come in any order. 0 or -ENOMEM. */
int pipa_inherit_tracker_forked(struct pipa_inherit_tracker *coverage,
				const struct pipa_fork *fork);

/*
 * Return whether a thread is sampled. If unknown, *ret_parent is the thread whose events it may
 * have inherited: once these are reopened, it has inherited none of them.
 */
enum pipa_covered pipa_inherit_tracker_of(const struct pipa_inherit_tracker *coverage, pid_t tid,
					  pid_t *ret_parent);

/*
 * Return a thread whose events were opened before its fork record came, though it may have
 * inherited events: a thread can be listed shortly before its record. The thread is treated as
 * never opened. 0: there is no such thread.
 */
pid_t pipa_inherit_tracker_twice(struct pipa_inherit_tracker *coverage);

#endif
