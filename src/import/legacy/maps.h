/*
 * Read the memory map at the end of a legacy profile, and find the mapping of each location. Private to import/legacy/.
 *
 * Lines are those of /proc/PID/maps, or "START-END[:] [PERMISSIONS] [FILE] [(@OFFSET)] [BUILD_ID]". A line "NAME=VALUE"
 * replaces $NAME in the lines after it. A prefix of a log, up to "file:123] ", is skipped. Other lines are ignored.
 */
#ifndef PIPA_IMPORT_LEGACY_MAPS_H
#define PIPA_IMPORT_LEGACY_MAPS_H

#include "import/legacy/lines.h"

struct pipa_draft;

/*
 * Add the mappings of all lines after the current one, then number the locations of the draft and find their
 * mappings. Code in no mapping gets one without a name. 0, -EBADMSG (limits), or -ENOMEM.
 */
int pipa_maps_read(struct pipa_draft *draft, struct pipa_line_reader *lines);

/* Find the mapping of each location with an address. The locations have to be numbered. 0, -EBADMSG or -ENOMEM. */
int pipa_maps_assign(struct pipa_draft *draft);

#endif
