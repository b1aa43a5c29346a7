/*
 * Tables in which equal rows are stored once. A row is known by its index; the hash index of a
 * table finds it by its contents.
 */
#ifndef PIPA_MODEL_INTERN_H
#define PIPA_MODEL_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/vec.h"

#define PIPA_NONE UINT32_MAX /* no such row */

/* items, n, cap: see base/vec.h */
#define PIPA_TABLE(type)                                                                           \
	struct {                                                                                   \
		struct type *items;                                                                \
		size_t n, cap;                                                                     \
		struct pipa_index index;                                                           \
	}

/*
 * Return the index of the row that equals `row` by hash and `same(item, row)`, appending it if
 * there is none; PIPA_NONE on allocation failure. A macro, because the tables differ in their type
 * and the comparison should be inlined.
 */
#define PIPA_INTERN(table, key, same, row)                                                         \
	({                                                                                         \
		const uint64_t hash_ = (key);                                                      \
		const struct pipa_index_slot *slot_ = pipa_index_start(&(table)->index, hash_);    \
		uint32_t number_ = PIPA_NONE;                                                      \
                                                                                                   \
		for (; slot_->id; slot_ = pipa_index_after(&(table)->index, slot_))                \
			if (slot_->hash == (uint32_t)hash_ &&                                      \
			    same(&(table)->items[slot_->id - 1], row)) {                           \
				number_ = slot_->id - 1;                                           \
				break;                                                             \
			}                                                                          \
		if (number_ == PIPA_NONE && (table)->n < PIPA_NONE - 1) {                          \
			__typeof__((table)->items) item_ = PIPA_VEC_ADD(table);                    \
                                                                                                   \
			if (item_) {                                                               \
				*item_ = *(row);                                                   \
				number_ = (uint32_t)((table)->n - 1);                              \
				if (pipa_index_add(&(table)->index, hash_, number_) < 0) {         \
					(table)->n--;                                              \
					number_ = PIPA_NONE;                                       \
				}                                                                  \
			}                                                                          \
		}                                                                                  \
		number_;                                                                           \
	})

#endif
