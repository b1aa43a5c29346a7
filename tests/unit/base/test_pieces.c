/* Long texts passed on in pieces: nothing lost, a failure ends them. */
#include "base/pieces.h"

#include <errno.h>
#include <string.h>

#include "lib/test.h"

struct received {
	size_t bytes, pieces;
	size_t fail_after; /* pieces; 0: never */
};

static int receive(void *ctx, const char *bytes, size_t len)
{
	struct received *r = ctx;
	size_t i;

	for (i = 0; i < len; i++)
		CHECK_EQ(bytes[i], 'a' + (char)((r->bytes + i) % 26));
	r->bytes += len;
	r->pieces++;
	return r->fail_after && r->pieces >= r->fail_after ? -EIO : 7;
}

static void put_letters(struct pipa_pieces *pieces, size_t n)
{
	size_t i;

	for (i = 0; i < n && pipa_pieces_flush(pieces); i++)
		pipa_buf_putc(&pieces->buf, 'a' + (char)(i % 26));
}

TEST(all_bytes_arrive_in_order_and_in_bounded_pieces)
{
	struct received r = { 0 };
	struct pipa_pieces pieces = { .put = receive, .ctx = &r };

	put_letters(&pieces, 200000);
	CHECK(pieces.buf.len <= 65537);
	CHECK_EQ(pipa_pieces_end(&pieces), 0);
	CHECK_EQ(r.bytes, 200000);
	CHECK_EQ(r.pieces, 4);
	pipa_buf_done(&pieces.buf);
}

TEST(a_failure_of_the_receiver_ends_the_text)
{
	struct received r = { .fail_after = 2 };
	struct pipa_pieces pieces = { .put = receive, .ctx = &r };

	put_letters(&pieces, 500000);
	CHECK_EQ(pipa_pieces_end(&pieces), -EIO);
	CHECK_EQ(r.pieces, 2);
	pipa_buf_done(&pieces.buf);
}

TEST(a_failure_of_the_buffer_is_kept)
{
	struct received r = { 0 };
	struct pipa_pieces pieces = { .buf = { .max = 1000 }, .put = receive, .ctx = &r };

	put_letters(&pieces, 5000);
	CHECK_EQ(pipa_pieces_end(&pieces), -EFBIG);
	CHECK_EQ(r.pieces, 0);
	pipa_buf_done(&pieces.buf);
}
