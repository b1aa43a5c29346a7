/* Encodings of the values of a Parquet page. Failures stay in the buffer's status. */
#ifndef PIPA_CODEC_PARQUET_PAGES_H
#define PIPA_CODEC_PARQUET_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct pipa_buf;

/* Return the number of bits that hold the value, 0 for 0. */
unsigned int pipa_parquet_width(uint64_t value);

/* Append values of `width` bits, at most 32, as runs and bit-packed groups (RLE). */
void pipa_parquet_pack_runs(struct pipa_buf *out, const uint32_t *values, size_t n,
			    unsigned int width);

/* Append integers as DELTA_BINARY_PACKED, of 32 or 64 bits, with the arithmetic of that width. */
void pipa_parquet_pack_deltas(struct pipa_buf *out, const uint64_t *values, size_t n,
			      unsigned int bits);

#endif
