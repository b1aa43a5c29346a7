/*
 * Choose the functions that pprof hides in profiles of legacy forms: allocators, lock profilers, signal handlers. Private
 * to import/legacy/.
 */
#ifndef PIPA_IMPORT_LEGACY_DROP_FRAMES_H
#define PIPA_IMPORT_LEGACY_DROP_FRAMES_H

#include <stddef.h>

/* Regular expressions of profile.proto's drop_frames and keep_frames. */
struct pipa_drop_frames {
	const char *drop, *keep; /* keep may be "" */
};

/* Return the expressions for a profile with these columns. n is less than 5. */
const struct pipa_drop_frames *pipa_drop_frames_of(const char *const *columns, size_t n);

#endif
