/*
 * Read a .cpuprofile of V8 and Chrome DevTools to a profile.
 *
 * A sample weighs the time to the next one. The nodes (root) and (idle) are not frames, and time in them is not counted.
 * Nodes may have children or parents. A file without samples has the hit counts of its nodes.
 */
#ifndef PIPA_IMPORT_VIEWER_CPUPROFILE_H
#define PIPA_IMPORT_VIEWER_CPUPROFILE_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;
struct pipa_timeline;

/* Are these the first bytes of a .cpuprofile? The first node decides. */
bool pipa_cpuprofile_is(struct pipa_span start);

/*
 * Add it to a profile, and the times to the timeline unless it is NULL. 0, -ENOMEM, or -EBADMSG with err filled. Memory: a
 * row per node.
 */
int pipa_cpuprofile_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			 struct pipa_span text, struct pipa_error *err);

#endif
