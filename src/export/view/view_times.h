/*
 * Write the times of a page's data (web/README.md): each sample of an event with time, thread, CPU
 * and node of the flame graph, as numbers.
 */
#ifndef PIPA_EXPORT_VIEW_VIEW_TIMES_H
#define PIPA_EXPORT_VIEW_VIEW_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "export/view/view.h"

struct pipa_flame;
struct pipa_profile;
struct pipa_timeline;

struct pipa_view_times {
	uint64_t start, end;	/* ns of the first sample and the last */
	uint64_t resolution_ns; /* of the timeline; 0: one entry per sample */
	uint64_t entries;	/* of this event */
	uint32_t *threads; /* of the profile, by PID and TID; PIPA_NONE: samples without a thread */
	size_t n_threads;
	uint32_t *cpus; /* ascending */
	size_t n_cpus;
	/*
	 * The number of entries, then for each in time order: ns since the previous one, thread and
	 * CPU index + 1 in the lists above (0: unknown), node, weight; with a resolution also the
	 * number of further samples.
	 */
	struct pipa_buf varints; /* empty after they are written */
};

/*
 * Make the times of an event (PIPA_NONE: all). The timeline is sorted, and the flame graph was made
 * of the same profile with its ends. 0 or -ENOMEM; nothing needs to be freed on failure.
 */
int pipa_view_times_make(const struct pipa_profile *profile, const struct pipa_timeline *timeline,
			 const struct pipa_flame *flame, uint32_t event,
			 struct pipa_view_times *ret);

/*
 * Write the view's part "timeline" as JSON. rows: initial rows of the heat map, "cpu", "thread" or
 * "offset". pack: as in struct pipa_view.
 */
void pipa_view_times_write(struct pipa_view_times *times, const struct pipa_profile *profile,
			   const char *rows, pipa_view_pack_fn *pack, struct pipa_buf *out);

void pipa_view_times_done(struct pipa_view_times *times);

#endif
