/*
 * Select a part of a profile: samples of a process, thread or CPU, or those with an object,
 * function or source line in their stack; several selections nest.
 */
#ifndef PIPA_ANALYZE_PROFILE_ZOOM_H
#define PIPA_ANALYZE_PROFILE_ZOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/profile/top.h"
#include "model/profile.h"

enum { PIPA_ZOOMS_MAX = 16 };

struct pipa_zoom {
	enum pipa_key key; /* the key that selects */
	uint32_t value;	   /* as rows have it: see pipa_top_text() */
	uint32_t object;   /* of a symbol: only in this object, PIPA_NONE: in any */
};

/*
 * Select the samples of an event that match all zooms, as a profile that shares everything else
 * with the original and must not outlive or change it; free it with pipa_zoom_done(). Frames are
 * those of the original profile. 0 or -ENOMEM.
 */
int pipa_zoom_make(const struct pipa_frames *frames, uint32_t event, const struct pipa_zoom *zooms,
		   size_t n, struct pipa_profile *ret);
void pipa_zoom_done(struct pipa_profile *part);

#endif
