#include "codec/varint.h"

#include "lib/test.h"

static const uint64_t numbers[] = { 0,	       1,     127,	  128,
				    16383,     16384, UINT32_MAX, UINT64_MAX - 1,
				    UINT64_MAX };

TEST(numbers_are_encoded_in_the_fewest_bytes)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf out = { 0 };
	struct pipa_cursor c;
	size_t i;

	for (i = 0; i < PIPA_COUNT(numbers); i++)
		pipa_varint_put(&out, numbers[i]);
	CHECK_EQ(out.len, 1 + 1 + 1 + 2 + 2 + 3 + 5 + 10 + 10);
	c = (struct pipa_cursor){ .pos = (void *)out.data, .end = (void *)(out.data + out.len) };
	for (i = 0; i < PIPA_COUNT(numbers); i++)
		CHECK(pipa_get_uleb(&c) == numbers[i]);
	CHECK(c.pos == c.end && !c.status);
}

TEST(small_numbers_of_either_sign_are_short)
{
	CHECK_EQ(pipa_zigzag(0), 0);
	CHECK_EQ(pipa_zigzag(-1), 1);
	CHECK_EQ(pipa_zigzag(1), 2);
	CHECK_EQ(pipa_unzigzag(pipa_zigzag(-123456789)), -123456789);
	CHECK(pipa_unzigzag(pipa_zigzag(INT64_MIN)) == INT64_MIN);
	CHECK(pipa_unzigzag(pipa_zigzag(INT64_MAX)) == INT64_MAX);
}

TEST(a_truncated_or_overlong_number_is_refused_and_the_failure_is_kept)
{
	static const unsigned char cut[] = { 0x80, 0x80 };
	static const unsigned char longer[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
						0x80, 0x80, 0x80, 0x02, 0x01 };
	struct pipa_cursor c = { .pos = cut, .end = cut + sizeof(cut) };

	CHECK_EQ(pipa_get_uleb(&c), 0);
	CHECK_EQ(c.status, -EBADMSG);
	CHECK_EQ(pipa_get_uleb(&c), 0);
	c = (struct pipa_cursor){ .pos = longer, .end = longer + sizeof(longer) };
	CHECK_EQ(pipa_get_uleb(&c), 0);
	CHECK_EQ(c.status, -EBADMSG);
	CHECK(!pipa_get_bytes(&c, 0));
}

TEST(fixed_widths_have_the_lowest_byte_first)
{
	unsigned char bytes[4];

	pipa_le_put(bytes, 0x12345678, 4);
	CHECK_EQ(bytes[0], 0x78);
	CHECK_EQ(bytes[3], 0x12);
	CHECK_EQ(pipa_le_get(bytes, 4), 0x12345678);
	CHECK_EQ(pipa_le_get(bytes, 3), 0x345678);
}
