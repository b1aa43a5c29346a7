/*
 * Read binary CPU profiles of gperftools and of old versions of Go. Private to import/legacy/.
 *
 * Words of 32 or 64 bits in either byte order: the header 0, 3, kind (1 for Java), period in microseconds, 0; records
 * of count, depth, addresses; the trailer 0, 1, 0, after which text follows.
 */
#ifndef PIPA_IMPORT_LEGACY_CPU_H
#define PIPA_IMPORT_LEGACY_CPU_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_draft;

bool pipa_legacy_cpu_is(struct pipa_span start);

/* Fill a draft. 0, -EBADMSG with the offset, or -ENOMEM. */
int pipa_legacy_cpu_read(struct pipa_draft *draft, struct pipa_span file);

#endif
