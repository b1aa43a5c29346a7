#include "collect/count/probe.h"

#include <errno.h>

#include "base/auto.h"
#include "lib/fake_perf.h"
#include "lib/test.h"
#include "model/event.h"

static struct pipa_event page_faults(void)
{
	return (struct pipa_event){ .attr = { .type = PERF_TYPE_SOFTWARE,
					      .size = sizeof(struct perf_event_attr),
					      .config = PERF_COUNT_SW_PAGE_FAULTS } };
}

static struct fake_perf *new_kernel(void)
{
	struct fake_perf *fake = fake_perf_new();

	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	return fake;
}

TEST(an_event_that_opens_works_and_is_closed_again)
{
	struct fake_perf *fake = new_kernel();
	struct pipa_event event = page_faults();

	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_OK);
	CHECK_EQ(fake->n_opens, 1);
	CHECK_EQ(fake->opens[0].pid, 0);
	CHECK_EQ(fake->opens[0].cpu, -1);
	CHECK(fake->opens[0].attr.disabled);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	CHECK_EQ(fake->bad_fds, 0);
}

TEST(an_event_that_does_not_exist_is_missing)
{
	struct fake_perf *fake = fake_perf_new();
	struct pipa_event event = page_faults();

	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_MISSING);
	CHECK_EQ(fake->n_opens, 1);
	CHECK_EQ(fake->bad_fds, 0);
}

TEST(at_paranoid_two_user_space_works)
{
	struct fake_perf *fake = new_kernel();
	struct pipa_event event = page_faults();

	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_USER_ONLY);
	CHECK(fake->opens[1].attr.exclude_kernel && fake->opens[1].attr.exclude_hv);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	event.attr.exclude_kernel = 1;
	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_OK);
}

TEST(at_paranoid_three_it_is_denied)
{
	struct fake_perf *fake = new_kernel();
	struct pipa_event event = page_faults();

	fake->unprivileged = true;
	fake->paranoid = 3;
	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_DENIED);
}

TEST(whole_cpus_have_no_user_space_share)
{
	struct fake_perf *fake = new_kernel();
	struct pipa_event event = page_faults();

	fake->unprivileged = true;
	fake->paranoid = 2;
	CHECK_EQ(pipa_probe_attr(&fake->perf, &event.attr, -1, 0), PIPA_PROBE_DENIED);
	CHECK_EQ(fake->n_opens, 1);
	fake->paranoid = 0;
	CHECK_EQ(pipa_probe_attr(&fake->perf, &event.attr, -1, 0), PIPA_PROBE_OK);
}

TEST(a_package_wide_event_is_tried_on_a_cpu_of_its_own)
{
	struct fake_perf *fake = fake_perf_new();
	int cpu = 4;
	struct pipa_event event = { .attr = { .type = 20, .size = sizeof(event.attr), .config = 2 },
				    .uncore = true,
				    .cpus = { .items = &cpu, .n = 1 } };

	fake_perf_add(fake, &(struct fake_event){ .type = 20, .config = 2 });
	fake_perf_add_pmu(fake, &(struct fake_pmu){ 20, true, 1 << 4 });
	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_OK);
	CHECK_EQ(fake->opens[0].cpu, 4);
	CHECK_EQ(fake->opens[0].pid, -1);
}

TEST(a_kernel_that_knows_no_guests_is_asked_again)
{
	struct fake_perf *fake = new_kernel();
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.exclude_guest = 1 };

	fake->knows_no_guest = true;
	CHECK_EQ(pipa_probe_attr(&fake->perf, &attr, 0, -1), PIPA_PROBE_OK);
	CHECK_EQ(fake->n_opens, 2);
	CHECK(attr.exclude_guest); /* the caller's is unchanged */
	CHECK_EQ(fake_perf_still_open(fake), 0);
}

TEST(a_tool_event_always_works)
{
	struct fake_perf *fake = fake_perf_new();
	struct pipa_event event = { .tool = PIPA_TOOL_DURATION };

	CHECK_EQ(pipa_probe_event(&fake->perf, &event), PIPA_PROBE_OK);
	CHECK_EQ(fake->n_opens, 0);
}
