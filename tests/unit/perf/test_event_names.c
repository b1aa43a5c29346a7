#include "perf/event_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "lib/test.h"

#define CACHE(cache, op, result)                                                                   \
	(PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |                          \
	 PERF_COUNT_HW_CACHE_RESULT_##result << 16)

static void check_event(const char *text, uint32_t type, uint64_t config)
{
	struct pipa_event_name name = { 0 };

	if (!pipa_event_name_find(text, &name))
		pipa_test_fail(__FILE__, __LINE__, "'%s' is not known", text);
	CHECK_EQ(name.type, type);
	CHECK_EQ(name.config, config);
}

TEST(hardware_and_software_names_mean_the_kernels_numbers)
{
	check_event("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	check_event("cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	check_event("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	check_event("branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS);
	check_event("idle-cycles-backend", PERF_TYPE_HARDWARE,
		    PERF_COUNT_HW_STALLED_CYCLES_BACKEND);
	check_event("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	check_event("cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	check_event("faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
}

TEST(tool_events_are_measured_by_the_tool)
{
	struct pipa_event_name name = { 0 };

	CHECK(pipa_event_name_find("duration_time", &name));
	CHECK_EQ(name.kind, PIPA_EVENT_TOOL);
	CHECK_EQ(name.tool, PIPA_TOOL_DURATION);
	CHECK(pipa_event_name_find("user_time", &name));
	CHECK_EQ(name.tool, PIPA_TOOL_USER);
	CHECK(pipa_event_name_find("system_time", &name));
	CHECK_EQ(name.tool, PIPA_TOOL_SYSTEM);
}

TEST(cache_names_are_the_matrix)
{
	check_event("L1-dcache-loads", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, ACCESS));
	check_event("L1-dcache-load-misses", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS));
	check_event("LLC-store-misses", PERF_TYPE_HW_CACHE, CACHE(LL, WRITE, MISS));
	check_event("dTLB-prefetches", PERF_TYPE_HW_CACHE, CACHE(DTLB, PREFETCH, ACCESS));
	check_event("iTLB-load-misses", PERF_TYPE_HW_CACHE, CACHE(ITLB, READ, MISS));
	check_event("branch-load-misses", PERF_TYPE_HW_CACHE, CACHE(BPU, READ, MISS));
	check_event("node-stores", PERF_TYPE_HW_CACHE, CACHE(NODE, WRITE, ACCESS));
}

TEST(cache_spellings_of_perf_are_known)
{
	check_event("l1d-read-miss", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS));
	check_event("l1d-miss-read", PERF_TYPE_HW_CACHE, CACHE(L1D, READ, MISS));
	check_event("L1-data-write", PERF_TYPE_HW_CACHE, CACHE(L1D, WRITE, ACCESS));
	check_event("LLC-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS));
	check_event("l2-refs", PERF_TYPE_HW_CACHE, CACHE(LL, READ, ACCESS));
	check_event("Data-TLB-speculative-load", PERF_TYPE_HW_CACHE, CACHE(DTLB, PREFETCH, ACCESS));
	check_event("LLC-loads-misses", PERF_TYPE_HW_CACHE, CACHE(LL, READ, MISS));
}

TEST(misspelled_event_names_are_not_found)
{
	static const char *const texts[] = {
		"",
		"cycle",
		"cycles ",
		"Cycles",
		"L1-dcache",
		"L1-dcache-",
		"L1-dcache-x",
		"L1-dcache-load-",
		"L1-dcache-load-misses-",
		"L1-dcacheload",
		"L1-dcache-load-load",
		"LLC-misses-misses",
		"-loads",
		"L1-icache-stores", /* instructions are not stored */
		"iTLB-prefetches",
		"branch-stores",
		"L1-dcache-load-misses-x",
	};
	struct pipa_event_name name = { .config = 77 };
	size_t i;

	for (i = 0; i < PIPA_COUNT(texts); i++)
		if (pipa_event_name_find(texts[i], &name))
			pipa_test_fail(__FILE__, __LINE__, "'%s' was found", texts[i]);
	CHECK_EQ(name.config, 77);
}

TEST(every_fixed_name_finds_itself_and_only_itself)
{
	const struct pipa_event_name *names;
	struct pipa_event_name found;
	size_t n, i;

	names = pipa_event_names(&n);
	CHECK(n >= 20);
	for (i = 0; i < n; i++) {
		CHECK(pipa_event_name_find(names[i].name, &found));
		CHECK_STR(found.name, names[i].name);
		if (names[i].alias) {
			CHECK(pipa_event_name_find(names[i].alias, &found));
			CHECK_STR(found.name, names[i].name);
		}
	}
}

static int n_cache_names;

static void check_cache_name(void *ctx, const char *name, uint64_t config)
{
	CHECK_STR(ctx, "passed on");
	check_event(name, PERF_TYPE_HW_CACHE, config);
	n_cache_names++;
}

TEST(every_cache_event_has_a_name_that_finds_it)
{
	pipa_event_cache_each(check_cache_name, "passed on");
	/* four caches with three operations, one with two, two with one; each hit or missed */
	CHECK_EQ(n_cache_names, (4 * 3 + 2 + 1 + 1) * 2);
}

TEST(impossible_cache_events_have_no_name)
{
	char text[64] = "untouched";

	CHECK(!pipa_event_cache_name(PERF_COUNT_HW_CACHE_MAX, 0, 0, text, sizeof(text)));
	CHECK(!pipa_event_cache_name(0, PERF_COUNT_HW_CACHE_OP_MAX, 0, text, sizeof(text)));
	CHECK(!pipa_event_cache_name(0, 0, PERF_COUNT_HW_CACHE_RESULT_MAX, text, sizeof(text)));
	CHECK(!pipa_event_cache_name(PERF_COUNT_HW_CACHE_L1I, PERF_COUNT_HW_CACHE_OP_WRITE, 0, text,
				     sizeof(text)));
	CHECK_STR(text, "untouched");
	CHECK(pipa_event_cache_name(PERF_COUNT_HW_CACHE_LL, PERF_COUNT_HW_CACHE_OP_WRITE,
				    PERF_COUNT_HW_CACHE_RESULT_MISS, text, sizeof(text)));
	CHECK_STR(text, "LLC-store-misses");
}

TEST(generic_events_have_the_names_arm_gives_them)
{
	CHECK_STR(pipa_event_arm_name(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
		  "inst_retired");
	CHECK_STR(pipa_event_arm_name(PERF_TYPE_HW_CACHE, CACHE(DTLB, READ, MISS)),
		  "l1d_tlb_refill");
	CHECK(!pipa_event_arm_name(PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES));
	CHECK(!pipa_event_arm_name(PERF_TYPE_HW_CACHE, CACHE(NODE, READ, MISS)));
	CHECK(!pipa_event_arm_name(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK));
}
