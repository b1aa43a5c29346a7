/*
 * Compressed columns of doubles: blocks of up to PIPA_BLOCK_VALUES values, each with its minimum,
 * maximum and sum, so that a coarse view needs no decoding. The encoding is exact.
 *
 * A block whose values are decimals of at most PIPA_BLOCK_DIGITS digits after the point (those of
 * sysstat's files and of histories) is stored as integers: the offsets from their minimum, or the
 * differences between neighbours, in as few bits as the largest needs. A block of equal values
 * stores one, all other blocks store the doubles.
 *
 *	[bitmap of present values], form 1, digits 1, width 1, flags 1, base 8, [step 8], bits
 *
 * Numbers are in the byte order of the machine: blocks live in memory only.
 */
#ifndef PIPA_MODEL_SERIES_BLOCKS_H
#define PIPA_MODEL_SERIES_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

struct pipa_arena;

enum { PIPA_BLOCK_VALUES = 512, PIPA_BLOCK_DIGITS = 6 };

struct pipa_block {
	const uint8_t *bytes; /* NULL: all values are missing */
	double min, max;      /* NaN: all values are missing */
	double sum;
	uint32_t n;	  /* number of values */
	uint32_t present; /* number of those that are not missing */
};

/* Compress n values, at most PIPA_BLOCK_VALUES, into memory of the arena. 0 or -ENOMEM. */
int pipa_block_encode(const double *values, size_t n, struct pipa_arena *arena,
		      struct pipa_block *ret);

/*
 * Compress n hundredths from 0 to PIPA_HUNDREDTHS_MAX. The block is that of their quotients by 100: those are what
 * it restores. 0 or -ENOMEM.
 */
int pipa_block_encode_hundredths(const int32_t *hundredths, size_t n, struct pipa_arena *arena,
				 struct pipa_block *ret);

/* Restore the n values of a block; missing ones are NaN. */
void pipa_block_decode(const struct pipa_block *block, double *ret);

#endif
