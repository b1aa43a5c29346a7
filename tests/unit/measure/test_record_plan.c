/* Plans of recordings on invented machines. */
#include "measure/sample/record_plan.h"

#include "base/auto.h"
#include "base/error.h"
#include "kernel/event/host.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "measure/sample/record.h"

/* Plan to sample all CPUs of a machine whose kernel permits 250 samples per second. */
static void plan_slow(const char *event, uint64_t hz, struct pipa_record_plan *ret)
{
	const char *const machine = machine_icelake();
	const struct pipa_event_arg events[] = { { .text = event } };
	const struct pipa_record_options options = {
		.target = { .system_wide = true, .verb = "record" },
		.calls = PIPA_CALLS_NONE,
		.events = events,
		.n_events = event ? 1 : 0,
		.hz = hz,
	};
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct fake_perf *fake = fake_perf_new();
	struct pipa_error err = { 0 };
	struct pipa_host host;

	machine_file(machine, "proc/sys/kernel/perf_event_max_sample_rate", "250\n");
	fake_perf_add_software(fake);
	CHECK_EQ(pipa_root_open(machine, &root, &err), 0);
	host = (struct pipa_host){ .perf = &fake->perf, .root = root };
	CHECK_EQ(pipa_record_plan_make(&options, &host, ret, &err), 0);
}

TEST(a_rate_above_the_permitted_one_is_lowered_and_kept_for_the_note)
{
	struct pipa_record_plan plan = { 0 };

	plan_slow("cpu-clock", 4000, &plan);
	CHECK_EQ(plan.hz, 250);
	CHECK_EQ(plan.refused_hz, 4000);
	pipa_record_plan_done(&plan);
	plan = (struct pipa_record_plan){ 0 };
	plan_slow("cpu-clock", 0, &plan); /* the default */
	CHECK_EQ(plan.hz, 250);
	CHECK_EQ(plan.refused_hz, PIPA_RECORD_HZ);
	pipa_record_plan_done(&plan);
	plan = (struct pipa_record_plan){ 0 };
	plan_slow("cpu-clock", 200, &plan);
	CHECK_EQ(plan.hz, 200);
	CHECK_EQ(plan.refused_hz, 0);
	pipa_record_plan_done(&plan);
}

TEST(the_permitted_rate_is_of_no_concern_to_events_that_are_all_sampled)
{
	struct pipa_record_plan plan = { 0 };

	plan_slow("sched:sched_switch", 0, &plan);
	CHECK_EQ(plan.refused_hz, 0);
	pipa_record_plan_done(&plan);
	plan = (struct pipa_record_plan){ 0 };
	plan_slow("cpu-clock", UINT64_MAX, &plan); /* -F max */
	CHECK_EQ(plan.hz, 250);
	CHECK_EQ(plan.refused_hz, 0);
	pipa_record_plan_done(&plan);
}
