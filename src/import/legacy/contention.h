/*
 * Read profiles of waits for locks as text: contentionz of C++, mutex and block of Go (debug=1). Private to
 * import/legacy/.
 *
 * "--- contentionz 1 ---" or "--- mutex:", attributes "KEY = VALUE", then "DELAY COUNT @ 0x1 0x2" per stack.
 */
#ifndef PIPA_IMPORT_LEGACY_CONTENTION_H
#define PIPA_IMPORT_LEGACY_CONTENTION_H

#include <stdbool.h>

#include "import/legacy/lines.h"

struct pipa_draft;

/* Is it the first line of a profile of contentions? Those of Java have the same. */
bool pipa_legacy_contention_is(struct pipa_text line);

/*
 * Fill a draft from a text whose current line is the first one. Returns 0, 1 if its attributes are those of Java, and
 * import/legacy/java.h has to read it, -EBADMSG with the line, or -ENOMEM.
 */
int pipa_legacy_contention_read(struct pipa_draft *draft, struct pipa_line_reader *lines);

#endif
