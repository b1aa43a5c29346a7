#include "codec/zlib.h"

#include <string.h>

#include "base/buf.h"
#include "lib/test.h"

TEST(adler32_is_that_of_rfc_1950)
{
	char many[20000];

	CHECK_EQ(pipa_adler32(1, "", 0), 1);
	CHECK_EQ(pipa_adler32(1, "Wikipedia", 9), 0x11e60398);
	memset(many, 0xff, sizeof(many));
	/* a = 1 + 20000 x 255, b = 20000 + 255 x 20000 x 20001 / 2, both modulo 65521 */
	CHECK_EQ(pipa_adler32(1, many, sizeof(many)),
		 (uint32_t)((20000 + UINT64_C(255) * 20000 * 20001 / 2) % 65521) << 16 |
			 (1 + 20000 * 255) % 65521);
	CHECK_EQ(pipa_adler32(pipa_adler32(1, many, 7000), many + 7000, 13000),
		 pipa_adler32(1, many, sizeof(many)));
}

TEST(a_zlib_stream_has_header_and_checksum)
{
	struct pipa_buf out = { 0 };

	pipa_buf_puts(&out, "before");
	CHECK_EQ(pipa_zlib_compress("Wikipedia", 9, &out), 0);
	CHECK(out.len > 6 + 6);
	CHECK_EQ((unsigned char)out.data[6], 0x78);
	CHECK_EQ(((unsigned char)out.data[6] * 256 + (unsigned char)out.data[7]) % 31, 0);
	CHECK(memcmp(out.data + out.len - 4, "\x11\xe6\x03\x98", 4) == 0);
	pipa_buf_done(&out);
}

TEST(a_stream_beyond_the_limit_is_refused)
{
	struct pipa_buf out = { .max = 4 };

	CHECK(pipa_zlib_compress("Wikipedia", 9, &out) < 0);
	pipa_buf_done(&out);
}
