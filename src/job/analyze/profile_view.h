/* The samples of an analysis as the view that the report embeds: flame graph, heat map and times. */
#ifndef PIPA_JOB_ANALYZE_PROFILE_VIEW_H
#define PIPA_JOB_ANALYZE_PROFILE_VIEW_H

#include <stdint.h>

#include "analyze/profile/flame.h"
#include "base/buf.h"
#include "export/view/view.h"

struct pipa_analysis;

/* Parts of the view refer to each other: it must not move. */
struct pipa_profile_view {
	struct pipa_view view;
	uint64_t wall_ns; /* wall clock at time zero of the view; 0: unknown */
	uint32_t event;	  /* of the profile; PIPA_NONE: unnamed */
	struct pipa_flame flame;
	struct pipa_buf times; /* JSON */
	struct pipa_view_part part;
};

/* Make the view of the analysis, which has a profile and is borrowed. 0 or -ENOMEM. */
int pipa_profile_view_make(const struct pipa_analysis *analysis, struct pipa_profile_view *ret);
void pipa_profile_view_done(struct pipa_profile_view *view);

static inline void pipa_profile_view_done_auto(struct pipa_profile_view *view)
{
	pipa_profile_view_done(view);
}

#endif
