#include "serve/web_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/test.h"

/* Allocate until malloc() fails for blocks of the reserve, too. */
static void use_up_memory(void)
{
	const struct rlimit limit = { 64 << 20, 64 << 20 };
	size_t size;

	CHECK_EQ(setrlimit(RLIMIT_AS, &limit), 0);
	for (size = 16 << 20; size >= 16; size /= 2)
		while (malloc(size))
			;
}

TEST(small_blocks_come_from_the_reserve_on_allocation_failure)
{
	void *blocks[PIPA_WEB_RESERVE_BLOCKS], *large;
	size_t i, k;

	if (getenv("PIPA_SANITIZED") || getenv("PIPA_EMULATED"))
		SKIP("limits of memory do not hold with a sanitizer or an emulator");
	large = pipa_web_memory_new(3 * PIPA_WEB_RESERVE_BLOCK);
	CHECK(large);
	use_up_memory();
	for (i = 0; i < PIPA_WEB_RESERVE_BLOCKS; i++) {
		blocks[i] = pipa_web_memory_new(100 + i);
		CHECK(blocks[i] && (uintptr_t)blocks[i] % _Alignof(max_align_t) == 0);
		for (k = 0; k < i; k++)
			CHECK(blocks[k] != blocks[i]);
		memset(blocks[i], 1, PIPA_WEB_RESERVE_BLOCK);
	}
	CHECK(!pipa_web_memory_new(1));
	CHECK(!pipa_web_memory_new(PIPA_WEB_RESERVE_BLOCK + 1));
	CHECK(pipa_web_memory_resize(blocks[3], PIPA_WEB_RESERVE_BLOCK) == blocks[3]);
	CHECK(!pipa_web_memory_resize(blocks[3], PIPA_WEB_RESERVE_BLOCK + 1));
	pipa_web_memory_free(blocks[5]);
	CHECK(pipa_web_memory_new(1000) == blocks[5]);
	pipa_web_memory_free(large); /* from here on there is memory again */
	large = pipa_web_memory_resize(blocks[3], 2 * PIPA_WEB_RESERVE_BLOCK);
	CHECK(large && large != blocks[3] && memcmp(large, blocks[4], PIPA_WEB_RESERVE_BLOCK) == 0);
	CHECK(pipa_web_memory_new(1) && !pipa_web_memory_resize(large, 0));
}
