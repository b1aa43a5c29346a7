#include "analyze/profile/listing.h"

#include <stdlib.h>

#include "analyze/profile/hot.h"
#include "lib/test.h"

/* Four instructions of two lines of one file, and one of another file. */
static struct pipa_listing_row rows[] = {
	{ .addr = 0x100, .file = "/a.c", .line = 7 },
	{ .addr = 0x103, .file = "/a.c", .line = 5 },
	{ .addr = 0x108, .file = "/b.h", .line = 1 },
	{ .addr = 0x109, .file = "/a.c", .line = 7 },
	{ .addr = 0x10c },
};

TEST(samples_count_for_the_instruction_that_holds_the_address)
{
	struct pipa_listing l = { .rows = { rows, 5, 5 } };

	CHECK(pipa_listing_add_weight(&l, 0x100, 10, 1));
	CHECK(pipa_listing_add_weight(&l, 0x102, 5, 1)); /* within the first */
	CHECK(pipa_listing_add_weight(&l, 0x200, 3, 1)); /* after the start of the last one */
	CHECK(!pipa_listing_add_weight(&l, 0xff, 100, 1));
	CHECK_EQ(rows[0].weight, 15u);
	CHECK_EQ(rows[0].count, 2u);
	CHECK_EQ(rows[1].weight, 0u);
	CHECK_EQ(rows[4].weight, 3u);
}

TEST(lines_hold_the_sums_of_their_instructions)
{
	struct pipa_listing l = { .rows = { rows, 5, 5 } };
	struct pipa_listing_line *lines;
	size_t n;

	CHECK(pipa_listing_add_weight(&l, 0x100, 10, 1));
	CHECK(pipa_listing_add_weight(&l, 0x109, 4, 2));
	CHECK(pipa_listing_add_weight(&l, 0x108, 3, 1));
	CHECK_EQ(pipa_listing_lines(&l, &lines, &n), 0);
	CHECK_EQ(n, 3u);
	CHECK_STR(lines[0].file, "/a.c");
	CHECK_EQ(lines[0].line, 5u);
	CHECK_EQ(lines[0].weight, 0u);
	CHECK_EQ(lines[1].line, 7u);
	CHECK_EQ(lines[1].weight, 14u);
	CHECK_EQ(lines[1].count, 3u);
	CHECK_STR(lines[2].file, "/b.h");
	CHECK_EQ(lines[2].weight, 3u);
	free(lines);
}

TEST(a_listing_without_rows_has_no_lines)
{
	struct pipa_listing l = { 0 };
	struct pipa_listing_line *lines;
	size_t n = 7;

	CHECK(!pipa_listing_add_weight(&l, 1, 1, 1));
	CHECK_EQ(pipa_listing_lines(&l, &lines, &n), 0);
	CHECK_EQ(n, 0u);
	free(lines);
}

/* ---- which functions are hot ----------------------------------------------------------------------------- */

static struct pipa_profile p;

/* A sample of one frame at an offset of a function, called from main. */
static void caught(const char *event, uint32_t object, const char *name, uint64_t start,
		   uint64_t into, uint64_t weight)
{
	struct pipa_location location = { .object = object, .offset = start + into };
	struct pipa_function function = { .name = pipa_profile_text(&p, name), .object = object };
	struct pipa_sample sample = { .event = pipa_profile_event(&p, event),
				      .cpu = PIPA_NONE,
				      .weight = weight,
				      .count = 1 };
	uint32_t number = pipa_profile_location(&p, &location);

	if (*name && !p.locations.items[number].n_lines) {
		p.locations.items[number].symbol_offset = into;
		CHECK_EQ(pipa_profile_name(&p, number, pipa_profile_function(&p, &function), 0), 0);
	}
	sample.stack = pipa_profile_stack(&p, PIPA_NONE, number);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
}

TEST(hot_functions_come_first_with_their_places_in_order)
{
	struct pipa_object object = { .path = pipa_profile_text(&p, "/bin/x") };
	uint32_t x = pipa_profile_object(&p, &object);
	struct pipa_hot hot;

	caught("cycles", x, "cool", 0x100, 4, 1);
	caught("cycles", x, "hot", 0x200, 8, 10);
	caught("cycles", x, "hot", 0x200, 2, 30);
	caught("cycles", x, "hot", 0x300, 0, 5); /* another one of that name */
	caught("cycles", x, "", 0x900, 0, 4);
	caught("faults", x, "cool", 0x100, 4, 1000);
	CHECK_EQ(pipa_hot_make(&p, PIPA_NONE, &hot), 0);
	CHECK_EQ(hot.weight, 50u);
	CHECK_EQ(hot.count, 5u);
	CHECK_EQ(hot.n_symbols, 4u);
	CHECK_EQ(hot.symbols[0].start, 0x200u);
	CHECK_EQ(hot.symbols[0].weight, 40u);
	CHECK_EQ(hot.symbols[0].n, 2u);
	CHECK_EQ(p.locations.items[hot.places[hot.symbols[0].places].location].offset, 0x202u);
	CHECK_EQ(hot.symbols[1].start, 0x300u);
	CHECK_EQ(hot.symbols[2].function, PIPA_NONE);
	CHECK_EQ(hot.symbols[3].weight, 1u);
	pipa_hot_done(&hot);
	pipa_profile_done(&p);
}

TEST(a_profile_without_samples_has_no_hot_functions)
{
	struct pipa_hot hot;

	CHECK_EQ(pipa_hot_make(&p, PIPA_NONE, &hot), 0);
	CHECK_EQ(hot.event, PIPA_NONE);
	CHECK_EQ(hot.n_symbols, 0u);
	pipa_hot_done(&hot);
}
