#include "codec/zstd.h"

#include <string.h>

#include "codec/unzstd.h"
#include "lib/test.h"

TEST(what_is_packed_piece_by_piece_unpacks_piece_by_piece)
{
	static uint8_t text[200000], packed[70000], back[200000];
	struct pipa_zstd *zstd = pipa_zstd_new(3);
	struct pipa_unzstd *unzstd = pipa_unzstd_new();
	size_t i, piece, got = 0;

	CHECK(zstd && unzstd);
	for (i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * i >> 7);
	for (piece = 0; piece < 4; piece++) {
		struct pipa_cursor in = { .pos = text + piece * 50000,
					  .end = text + (piece + 1) * 50000 };
		ssize_t n;

		do {
			struct pipa_cursor part = { .pos = packed };

			n = pipa_zstd_next(zstd, &in, packed, 1000);
			CHECK(n >= 0);
			part.end = packed + n;
			got += (size_t)pipa_unzstd_next(unzstd, &part, back + got,
							sizeof(back) - got);
		} while (n == 1000 || pipa_cursor_left(&in));
		CHECK_EQ(got, (piece + 1) * 50000);
	}
	CHECK(memcmp(text, back, sizeof(text)) == 0);
	pipa_zstd_free(zstd);
	pipa_unzstd_free(unzstd);
}
