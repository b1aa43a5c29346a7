/* Sums over the processes of a heap recording. */
#include "base/vec.h"
#include "lib/test.h"
#include "model/heaps.h"

static void add(struct pipa_heaps *heaps, uint64_t start, uint64_t end, uint64_t peak,
		enum pipa_heaps_end how)
{
	struct pipa_heaps_process *p = PIPA_VEC_ADD(&heaps->processes);

	CHECK(p);
	*p = (struct pipa_heaps_process){
		.start_ns = start, .end_ns = end, .peak = { 1, peak }, .end = how
	};
}

TEST(peaks_at_once_are_those_of_processes_that_existed_at_the_same_time)
{
	struct pipa_heaps heaps = { 0 };

	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 0);
	add(&heaps, 100, 200, 50, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 50);
	add(&heaps, 300, 400, 30, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 50);
	add(&heaps, 350, 500, 40, PIPA_HEAPS_REPLACED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 70);
	add(&heaps, 200, 250, 7, PIPA_HEAPS_EXITED); /* starts when another one ends */
	add(&heaps, 150, 160, 20, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 70);
	pipa_heaps_done(&heaps);
}

TEST(a_program_and_the_one_that_replaced_it_do_not_exist_at_the_same_time)
{
	struct pipa_heaps heaps = { 0 };

	add(&heaps, 100, 200, 50, PIPA_HEAPS_REPLACED);
	add(&heaps, 200, 300, 30, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 50);
	add(&heaps, 150, 150, 7, PIPA_HEAPS_REPLACED); /* by a clock that is too coarse */
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 57);
	pipa_heaps_done(&heaps);
}

TEST(a_killed_process_may_have_existed_until_the_end)
{
	struct pipa_heaps heaps = { 0 };

	add(&heaps, 100, 200, 50, PIPA_HEAPS_KILLED);
	add(&heaps, 300, 400, 30, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), 80);
	pipa_heaps_done(&heaps);
}

TEST(nothing_of_a_program_that_was_replaced_is_in_use)
{
	struct pipa_heaps heaps = { 0 };
	struct pipa_heaps_stack *stack;
	size_t i;

	for (i = 0; i < 3; i++) {
		stack = PIPA_VEC_ADD(&heaps.stacks);
		CHECK(stack);
		stack->alloc = stack->inuse = stack->peak = (struct pipa_heaps_amount){ 1, 10 };
	}
	add(&heaps, 100, 0, 10, PIPA_HEAPS_RUNNING);
	heaps.processes.items[0].stacks = 1;
	heaps.processes.items[0].n_stacks = 1;
	pipa_heaps_replace(&heaps, &heaps.processes.items[0], 200);
	CHECK_EQ(heaps.processes.items[0].end, PIPA_HEAPS_REPLACED);
	CHECK_EQ(heaps.processes.items[0].end_ns, 200);
	CHECK_EQ(heaps.stacks.items[0].inuse.bytes, 10);
	CHECK_EQ(heaps.stacks.items[1].inuse.bytes, 0);
	CHECK_EQ(heaps.stacks.items[1].inuse.objects, 0);
	CHECK_EQ(heaps.stacks.items[1].peak.bytes, 10);
	CHECK_EQ(heaps.stacks.items[2].inuse.bytes, 10);
	pipa_heaps_done(&heaps);
}

TEST(peaks_that_were_overwritten_do_not_wrap)
{
	struct pipa_heaps heaps = { 0 };

	add(&heaps, 100, 200, UINT64_MAX, PIPA_HEAPS_EXITED);
	add(&heaps, 100, 200, UINT64_MAX, PIPA_HEAPS_RUNNING);
	add(&heaps, 200, 100, 5, PIPA_HEAPS_EXITED);
	CHECK_EQ(pipa_heaps_peak_at_once(&heaps), INT64_MAX);
	pipa_heaps_done(&heaps);
}
