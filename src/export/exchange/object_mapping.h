/*
 * Mappings for objects of recordings, which pprof and OTLP files need: the locations of a recording are offsets in the
 * object's file, met at one or several addresses. One mapping that covers them at the address of the first gives
 * readers the same offsets.
 */
#ifndef PIPA_EXPORT_EXCHANGE_OBJECT_MAPPING_H
#define PIPA_EXPORT_EXCHANGE_OBJECT_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct pipa_location;
struct pipa_mapping;
struct pipa_profile;

/* Addresses of an object's locations that have no mapping of their own. */
struct pipa_object_extent {
	uint64_t bias;	    /* address less offset of the first location */
	uint64_t low, high; /* offsets */
	bool used;
	bool unresolved; /* a location has no symbol */
	bool no_files, no_lines, inlined;
};

/* Return the extent of each object, to be freed; NULL on allocation failure. */
struct pipa_object_extent *pipa_object_extents(const struct pipa_profile *p);

/* Is the location in an object that gets a mapping from its extent? */
bool pipa_object_is_mapped(const struct pipa_profile *p, const struct pipa_location *location);

/* Make the mapping of an object; false if none of its locations needs one. */
bool pipa_object_mapping(const struct pipa_profile *p, const struct pipa_object_extent *extents,
			 uint32_t object, struct pipa_mapping *ret);

/* Return the program, whose mapping pprof treats as the main one; PIPA_NONE if there is none. */
uint32_t pipa_main_object(const struct pipa_profile *p);

#endif
