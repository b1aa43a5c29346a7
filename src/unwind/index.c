#include "unwind/index.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

enum { PAIR = 8, HDR_VERSION = 1 };

bool pipa_fde_index_linked(struct pipa_fde_index *index, struct pipa_span hdr, uint64_t addr,
			   bool is64, bool swapped, uint64_t *ret_frame)
{
	struct pipa_cfi cfi = { .bytes = hdr, .addr = addr, .data = addr, .is64 = is64 };
	struct pipa_cursor c = pipa_span_cursor(hdr, swapped);
	uint8_t version = pipa_get_u8(&c), frame = pipa_get_u8(&c), count = pipa_get_u8(&c),
		table = pipa_get_u8(&c);
	uint64_t at, n;

	*ret_frame = 0;
	cfi.swapped = swapped;
	if (version != HDR_VERSION)
		return false;
	at = pipa_cfi_pointer(&cfi, &c, frame, 0);
	if (c.status)
		return false;
	*ret_frame = at;
	if (count == PIPA_EH_PE_OMIT || table != (PIPA_EH_PE_DATAREL | PIPA_EH_PE_S4))
		return false;
	n = pipa_cfi_pointer(&cfi, &c, count, 0);
	if (c.status || n > pipa_cursor_left(&c) / PAIR)
		return false;
	*index = (struct pipa_fde_index){
		.n = (size_t)n, .pairs = c.pos, .pairs_base = addr, .swapped = swapped
	};
	return n > 0;
}

struct places {
	struct pipa_fde_place *items;
	size_t n, cap;
};

static int by_start(const void *a, const void *b)
{
	const struct pipa_fde_place *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

int pipa_fde_index_build(struct pipa_fde_index *index, const struct pipa_cfi *cfi)
{
	struct pipa_fde fde = { 0 };
	struct places places = { 0 };
	struct pipa_fde_place *place;
	uint64_t at, next;

	for (at = 0; at < cfi->bytes.size; at = next) {
		if (pipa_cfi_next(cfi, at, &next, &fde) != PIPA_CFI_FDE)
			continue;
		if (!fde.start) /* code that the linker has dropped */
			continue;
		place = PIPA_VEC_ADD(&places);
		if (!place) {
			free(places.items);
			return -ENOMEM;
		}
		*place = (struct pipa_fde_place){ fde.start, at };
	}
	if (places.n)
		qsort(places.items, places.n, sizeof(*places.items), by_start);
	*index = (struct pipa_fde_index){ .n = places.n, .places = places.items };
	return 0;
}

void pipa_fde_index_done(struct pipa_fde_index *index)
{
	free(index->places);
	*index = (struct pipa_fde_index){ 0 };
}

static uint32_t pair_word(const struct pipa_fde_index *index, size_t i, size_t which)
{
	uint32_t word;

	memcpy(&word, index->pairs + i * PAIR + which * sizeof(word), sizeof(word));
	return index->swapped ? __builtin_bswap32(word) : word;
}

static uint64_t start_of(const struct pipa_fde_index *index, size_t i)
{
	if (!index->pairs)
		return index->places[i].start;
	return index->pairs_base + (uint64_t)(int32_t)pair_word(index, i, 0);
}

struct pipa_fde_place pipa_fde_index_get(const struct pipa_fde_index *index, size_t i,
					 const struct pipa_cfi *cfi)
{
	uint64_t frame;

	if (!index->pairs)
		return index->places[i];
	frame = index->pairs_base + (uint64_t)(int32_t)pair_word(index, i, 1);
	return (struct pipa_fde_place){ start_of(index, i), frame - cfi->addr };
}

bool pipa_fde_index_find(const struct pipa_fde_index *index, const struct pipa_cfi *cfi,
			 uint64_t addr, struct pipa_fde *ret)
{
	size_t low = 0, n = index->n;
	uint64_t next;

	if (!n || addr < start_of(index, 0))
		return false;
	while (n > 1) { /* the last that starts at or before it is in [low, low + n) */
		size_t half = n / 2;

		if (start_of(index, low + half) <= addr)
			low += half;
		n -= half;
	}
	if (pipa_cfi_at(cfi, pipa_fde_index_get(index, low, cfi).at, &next, ret) != PIPA_CFI_FDE)
		return false;
	return addr >= ret->start && addr < ret->end;
}
