#include "analyze/profile/recursion.h"

#include <stdlib.h>

#include "analyze/profile/rollup.h"
#include "lib/test.h"

enum { CLASSES = 5, LOCATIONS = 12, STACKS = 3000 };

static struct pipa_profile profile;
static uint32_t class_of[3 * LOCATIONS];
static uint32_t state;

static uint32_t next(void)
{
	state = state * 1103515245 + 12345;
	return state >> 8;
}

/* A tree at random: deep and bushy parts, several roots, and locations with up to `lines` functions. */
static void invent(uint32_t lines)
{
	struct pipa_object object = { .kind = PIPA_OBJECT_FILE };
	uint32_t i, k;

	state = 1;
	profile = (struct pipa_profile){ 0 };
	CHECK_EQ(pipa_profile_object(&profile, &object), 0);
	for (i = 0; i < LOCATIONS; i++) {
		struct pipa_location location = { .offset = i };

		CHECK_EQ(pipa_profile_location(&profile, &location), i);
		for (k = lines ? next() % (lines + 1) : 0; k; k--)
			CHECK_EQ(pipa_profile_name(&profile, i, 0, 0), 0);
	}
	for (i = 0; i < profile.lines.n + LOCATIONS; i++)
		class_of[i] = next() % (CLASSES + 1) ? next() % CLASSES : PIPA_NONE;
	for (i = 0; i < STACKS; i++) {
		uint32_t parent = !i || next() % 100 == 0 ? PIPA_NONE :
				  next() % 4		  ? (uint32_t)profile.stacks.n - 1 :
							    next() % (uint32_t)profile.stacks.n;

		CHECK(pipa_profile_stack(&profile, parent, next() % LOCATIONS) != PIPA_NONE);
	}
}

static uint32_t lines_of(uint32_t stack)
{
	uint32_t n = profile.locations.items[profile.stacks.items[stack].location].n_lines;

	return n ? n : 1;
}

static uint32_t class_at(uint32_t stack, uint32_t line)
{
	uint32_t number = profile.stacks.items[stack].location;
	const struct pipa_location *location = &profile.locations.items[number];

	return class_of[location->n_lines ? location->lines + line :
					    (uint32_t)profile.lines.n + number];
}

/* The definition: is the class met further out, in this location or in a caller? */
static bool recurs(uint32_t stack, uint32_t line)
{
	uint32_t class = class_at(stack, line), k = line + 1;

	for (; stack != PIPA_NONE; stack = profile.stacks.items[stack].parent, k = 0)
		for (; k < lines_of(stack); k++)
			if (class_at(stack, k) == class)
				return true;
	return false;
}

static void check_recursion(uint32_t lines)
{
	struct pipa_frames frames = { .profile = &profile };
	struct pipa_recursion found = { 0 };
	uint32_t stack, k;

	invent(lines);
	CHECK_EQ(pipa_recursion_find(&frames, class_of, CLASSES, &found), 0);
	for (stack = 0; stack < profile.stacks.n; stack++)
		for (k = 0; k < lines_of(stack); k++)
			if (class_at(stack, k) != PIPA_NONE)
				CHECK_EQ(found.again[pipa_recursion_first(&found, stack) + k],
					 recurs(stack, k));
	CHECK(!found.first == (lines <= 1));
	pipa_recursion_done(&found);
	pipa_profile_done(&profile);
}

TEST(a_frame_recurs_if_its_class_is_further_out)
{
	check_recursion(0);
	check_recursion(1);
}

TEST(inlined_frames_recur_too)
{
	check_recursion(3);
}

TEST(a_profile_without_stacks_has_no_recursion)
{
	struct pipa_frames frames = { .profile = &profile };
	struct pipa_recursion found = { 0 };

	CHECK_EQ(pipa_recursion_find(&frames, class_of, 0, &found), 0);
	pipa_recursion_done(&found);
}

/* Sums of all stacks, with many samples announced and with none: the result is the same. */
TEST(totals_are_the_same_whether_many_samples_are_announced_or_not)
{
	struct pipa_rollup many = { 0 }, few = { 0 };
	uint32_t i, round;

	invent(0);
	CHECK_EQ(pipa_rollup_init(&many, &profile), 0);
	CHECK_EQ(pipa_rollup_init(&few, &profile), 0);
	for (round = 1; round <= 3; round++) {
		pipa_rollup_begin(&many, STACKS);
		pipa_rollup_begin(&few, 0);
		CHECK(many.most && !few.most);
		for (i = 0; i < 1000 / round; i++) {
			uint32_t stack = next() % (uint32_t)profile.stacks.n;
			struct pipa_weight weight = { next() % 7, next() % 3 }; /* 0 as well */

			pipa_rollup_add(&many, stack, &weight);
			pipa_rollup_add(&few, stack, &weight);
		}
		pipa_rollup_finish(&many);
		pipa_rollup_finish(&few);
		CHECK_EQ(many.n, few.n);
		for (i = 0; i < many.n; i++) {
			CHECK_EQ(many.stacks[i], few.stacks[i]);
			CHECK_EQ(many.sums[many.stacks[i]].weight, few.sums[few.stacks[i]].weight);
			CHECK_EQ(many.sums[many.stacks[i]].count, few.sums[few.stacks[i]].count);
		}
		pipa_rollup_reset(&many);
		pipa_rollup_reset(&few);
	}
	pipa_rollup_done(&many);
	pipa_rollup_done(&few);
	pipa_profile_done(&profile);
}
