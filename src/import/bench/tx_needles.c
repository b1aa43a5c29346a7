#include "import/bench/tx_needles.h"

#include <assert.h>
#include <string.h>

static uint32_t hash_window(const char *at)
{
	uint32_t window;

	memcpy(&window, at, sizeof(window));
	return window * 0x9e3779b1u;
}

static size_t head_slot(const char *at)
{
	return hash_window(at) >> 22;
}

static size_t slot(const char *at)
{
	return hash_window(at) >> 20;
}

static void add_place(struct pipa_tx_needles *needles, uint16_t *first, size_t offset)
{
	needles->places[needles->n_places].next = *first;
	needles->places[needles->n_places].item = (uint8_t)needles->n;
	needles->places[needles->n_places].offset = (uint8_t)offset;
	*first = (uint16_t)++needles->n_places;
}

void pipa_tx_needles_add_head(struct pipa_tx_needles *needles, const char *text, size_t len,
			      unsigned int id)
{
	assert(len >= PIPA_TX_WINDOW && id < PIPA_TX_NEEDLES && needles->n < PIPA_TX_NEEDLES);
	needles->items[needles->n] = (struct pipa_tx_needle){ text, len, id };
	add_place(needles, &needles->heads[head_slot(text)], 0);
	needles->n++;
}

void pipa_tx_needles_add(struct pipa_tx_needles *needles, const char *text, size_t len,
			 unsigned int id)
{
	size_t offset;

	assert(len >= PIPA_TX_NEEDLE_MIN && id < PIPA_TX_NEEDLES && needles->n < PIPA_TX_NEEDLES);
	needles->items[needles->n] = (struct pipa_tx_needle){ text, len, id };
	for (offset = 0; offset < PIPA_TX_STRIDE; offset++)
		add_place(needles, &needles->first[slot(text + offset)], offset);
	needles->n++;
}

/* Compare the strings of a window's hash with the line at `at`. */
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

	if (len < PIPA_TX_WINDOW)
		return;
	check_places(needles, needles->heads[head_slot(line)], line, 0, len, ret);
	for (at = 0; at + PIPA_TX_WINDOW <= len; at += PIPA_TX_STRIDE) {
		uint16_t place = needles->first[slot(line + at)];

		if (__builtin_expect(place != 0, 0))
			check_places(needles, place, line, at, len, ret);
	}
}
