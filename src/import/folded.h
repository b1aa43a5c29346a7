/*
 * Read folded stacks to a profile: lines "outermost;...;innermost 12" with the count after the
 * last space. Frames may contain spaces. Lines without a count are malformed and counted; empty
 * lines and those that start with # are ignored.
 *
 * With the first fractional count all weights become thousandths, with the first one that needs
 * more digits millionths, and the event is named so: see pipa_folded_name_event().
 *
 * A frame has only its name. The first frame, usually the command, is a frame like the others:
 * samples have no thread, unless it is a thread of async-profiler, "[main tid=12]". The marks of
 * async-profiler and FlameGraph stay in the names: _[k] kernel, _[j] JIT-compiled, _[i] inlined,
 * _[0] interpreted, _[1] compiled by C1.
 */
#ifndef PIPA_IMPORT_FOLDED_H
#define PIPA_IMPORT_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_profile;
struct pipa_folded;

/*
 * Create a reader that fills a borrowed profile without stacks; its stacks and samples are not
 * indexed. NULL on allocation failure.
 */
struct pipa_folded *pipa_folded_new(struct pipa_profile *profile);
void pipa_folded_free(struct pipa_folded *folded);

/*
 * Reserve memory for about this many bytes of input, before the first of them. Returns 0 or
 * -ENOMEM.
 */
int pipa_folded_expect(struct pipa_folded *folded, uint64_t bytes);

/*
 * Treat the numbers of lines as weights (bytes, nanoseconds) instead of counts: each line is one
 * sample, because the number of samples is unknown.
 */
void pipa_folded_take_weights(struct pipa_folded *folded);

/* Read the next bytes, split anywhere. 0 or -ENOMEM. */
int pipa_folded_put(struct pipa_folded *folded, const char *bytes, size_t len);
int pipa_folded_end(struct pipa_folded *folded);

/* The number of a line: 12, 12.5 or 1.25e+06. */
struct pipa_folded_count {
	uint64_t whole;
	uint32_t millionths; /* fraction, rounded to 0 to 999999 */
};

/*
 * Is the line "STACK COUNT"? Returns the length of the stack and the count. A count is no number if it
 * is above 0 and less than half a millionth.
 */
bool pipa_folded_line(const char *line, size_t len, size_t *ret_stack,
		      struct pipa_folded_count *ret_count);

/*
 * Name the event of folded stacks after its scale, "thousandths" or "millionths"; not scaled, it keeps its
 * name. 0 or -ENOMEM.
 */
int pipa_folded_name_event(struct pipa_profile *profile, uint32_t event);

static inline void pipa_folded_free_auto(struct pipa_folded **folded)
{
	pipa_folded_free(*folded);
}

#endif
