/*
 * Which threads of a process are sampled while its events are being opened, thread by thread, and it
 * goes on making threads. Whoever is made by a thread whose events are open has inherited them; opened
 * once more it would be sampled twice, and left out although it inherited nothing, not at all.
 *
 * What decides is the order of things in the thread that makes another: it inherits first and tells of
 * it (PERF_RECORD_FORK) last, one at a time. A thread's side events are opened, running, before the
 * others, so of a thread that nobody told of nothing was inherited. The first one that was told of once
 * all was open may have inherited before that; everyone told of after it has inherited all.
 *
 * Pure: times and thread numbers in, an answer out.
 */
#ifndef PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H
#define PIPA_COLLECT_SAMPLE_INHERIT_TRACKER_H

#include <stdint.h>
#include <sys/types.h>

enum pipa_covered {
	PIPA_COVERED_NOT,
	PIPA_COVERED_PARTLY, /* or all, or not: unknown which of a parent's events it has */
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

/* A thread's events were opened between these times; anew, if it had some. 0 or -ENOMEM. */
int pipa_inherit_tracker_opened(struct pipa_inherit_tracker *coverage, pid_t tid, uint64_t begun_ns,
				uint64_t done_ns);

/* A record told of a new thread; in any order. 0 or -ENOMEM. */
int pipa_inherit_tracker_forked(struct pipa_inherit_tracker *coverage,
				const struct pipa_fork *fork);

/* Is a thread sampled? Where that is unknown, whose events make it so: opened anew, they are not its. */
enum pipa_covered pipa_inherit_tracker_of(const struct pipa_inherit_tracker *coverage, pid_t tid,
					  pid_t *ret_parent);

/*
 * A thread that was opened before anybody told of it, though it may have inherited: one can be listed a
 * moment before it is told of. It is taken for one that was never opened; 0: there is none.
 */
pid_t pipa_inherit_tracker_twice(struct pipa_inherit_tracker *coverage);

#endif
