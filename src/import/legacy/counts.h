/*
 * Read profiles that count stacks as text: goroutine, threadcreate and custom profiles of Go (debug=1), and threadz of
 * C++. Private to import/legacy/.
 *
 * "NAME profile: total N", then "COUNT @ 0x1 0x2" per stack. Threadz has a heading "--- Thread ID (name: NAME/TID)
 * stack: ---" per thread, with addresses in the lines after it.
 */
#ifndef PIPA_IMPORT_LEGACY_COUNTS_H
#define PIPA_IMPORT_LEGACY_COUNTS_H

#include <stdbool.h>

#include "import/legacy/lines.h"

struct pipa_draft;

/*
 * Is it the first line of such a profile? That of a count profile could be a folded stack, too: the line after it
 * decides.
 */
bool pipa_legacy_count_is(struct pipa_text line);
bool pipa_legacy_threadz_is(struct pipa_text line);

/* Fill a draft from a text whose current line is the first one. 0, -EBADMSG with the line, or -ENOMEM. */
int pipa_legacy_count_read(struct pipa_draft *draft, struct pipa_line_reader *lines);
int pipa_legacy_threadz_read(struct pipa_draft *draft, struct pipa_line_reader *lines);

#endif
