#include "model/profile.h"

#include "lib/test.h"

TEST(equal_things_have_equal_numbers)
{
	struct pipa_profile p = { 0 };
	uint32_t libc = pipa_profile_text(&p, "libc"), main_name = pipa_profile_text(&p, "main");
	struct pipa_object object = { .path = libc };
	struct pipa_object other = { .path = libc, .build_id = { 2, { 1, 2 } } };
	struct pipa_function function = { .name = main_name };
	struct pipa_location location = { .offset = 0x1000 };
	struct pipa_thread thread = { .pid = 1, .tid = 2, .comm = main_name };

	CHECK_EQ(pipa_profile_text(&p, "libc"), libc);
	CHECK_EQ(pipa_profile_object(&p, &object), 0);
	CHECK_EQ(pipa_profile_object(&p, &other), 1);
	CHECK_EQ(pipa_profile_object(&p, &object), 0);
	CHECK_EQ(pipa_profile_function(&p, &function), 0);
	function.object = 1;
	CHECK_EQ(pipa_profile_function(&p, &function), 1);
	CHECK_EQ(pipa_profile_location(&p, &location), 0);
	location.address = 7; /* found out later: no part of what it is */
	CHECK_EQ(pipa_profile_location(&p, &location), 0);
	location.mode = PIPA_MODE_KERNEL;
	CHECK_EQ(pipa_profile_location(&p, &location), 1);
	CHECK_EQ(pipa_profile_thread(&p, &thread), 0);
	thread.tid = 3;
	CHECK_EQ(pipa_profile_thread(&p, &thread), 1);
	CHECK_EQ(pipa_profile_event(&p, "cycles"), 0);
	CHECK_EQ(pipa_profile_event(&p, "faults"), 1);
	CHECK_EQ(p.events.items[1].leader, 1);
	pipa_profile_done(&p);
}

TEST(events_of_one_name_and_other_units_are_different)
{
	struct pipa_profile p = { 0 };
	const struct pipa_event_type bytes = { .name = "alloc",
					       .unit = PIPA_VALUE_BYTES,
					       .count_unit = PIPA_VALUE_COUNT,
					       .period = 524288 };
	const struct pipa_event_type times = {
		.name = "alloc", .unit = PIPA_VALUE_NS, .frequency = 99, .uncounted = true
	};

	CHECK_EQ(pipa_profile_event_of(&p, &bytes), 0);
	CHECK_EQ(pipa_profile_event_of(&p, &times), 1);
	CHECK_EQ(pipa_profile_event_of(&p, &bytes), 0);
	CHECK_EQ(pipa_profile_event(&p, "alloc"), 0);
	CHECK_STR(pipa_profile_string(&p, p.events.items[0].unit), PIPA_VALUE_BYTES);
	CHECK_STR(pipa_profile_string(&p, p.events.items[0].count_unit), PIPA_VALUE_COUNT);
	CHECK_EQ(p.events.items[0].period, 524288);
	CHECK(p.events.items[0].counted && !p.events.items[1].counted);
	CHECK_EQ(p.events.items[1].frequency, 99);
	CHECK_EQ(p.events.items[1].leader, 1);
	pipa_profile_done(&p);
}

TEST(merged_events_keep_unit_and_period)
{
	struct pipa_profile p = { 0 }, q = { 0 };
	const struct pipa_event_type count = { .name = "x", .unit = PIPA_VALUE_COUNT };
	const struct pipa_event_type bytes = {
		.name = "x", .unit = PIPA_VALUE_BYTES, .period = 7, .uncounted = true
	};

	CHECK_EQ(pipa_profile_event_of(&p, &count), 0);
	CHECK_EQ(pipa_profile_event_of(&q, &bytes), 0);
	CHECK_EQ(pipa_profile_merge(&p, &q), 0);
	CHECK_EQ(p.events.n, 2);
	CHECK_STR(pipa_profile_string(&p, p.events.items[1].unit), PIPA_VALUE_BYTES);
	CHECK_EQ(p.events.items[1].period, 7);
	CHECK(!p.events.items[1].counted);
	pipa_profile_done(&q);
	pipa_profile_done(&p);
}

TEST(stacks_share_their_callers)
{
	struct pipa_profile p = { 0 };
	uint32_t root = pipa_profile_stack(&p, PIPA_NONE, 10);
	uint32_t a = pipa_profile_stack(&p, root, 11), b = pipa_profile_stack(&p, root, 12);

	CHECK(a != b);
	CHECK_EQ(pipa_profile_stack(&p, root, 11), a);
	CHECK(pipa_profile_stack(&p, a, 11) != a); /* recursion is a frame more */
	CHECK_EQ(p.stacks.items[root].depth, 1);
	CHECK_EQ(p.stacks.items[b].depth, 2);
	CHECK_EQ(p.stacks.items[b].parent, root);
	pipa_profile_done(&p);
}

TEST(samples_of_one_kind_add_up)
{
	struct pipa_profile p = { 0 };
	struct pipa_sample sample = { .thread = 1, .stack = 2, .cpu = 3, .weight = 10, .count = 1 };

	sample.event = pipa_profile_event(&p, "cycles");
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.cpu = 4;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(p.samples.n, 2);
	CHECK_EQ(p.samples.items[0].weight, 20);
	CHECK_EQ(p.samples.items[0].count, 2);
	CHECK_EQ(p.events.items[0].weight, 30);
	CHECK_EQ(p.events.items[0].count, 3);
	pipa_profile_done(&p);
}

TEST(a_sample_that_was_added_without_a_search_is_found_by_the_next_one)
{
	struct pipa_profile p = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE };
	uint32_t i;

	for (i = 0; i < 1000; i++) {
		sample.stack = i;
		if (i % 3)
			CHECK_EQ(pipa_profile_new_sample(&p, &sample), i);
		else
			CHECK_EQ(pipa_profile_sample(&p, &sample), i);
	}
	for (i = 0; i < 1000; i++) {
		sample.stack = i;
		CHECK_EQ(pipa_profile_sample(&p, &sample), i);
	}
	CHECK_EQ(p.samples.n, 1000);
	pipa_profile_done(&p);
}

TEST(an_event_has_the_squares_of_its_samples_also_when_profiles_come_together)
{
	struct pipa_profile p = { 0 }, more = { 0 };
	struct pipa_thread thread = { .pid = 1, .tid = 1 };
	struct pipa_sample sample = { .stack = PIPA_NONE, .cpu = PIPA_NONE, .count = 1 };

	sample.event = pipa_profile_event(&p, "cycles");
	sample.thread = pipa_profile_thread(&p, &thread);
	sample.weight = 10;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.weight = 30;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_NEAR(p.events.items[0].squares, 1000, 1e-9);
	sample.weight = 40; /* each counted as 10 */
	sample.count = 4;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_NEAR(p.events.items[0].squares, 1400, 1e-9);
	CHECK_EQ(pipa_profile_merge(&more, &p), 0);
	CHECK_EQ(pipa_profile_merge(&more, &p), 0);
	CHECK_EQ(more.events.items[0].weight, 160);
	CHECK_NEAR(more.events.items[0].squares, 2800, 1e-9);
	pipa_profile_done(&p);
	pipa_profile_done(&more);
}

TEST(inlined_functions_of_a_location_follow_each_other)
{
	struct pipa_profile p = { 0 };
	struct pipa_location at = { .offset = 1, .unresolved = PIPA_UNRESOLVED_NO_SYMBOL };
	uint32_t first = pipa_profile_location(&p, &at);

	CHECK_EQ(pipa_profile_name(&p, first, 5, 50), 0);
	CHECK_EQ(pipa_profile_name(&p, first, 6, 60), 0);
	CHECK_EQ(p.locations.items[first].n_lines, 2);
	CHECK_EQ(p.lines.items[p.locations.items[first].lines + 1].function, 6);
	CHECK_EQ(p.locations.items[first].unresolved, PIPA_RESOLVED);
	pipa_profile_done(&p);
}
