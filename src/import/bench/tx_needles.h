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
	uint16_t heads[1024]; /* by hash of a line's start: index in places + 1, or 0 */
	uint16_t first[4096]; /* by hash of a window: like heads */
	struct {
		uint16_t next; /* like heads */
		uint8_t item, offset;
	} places[PIPA_TX_NEEDLES * PIPA_TX_STRIDE];
	size_t n_places;
};

/* Bit set of ids. */
struct pipa_tx_found {
	uint64_t bits[PIPA_TX_NEEDLES / 64];
};

/*
 * Add a string that lines start with: borrowed, at least PIPA_TX_WINDOW long. At most
 * PIPA_TX_NEEDLES of both kinds.
 */
void pipa_tx_needles_add_head(struct pipa_tx_needles *needles, const char *text, size_t len,
			      unsigned int id);

/* Add a string that lines contain: borrowed, at least PIPA_TX_NEEDLE_MIN long. */
void pipa_tx_needles_add(struct pipa_tx_needles *needles, const char *text, size_t len,
			 unsigned int id);

/* Add the ids of the strings found in a line to *ret. */
void pipa_tx_needles_find(const struct pipa_tx_needles *needles, const char *line, size_t len,
			  struct pipa_tx_found *ret);

#endif
