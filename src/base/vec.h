/*
 * Growing arrays as three plain fields: `type *items; size_t n, cap;`. PIPA_VEC_ADD() returns a
 * pointer to a zeroed new last element, or NULL when memory is out (the array is then unchanged).
 * The array moves when it grows: keep indices, not pointers.
 */
#ifndef PIPA_BASE_VEC_H
#define PIPA_BASE_VEC_H

#include <stddef.h>

/* Returns items with room for n + 1 elements of `size` bytes and zeroes the n-th, or NULL. */
void *pipa_vec_grow(void *items, size_t *cap, size_t n, size_t size);

#define PIPA_VEC_ADD(v)                                                                            \
	({                                                                                         \
		void *items_ = pipa_vec_grow((v)->items, &(v)->cap, (v)->n, sizeof(*(v)->items));  \
		if (items_)                                                                        \
			(v)->items = items_;                                                       \
		items_ ? &(v)->items[(v)->n++] : NULL;                                             \
	})

#endif
