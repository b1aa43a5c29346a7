/*
 * Map 64-bit ids of a foreign file to row numbers. Ids from 1 to n, which nearly all files have,
 * are an array; any others are found by a hash.
 */
#ifndef PIPA_IMPORT_ID_MAP_H
#define PIPA_IMPORT_ID_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "model/intern.h"

struct pipa_id_map {
	struct {
		uint32_t *items; /* [id], PIPA_NONE: not defined */
		size_t n, cap;
	} dense;
	struct {
		struct pipa_id_row *items;
		size_t n, cap;
	} sparse;
	struct pipa_index index; /* of sparse */
};

struct pipa_id_row {
	uint64_t id;
	uint32_t row;
};

void pipa_id_map_done(struct pipa_id_map *map);

/* Add an id. 0, -EEXIST if it is in the map, -ENOMEM. */
int pipa_id_map_add(struct pipa_id_map *map, uint64_t id, uint32_t row);

/* As pipa_id_map_find(), for ids that are not in the array. */
uint32_t pipa_id_map_find_sparse(const struct pipa_id_map *map, uint64_t id);

/* Return the row of an id, PIPA_NONE if it was not added. */
static inline uint32_t pipa_id_map_find(const struct pipa_id_map *map, uint64_t id)
{
	return id < map->dense.n ? map->dense.items[id] : pipa_id_map_find_sparse(map, id);
}

/* Return n row numbers, all PIPA_NONE, for ids that are dense. The caller frees them. NULL on allocation failure. */
uint32_t *pipa_row_numbers_new(size_t n);

#endif
