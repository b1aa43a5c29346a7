/*
 * The heaps of processes as a profile with the value columns of pprof's heap profiles: alloc_objects,
 * alloc_space, inuse_objects and inuse_space.
 */
#ifndef PIPA_ANALYZE_HEAP_HEAP_PROFILE_H
#define PIPA_ANALYZE_HEAP_HEAP_PROFILE_H

#include <stdint.h>

struct pipa_heaps;
struct pipa_profile;

/* Columns of pprof, then those of reports. */
enum pipa_heap_column {
	PIPA_HEAP_ALLOC_OBJECTS,
	PIPA_HEAP_ALLOC_SPACE,
	PIPA_HEAP_INUSE_OBJECTS,
	PIPA_HEAP_INUSE_SPACE,
	PIPA_HEAP_PPROF_COLUMNS, /* those before it are pprof's */
	PIPA_HEAP_PEAK_OBJECTS = PIPA_HEAP_PPROF_COLUMNS,
	PIPA_HEAP_PEAK_SPACE,
	PIPA_HEAP_TEMPORARY_OBJECTS,
	PIPA_HEAP_ALLOCATOR_TIME,
	PIPA_HEAP_COLUMN_NR,
};

/*
 * Add the stacks of all processes to an empty profile, with pprof's columns. `stacks` receives for each
 * stack of the model its stack in the profile, PIPA_NONE if it has no frames; it has as many entries as
 * the model has stacks. The default column is inuse_space, without recorded frees alloc_space. 0 or -ENOMEM.
 */
int pipa_heap_profile_make(const struct pipa_heaps *heaps, struct pipa_profile *profile,
			   uint32_t *stacks);

/*
 * Replace the samples of that profile by the current amounts of the heaps, whose stacks are the same, for
 * snapshots of one recording. 0 or -ENOMEM.
 */
int pipa_heap_profile_refill(const struct pipa_heaps *heaps, const uint32_t *stacks,
			     struct pipa_profile *profile);

/* Add the samples of the other columns to that profile. 0 or -ENOMEM. */
int pipa_heap_profile_extend(const struct pipa_heaps *heaps, const uint32_t *stacks,
			     struct pipa_profile *profile);

/* Return the name of a column, "alloc_space", and its unit. */
const char *pipa_heap_column_name(enum pipa_heap_column column);
const char *pipa_heap_column_unit(enum pipa_heap_column column);

#endif
