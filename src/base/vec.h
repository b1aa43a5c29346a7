/*
 * Growing arrays as three plain fields: `type *items; size_t n, cap;`. PIPA_VEC_ADD() returns a
 * pointer to a zeroed new last element, or NULL on allocation failure (the array is then
 * unchanged). The array moves when it grows: keep indices, not pointers.
 */
#ifndef PIPA_BASE_VEC_H
#define PIPA_BASE_VEC_H

#include <stddef.h>
#include <string.h>

/* Returns items with room for n + 1 elements of `size` bytes, or NULL. */
void *pipa_vec_grow(void *items, size_t *cap, size_t n, size_t size);

/* The same with the n-th zeroed. In line: mostly there is room, and the size is a constant. */
static inline void *pipa_vec_room(void *items, size_t *cap, size_t n, size_t size)
{
	if (n == *cap)
		items = pipa_vec_grow(items, cap, n, size);
	if (items)
		memset((char *)items + n * size, 0, size);
	return items;
}

#define PIPA_VEC_ADD(v)                                                                            \
	({                                                                                         \
		void *items_ = pipa_vec_room((v)->items, &(v)->cap, (v)->n, sizeof(*(v)->items));  \
		if (items_)                                                                        \
			(v)->items = items_;                                                       \
		items_ ? &(v)->items[(v)->n++] : NULL;                                             \
	})

#endif
