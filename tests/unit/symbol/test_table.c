/* The table itself: one name per address, sizes, symbols within symbols, and the ways to ask. */
#include <stdio.h>
#include <stdlib.h>

#include "lib/test.h"
#include "symbol/table/table.h"
#include "symbol/table/table_build.h"

enum { L = PIPA_BIND_LOCAL, W = PIPA_BIND_WEAK, G = PIPA_BIND_GLOBAL };

struct want {
	uint64_t start;
	uint32_t size;
	uint8_t binding;
	const char *name;
};

static struct pipa_symbols *make(const struct want *rows, size_t n, const uint64_t *bounds,
				 size_t n_bounds)
{
	struct pipa_symbols *symbols = pipa_symbols_new();
	size_t i;

	CHECK(symbols);
	for (i = 0; i < n; i++)
		CHECK_EQ(pipa_symbols_add_copy(
				 symbols,
				 &(struct pipa_symbol_row){ .start = rows[i].start,
							    .size = rows[i].size,
							    .binding = rows[i].binding },
				 rows[i].name, strlen(rows[i].name), ""),
			 0);
	for (i = 0; i < n_bounds; i++)
		CHECK_EQ(pipa_symbols_bound(symbols, bounds[i]), 0);
	CHECK_EQ(pipa_symbols_finish(symbols, PIPA_ALIAS_BEST), 0);
	return symbols;
}

static const char *name_at(const struct pipa_symbols *symbols, uint64_t addr)
{
	static char name[256];
	uint32_t index = pipa_symbols_find(symbols, addr);
	struct pipa_symbol symbol;
	uint32_t batch;

	pipa_symbols_resolve(symbols, &addr, 1, &batch);
	CHECK_EQ(batch, index); /* both ways to ask agree */
	if (index == PIPA_SYMBOL_NONE)
		return "-";
	symbol = pipa_symbols_get(symbols, index);
	snprintf(name, sizeof(name), "%.*s", (int)symbol.name_len, symbol.name);
	return name;
}

#define CHOICE(want_, ...)                                                                         \
	do {                                                                                       \
		const struct want rows_[] = { __VA_ARGS__ };                                       \
		struct pipa_symbols *s_ = make(rows_, sizeof(rows_) / sizeof(rows_[0]), NULL, 0);  \
		CHECK_EQ(pipa_symbols_count(s_), 1);                                               \
		CHECK_STR(name_at(s_, rows_[0].start), want_);                                     \
		pipa_symbols_free(s_);                                                             \
	} while (0)

TEST(of_several_names_the_plain_one_is_kept)
{
	CHOICE("sized", { 8, 0, G, "unsized" }, { 8, 4, W, "sized" });
	CHOICE("sized", { 8, 4, W, "sized" }, { 8, 0, G, "unsized" });
	CHOICE("local", { 8, 4, W, "weaker" }, { 8, 4, L, "local" });
	CHOICE("global", { 8, 4, L, "local_x" }, { 8, 4, G, "global" });
	CHOICE("global", { 8, 4, G, "global" }, { 8, 4, L, "local_x" });
	CHOICE("_two", { 8, 4, G, "__three" }, { 8, 4, G, "_two" });
	CHOICE("no", { 8, 4, G, "short" }, { 8, 4, G, "longer" }, { 8, 4, G, "no" });
	CHOICE("first", { 8, 4, G, "first" }, { 8, 4, G, "other" });
	CHOICE("sys_x", { 8, 4, G, "SyS_x" }, { 8, 4, G, "sys_x" });
	CHOICE("sys_x", { 8, 4, G, "sys_x" }, { 8, 4, G, "SyS_x" });
}

/* Rows of libc.so.6 of Debian 12 and of its debug file. */
TEST(functions_of_libc_have_the_names_that_programs_call)
{
	CHOICE("free", { 8, 4, G, "__libc_free" }, { 8, 4, L, "__GI___libc_free" },
	       { 8, 4, G, "cfree@GLIBC_2.2.5" }, { 8, 4, G, "free" });
	CHOICE("poll", { 8, 4, L, "__GI___poll" }, { 8, 4, G, "__poll" }, { 8, 4, W, "poll" });
	CHOICE("open", { 8, 4, W, "open64" }, { 8, 4, G, "__open" }, { 8, 4, W, "open" });
	CHOICE("strchr", { 8, 4, W, "index" }, { 8, 4, G, "strchr" });
	CHOICE("__libc_start_main", { 8, 4, L, "__libc_start_main_impl" },
	       { 8, 4, G, "__libc_start_main@@GLIBC_2.34" },
	       { 8, 4, G, "__libc_start_main@GLIBC_2.2.5" });
	CHOICE("__vdso_time", { 8, 4, W, "time" }, { 8, 4, G, "__vdso_time" });
	CHOICE("_ZN1AC1Ev", { 8, 4, G, "_ZN1AC1Ev" }, { 8, 4, G, "__x" });
}

TEST(the_resolver_of_an_ifunc_has_its_own_name)
{
	static const char *const names[] = { "strnlen", "__strnlen_ifunc" };
	struct pipa_symbols *symbols;
	size_t first, i;

	for (first = 0; first < 2; first++) {
		symbols = pipa_symbols_new();
		CHECK(symbols);
		for (i = 0; i < 2; i++) {
			const char *name = names[(first + i) % 2];
			struct pipa_symbol_row row = { .start = 8,
						       .size = 4,
						       .resolver = name[0] != '_' };

			CHECK_EQ(pipa_symbols_add_copy(symbols, &row, name, strlen(name), ""), 0);
		}
		CHECK_EQ(pipa_symbols_finish(symbols, PIPA_ALIAS_BEST), 0);
		CHECK_STR(name_at(symbols, 8), "__strnlen_ifunc");
		pipa_symbols_free(symbols);
	}
}

TEST(only_the_default_version_is_not_part_of_a_name)
{
	CHOICE("memcpy", { 8, 4, G, "memcpy@@GLIBC_2.14" });
	CHOICE("memcpy@GLIBC_2.2.5", { 8, 4, G, "memcpy@GLIBC_2.2.5" });
	CHOICE("memcpy@plt", { 8, 4, L, "memcpy@plt" }, { 8, 4, L, "__memcpy" });
	CHOICE("@@", { 8, 4, G, "@@" });
	CHOICE("a@@", { 8, 4, G, "a@@" });
}

TEST(symbols_without_size_reach_to_the_next_or_the_end_of_the_section)
{
	static const struct want rows[] = {
		{ 0x1000, 0, L, "a" },
		{ 0x1010, 0, L, "b" },
		{ 0x2000, 0, L, "c" },
	};
	static const uint64_t bounds[] = { 0x1020, 0x2008 };
	struct pipa_symbols *symbols = make(rows, 3, bounds, 2);

	CHECK_STR(name_at(symbols, 0xfff), "-");
	CHECK_STR(name_at(symbols, 0x1000), "a");
	CHECK_STR(name_at(symbols, 0x100f), "a");
	CHECK_STR(name_at(symbols, 0x101f), "b");
	CHECK_STR(name_at(symbols, 0x1020), "-");
	CHECK_STR(name_at(symbols, 0x2007), "c");
	CHECK_STR(name_at(symbols, 0x2008), "-");
	pipa_symbols_free(symbols);

	symbols = make(rows, 3, NULL, 0); /* unknown size: to the end of the next page */
	CHECK_STR(name_at(symbols, 0x1fff), "b");
	CHECK_STR(name_at(symbols, 0x2fff), "c");
	CHECK_STR(name_at(symbols, 0x3000), "-");
	pipa_symbols_free(symbols);
}

TEST(a_symbol_within_another_wins_where_it_lies)
{
	static const struct want rows[] = {
		{ 0x100, 0x100, L, "outer" }, { 0x140, 0x80, L, "middle" },
		{ 0x150, 0x10, L, "inner" },  { 0x1f0, 0x20, L, "across" },
		{ 0x300, 0x10, L, "apart" },
	};
	struct pipa_symbols *symbols = make(rows, 5, NULL, 0);

	CHECK_STR(name_at(symbols, 0x13f), "outer");
	CHECK_STR(name_at(symbols, 0x140), "middle");
	CHECK_STR(name_at(symbols, 0x15f), "inner");
	CHECK_STR(name_at(symbols, 0x160), "middle");
	CHECK_STR(name_at(symbols, 0x1c0), "outer");
	CHECK_STR(name_at(symbols, 0x1f0), "across");
	CHECK_STR(name_at(symbols, 0x20f), "across");
	CHECK_STR(name_at(symbols, 0x210), "-");
	CHECK_STR(name_at(symbols, 0x310), "-");
	pipa_symbols_free(symbols);
}

TEST(code_without_a_symbol_is_in_the_gap_between_its_neighbours)
{
	static const struct want rows[] = { { 0x100, 0x80, G, "outer" },
					    { 0x120, 0x10, L, "inner" },
					    { 0x200, 0x10, G, "next" } };
	struct pipa_symbols *s = make(rows, 3, NULL, 0);
	uint64_t start, end;

	pipa_symbols_gap(s, 0x190, &start, &end);
	CHECK_EQ(start, 0x180);
	CHECK_EQ(end, 0x200);
	pipa_symbols_gap(s, 0x50, &start, &end);
	CHECK_EQ(start, 0);
	CHECK_EQ(end, 0x100);
	pipa_symbols_gap(s, 0x300, &start, &end);
	CHECK_EQ(start, 0x210);
	CHECK_EQ(end, UINT64_MAX);
	pipa_symbols_free(s);
}

TEST(an_empty_table_finds_no_symbol)
{
	struct pipa_symbols *symbols = make(NULL, 0, NULL, 0);

	CHECK_EQ(pipa_symbols_count(symbols), 0);
	CHECK_STR(name_at(symbols, 0), "-");
	CHECK_STR(name_at(symbols, UINT64_MAX), "-");
	pipa_symbols_free(symbols);
}

TEST(the_ends_of_the_address_space_do_not_wrap)
{
	static const struct want rows[] = {
		{ 0, 1, L, "null" },
		{ UINT64_MAX - 8, UINT32_MAX, L, "top" },
		{ UINT64_MAX - 4, 0, L, "last" },
	};
	struct pipa_symbols *symbols = make(rows, 3, NULL, 0);

	CHECK_STR(name_at(symbols, 0), "null");
	CHECK_STR(name_at(symbols, 1), "-");
	CHECK_STR(name_at(symbols, UINT64_MAX - 5), "top");
	CHECK_STR(name_at(symbols, UINT64_MAX - 1), "last");
	pipa_symbols_free(symbols);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Many rows, in any order and overlapping, against a walk over all of them. */
static void check_random(uint64_t seed, uint64_t spread)
{
	enum { ROWS = 3000, ASKED = 2000 };
	static struct pipa_symbol_row rows[ROWS];
	static uint64_t addrs[ASKED];
	static uint32_t out[ASKED];
	struct pipa_symbols *symbols = pipa_symbols_new();
	size_t i, j;

	CHECK(symbols);
	for (i = 0; i < ROWS; i++) {
		rows[i] = (struct pipa_symbol_row){ .start = next_random(&seed) % spread,
						    .size = (uint32_t)(1 +
								       next_random(&seed) % 40) };
		CHECK_EQ(pipa_symbols_add(symbols, &rows[i]), 0);
	}
	CHECK_EQ(pipa_symbols_finish(symbols, PIPA_ALIAS_BEST), 0);
	for (i = 1; i < pipa_symbols_count(symbols); i++)
		CHECK(pipa_symbols_get(symbols, (uint32_t)i - 1).start <
		      pipa_symbols_get(symbols, (uint32_t)i).start);
	for (i = 0; i < ASKED; i++)
		addrs[i] = next_random(&seed) % (spread + 50);
	qsort(addrs, ASKED, sizeof(addrs[0]), by_value);
	pipa_symbols_resolve(symbols, addrs, ASKED, out);
	for (i = 0; i < ASKED; i++) {
		uint32_t want = PIPA_SYMBOL_NONE;

		for (j = 0; j < pipa_symbols_count(symbols); j++) {
			struct pipa_symbol s = pipa_symbols_get(symbols, (uint32_t)j);

			if (s.start <= addrs[i] && addrs[i] - s.start < s.size)
				want = (uint32_t)j;
		}
		CHECK_EQ(out[i], want);
		CHECK_EQ(pipa_symbols_find(symbols, addrs[i]), want);
	}
	pipa_symbols_free(symbols);
}

TEST(asking_agrees_with_a_walk_over_all_symbols)
{
	check_random(1, 5000);
	check_random(2, 200000);
	check_random(3, UINT64_C(1) << 47);
}

TEST(modules_keep_their_names_and_end_with_their_last_page)
{
	static const char text[] = "one two three";
	struct pipa_symbols *symbols = pipa_symbols_new();
	struct pipa_symbol_row row = { .start = 0x1000 };
	struct pipa_symbol symbol;

	CHECK(symbols);
	row.pool = (uint8_t)pipa_symbols_add_pool(symbols, text, sizeof(text) - 1, PIPA_NAME_WORD);
	CHECK_EQ(pipa_symbols_add(symbols, &row), 0);
	row = (struct pipa_symbol_row){ .start = 0x900000, .name = 4, .pool = row.pool };
	CHECK_EQ(pipa_symbols_module(symbols, "ext4", 4, &row.module), 0);
	CHECK_EQ(pipa_symbols_add(symbols, &row), 0);
	row.start = 0x900100;
	row.name = 8;
	CHECK_EQ(pipa_symbols_add(symbols, &row), 0);
	CHECK_EQ(pipa_symbols_finish(symbols, PIPA_ALIAS_BEST), 0);

	CHECK_STR(name_at(symbols, 0x1fff), "one");
	CHECK_STR(name_at(symbols, 0x2000), "-"); /* the kernel does not reach to the module */
	CHECK_STR(name_at(symbols, 0x9000ff), "two");
	CHECK_STR(name_at(symbols, 0x900100), "three");
	symbol = pipa_symbols_get(symbols, pipa_symbols_find(symbols, 0x900000));
	CHECK_EQ(symbol.module_len, 4);
	CHECK(memcmp(symbol.module, "ext4", 4) == 0);
	CHECK(!pipa_symbols_get(symbols, 0).module);
	pipa_symbols_free(symbols);
}
