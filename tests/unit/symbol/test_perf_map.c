/* Perf maps of runtimes: spaces, prefixes, overlaps, malformed lines. */
#include <stdio.h>

#include "lib/test.h"
#include "symbol/table/perf_map.h"
#include "symbol/table/table.h"

static struct pipa_symbols *decode(const char *text, size_t want_skipped)
{
	struct pipa_symbols *symbols;
	size_t skipped = 77;

	CHECK_EQ(pipa_perf_map_decode(text, strlen(text), &symbols, &skipped), 0);
	CHECK_EQ(skipped, want_skipped);
	return symbols;
}

static const char *at(const struct pipa_symbols *symbols, uint64_t addr)
{
	static char name[256];
	uint32_t index = pipa_symbols_find(symbols, addr);
	struct pipa_symbol s;

	if (index == PIPA_SYMBOL_NONE)
		return "-";
	s = pipa_symbols_get(symbols, index);
	snprintf(name, sizeof(name), "%.*s", (int)s.name_len, s.name);
	return name;
}

TEST(names_with_spaces_and_numbers_with_and_without_prefix_are_read)
{
	struct pipa_symbols *symbols = decode(
		"7f3a5c0010a0 1c0 Interpreter frame with spaces\n"
		"0x7f3a5c001260 0x80 LazyCompile:~fib /srv/fib.js:3\r\n"
		"7F3A5C0012E0 10 Lcom/x;::run\tint",
		0);

	CHECK_EQ(pipa_symbols_count(symbols), 3);
	CHECK_STR(at(symbols, 0x7f3a5c00109f), "-");
	CHECK_STR(at(symbols, 0x7f3a5c0010a0), "Interpreter frame with spaces");
	CHECK_STR(at(symbols, 0x7f3a5c00125f), "Interpreter frame with spaces");
	CHECK_STR(at(symbols, 0x7f3a5c001260), "LazyCompile:~fib /srv/fib.js:3");
	CHECK_STR(at(symbols, 0x7f3a5c0012ef), "Lcom/x;::run\tint");
	CHECK_STR(at(symbols, 0x7f3a5c0012f0), "-");
	pipa_symbols_free(symbols);
}

TEST(later_entries_hold_where_they_overlap_earlier_ones)
{
	struct pipa_symbols *symbols = decode("100 100 old\n180 100 newer\n140 20 inside\n"
					      "240 80 tail\n100 10 head\n",
					      0);

	CHECK_STR(at(symbols, 0x10f), "head");
	CHECK_STR(at(symbols, 0x110), "old");
	CHECK_STR(at(symbols, 0x140), "inside");
	CHECK_STR(at(symbols, 0x160), "old");
	CHECK_STR(at(symbols, 0x180), "newer");
	CHECK_STR(at(symbols, 0x23f), "newer");
	CHECK_STR(at(symbols, 0x240), "tail");
	CHECK_STR(at(symbols, 0x2c0), "-");
	pipa_symbols_free(symbols);
}

TEST(an_earlier_entry_below_a_later_one_is_found_only_after_its_end)
{
	struct pipa_symbols *symbols = decode("150 100 below\n100 100 above\n", 0);

	CHECK_EQ(pipa_symbols_count(symbols), 2);
	CHECK_STR(at(symbols, 0x150), "above");
	CHECK_STR(at(symbols, 0x1ff), "above");
	CHECK_STR(at(symbols, 0x200), "below");
	CHECK_STR(at(symbols, 0x24f), "below");
	pipa_symbols_free(symbols);

	symbols = decode("100 10 first\n100 10 second\n100 10 third\n", 0);
	CHECK_EQ(pipa_symbols_count(symbols), 1);
	CHECK_STR(at(symbols, 0x105), "third");
	pipa_symbols_free(symbols);
}

TEST(lines_without_sense_are_counted_and_the_rest_is_read)
{
	struct pipa_symbols *symbols = decode("\nrubbish here\n100 0 empty\n100\n100 10\n100 10 \n"
					      "0x 10 none\nffffffffffffffff 10 wraps\n"
					      "11112222333344445 10 wide\n200 10 good\n",
					      9);

	CHECK_EQ(pipa_symbols_count(symbols), 1);
	CHECK_STR(at(symbols, 0x20f), "good");
	pipa_symbols_free(symbols);
}

/* Against painting every byte in order. */
static void check_painted(uint64_t state)
{
	enum { ENTRIES = 400, SPACE = 2000 };
	static char text[ENTRIES * 40];
	static int paint[SPACE + 1000];
	struct pipa_symbols *symbols;
	size_t len = 0;
	char want[16];
	int i, a;

	memset(paint, 0, sizeof(paint));
	for (i = 1; i <= ENTRIES; i++) {
		unsigned int start, size;

		state = state * 6364136223846793005U + 1442695040888963407U;
		start = (unsigned int)(state >> 33) % SPACE;
		size = 1 + (unsigned int)(state >> 20) % (i % 3 ? 60 : 900);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%x %x f%d\n", start, size,
					i);
		for (a = (int)start; a < (int)(start + size); a++)
			paint[a] = i;
	}
	symbols = decode(text, 0);
	for (a = 0; a < SPACE + 1000; a++) {
		if (paint[a])
			snprintf(want, sizeof(want), "f%d", paint[a]);
		else
			memcpy(want, "-", 2);
		CHECK_STR(at(symbols, (uint64_t)a), want);
	}
	pipa_symbols_free(symbols);
}

TEST(overlaps_of_many_entries_agree_with_painting_them)
{
	uint64_t seed;

	for (seed = 1; seed <= 40; seed++)
		check_painted(seed);
}
