/*
 * Read a speedscope file (https://www.speedscope.app/file-format-schema.json) to a profile.
 *
 * Each of its profiles is a thread. Sampled profiles have a sample per stack and weight; evented ones a weight per time in
 * which the open frames did not change. Times of all units become nanoseconds. Weights of files that pipa wrote keep their
 * event, thread and counts.
 */
#ifndef PIPA_IMPORT_VIEWER_SPEEDSCOPE_H
#define PIPA_IMPORT_VIEWER_SPEEDSCOPE_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_error;
struct pipa_profile;
struct pipa_timeline;

/* Are these the first bytes of a speedscope file? Its $schema, or its keys, decide. */
bool pipa_speedscope_is(struct pipa_span start);

/*
 * Add the profiles to a profile, and their times to the timeline unless it is NULL. 0, -ENOMEM, or -EBADMSG with err filled.
 * Memory: 4 bytes per frame, and the deepest stack.
 */
int pipa_speedscope_read(struct pipa_profile *profile, struct pipa_timeline *timeline,
			 struct pipa_span text, struct pipa_error *err);

#endif
