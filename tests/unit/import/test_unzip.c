#include "codec/unzip.h"

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
	struct pipa_packer *packer = pipa_packer_new();
	bool whole;

	CHECK(packer);
	pipa_buf_fill(&zeros, '\0', 1 << 20);
	CHECK_EQ(pipa_packer_put(packer, zeros.data, zeros.len, &zipped), 0);
	pipa_packer_free(packer);
	CHECK(pipa_is_zipped(zipped.data, zipped.len));
	CHECK_EQ(pipa_unzip(zipped.data, zipped.len, &out, &whole), -EFBIG);
	CHECK(!whole);
}

TEST(what_was_packed_can_be_unpacked_call_by_call)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf first = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf second = { 0 };
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_packer *packer = pipa_packer_new();
	struct pipa_unpacker *unpacker = pipa_unpacker_new();

	CHECK(packer && unpacker);
	CHECK_EQ(pipa_packer_put(packer, "something ", 10, &first), 0);
	CHECK_EQ(pipa_packer_put(packer, "something else", 14, &second), 0);
	CHECK_EQ(pipa_unpacker_put(unpacker, first.data, first.len, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "something ");
	CHECK_EQ(pipa_unpacker_put(unpacker, second.data, second.len, &out), 0);
	CHECK_STR(pipa_buf_str(&out), "something something else");
	CHECK(!pipa_unpacker_is_whole(unpacker));
	pipa_unpacker_restart(unpacker);
	CHECK_EQ(pipa_unpacker_put(unpacker, second.data, second.len, &out), -EBADMSG);
	pipa_packer_free(packer);
	pipa_unpacker_free(unpacker);
}
