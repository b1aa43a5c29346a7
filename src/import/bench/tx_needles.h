/*
 * Find which of many strings a line starts with or contains, in one pass: by the first four bytes
 * of the line, then by windows of four bytes, so far apart that no string fits between them.
 */
#ifndef PIPA_IMPORT_BENCH_TX_NEEDLES_H
#define PIPA_IMPORT_BENCH_TX_NEEDLES_H

#include <stddef.h>
#include <stdint.h>

enum {
	PIPA_TX_NEEDLE_MIN = 8,
	PIPA_TX_WINDOW = 4,
	PIPA_TX_STRIDE = PIPA_TX_NEEDLE_MIN - PIPA_TX_WINDOW + 1,
	PIPA_TX_NEEDLES = 128,
};

struct pipa_tx_needle {
	const char *text;
	size_t len;
	unsigned int id; /* below PIPA_TX_NEEDLES */
};

struct pipa_tx_needles {
	struct pipa_tx_needle items[PIPA_TX_NEEDLES];
	size_t n;
	uint16_t heads[1024]; /* [hash of a line's start]: 1 + its first place in places, or 0 */
	uint16_t first[4096]; /* [hash of a window]: the same */
	struct {
		uint16_t next; /* as heads */
		uint8_t item, offset;
	} places[PIPA_TX_NEEDLES * PIPA_TX_STRIDE];
	size_t n_places;
};

/* Bit set of ids. */
struct pipa_tx_found {
	uint64_t bits[PIPA_TX_NEEDLES / 64];
};

/* The text is borrowed, at least PIPA_TX_WINDOW long; at most PIPA_TX_NEEDLES of both kinds. */
void pipa_tx_needles_add_head(struct pipa_tx_needles *needles, const char *text, size_t len,
			      unsigned int id);

/* At least PIPA_TX_NEEDLE_MIN long. */
void pipa_tx_needles_add(struct pipa_tx_needles *needles, const char *text, size_t len,
			 unsigned int id);

/* Adds to *ret. */
void pipa_tx_needles_find(const struct pipa_tx_needles *needles, const char *line, size_t len,
			  struct pipa_tx_found *ret);

#endif
