/* pprof profiles, written and read back. */
#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/exchange/pprof.h"
#include "import/pprof.h"
#include "lib/test.h"
#include "model/profile.h"

static int put(void *ctx, const char *bytes, size_t len)
{
	pipa_buf_add(ctx, bytes, len);
	return 0;
}

/* Write the profile and read it into *ret. */
static int round_trip(const struct pipa_profile *from, struct pipa_profile *ret)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf bytes = { 0 };
	struct pipa_error err = { 0 };
	int rc = pipa_pprof_write(from, &(struct pipa_pprof_format){ 0 }, put, &bytes);

	if (!rc)
		rc = pipa_pprof_read(
			ret, (struct pipa_span){ (const uint8_t *)bytes.data, bytes.len }, &err);
	return rc;
}

/* Add a location with a function of that name. */
static uint32_t add_location(struct pipa_profile *p, const char *name, uint64_t offset)
{
	struct pipa_object object = { .path = pipa_profile_text(p, "/bin/a") };
	uint32_t number = pipa_profile_object(p, &object), location;
	struct pipa_function function = { .name = pipa_profile_text(p, name), .object = number };

	location = pipa_profile_location(
		p, &(struct pipa_location){
			   .object = number, .offset = offset, .address = 0x400000 + offset });
	pipa_profile_name(p, location, pipa_profile_function(p, &function), 12);
	return location;
}

TEST(threads_cpus_and_truncated_stacks_are_read_back)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = 3, .weight = 500, .count = 2 };

	sample.event = pipa_profile_event_of(
		&p, &(struct pipa_event_type){ .name = "cpu-clock", .unit = PIPA_VALUE_NS });
	sample.thread = pipa_profile_thread(
		&p,
		&(struct pipa_thread){ .pid = 7, .tid = 8, .comm = pipa_profile_text(&p, "w") });
	sample.stack = pipa_profile_root(&p, add_location(&p, "outer", 16), true);
	sample.stack = pipa_profile_stack(&p, sample.stack, add_location(&p, "inner", 32));
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &again), 0);

	CHECK_EQ(again.samples.n, 1);
	CHECK_EQ(again.samples.items[0].cpu, 3);
	CHECK_EQ(again.samples.items[0].weight, 500);
	CHECK_EQ(again.samples.items[0].count, 2);
	CHECK_EQ(again.samples.items[0].labels, 0);
	CHECK_EQ(again.events.n, 1);
	CHECK_STR(pipa_profile_string(&again, again.events.items[0].name), "cpu");
	CHECK_STR(pipa_profile_string(&again, again.events.items[0].count_name), "samples");
	CHECK_EQ(again.threads.n, 1);
	CHECK_EQ(again.threads.items[0].pid, 7);
	CHECK_EQ(again.threads.items[0].tid, 8);
	CHECK_STR(pipa_profile_string(&again, again.threads.items[0].comm), "w");
	CHECK_EQ(again.stacks.n, 2);
	CHECK(again.stacks.items[0].cut && again.stacks.items[0].parent == PIPA_NONE);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(negative_values_stay_negative)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .thread = PIPA_NONE };

	p.n_column_groups = 1;
	sample.event = pipa_profile_event_of(&p, &(struct pipa_event_type){ .name = "delay",
									    .unit = PIPA_VALUE_NS,
									    .uncounted = true,
									    .column_group = 1 });
	sample.stack = pipa_profile_root(&p, add_location(&p, "more", 16), false);
	CHECK_EQ(pipa_profile_add_signed(&p, &sample, 40), 0);
	sample.stack = pipa_profile_root(&p, add_location(&p, "less", 32), false);
	CHECK_EQ(pipa_profile_add_signed(&p, &sample, -5), 0);
	CHECK_EQ(round_trip(&p, &again), 0);

	CHECK_EQ(again.events.n, 2);
	CHECK_EQ(again.events.items[0].weight, 40);
	CHECK_EQ(again.events.items[1].weight, 5);
	CHECK_EQ(again.events.items[1].negative_of, 0);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(values_of_several_events_share_a_row)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE, .thread = PIPA_NONE, .count = 1 };

	sample.stack = pipa_profile_root(&p, add_location(&p, "f", 16), false);
	sample.event = pipa_profile_event(&p, "cycles");
	sample.weight = 1000;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	sample.event = pipa_profile_event(&p, "instructions");
	sample.weight = 2000;
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &again), 0);

	CHECK_EQ(again.events.n, 2);
	CHECK_STR(pipa_profile_string(&again, again.events.items[1].name), "instructions");
	CHECK_STR(pipa_profile_string(&again, again.events.items[1].count_name),
		  "instructions_samples");
	CHECK_EQ(again.events.items[0].weight, 1000);
	CHECK_EQ(again.events.items[1].weight, 2000);
	CHECK_EQ(again.stacks.n, 1);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}

TEST(a_value_above_63_bits_is_refused)
{
	struct pipa_profile p = { 0 }, again = { 0 };
	struct pipa_sample sample = { .cpu = PIPA_NONE,
				      .thread = PIPA_NONE,
				      .stack = PIPA_NONE,
				      .count = 1,
				      .weight = UINT64_MAX };

	sample.event = pipa_profile_event(&p, "cycles");
	CHECK_EQ(pipa_profile_add(&p, &sample), 0);
	CHECK_EQ(round_trip(&p, &again), -ERANGE);
	pipa_profile_done(&p);
	pipa_profile_done(&again);
}
