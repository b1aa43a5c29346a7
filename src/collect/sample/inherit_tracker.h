/*
 * Decide which threads of a running process have inherited its events while they are being opened,
 * so that each thread is sampled exactly once.
 *
 * The kernel inherits first and writes PERF_RECORD_FORK last, one thread at a time. The side-band
 * events of a thread are opened and enabled before its others, so a new thread without a fork
 * record has inherited nothing. The first one reported after all events were open may have
 * inherited before; every later one has inherited all.
 *
 * Pure: times and thread ids in, a decision out.
 */
#ifndef PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H
#define PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H

#include <stdint.h>
#include <sys/types.h>

enum pipa_covered {
	PIPA_COVERED_NOT,
	PIPA_COVERED_PARTLY, /* all, or none: unknown which of the parent's events it has */
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
 * Record that a thread's events were opened between these times; again, if it had some. 0 or
 * -ENOMEM.
 */
int pipa_inherit_tracker_opened(struct pipa_inherit_tracker *coverage, pid_t tid, uint64_t begun_ns,
				uint64_t done_ns);

/* Record a fork record; in any order. 0 or -ENOMEM. */
int pipa_inherit_tracker_forked(struct pipa_inherit_tracker *coverage,
				const struct pipa_fork *fork);

/*
 * Is a thread sampled? If unknown, return the thread whose events decide it: once these are
 * reopened, it has not inherited them.
 */
enum pipa_covered pipa_inherit_tracker_of(const struct pipa_inherit_tracker *coverage, pid_t tid,
					  pid_t *ret_parent);

/*
 * Return a thread that was opened before its fork record came, though it may have inherited: a
 * thread can be listed shortly before its record. It is treated as never opened; 0: there is none.
 */
pid_t pipa_inherit_tracker_twice(struct pipa_inherit_tracker *coverage);

#endif
