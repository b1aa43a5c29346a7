/*
 * Tree of a flame graph: frames, outermost first, each once below each caller, with self and total
 * weight. Threads are merged, or each group of threads has a tree of its own.
 *
 * It may hold two profiles, [0] the one shown and [1] the baseline: the tree is the union of both,
 * and frames that one of them lacks weigh nothing in it.
 *
 * Built along the profile's tree of stacks. It owns its strings; the profile may be freed.
 */
#ifndef PIPA_ANALYZE_PROFILE_FLAME_H
#define PIPA_ANALYZE_PROFILE_FLAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/strings.h"
#include "model/profile.h"

enum pipa_flame_kind {
	PIPA_FLAME_USER,
	PIPA_FLAME_KERNEL,
	PIPA_FLAME_JIT,
	PIPA_FLAME_GROUP, /* a thread, process or comm */
	PIPA_FLAME_UNRESOLVED, /* "[libx.so]": unresolved code of an object; "[no stack]": nothing is known */
	PIPA_FLAME_KIND_NR,
};

/* Grouping: the outermost frame of each stack. */
enum pipa_flame_by {
	PIPA_FLAME_BY_NONE,
	PIPA_FLAME_BY_THREAD,  /* "comm-PID/TID" */
	PIPA_FLAME_BY_PROCESS, /* "comm-PID" */
	PIPA_FLAME_BY_COMM,
};

enum { PIPA_FLAME_NOW, PIPA_FLAME_BASE, PIPA_FLAME_SIDES };

/* A frame; equal ones are merged. */
struct pipa_flame_frame {
	uint32_t name, object; /* strings of the flame graph; object: short, "" if unknown */
	enum pipa_flame_kind kind;
	bool inlined;
};

struct pipa_flame_node {
	uint32_t parent;      /* PIPA_NONE: outermost */
	uint32_t child, next; /* first child, next sibling; PIPA_NONE: none */
	uint32_t frame;
};

/* Weight of a node in one of the profiles. */
struct pipa_flame_cost {
	uint64_t self;	/* weight that ended here */
	uint64_t count; /* number of samples */
	uint64_t total; /* weight that ended here or further in */
};

struct pipa_flame_end; /* where a stack ended */

struct pipa_flame {
	struct pipa_strings strings;
	struct pipa_flame_frame *frames; /* sorted by name, object, kind, inlined */
	size_t n_frames;
	struct pipa_flame_node *nodes; /* in preorder, siblings by frame index */
	size_t n_nodes;
	/* [side][node]; the baseline's: NULL if there is none */
	struct pipa_flame_cost *costs[PIPA_FLAME_SIDES];
	uint32_t depth; /* of the deepest node; 1: only outermost frames */
	uint64_t total[PIPA_FLAME_SIDES], samples[PIPA_FLAME_SIDES];
	bool has_base;
	/* for pipa_flame_find(), only of [0] */
	struct pipa_flame_end *ends;
	size_t n_ends;
	struct pipa_index ends_index;
	uint32_t *groups; /* [thread] its group; NULL: one for all */
	size_t n_groups;  /* threads that `groups` covers */
};

struct pipa_flame_options {
	uint32_t event;	     /* of the profile; PIPA_NONE: all */
	uint32_t base_event; /* of the baseline */
	enum pipa_flame_by by;
	bool names_alone; /* in a diff with folded stacks: compare frames only by name */
	bool reverse;	  /* innermost frames at the root, callers above */
	bool ends;	  /* pipa_flame_find() will be used */
};

/* Build a flame graph. 0 or -ENOMEM; nothing needs to be freed on failure. */
int pipa_flame_make(const struct pipa_profile *profile, const struct pipa_flame_options *options,
		    struct pipa_flame *ret);

/*
 * Build a flame graph of two profiles. Frames are equal if name and object are, whatever their
 * kind; threads and processes if they have the same comm, because PIDs mean nothing in another run.
 */
int pipa_flame_make_diff(const struct pipa_profile *base, const struct pipa_profile *profile,
			 const struct pipa_flame_options *options, struct pipa_flame *ret);
void pipa_flame_done(struct pipa_flame *flame);

/*
 * Return the node at which samples of a thread and stack (either may be PIPA_NONE) ended; PIPA_NONE
 * if there are none.
 */
uint32_t pipa_flame_find(const struct pipa_flame *flame, uint32_t thread, uint32_t stack);

static inline const char *pipa_flame_text(const struct pipa_flame *flame, uint32_t string)
{
	return pipa_strings_get(&flame->strings, string);
}

static inline void pipa_flame_done_auto(struct pipa_flame *flame)
{
	pipa_flame_done(flame);
}

#endif
