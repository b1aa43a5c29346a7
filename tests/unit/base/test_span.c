/* Parts of bytes, and reading them field by field without ever leaving them. */
#include <errno.h>

#include "base/span.h"
#include "lib/test.h"

static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'h', 'i', 0, 'x' };

TEST(a_part_is_within_its_span_or_refused)
{
	struct pipa_span whole = { bytes, sizeof(bytes) }, part = { 0 };

	CHECK(pipa_span_cut(whole, 8, 4, &part));
	CHECK_EQ(part.size, 4);
	CHECK_EQ(part.data[0], 'h');
	CHECK(pipa_span_cut(whole, 12, 0, &part));
	CHECK(!pipa_span_cut(whole, 12, 1, &part));
	CHECK(!pipa_span_cut(whole, 13, 0, &part));
	CHECK(!pipa_span_cut(whole, 4, UINT64_MAX, &part)); /* no sum that wraps */
	CHECK(!pipa_span_cut(whole, UINT64_MAX, 4, &part));
}

TEST(fields_are_read_in_either_byte_order)
{
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, sizeof(bytes) }, false);
	uint32_t native = pipa_get_u32(&c);

	c = pipa_span_cursor((struct pipa_span){ bytes, sizeof(bytes) }, true);
	CHECK_EQ(pipa_get_u32(&c), __builtin_bswap32(native));
	CHECK_EQ(pipa_get_u8(&c), 5);
	CHECK_EQ(pipa_get_u16(&c), __builtin_bswap32(native) == 0x01020304 ? 0x0607 : 0x0706);
}

TEST(a_read_past_the_end_sticks)
{
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, 6 }, false);

	pipa_skip(&c, 4);
	CHECK_EQ(pipa_get_u32(&c), 0);
	CHECK_EQ(c.status, -EBADMSG);
	CHECK_EQ(pipa_get_u8(&c), 0); /* though there would be one */
	CHECK(!pipa_get_bytes(&c, 0));
}

TEST(unterminated_strings_are_refused)
{
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ bytes, sizeof(bytes) }, false);

	pipa_skip(&c, 8);
	CHECK_STR(pipa_get_str(&c), "hi");
	CHECK(!pipa_get_str(&c));
	CHECK_EQ(c.status, -EBADMSG);
}

TEST(nothing_is_a_span_too)
{
	struct pipa_cursor c = pipa_span_cursor((struct pipa_span){ NULL, 0 }, false);

	CHECK(!pipa_get_str(&c));
	CHECK_EQ(pipa_get_u64(&c), 0);
	CHECK_EQ(c.status, -EBADMSG);
}
