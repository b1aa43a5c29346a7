#include "codec/sha256.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"

static const char *sum(const void *bytes, size_t len)
{
	static char text[2 * PIPA_SHA256_SIZE + 1];
	uint8_t digest[PIPA_SHA256_SIZE];
	size_t i;

	pipa_sha256(bytes, len, digest);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
	return text;
}

/* Of FIPS 180-4 and its examples. */
TEST(sums_are_those_of_the_standard)
{
	static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
	char *million = malloc(1000000);

	CHECK_STR(sum(NULL, 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_STR(sum("abc", 3),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_STR(sum(two, sizeof(two) - 1),
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	CHECK(million);
	memset(million, 'a', 1000000);
	CHECK_STR(sum(million, 1000000),
		  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	/* around the places where the length fits in the last block and where it does not */
	CHECK_STR(sum(million, 55),
		  "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318");
	CHECK_STR(sum(million, 56),
		  "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a");
	CHECK_STR(sum(million, 64),
		  "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
	free(million);
}

/* Pieces that end anywhere give the sum of the whole. */
TEST(sum_of_pieces_is_that_of_the_whole)
{
	uint8_t bytes[300], whole[PIPA_SHA256_SIZE], pieces[PIPA_SHA256_SIZE];
	char text[PIPA_SHA256_CHARS + 1];
	struct pipa_sha256 sha;
	size_t i, len, step;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + 3);
	for (len = 0; len <= sizeof(bytes); len += 13)
		for (step = 1; step < 150; step += 9) {
			pipa_sha256(bytes, len, whole);
			pipa_sha256_init(&sha);
			for (i = 0; i < len; i += step)
				pipa_sha256_add(&sha, bytes + i, len - i < step ? len - i : step);
			pipa_sha256_end(&sha, pieces);
			CHECK(memcmp(whole, pieces, sizeof(whole)) == 0);
		}
	pipa_sha256("abc", 3, whole);
	CHECK_STR(pipa_sha256_hex(whole, text),
		  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
