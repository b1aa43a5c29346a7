/* What a debug file leaves to others: what several share (dwz), and what the compiler split off (.dwo). */
#ifndef PIPA_LOCATE_DEBUG_PARTS_H
#define PIPA_LOCATE_DEBUG_PARTS_H

#include <stdbool.h>

#include "base/span.h"

struct pipa_locate_options;

/* The file that the image's .gnu_debugaltlink names, mapped: pipa_locate_unmap(). */
bool pipa_locate_alt(const struct pipa_locate_options *options, struct pipa_span image,
		     struct pipa_span *ret);

/* A .dwo file by the path the compiler wrote, relative to the folder it ran in (may be NULL). */
bool pipa_locate_split(const struct pipa_locate_options *options, const char *comp_dir,
		       const char *name, struct pipa_span *ret);

#endif
