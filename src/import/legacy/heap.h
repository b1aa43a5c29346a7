/*
 * Read heap profiles as text: of tcmalloc and gperftools (heap, growth, fragmentation) and of Go (debug=1). Private to
 * import/legacy/.
 *
 * "heap profile: COUNT: BYTES [COUNT: BYTES] @ heap_v2/RATE", then such a line per stack, with addresses after the @.
 * The first pair is in use, the second one was allocated.
 */
#ifndef PIPA_IMPORT_LEGACY_HEAP_H
#define PIPA_IMPORT_LEGACY_HEAP_H

#include <stdbool.h>

#include "import/legacy/lines.h"

struct pipa_draft;

/* Is it the first line of a heap profile? */
bool pipa_legacy_heap_is(struct pipa_text line);

/* Fill a draft from a text whose current line is the first one. 0, -EBADMSG with the line, or -ENOMEM. */
int pipa_legacy_heap_read(struct pipa_draft *draft, struct pipa_line_reader *lines);

#endif
