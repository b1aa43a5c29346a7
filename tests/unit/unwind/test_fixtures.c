/*
 * Stops of a real program on three architectures (tests/data/unwind): at each our chain is gdb's.
 * Where gdb knew a second stack, which is not in the dump, ours ends there and is marked so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/test.h"
#include "lib/unwind_fixture.h"
#include "unwind/table.h"

enum { MOST = 256 };

static bool is_right(const struct unwind_stop *stop, const struct pipa_unwind_result *result,
		     size_t may_guess)
{
	if (strcmp(stop->end, "elsewhere") == 0)
		return result->end == PIPA_STACK_OTHER_STACK && result->n >= 2 &&
		       result->n < stop->n_frames;
	if (result->end != PIPA_STACK_COMPLETE || result->fp_fallback > may_guess)
		return false;
	return strcmp(stop->end, "further") == 0 ? result->n > stop->n_frames :
						   result->n == stop->n_frames;
}

static size_t compare(struct unwind_fixture *f, struct pipa_unwinder *unwinder,
		      const struct unwind_stop *stop)
{
	uint64_t addrs[MOST], from, to;
	struct pipa_unwind_frames frames = { .addrs = addrs, .flags = NULL, .max = MOST };
	struct pipa_unwind_input in = unwind_fixture_input(f, stop);
	struct pipa_unwind_result result;
	/* only if the innermost frame has no CFI: stubs of the PLT in static programs */
	size_t i, may_guess = !pipa_unwind_range(f->table, stop->regs.pc, &from, &to);

	pipa_unwind(unwinder, &in, &frames, &result);
	for (i = 0; i < result.n && i < stop->n_frames; i++)
		if (addrs[i] != stop->frames[i])
			pipa_test_fail(__FILE__, __LINE__, "%s %s: frame %zu is %llx, not %llx",
				       f->arch->name, stop->label, i, (unsigned long long)addrs[i],
				       (unsigned long long)stop->frames[i]);
	if (!is_right(stop, &result, may_guess))
		pipa_test_fail(__FILE__, __LINE__, "%s %s: %s with %zu of %zu frames, %zu guessed",
			       f->arch->name, stop->label, pipa_stack_end_text(result.end),
			       result.n, stop->n_frames, result.fp_fallback);
	return result.n;
}

static void run(const struct pipa_unwind_arch *arch)
{
	const char *source = getenv("PIPA_SOURCE");
	struct pipa_unwinder *unwinder = pipa_unwinder_new(arch);
	struct unwind_fixture f;
	size_t i, frames = 0;
	char folder[4096];

	CHECK(unwinder);
	snprintf(folder, sizeof(folder), "%s/tests/data/unwind", source ? source : ".");
	unwind_fixture_read(&f, folder, arch);
	CHECK(pipa_unwind_table_arch(f.table) == arch);
	CHECK(f.stops.n > 150);
	for (i = 0; i < f.stops.n; i++)
		frames += compare(&f, unwinder, &f.stops.items[i]);
	CHECK(frames > f.stops.n * 5);
	unwind_fixture_done(&f);
	pipa_unwinder_free(unwinder);
}

TEST(chains_of_x86_64_are_those_of_gdb)
{
	run(&pipa_unwind_x86_64);
}

TEST(chains_of_aarch64_are_those_of_gdb)
{
	run(&pipa_unwind_aarch64);
}

TEST(chains_of_riscv64_are_those_of_gdb)
{
	run(&pipa_unwind_riscv64);
}
