#include "import/id_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"

void pipa_id_map_done(struct pipa_id_map *map)
{
	free(map->dense.items);
	free(map->sparse.items);
	pipa_index_done(&map->index);
	*map = (struct pipa_id_map){ 0 };
}

uint32_t pipa_id_map_find_sparse(const struct pipa_id_map *map, uint64_t id)
{
	uint64_t hash = pipa_hash_u64(id, PIPA_HASH_SEED);
	const struct pipa_index_slot *slot = pipa_index_start(&map->index, hash);

	for (; slot->id; slot = pipa_index_after(&map->index, slot))
		if (map->sparse.items[slot->id - 1].id == id)
			return map->sparse.items[slot->id - 1].row;
	return PIPA_NONE;
}

static int add_dense(struct pipa_id_map *map, uint32_t row)
{
	uint32_t *item = PIPA_VEC_ADD(&map->dense);

	if (!item)
		return -ENOMEM;
	*item = row;
	return 0;
}

int pipa_id_map_add(struct pipa_id_map *map, uint64_t id, uint32_t row)
{
	struct pipa_id_row *item;
	int rc = 0;

	if (pipa_id_map_find(map, id) != PIPA_NONE)
		return -EEXIST;
	if (id < map->dense.n) {
		map->dense.items[id] = row;
		return 0;
	}
	/* a gap of a few ids costs less than the hash; id 0 is never defined */
	if (id - map->dense.n < 16) {
		while (!rc && map->dense.n < id)
			rc = add_dense(map, pipa_id_map_find_sparse(map, map->dense.n));
		return rc ? rc : add_dense(map, row);
	}
	item = PIPA_VEC_ADD(&map->sparse);
	if (!item)
		return -ENOMEM;
	*item = (struct pipa_id_row){ id, row };
	rc = pipa_index_add(&map->index, pipa_hash_u64(id, PIPA_HASH_SEED),
			    (uint32_t)map->sparse.n - 1);
	if (rc)
		map->sparse.n--;
	return rc;
}

uint32_t *pipa_row_numbers_new(size_t n)
{
	uint32_t *numbers = malloc(n * sizeof(*numbers) + 1);

	if (numbers)
		memset(numbers, 0xff, n * sizeof(*numbers));
	return numbers;
}
