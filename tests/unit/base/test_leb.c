/* LEB128, against the examples that the DWARF standard gives. */
#include "base/leb.h"
#include "base/span.h"
#include "lib/test.h"

#define CURSOR(...)                                                                                \
	pipa_span_cursor((struct pipa_span){ (const uint8_t[]){ __VA_ARGS__ },                     \
					     sizeof((const uint8_t[]){ __VA_ARGS__ }) },           \
			 false)

static int64_t signed_of(struct pipa_cursor c, int status)
{
	int64_t value = pipa_get_sleb(&c);

	CHECK_EQ(c.status, status);
	CHECK(c.pos == c.end);
	return value;
}

static uint64_t unsigned_of(struct pipa_cursor c, int status)
{
	uint64_t value = pipa_get_uleb(&c);

	CHECK_EQ(c.status, status);
	CHECK(c.pos == c.end);
	return value;
}

TEST(unsigned_numbers_are_those_of_the_standard)
{
	CHECK_EQ(unsigned_of(CURSOR(2), 0), 2);
	CHECK_EQ(unsigned_of(CURSOR(127), 0), 127);
	CHECK_EQ(unsigned_of(CURSOR(0x80, 1), 0), 128);
	CHECK_EQ(unsigned_of(CURSOR(57 + 0x80, 100), 0), 12857);
	CHECK_EQ(unsigned_of(CURSOR(0x85, 0x80, 0), 0), 5); /* with padding */
	CHECK_EQ(unsigned_of(CURSOR(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), 0),
		 UINT64_MAX);
}

TEST(signed_numbers_are_those_of_the_standard)
{
	CHECK_EQ(signed_of(CURSOR(2), 0), 2);
	CHECK_EQ(signed_of(CURSOR(0x7e), 0), -2);
	CHECK_EQ(signed_of(CURSOR(127 + 0x80, 0), 0), 127);
	CHECK_EQ(signed_of(CURSOR(1 + 0x80, 0x7f), 0), -127);
	CHECK_EQ(signed_of(CURSOR(0x80, 0x7f), 0), -128);
	CHECK_EQ(signed_of(CURSOR(0x7f + 0x80, 0x7e), 0), -129);
	CHECK_EQ(signed_of(CURSOR(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f), 0),
		 INT64_MIN);
}

TEST(truncated_and_overflowing_numbers_are_refused)
{
	CHECK_EQ(unsigned_of(CURSOR(0x80), -EBADMSG), 0);
	CHECK_EQ(signed_of(CURSOR(0xff, 0xff), -EBADMSG), 0);
	CHECK_EQ(unsigned_of(CURSOR(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2),
			     -EBADMSG),
		 0);
	CHECK_EQ(signed_of(CURSOR(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80),
			   -EBADMSG),
		 0);
}
