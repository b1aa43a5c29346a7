/*
 * Tree of a flame graph under construction: shared by flame.c, flame_frames.c, flame_groups.c and
 * flame_order.c only.
 */
#ifndef PIPA_ANALYZE_PROFILE_FLAME_OWN_H
#define PIPA_ANALYZE_PROFILE_FLAME_OWN_H

#include "analyze/profile/flame.h"
#include "base/tree.h"

struct pipa_flame_end {
	uint32_t group, stack, node;
};

/* Weight that ended at a node. */
struct pipa_flame_weight {
	uint32_t node, side;
	uint64_t weight, count;
};

struct pipa_flame_build {
	struct pipa_strings strings;
	PIPA_TABLE(pipa_flame_frame) frames;
	struct pipa_tree tree; /* of frame indexes; the root has none */
	struct {
		struct pipa_flame_weight *items;
		size_t n, cap;
	} weights; /* one per sample: few nodes have any */
	PIPA_TABLE(pipa_flame_end) ends;
	bool loose;	  /* in a diff, kind and inlining do not distinguish frames */
	bool names_alone; /* and objects do not, either */
};

/* ---- flame_frames.c: which frames a profile's places are ------------------------------------------------ */

struct pipa_flame_names {
	struct pipa_flame_build *build;
	const struct pipa_profile *profile;
	/* [string of the profile]: string of the flame graph; PIPA_NONE: not converted yet */
	uint32_t *strings;
	uint32_t *objects; /* [object] the string of its short name, the same */
	uint32_t *lines;   /* [line, then location without one] its frame, the same */
};

/* Initialize. 0 or -ENOMEM; call pipa_flame_names_done() in any case. */
int pipa_flame_names_init(struct pipa_flame_names *names, struct pipa_flame_build *build,
			  const struct pipa_profile *profile);
void pipa_flame_names_done(struct pipa_flame_names *names);

/*
 * Return the frame of a line of location `number` (line 0 if it has none); PIPA_NONE on allocation
 * failure.
 */
uint32_t pipa_flame_frame_of(struct pipa_flame_names *names, uint32_t number, uint32_t line);

/* Return the frame of a group, or of "[no stack]". */
uint32_t pipa_flame_frame_named(struct pipa_flame_build *build, const char *name,
				enum pipa_flame_kind kind);

/* ---- flame_groups.c: who has a tree of their own --------------------------------------------------------- */

/*
 * Return the frame of each thread's group; NULL without groups. The caller frees them. 0 or
 * -ENOMEM.
 */
int pipa_flame_groups(struct pipa_flame_build *build, const struct pipa_profile *profile,
		      enum pipa_flame_by by, uint32_t **ret);

/* Return the indices of samples sorted by group; groups are below n. NULL on allocation failure. */
uint32_t *pipa_flame_sort_samples(const struct pipa_profile *profile, const uint32_t *groups,
				  size_t n);

/* Return a thread's group; PIPA_NONE if it has none. */
static inline uint32_t pipa_flame_group_at(const uint32_t *groups, size_t n, uint32_t thread)
{
	return groups && thread < n ? groups[thread] : PIPA_NONE;
}

/* ---- flame_order.c: the tree as it is returned -------------------------------------------------------- */

/* Move frames, nodes, strings and ends out of the build. 0 or -ENOMEM. */
int pipa_flame_order(struct pipa_flame_build *build, struct pipa_flame *flame);

#endif
