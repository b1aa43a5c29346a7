#include "codec/parquet_pages.h"

#include "base/buf.h"
#include "codec/varint.h"

enum {
	RUN_MIN = 16,	/* shorter runs of a value are bit-packed with their neighbours */
	BLOCK = 128,	/* deltas with one minimum */
	MINIBLOCKS = 4, /* parts of a block, each with a width of its own */
	MINIBLOCK = BLOCK / MINIBLOCKS,
};

unsigned int pipa_parquet_width(uint64_t value)
{
	return value ? 64 - (unsigned int)__builtin_clzll(value) : 0;
}

/* Values on their way into bytes, the lowest bit first. */
struct packer {
	unsigned __int128 bits;
	unsigned int n;
	unsigned char *to;
};

static inline void pack(struct packer *p, uint64_t value, unsigned int width)
{
	p->bits |= (unsigned __int128)value << p->n;
	p->n += width;
	while (p->n >= 8) {
		*p->to++ = (unsigned char)p->bits;
		p->bits >>= 8;
		p->n -= 8;
	}
}

/* The same for widths up to 32, eight values at a time, which fill `width` bytes. */
static unsigned char *pack_group(unsigned char *to, const uint32_t values[8], unsigned int width)
{
	uint64_t bits = 0;
	unsigned int i, n = 0;

	for (i = 0; i < 8; i++) {
		bits |= (uint64_t)values[i] << n;
		n += width;
		if (n >= 32) {
			pipa_le_put(to, bits, 4);
			to += 4;
			bits >>= 32;
			n -= 32;
		}
	}
	for (; n >= 8; n -= 8) {
		*to++ = (unsigned char)bits;
		bits >>= 8;
	}
	return to;
}

/* Append values as one bit-packed run, the last group of eight padded with zeros. */
static void pack_literals(struct pipa_buf *out, const uint32_t *values, size_t n,
			  unsigned int width)
{
	const size_t groups = (n + 7) / 8;
	uint32_t last[8] = { 0 };
	unsigned char *at, *end;
	size_t i;

	if (!n)
		return;
	pipa_varint_put(out, groups << 1 | 1);
	at = (unsigned char *)pipa_buf_room(out, groups * width + 8);
	if (!at)
		return;
	end = at;
	for (i = 0; i + 8 <= n; i += 8)
		end = pack_group(end, values + i, width);
	if (i < n) {
		memcpy(last, values + i, (n - i) * sizeof(*values));
		end = pack_group(end, last, width);
	}
	pipa_buf_wrote(out, (size_t)(end - at));
}

static void put_run(struct pipa_buf *out, uint32_t value, size_t n, unsigned int width)
{
	unsigned char bytes[4];

	pipa_varint_put(out, n << 1);
	pipa_le_put(bytes, value, sizeof(bytes));
	pipa_buf_add(out, bytes, (width + 7) / 8);
}

void pipa_parquet_pack_runs(struct pipa_buf *out, const uint32_t *values, size_t n,
			    unsigned int width)
{
	size_t at = 0, literals = 0, run;

	while (at < n) {
		for (run = 1; at + run < n && values[at + run] == values[at]; run++)
			;
		if (run < RUN_MIN && run < n - at) {
			at = n - at < 8 ? n :
					  at + 8; /* a bit-packed run consists of groups of eight */
			continue;
		}
		pack_literals(out, values + literals, at - literals, width);
		put_run(out, values[at], run, width);
		at += run;
		literals = at;
	}
	pack_literals(out, values + literals, n - literals, width);
}

static void pack_miniblock(struct pipa_buf *out, const uint64_t *deltas, size_t n,
			   unsigned int width)
{
	unsigned char *room = (unsigned char *)pipa_buf_room(out, MINIBLOCK * 8 + 8);
	struct packer packer = { .to = room };
	size_t i;

	if (!room)
		return;
	for (i = 0; i < MINIBLOCK; i++)
		pack(&packer, i < n ? deltas[i] : 0, width);
	pipa_buf_wrote(out, (size_t)(packer.to - room));
}

static int64_t sign_extend(uint64_t value, unsigned int bits)
{
	return bits == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

void pipa_parquet_pack_deltas(struct pipa_buf *out, const uint64_t *values, size_t n,
			      unsigned int bits)
{
	const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
	uint64_t deltas[BLOCK], all;
	unsigned char widths[MINIBLOCKS];
	size_t at, i, m, count;
	int64_t min;

	pipa_varint_put(out, BLOCK);
	pipa_varint_put(out, MINIBLOCKS);
	pipa_varint_put(out, n);
	pipa_varint_put(out, pipa_zigzag(n ? sign_extend(values[0], bits) : 0));
	for (at = 1; at < n; at += count) {
		count = n - at < BLOCK ? n - at : BLOCK;
		min = INT64_MAX;
		for (i = 0; i < count; i++) {
			deltas[i] = (uint64_t)sign_extend(values[at + i] - values[at + i - 1],
							  bits);
			if ((int64_t)deltas[i] < min)
				min = (int64_t)deltas[i];
		}
		for (i = 0; i < count; i++)
			deltas[i] = (deltas[i] - (uint64_t)min) & mask;
		for (m = 0; m < MINIBLOCKS; m++) {
			all = 0;
			for (i = m * MINIBLOCK; i < count && i < (m + 1) * MINIBLOCK; i++)
				all |= deltas[i];
			widths[m] = (unsigned char)pipa_parquet_width(all);
		}
		pipa_varint_put(out, pipa_zigzag(min));
		pipa_buf_add(out, widths, sizeof(widths));
		for (m = 0; m * MINIBLOCK < count; m++)
			pack_miniblock(out, deltas + m * MINIBLOCK,
				       count - m * MINIBLOCK < MINIBLOCK ? count - m * MINIBLOCK :
									   MINIBLOCK,
				       widths[m]);
	}
}
