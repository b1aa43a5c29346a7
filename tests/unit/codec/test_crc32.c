#include "codec/crc32.h"

#include "lib/test.h"

TEST(the_checksum_is_that_of_gzip)
{
	CHECK_EQ(pipa_crc32(0, "123456789", 9), 0xcbf43926); /* every catalogue's check value */
	CHECK_EQ(pipa_crc32(0, "", 0), 0);
}

TEST(a_checksum_can_be_continued)
{
	CHECK_EQ(pipa_crc32(pipa_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
}
