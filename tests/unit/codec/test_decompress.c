#include "codec/decompress.h"

#include <errno.h>
#include <zlib.h>

#include "base/buf.h"
#include "codec/zstd.h"
#include "lib/test.h"

/* What gzip makes of the text, behind what is in the buffer. */
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

TEST(gzip_files_are_unpacked_with_all_their_members)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	bool whole = false;

	gzip("one ", &zipped);
	gzip("two", &zipped);
	CHECK(pipa_is_zipped(zipped.data, zipped.len));
	CHECK_EQ(pipa_unzip(zipped.data, zipped.len, &out, &whole), 0);
	CHECK(whole);
	CHECK_STR(pipa_buf_str(&out), "one two");
}

TEST(a_gzip_file_that_is_cut_gives_what_there_is_and_says_so)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	bool whole = true;
	size_t len;

	gzip("a text of some length, a text of some length", &zipped);
	for (len = 2; len < zipped.len; len++) {
		PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };

		CHECK_EQ(pipa_unzip(zipped.data, len, &out, &whole), 0);
		CHECK(!whole);
	}
}

TEST(a_bomb_stops_at_the_ceiling)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zeros = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf zipped = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { .max = 10000 };
	struct pipa_zstd_compressor *packer = pipa_zstd_compressor_new();
	bool whole;

	CHECK(packer);
	pipa_buf_fill(&zeros, '\0', 1 << 20);
	CHECK_EQ(pipa_zstd_compressor_put(packer, zeros.data, zeros.len, &zipped), 0);
	pipa_zstd_compressor_free(packer);
	CHECK(pipa_is_zipped(zipped.data, zipped.len));
	CHECK_EQ(pipa_unzip(zipped.data, zipped.len, &out, &whole), -EFBIG);
	CHECK(!whole);
}

TEST(what_was_packed_can_be_unpacked_call_by_call)
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

/* Through rooms of that size, from pieces of another: the text, or "damaged". */
static const char *unzip_in_pieces(const struct pipa_buf *zipped, size_t piece, size_t room,
				   bool *whole)
{
	static char text[100], out[16];
	struct pipa_unzipper *unzipper = pipa_unzipper_new(zipped->data, zipped->len);
	const uint8_t *bytes = (const uint8_t *)zipped->data;
	size_t at, used = 0;
	ssize_t n = 0;

	CHECK(unzipper);
	for (at = 0; at < zipped->len && n >= 0; at += piece) {
		size_t len = zipped->len - at < piece ? zipped->len - at : piece;
		struct pipa_cursor c = { bytes + at, bytes + at + len, false, 0 };

		do {
			n = pipa_unzipper_next(unzipper, &c, out, room);
			if (n > 0)
				memcpy(text + used, out, (size_t)n);
			used += n > 0 ? (size_t)n : 0;
		} while (n >= 0 && ((size_t)n == room || pipa_cursor_left(&c)));
	}
	text[used] = '\0';
	*whole = n >= 0 && pipa_unzipper_is_whole(unzipper);
	pipa_unzipper_free(unzipper);
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
			CHECK_STR(unzip_in_pieces(&gzipped, piece, room, &whole),
				  "one and two and three");
			CHECK(whole);
			CHECK_STR(unzip_in_pieces(&zstd, piece, room, &whole), "hellohello");
			CHECK(whole);
		}
}

TEST(a_cut_or_damaged_stream_is_told)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	bool whole = true;

	gzip("one and ", &bytes);
	bytes.len -= 3;
	CHECK_STR(unzip_in_pieces(&bytes, 7, 16, &whole), "one and ");
	CHECK(!whole);
	bytes.data[12] ^= 0x40;
	bytes.data[13] ^= 0x7f;
	CHECK_STR(unzip_in_pieces(&bytes, 100, 16, &whole), "damaged");
	CHECK(!whole);
	pipa_buf_reset(&bytes);
	make_packed(&bytes, true);
	bytes.len -= 2;
	unzip_in_pieces(&bytes, 7, 16, &whole);
	CHECK(!whole);
}
