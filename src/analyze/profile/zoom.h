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
	enum pipa_key key; /* by which it is told apart */
	uint32_t value;	   /* as rows have it: see pipa_top_text() */
	uint32_t object;   /* of a symbol: in this one alone, PIPA_NONE: in any */
};

/*
 * The samples of an event that all the zooms want, as a profile that shares everything else with the
 * whole one and must not outlive or change it: pipa_zoom_done(). Frames are the whole profile's. 0
 * or -ENOMEM.
 */
int pipa_zoom_make(const struct pipa_frames *frames, uint32_t event, const struct pipa_zoom *zooms,
		   size_t n, struct pipa_profile *ret);
void pipa_zoom_done(struct pipa_profile *part);

#endif
