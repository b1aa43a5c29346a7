/*
 * Read the text of `perf script` to a profile, in chunks of any size. Frames are parsed only if
 * the same lines have not occurred before, so memory is proportional to distinct stacks.
 *
 * The weight is the period, 1 without one. The offset of a frame is its address; if two names
 * share an address, the second gets a synthesized one.
 */
#ifndef PIPA_IMPORT_PERF_SCRIPT_H
#define PIPA_IMPORT_PERF_SCRIPT_H

#include <stddef.h>
#include <stdint.h>

struct pipa_profile;
struct pipa_perf_script;
struct pipa_timeline;

/* Create a reader that fills the profile, which stays the caller's; NULL on allocation failure. */
struct pipa_perf_script *pipa_perf_script_new(struct pipa_profile *profile);
void pipa_perf_script_free(struct pipa_perf_script *script);

/* Samples go into the timeline, too, with the times that the text has. It stays the caller's. */
void pipa_perf_script_keep_times(struct pipa_perf_script *script, struct pipa_timeline *timeline);

/* Only samples between these times, as far as the text has them; until 0: no end. */
void pipa_perf_script_between(struct pipa_perf_script *script, uint64_t from_ns, uint64_t until_ns);

/* Read the next bytes, split anywhere. 0 or -ENOMEM. */
int pipa_perf_script_put(struct pipa_perf_script *script, const char *bytes, size_t len);

/*
 * End of input. perf ends each stack with an empty line: a last one without it is truncated, left
 * out and counted in the profile's losses, as are malformed lines.
 */
int pipa_perf_script_end(struct pipa_perf_script *script);

static inline void pipa_perf_script_free_auto(struct pipa_perf_script **script)
{
	pipa_perf_script_free(*script);
}

#endif
