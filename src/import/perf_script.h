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

/* Create a reader that fills a borrowed profile. NULL on allocation failure. */
struct pipa_perf_script *pipa_perf_script_new(struct pipa_profile *profile);
void pipa_perf_script_free(struct pipa_perf_script *script);

/* Add samples to a borrowed timeline too, with the times of the text. */
void pipa_perf_script_keep_times(struct pipa_perf_script *script, struct pipa_timeline *timeline);

/* Skip samples outside of this time range if the text has times; until 0: no end. */
void pipa_perf_script_between(struct pipa_perf_script *script, uint64_t from_ns, uint64_t until_ns);

/* Read the next bytes, split anywhere. 0 or -ENOMEM. */
int pipa_perf_script_put(struct pipa_perf_script *script, const char *bytes, size_t len);

/*
 * End the input. perf ends each stack with an empty line: a last one without it is truncated,
 * skipped and counted in the profile's losses, like malformed lines. 0 or -ENOMEM.
 */
int pipa_perf_script_end(struct pipa_perf_script *script);

static inline void pipa_perf_script_free_auto(struct pipa_perf_script **script)
{
	pipa_perf_script_free(*script);
}

#endif
