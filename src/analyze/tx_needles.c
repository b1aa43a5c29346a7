#include "analyze/tx_needles.h"

#include <assert.h>
#include <string.h>

static size_t hash_window(const char *at)
{
	uint32_t window;

	memcpy(&window, at, sizeof(window));
	return (window * 0x9e3779b1u) >> 20;
}

void pipa_tx_needles_add(struct pipa_tx_needles *needles, const char *text, size_t len,
			 unsigned int id)
{
	size_t offset;

	assert(len >= PIPA_TX_NEEDLE_MIN && id < PIPA_TX_NEEDLES && needles->n < PIPA_TX_NEEDLES);
	needles->items[needles->n] = (struct pipa_tx_needle){ text, len, id };
	for (offset = 0; offset < PIPA_TX_STRIDE; offset++) {
		uint16_t *first = &needles->first[hash_window(text + offset)];

		needles->places[needles->n_places].next = *first;
		needles->places[needles->n_places].item = (uint8_t)needles->n;
		needles->places[needles->n_places].offset = (uint8_t)offset;
		*first = (uint16_t)++needles->n_places;
	}
	needles->n++;
}

/* A window at `at` may be of these. */
static void check_places(const struct pipa_tx_needles *needles, uint16_t place, const char *line,
			 size_t at, size_t len, struct pipa_tx_found *ret)
{
	for (; place; place = needles->places[place - 1].next) {
		const struct pipa_tx_needle *needle =
			&needles->items[needles->places[place - 1].item];
		size_t offset = needles->places[place - 1].offset;

		if (offset <= at && needle->len <= len - (at - offset) &&
		    memcmp(needle->text, line + at - offset, needle->len) == 0)
			ret->bits[needle->id / 64] |= 1ull << (needle->id % 64);
	}
}

void pipa_tx_needles_find(const struct pipa_tx_needles *needles, const char *line, size_t len,
			  struct pipa_tx_found *ret)
{
	size_t at;

	for (at = 0; at + PIPA_TX_WINDOW <= len; at += PIPA_TX_STRIDE) {
		uint16_t place = needles->first[hash_window(line + at)];

		if (__builtin_expect(place != 0, 0))
			check_places(needles, place, line, at, len, ret);
	}
}
