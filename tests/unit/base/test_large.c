#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"

TEST(memory_of_any_size_can_be_filled_and_freed)
{
	static const size_t sizes[] = { 0, 1, 4096, (2 << 20) - 1, 2 << 20, (5 << 20) + 3 };
	unsigned char *memory;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memory = pipa_large_alloc(sizes[i]);
		CHECK(memory);
		memset(memory, (int)i + 1, sizes[i]);
		if (sizes[i])
			CHECK_EQ(memory[sizes[i] - 1], i + 1);
		if (sizes[i] >= 2 << 20)
			CHECK_EQ((uintptr_t)memory % (2 << 20), 0u);
		free(memory);
	}
}

TEST(more_memory_than_there_can_be_is_refused)
{
	CHECK(!pipa_large_alloc(SIZE_MAX));
}
