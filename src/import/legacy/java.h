/*
 * Read profiles of Java as text: heapz and contentionz with "format = java", and the names of locations after their samples
 * or after a binary CPU profile. Private to import/legacy/.
 *
 * "VALUE COUNT @ 0x1 0x2" per stack, then a line "0x1 function (File.java:12)" per location.
 */
#ifndef PIPA_IMPORT_LEGACY_JAVA_H
#define PIPA_IMPORT_LEGACY_JAVA_H

#include <stdbool.h>

#include "base/span.h"
#include "import/legacy/lines.h"

struct pipa_draft;

/* Is it the first line of a heap profile of Java? Profiles of contentions are known by their attributes. */
bool pipa_legacy_java_is(struct pipa_text line);

/* Fill a draft from a text whose current line is the first one. 0, -EBADMSG with the line, or -ENOMEM. */
int pipa_legacy_java_read(struct pipa_draft *draft, struct pipa_line_reader *lines);

/* Read the lines of locations, then number the locations of the draft. 0, -EBADMSG or -ENOMEM. */
int pipa_java_locations(struct pipa_draft *draft, struct pipa_span text);

#endif
