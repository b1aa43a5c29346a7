#include "collect/count/event_groups.h"

#include <stdio.h>

#include "base/auto.h"
#include "base/buf.h"
#include "collect/count/resolve.h"
#include "kernel/machine/root.h"
#include "lib/fake_perf.h"
#include "lib/machines.h"
#include "lib/test.h"
#include "perf/event_spec.h"

static char lacked[256];

static void take(void *ctx PIPA_UNUSED, const char *event, enum pipa_probe why)
{
	size_t len = strlen(lacked);

	snprintf(lacked + len, sizeof(lacked) - len, "%s%s %d", len ? ", " : "", event, (int)why);
}

/* The events of a group that a machine supports. */
static const char *cut(const char *prefix, struct fake_perf *fake, const char *group)
{
	static struct pipa_buf text;
	PIPA_AUTO(pipa_root_close) struct pipa_root *root = NULL;
	struct pipa_machine machine = { 0 };
	int n;

	lacked[0] = '\0';
	pipa_buf_reset(&text);
	CHECK_EQ(pipa_root_open(prefix, &root, NULL), 0);
	CHECK_EQ(pipa_machine_load(&machine, root, NULL), 0);
	n = pipa_event_groups_cut(group, &machine, &fake->perf, take, NULL, &text, NULL);
	CHECK_EQ(n == 0, text.len == 0);
	pipa_machine_done(&machine);
	CHECK_EQ(fake_perf_still_open(fake), 0);
	return pipa_buf_str(&text);
}

TEST(a_machine_without_a_pmu_counts_software_events)
{
	struct fake_perf *fake = fake_perf_new();
	const char *machine = machine_plain();

	fake_perf_add_software(fake);
	CHECK_STR(cut(machine, fake, "cycles,instructions"), "");
	CHECK_STR(lacked, "cycles 3, instructions 3");
	CHECK_STR(cut(machine, fake, "page-faults,l1d_cache,context-switches"),
		  "page-faults,context-switches");
	CHECK_STR(lacked, "l1d_cache 3");
}

TEST(a_machine_with_a_pmu_keeps_its_groups)
{
	struct fake_perf *fake = fake_perf_new();

	fake_perf_add_software(fake);
	fake_perf_add_hardware(fake, 0);
	CHECK_STR(cut(machine_plain(), fake, "cycles,instructions"), "cycles,instructions");
	CHECK_STR(lacked, "");
}

TEST(every_architecture_has_groups_of_events_that_are_spelled_right)
{
	static const char *const names[] = { "x86_64", "aarch64", "riscv64", "s390x" };
	size_t i, k;

	CHECK(pipa_event_groups("riscv64") != pipa_event_groups("x86_64"));
	CHECK_STR(pipa_event_groups("aarch64")[2], "l1d_cache,l1d_cache_refill");
	CHECK_STR(pipa_event_groups("x86_64")[4], "LLC-loads,LLC-load-misses");
	for (i = 0; i < PIPA_COUNT(names); i++) {
		const char *const *groups = pipa_event_groups(names[i]);

		for (k = 0; groups[k]; k++) {
			PIPA_AUTO(pipa_specs_done) struct pipa_specs specs = { 0 };

			CHECK_EQ(pipa_specs_parse(&specs, groups[k], NULL), 0);
		}
		CHECK_STR(groups[k - 1], "page-faults,context-switches,cpu-migrations");
	}
}
