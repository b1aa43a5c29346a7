#include "ingest/stack_samples.h"

#include "lib/test.h"

TEST(samples_of_a_stack_are_found_by_thread_cpu_event_and_labels)
{
	struct pipa_stack_samples samples = { 0 };
	struct pipa_profile p = { 0 }, q = { 0 };
	uint32_t round, i;

	/* more threads per stack than are compared, and samples without a stack */
	for (round = 0; round < 2; round++)
		for (i = 0; i < 600; i++) {
			struct pipa_sample sample = { .stack = i % 7 ? i % 7 : PIPA_NONE,
						      .thread = i / 12,
						      .cpu = i % 2,
						      .event = i % 3,
						      .labels = i % 5 };

			CHECK_EQ(pipa_stack_samples_get(&samples, &p, &sample),
				 pipa_profile_sample(&q, &sample));
		}
	CHECK_EQ(p.samples.n, q.samples.n);
	CHECK_EQ(samples.before.n, p.samples.n);
	pipa_stack_samples_done(&samples);
	pipa_profile_done(&p);
	pipa_profile_done(&q);
}

TEST(samples_that_were_added_elsewhere_are_found)
{
	struct pipa_sample one = { .stack = 1, .thread = 1 }, two = { .stack = 1, .thread = 2 };
	struct pipa_stack_samples samples = { 0 };
	struct pipa_profile p = { 0 };

	CHECK_EQ(pipa_stack_samples_get(&samples, &p, &one), 0);
	CHECK_EQ(pipa_profile_sample(&p, &two), 1);
	CHECK_EQ(pipa_stack_samples_get(&samples, &p, &two), 1);
	CHECK_EQ(pipa_stack_samples_get(&samples, &p, &one), 0);
	CHECK_EQ(p.samples.n, 2);
	pipa_stack_samples_done(&samples);
	pipa_profile_done(&p);
}
