#include "codec/decompress.h"

#include <errno.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "codec/zstd.h"
#include "lib/test.h"

static struct pipa_span span_of(const struct pipa_buf *buf)
{
	return (struct pipa_span){ (const uint8_t *)buf->data, buf->len };
}

/* Append the text, compressed by gzip. */
static void gzip(const char *text, struct pipa_buf *out)
{
	unsigned char bytes[1000];
	z_stream z = { .next_in = (void *)(uintptr_t)text,
		       .avail_in = (unsigned int)strlen(text),
		       .next_out = bytes,
		       .avail_out = sizeof(bytes) };

	CHECK_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	pipa_buf_add(out, bytes, sizeof(bytes) - z.avail_out);
}

TEST(gzip_files_are_decompressed_with_all_members)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

	gzip("one ", &zipped);
	gzip("two", &zipped);
	CHECK(pipa_is_compressed(span_of(&zipped)));
	CHECK_EQ(pipa_decompress(span_of(&zipped), &out), 0);
	CHECK_STR(pipa_buf_str(&out), "one two");
}

TEST(a_truncated_gzip_file_gives_its_data_and_an_error)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	static const char text[] = "a text of some length, a text of some length";
	size_t len, full;

	gzip(text, &zipped);
	full = zipped.len;
	for (len = 2; len < full; len++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

		zipped.len = len;
		CHECK_EQ(pipa_decompress(span_of(&zipped), &out), -EBADMSG);
		if (len == full - 1)
			CHECK_STR(pipa_buf_str(&out), text);
	}
}

TEST(a_bomb_stops_at_the_ceiling)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zeros = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 10000 };
	struct pipa_zstd_compressor *packer = pipa_zstd_compressor_new();

	CHECK(packer);
	pipa_buf_fill(&zeros, '\0', 1 << 20);
	CHECK_EQ(pipa_zstd_compressor_put(packer, zeros.data, zeros.len, &zipped), 0);
	pipa_zstd_compressor_free(packer);
	CHECK(pipa_is_compressed(span_of(&zipped)));
	CHECK_EQ(pipa_decompress(span_of(&zipped), &out), -EFBIG);
}

TEST(compressed_data_can_be_decompressed_in_chunks)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf first = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf second = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_zstd_compressor *packer = pipa_zstd_compressor_new();
	struct pipa_zstd_decompressor *unpacker = pipa_zstd_decompressor_new();

	CHECK(packer && unpacker);
	CHECK_EQ(pipa_zstd_compressor_put(packer, "something ", 10, &first), 0);
	CHECK_EQ(pipa_zstd_compressor_put(packer, "something else", 14, &second), 0);
	CHECK_EQ(pipa_zstd_decompressor_put(unpacker, first.data, first.len, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "something ");
	CHECK_EQ(pipa_zstd_decompressor_put(unpacker, second.data, second.len, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "something something else");
	CHECK(!pipa_zstd_decompressor_is_whole(unpacker));
	pipa_zstd_decompressor_restart(unpacker);
	CHECK_EQ(pipa_zstd_decompressor_put(unpacker, second.data, second.len, &out), -EBADMSG);
	pipa_zstd_compressor_free(packer);
	pipa_zstd_decompressor_free(unpacker);
}

/* Decompress into buffers of that size from pieces of another: the text, or "damaged". */
static const char *decompress_in_pieces(const struct pipa_buf *zipped, size_t piece, size_t room,
					bool *whole)
{
	static char text[100], out[16];
	struct pipa_decompressor *decompressor = pipa_decompressor_new(span_of(zipped));
	const uint8_t *bytes = (const uint8_t *)zipped->data;
	size_t at, used = 0;
	ssize_t n = 0;

	CHECK(decompressor);
	for (at = 0; at < zipped->len && n >= 0; at += piece) {
		size_t len = zipped->len - at < piece ? zipped->len - at : piece;
		struct pipa_cursor c = { bytes + at, bytes + at + len, false, 0 };

		do {
			n = pipa_decompressor_next(decompressor, &c, out, room);
			if (n > 0)
				memcpy(text + used, out, (size_t)n);
			used += n > 0 ? (size_t)n : 0;
		} while (n >= 0 && ((size_t)n == room || pipa_cursor_left(&c)));
	}
	text[used] = '\0';
	*whole = n >= 0 && pipa_decompressor_is_whole(decompressor);
	pipa_decompressor_free(decompressor);
	return n < 0 ? "damaged" : text;
}

/* Two members and a tape's padding, then two frames of zstd. */
static void make_packed(struct pipa_buf *out, bool zstd)
{
	if (zstd) {
		static const unsigned char hello[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x20, 5,	  0x29,
						       0,    0,	   'h',	 'e',  'l',  'l', 'o' };

		pipa_buf_add(out, hello, sizeof(hello));
		pipa_buf_add(out, hello, sizeof(hello));
		return;
	}
	gzip("one and ", out);
	gzip("two and three", out);
	pipa_buf_add(out, "\0\0\0\0\0\0\0", 7);
}

TEST(pieces_of_any_size_give_the_same_text)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf gzipped = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zstd = { 0 };
	size_t piece, room;
	bool whole;

	make_packed(&gzipped, false);
	make_packed(&zstd, true);
	for (piece = 1; piece < 60; piece++)
		for (room = 1; room <= 16; room++) {
			CHECK_STR(decompress_in_pieces(&gzipped, piece, room, &whole),
				  "one and two and three");
			CHECK(whole);
			CHECK_STR(decompress_in_pieces(&zstd, piece, room, &whole), "hellohello");
			CHECK(whole);
		}
}

TEST(a_truncated_or_corrupt_stream_is_an_error)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	bool whole = true;

	gzip("one and ", &bytes);
	bytes.len -= 3;
	CHECK_STR(decompress_in_pieces(&bytes, 7, 16, &whole), "one and ");
	CHECK(!whole);
	bytes.data[12] ^= 0x40;
	bytes.data[13] ^= 0x7f;
	CHECK_STR(decompress_in_pieces(&bytes, 100, 16, &whole), "damaged");
	CHECK(!whole);
	pipa_buf_reset(&bytes);
	make_packed(&bytes, true);
	bytes.len -= 2;
	decompress_in_pieces(&bytes, 7, 16, &whole);
	CHECK(!whole);
}

/* ---- whole files and blocks --------------------------------------------------------------------- */

enum { IMAGE = 700000, ROOM = 1 << 20, FORMATS = 3 };

static uint8_t image[IMAGE], compressed[ROOM];

/* Fill the image with bytes that compress by about half. */
static void fill_image(void)
{
	uint64_t state = 5;
	size_t i;

	for (i = 0; i < IMAGE; i++) {
		state = state * 6364136223846793005U + 1442695040888963407U;
		image[i] = (uint8_t)(i % 7 ? state >> 60 : i >> 8);
	}
}

static size_t compress_gzip(void)
{
	z_stream z = {
		.next_in = image, .avail_in = IMAGE, .next_out = compressed, .avail_out = ROOM
	};

	CHECK_EQ(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
	CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
	deflateEnd(&z);
	return z.total_out;
}

static size_t compress_zstd(void)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	size_t n;

	CHECK(zstd);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(zstd, compressed, ROOM, image, IMAGE);
	ZSTD_freeCCtx(zstd);
	return n;
}

static size_t compress_image(int format)
{
	size_t n = 0;

	fill_image();
	switch (format) {
	case 0:
		CHECK_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, image, IMAGE,
						 compressed, &n, ROOM),
			 LZMA_OK);
		return n;
	case 1: return compress_zstd();
	default: return compress_gzip();
	}
}

TEST(a_file_of_each_format_is_decompressed)
{
	int format;

	for (format = 0; format < FORMATS; format++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = IMAGE + 1 };
		struct pipa_span file = { compressed, compress_image(format) };

		CHECK(pipa_is_compressed(file));
		CHECK_EQ(pipa_decompress(file, &out), 0);
		CHECK_EQ(out.len, IMAGE);
		CHECK(memcmp(out.data, image, IMAGE) == 0);
	}
}

TEST(no_format_exceeds_the_ceiling)
{
	int format;

	for (format = 0; format < FORMATS; format++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf less = { .max = IMAGE };
		PIPA_AUTO(pipa_buf_done) struct pipa_buf none = { .max = 1 };
		struct pipa_span file = { compressed, compress_image(format) };

		CHECK_EQ(pipa_decompress(file, &less), -EFBIG);
		CHECK_EQ(pipa_decompress(file, &none), -EFBIG);
	}
}

TEST(truncated_and_corrupt_files_of_each_format_are_refused)
{
	int format;

	for (format = 0; format < FORMATS; format++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
		size_t n = compress_image(format), cut;

		for (cut = 6; cut < n; cut += n / 19) {
			pipa_buf_reset(&out);
			CHECK_EQ(pipa_decompress((struct pipa_span){ compressed, cut }, &out),
				 -EBADMSG);
		}
		memset(compressed + n / 2, 0xaa, 64);
		pipa_buf_reset(&out);
		CHECK_EQ(pipa_decompress((struct pipa_span){ compressed, n }, &out), -EBADMSG);
	}
}

TEST(an_xz_stream_ends_where_its_footer_does)
{
	static char out[1000];
	struct pipa_decompressor *d;
	size_t n = compress_image(0), at, got = 0;
	ssize_t m;

	memset(compressed + n, 0xaa, 100);
	d = pipa_decompressor_new((struct pipa_span){ compressed, n });
	CHECK(d);
	for (at = 0; at < n + 100; at++) {
		struct pipa_cursor c = { compressed + at, compressed + at + 1, false, 0 };

		do {
			m = pipa_decompressor_next(d, &c, out, sizeof(out));
			CHECK(m >= 0);
			CHECK(memcmp(out, image + got, (size_t)m) == 0);
			got += (size_t)m;
		} while (m == sizeof(out) || pipa_cursor_left(&c));
		CHECK_EQ(pipa_decompressor_is_whole(d), at + 1 >= n);
	}
	CHECK_EQ(got, IMAGE);
	pipa_decompressor_free(d);
}

TEST(a_file_without_a_known_magic_number_is_not_compressed)
{
	static const uint8_t elf[] = { 0x7f, 'E', 'L', 'F' };
	struct pipa_buf out = { 0 };

	CHECK(!pipa_is_compressed((struct pipa_span){ elf, sizeof(elf) }));
	CHECK(!pipa_is_compressed((struct pipa_span){ NULL, 0 }));
	CHECK_EQ(pipa_decompress((struct pipa_span){ elf, sizeof(elf) }, &out), -EINVAL);
}

TEST(a_block_must_have_the_stated_size)
{
	static uint8_t plain[IMAGE];
	uLongf zlib_size = ROOM;
	size_t n;

	fill_image();
	CHECK_EQ(compress(compressed, &zlib_size, image, IMAGE), Z_OK);
	CHECK_EQ(pipa_decompress_zlib((struct pipa_span){ compressed, zlib_size }, plain, IMAGE),
		 0);
	CHECK(memcmp(plain, image, IMAGE) == 0);
	CHECK_EQ(pipa_decompress_zlib((struct pipa_span){ compressed, zlib_size }, plain,
				      IMAGE - 1),
		 -EBADMSG);
	n = compress_image(1);
	memset(plain, 0, sizeof(plain));
	CHECK_EQ(pipa_decompress_zstd((struct pipa_span){ compressed, n }, plain, IMAGE), 0);
	CHECK(memcmp(plain, image, IMAGE) == 0);
	CHECK_EQ(pipa_decompress_zstd((struct pipa_span){ compressed, n }, plain, IMAGE - 1),
		 -EBADMSG);
	CHECK_EQ(pipa_decompress_zstd((struct pipa_span){ compressed, n - 9 }, plain, IMAGE),
		 -EBADMSG);
}
