/* Images that are packed as a whole, by each of the three packers. */
#include "elf/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "elf/inflate.h"
#include "lib/test.h"

enum { PLAIN = 700000, ROOM = 1 << 20, KINDS = 3 };

static uint8_t plain[PLAIN], packed[ROOM];

/* Text that neither packs to nothing nor stays as it is. */
static void fill(void)
{
	uint64_t state = 5;
	size_t i;

	for (i = 0; i < PLAIN; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		plain[i] = (uint8_t)(i % 7 ? state >> 60 : i >> 8);
	}
}

static size_t pack_gzip(void)
{
	z_stream z = { .next_in = plain, .avail_in = PLAIN, .next_out = packed, .avail_out = ROOM };

	CHECK_EQ(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t pack_zstd(void)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t n;

	CHECK(zstd);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(zstd, packed, ROOM, plain, PLAIN);
	ZSTD_freeCCtx(zstd);
	return n;
}

static size_t pack(int kind)
{
	size_t n = 0;

	fill();
	switch (kind) {
	case 0:
		CHECK_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, plain, PLAIN, packed,
						 &n, ROOM),
			 LZMA_OK);
		return n;
	case 1: return pack_zstd();
	default: return pack_gzip();
	}
}

TEST(what_was_packed_comes_out_whole)
{
	struct pipa_inflated out;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		struct pipa_span file = { packed, pack(kind) };

		CHECK(pipa_elf_is_packed(file));
		CHECK_EQ(pipa_elf_unpack(file, PLAIN, &out), 0);
		CHECK_EQ(out.size, PLAIN);
		CHECK(memcmp(out.data, plain, PLAIN) == 0);
		free(out.data);
	}
}

TEST(no_more_than_the_ceiling_is_unpacked)
{
	struct pipa_inflated out;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		struct pipa_span file = { packed, pack(kind) };

		CHECK_EQ(pipa_elf_unpack(file, PLAIN - 1, &out), -EFBIG);
		CHECK_EQ(pipa_elf_unpack(file, 0, &out), -EFBIG);
	}
}

TEST(a_cut_or_damaged_file_is_refused)
{
	struct pipa_inflated out;
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		size_t n = pack(kind), cut;

		for (cut = 6; cut < n; cut += n / 19)
			CHECK_EQ(pipa_elf_unpack((struct pipa_span){ packed, cut }, ROOM, &out),
				 -EBADMSG);
		memset(packed + n / 2, 0xaa, 64);
		CHECK_EQ(pipa_elf_unpack((struct pipa_span){ packed, n }, ROOM, &out), -EBADMSG);
	}
}

TEST(what_is_not_packed_is_told)
{
	static const uint8_t image[] = { 0x7f, 'E', 'L', 'F' };
	struct pipa_inflated out;

	CHECK(!pipa_elf_is_packed((struct pipa_span){ image, sizeof(image) }));
	CHECK(!pipa_elf_is_packed((struct pipa_span){ NULL, 0 }));
	CHECK_EQ(pipa_elf_unpack((struct pipa_span){ image, 4 }, ROOM, &out), -EINVAL);
}
