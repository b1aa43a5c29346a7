#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/cursor.h"
#include "base/hash.h"
#include "base/strings.h"
#include "lib/test.h"

TEST(arena_blocks_are_aligned_and_do_not_move)
{
	struct pipa_arena arena = { 0 };
	char *taken[200];
	size_t i;

	for (i = 0; i < 200; i++) {
		taken[i] = pipa_arena_take(&arena, i * 37 + 1);
		CHECK(taken[i]);
		CHECK_EQ((uintptr_t)taken[i] % 16, 0);
		memset(taken[i], (int)i, i * 37 + 1);
	}
	for (i = 0; i < 200; i++)
		CHECK(taken[i][0] == (char)i && taken[i][i * 37] == (char)i);
	CHECK(!pipa_arena_take(&arena, SIZE_MAX - 3));
	CHECK_STR(pipa_arena_text(&arena, "abcdef", 3), "abc");
	pipa_arena_done(&arena);
	pipa_arena_done(&arena);
}

TEST(a_text_has_one_number_and_the_empty_one_is_0)
{
	struct pipa_strings strings = { 0 };
	uint32_t numbers[5000];
	char text[32];
	size_t i;

	CHECK_EQ(pipa_strings_add(&strings, "", 0), 0);
	for (i = 0; i < 5000; i++) {
		int n = snprintf(text, sizeof(text), "text %zu", i);

		numbers[i] = pipa_strings_add(&strings, text, (size_t)n);
		CHECK_EQ(numbers[i], i + 1);
	}
	for (i = 0; i < 5000; i++) {
		int n = snprintf(text, sizeof(text), "text %zu", i);

		CHECK_EQ(pipa_strings_add(&strings, text, (size_t)n), numbers[i]);
		CHECK_STR(pipa_strings_get(&strings, numbers[i]), text);
	}
	CHECK_EQ(pipa_strings_add(&strings, "a\0b", 3), 5001); /* bytes, not C strings */
	CHECK_EQ(pipa_strings_add(&strings, "a", 1), 5002);
	CHECK_STR(pipa_strings_get(&strings, 99999), "");
	pipa_strings_done(&strings);
}

TEST(hashes_depend_on_length_order_and_seed)
{
	const uint64_t ab[] = { 1, 2, 0 }, ba[] = { 2, 1, 0 };

	CHECK(pipa_hash_words(ab, 2, 0) != pipa_hash_words(ba, 2, 0));
	CHECK(pipa_hash_words(ab, 2, 0) != pipa_hash_words(ab, 3, 0));
	CHECK(pipa_hash_words(ab, 3, 0) != pipa_hash_words(ab, 3, 1));
	CHECK(pipa_hash_bytes("a", 1, 0) != pipa_hash_bytes("a\0", 2, 0));
	CHECK(pipa_hash_bytes("12345678", 8, 0) != pipa_hash_bytes("123456780", 9, 0));
}

TEST(a_cursor_swaps_bytes_and_a_short_read_sticks)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 'h', 'i', 0, 9 };
	struct pipa_cursor c = { .pos = bytes, .end = bytes + sizeof(bytes) };
	struct pipa_cursor other = { .pos = bytes, .end = bytes + 8, .swapped = true };
	uint32_t native = pipa_get_u32(&c);

	CHECK_EQ(pipa_get_u32(&other), __builtin_bswap32(native));
	pipa_skip(&c, 4);
	CHECK_STR(pipa_get_str(&c), "hi");
	CHECK_EQ(pipa_get_u8(&c), 9);
	CHECK_EQ(c.status, 0);
	CHECK_EQ(pipa_get_u16(&c), 0);
	CHECK_EQ(c.status, -EBADMSG);
	CHECK_EQ(pipa_get_u64(&other), 0);
	CHECK_EQ(pipa_get_u8(&other), 0); /* though bytes are left, the cursor has failed */
	CHECK(!pipa_get_str(&other));
}
