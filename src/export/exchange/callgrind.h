/*
 * Write a profile in the format of callgrind, for KCachegrind, callgrind_annotate and speedscope.
 *
 * Each event is a column; its values are sums of periods. A function is a name in a source file of
 * an object. It has self costs per source line and calls per source line, each call with its
 * inclusive cost. Inlined functions are called by the function they were inlined into. Samples do
 * not count calls, so the number of calls is 1.
 *
 * The function "(root)" calls the outermost ones, and has the self cost of samples without a stack.
 * So every function has callers, and readers get its inclusive cost by adding up those calls. In recursion only
 * the call of the outermost frame of a function counts, the calls further in have the cost 0: self
 * and inclusive costs are those of a report.
 */
#ifndef PIPA_EXPORT_EXCHANGE_CALLGRIND_H
#define PIPA_EXPORT_EXCHANGE_CALLGRIND_H

#include <stddef.h>

#include "base/pieces.h"

struct pipa_profile;

struct pipa_callgrind_format {
	const char *version; /* of pipa; NULL: not written */
	const char *command; /* that was recorded; NULL: unknown */
};

/*
 * Pass the text to put() in pieces that end anywhere. Returns 0, -ENOMEM, or the first negative
 * result of put(), which ends the writing. Memory beside the profile: a sum per stack and event,
 * and the distinct calls and lines.
 */
int pipa_callgrind_write(const struct pipa_profile *profile,
			 const struct pipa_callgrind_format *format, pipa_put_fn *put, void *ctx);

#endif
