#include "codec/zstd.h"

#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

TEST(data_compressed_into_small_buffers_is_decompressed_in_chunks)
{
	static uint8_t text[200000], packed[1000];
	PIPA_AUTO(pipa_buf_done) struct pipa_buf back = { 0 };
	struct pipa_zstd_compressor *packer = pipa_zstd_compressor_new_level(3);
	struct pipa_zstd_decompressor *unpacker = pipa_zstd_decompressor_new();
	size_t i, piece;

	CHECK(packer && unpacker);
	for (i = 0; i < sizeof(text); i++)
		text[i] = (uint8_t)(i * i >> 7);
	for (piece = 0; piece < 4; piece++) {
		struct pipa_cursor in = { .pos = text + piece * 50000,
					  .end = text + (piece + 1) * 50000 };
		ssize_t n;

		do {
			n = pipa_zstd_compressor_next(packer, &in, packed, sizeof(packed));
			CHECK(n >= 0);
			CHECK_EQ(pipa_zstd_decompressor_put(unpacker, packed, (size_t)n, &back), 0);
		} while (n == (ssize_t)sizeof(packed) || pipa_cursor_left(&in));
		CHECK_EQ(back.len, (piece + 1) * 50000);
	}
	CHECK(memcmp(text, back.data, sizeof(text)) == 0);
	pipa_zstd_compressor_free(packer);
	pipa_zstd_decompressor_free(unpacker);
}

TEST(a_stream_is_complete_after_its_end_was_written)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf packed = { 0 }, back = { 0 };
	struct pipa_zstd_compressor *packer = pipa_zstd_compressor_new_level(3);
	struct pipa_zstd_decompressor *unpacker = pipa_zstd_decompressor_new();
	size_t before;

	CHECK(packer && unpacker);
	CHECK_EQ(pipa_zstd_compressor_put(packer, "hello", 5, &packed), 0);
	before = packed.len;
	CHECK_EQ(pipa_zstd_decompressor_put(unpacker, packed.data, before, &back), 0);
	CHECK(!pipa_zstd_decompressor_is_whole(unpacker));
	CHECK_EQ(pipa_zstd_compressor_end(packer, &packed), 0);
	CHECK_EQ(pipa_zstd_decompressor_put(unpacker, packed.data + before, packed.len - before,
					    &back),
		 0);
	CHECK(pipa_zstd_decompressor_is_whole(unpacker));
	CHECK_STR(pipa_buf_str(&back), "hello");
	pipa_zstd_compressor_free(packer);
	pipa_zstd_decompressor_free(unpacker);
}
