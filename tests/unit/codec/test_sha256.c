#include "codec/sha256.h"

#include <stdio.h>
#include <string.h>

#include "lib/test.h"

static const char *hex(const void *bytes, size_t len)
{
	static char text[65];
	uint8_t sum[32];
	size_t i;

	pipa_sha256(bytes, len, sum);
	for (i = 0; i < sizeof(sum); i++)
		snprintf(text + 2 * i, 3, "%02x", sum[i]);
	return text;
}

/* The examples of FIPS 180, and the length at which the padding needs a second block. */
TEST(sums_are_those_of_the_standard)
{
	static char as[1000000];

	memset(as, 'a', sizeof(as));
	CHECK_STR(hex("", 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_STR(hex("abc", 3),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_STR(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	CHECK_STR(hex(as, sizeof(as)),
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
