#include "ingest/stack_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "ingest/jit_ranges.h"
#include "lib/test.h"

enum { WORDS = 40000, LOW = 0x10000, HIGH = 0x500000, KERNEL = 0x80000000, SIZE = 0x1000 };

static struct pipa_profile profile;
static struct pipa_spaces *spaces;
static struct pipa_jit_ranges jits;
static struct pipa_where low, high; /* one file, mapped at two addresses by two processes */
static uint64_t words[WORDS];

static void map(uint32_t pid, uint64_t start, uint32_t object)
{
	struct pipa_range range = { start, start + SIZE, 0, object };

	CHECK_EQ(pipa_spaces_map(spaces, pid, 0, &range), 0);
}

static void start(void)
{
	struct pipa_object file = { .path = 0, .kind = PIPA_OBJECT_FILE };
	struct pipa_object kernel = { .path = 0, .kind = PIPA_OBJECT_KERNEL };

	profile = (struct pipa_profile){ 0 };
	file.path = pipa_profile_text(&profile, "/bin/x");
	kernel.path = pipa_profile_text(&profile, "[kernel.kallsyms]");
	spaces = pipa_spaces_new();
	CHECK(spaces);
	CHECK_EQ(pipa_profile_object(&profile, &file), 0);
	CHECK_EQ(pipa_profile_object(&profile, &kernel), 1);
	map(1, LOW, 0);
	map(2, HIGH, 0);
	map(PIPA_KERNEL_PID, KERNEL, 1);
	low = (struct pipa_where){ .user = pipa_spaces_find(spaces, 1, 0),
				   .kernel = pipa_spaces_find(spaces, PIPA_KERNEL_PID, 0),
				   .jit = PIPA_NO_JIT };
	high = low;
	high.user = pipa_spaces_find(spaces, 2, 0);
}

static void stop(void)
{
	pipa_spaces_free(spaces);
	pipa_profile_done(&profile);
}

/* The expected offset of a frame: that of a call is one less than the return address. */
struct expected {
	uint64_t offset;
	enum pipa_mode mode;
};

/* The documented meaning of a chain, frame by frame. Returns their number. */
static size_t decode(size_t n, enum pipa_mode mode, uint64_t base, size_t max, struct expected *ret)
{
	size_t i, frames = 0;
	bool caller = false;

	for (i = 0; i < n && frames < max; i++) {
		uint64_t from = mode == PIPA_MODE_KERNEL ? KERNEL : base;

		if (words[i] >= PIPA_CHAIN_CONTEXT) {
			mode = pipa_chain_mode(words[i], mode);
			caller = pipa_chain_calls(words, i, caller);
			continue;
		}
		ret[frames++] = (struct expected){ words[i] - from - caller, mode };
		caller = true;
	}
	return frames;
}

static void check_stack(uint32_t stack, const struct expected *expected, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		const struct pipa_stack *at = &profile.stacks.items[stack];
		const struct pipa_location *location = &profile.locations.items[at->location];

		CHECK_EQ(location->offset, expected[i].offset);
		CHECK_EQ((int)location->mode, (int)expected[i].mode);
		CHECK_EQ(at->depth, n - i);
		stack = at->parent;
	}
	CHECK_EQ(stack, PIPA_NONE);
}

static int by_content(const void *a, const void *b)
{
	const struct pipa_stack *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->location != y->location)
		return x->location < y->location ? -1 : 1;
	return x->cut - y->cut;
}

/* Every stack is there once. */
static void check_distinct(void)
{
	size_t n = profile.stacks.n, i;
	PIPA_AUTO(free) struct pipa_stack *sorted = malloc(n * sizeof(*sorted));

	CHECK(sorted);
	memcpy(sorted, profile.stacks.items, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_content);
	for (i = 1; i < n; i++)
		CHECK(by_content(&sorted[i - 1], &sorted[i]) < 0);
}

static uint32_t next(uint32_t *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 8;
}

/* Chains that share their outer frames, with recursion and all kinds of markers. Returns its length. */
static size_t invent(uint32_t *state, uint64_t base)
{
	size_t n = 0, user = 1 + next(state) % 6, kernel = next(state) % 4, i;

	if (next(state) % 3 == 0) {
		words[n++] = PIPA_CHAIN_KERNEL;
		for (i = 0; i < kernel; i++)
			words[n++] = KERNEL + 1 + next(state) % 5;
	}
	words[n++] = PIPA_CHAIN_USER;
	for (i = 0; i < user; i++) {
		if (next(state) % 16 == 0)
			words[n++] = PIPA_CHAIN_USER;
		words[n++] = base + 1 + next(state) % 3;
	}
	for (i = 0; i < 20; i++) /* the same for many, and two functions that call each other */
		words[n++] = base + 0x100 + i % 2 * (1 + next(state) % 64 / 63);
	for (i = next(state) % 8; i > 6; i--)
		words[n++] = PIPA_CHAIN_USER;
	return n;
}

static void check_chains(uint32_t max)
{
	static struct expected expected[WORDS];
	static uint64_t hashes[WORDS];
	struct pipa_stack_builder *builder;
	uint32_t state = 1, stack, i;
	int rc;

	start();
	builder = pipa_stack_builder_new(&profile, &jits, max);
	CHECK(builder);
	for (i = 0; i < 20000; i++) {
		const struct pipa_where *where = next(&state) % 2 ? &low : &high;
		uint64_t base = where == &low ? LOW : HIGH;
		size_t n = invent(&state, base);
		size_t frames = decode(n, PIPA_MODE_KERNEL, base, max ? max : WORDS, expected);

		if (i % 2 && pipa_stack_builder_prefetch(builder, where, words, n, PIPA_MODE_KERNEL,
							 hashes)) {
			pipa_stack_builder_prefetch_stack(builder, where, words, n,
							  PIPA_MODE_KERNEL, hashes);
			rc = pipa_stack_builder_get_hashed(builder, where, words, n,
							   PIPA_MODE_KERNEL, hashes, &stack);
		} else {
			rc = pipa_stack_builder_get(builder, where, words, n, PIPA_MODE_KERNEL,
						    &stack);
		}
		CHECK_EQ(rc, 0);
		check_stack(stack, expected, frames);
	}
	check_distinct();
	CHECK(max || profile.stacks.n > 10000); /* the cache of stacks has grown */
	pipa_stack_builder_free(builder);
	stop();
}

TEST(each_chain_becomes_its_frames_and_no_stack_is_there_twice)
{
	check_chains(0);
}

TEST(only_the_innermost_frames_are_kept)
{
	check_chains(1);
	check_chains(3);
}

TEST(equal_frames_of_two_processes_are_one_stack)
{
	struct pipa_stack_builder *builder;
	uint32_t first, second;

	start();
	builder = pipa_stack_builder_new(&profile, &jits, 0);
	CHECK(builder);
	words[0] = LOW + 1;
	words[1] = LOW + 2;
	words[2] = LOW + 3;
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 3, PIPA_MODE_USER, &first), 0);
	words[0] = HIGH + 1;
	words[1] = HIGH + 2;
	words[2] = HIGH + 3;
	CHECK_EQ(pipa_stack_builder_get(builder, &high, words, 3, PIPA_MODE_USER, &second), 0);
	CHECK_EQ(first, second);
	CHECK_EQ(profile.stacks.n, 3);
	/* these addresses are not mapped in the other one */
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 3, PIPA_MODE_USER, &second), 0);
	CHECK(first != second);
	pipa_stack_builder_free(builder);
	stop();
}

TEST(a_truncated_chain_has_a_root_of_its_own)
{
	struct pipa_stack_builder *builder;
	uint32_t whole, cut, again;

	start();
	builder = pipa_stack_builder_new(&profile, &jits, 0);
	CHECK(builder);
	words[0] = LOW + 1;
	words[1] = LOW + 2;
	words[2] = PIPA_CHAIN_USER;
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 2, PIPA_MODE_USER, &whole), 0);
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 3, PIPA_MODE_USER, &cut), 0);
	CHECK(whole != cut);
	CHECK(profile.stacks.items[profile.stacks.items[cut].parent].cut);
	CHECK(!profile.stacks.items[profile.stacks.items[whole].parent].cut);
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 3, PIPA_MODE_USER, &again), 0);
	CHECK_EQ(again, cut);
	pipa_stack_builder_free(builder);
	stop();
}

TEST(an_empty_chain_has_no_stack_and_one_frame_is_a_stack)
{
	struct pipa_stack_builder *builder;
	uint32_t stack = 5;

	start();
	builder = pipa_stack_builder_new(&profile, &jits, 0);
	CHECK(builder);
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 0, PIPA_MODE_USER, &stack), 0);
	CHECK_EQ(stack, PIPA_NONE);
	words[0] = PIPA_CHAIN_KERNEL;
	words[1] = PIPA_CHAIN_USER;
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 2, PIPA_MODE_USER, &stack), 0);
	CHECK_EQ(stack, PIPA_NONE);
	words[0] = LOW + 7;
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, 1, PIPA_MODE_USER, &stack), 0);
	CHECK_EQ(stack, 0);
	CHECK_EQ(profile.locations.items[0].offset, 7); /* interrupted: the address is exact */
	pipa_stack_builder_free(builder);
	stop();
}

TEST(a_chain_longer_than_any_record_keeps_its_innermost_frames)
{
	struct pipa_stack_builder *builder;
	uint32_t stack, again;
	size_t i;

	start();
	builder = pipa_stack_builder_new(&profile, &jits, 0);
	CHECK(builder);
	for (i = 0; i < WORDS; i++) /* an address of 0 as well, and a marker between all of them */
		words[i] = i % 2 ? PIPA_CHAIN_USER : i % 8 ? LOW + i % 3 : 0;
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, WORDS, PIPA_MODE_USER, &stack), 0);
	CHECK_EQ(profile.stacks.items[stack].depth, 8192);
	CHECK_EQ(pipa_stack_builder_get(builder, &low, words, WORDS, PIPA_MODE_USER, &again), 0);
	CHECK_EQ(again, stack);
	CHECK_EQ(profile.stacks.n, 8192);
	pipa_stack_builder_free(builder);
	stop();
}
