#include "base/vec.h"

#include <stdint.h>
#include <stdlib.h>

void *pipa_vec_grow(void *items, size_t *cap, size_t n, size_t size)
{
	size_t want = *cap ? *cap * 2 : 8;

	if (n < *cap)
		return items;
	if (want > SIZE_MAX / size)
		return NULL;
	items = realloc(items, want * size);
	if (items)
		*cap = want;
	return items;
}
