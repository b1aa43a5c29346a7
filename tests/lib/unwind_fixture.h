/*
 * The stops of tests/data/unwind: registers, stack and gdb's chain of callers at many instructions of
 * a real program. For tests and benchmarks; a file that cannot be read or is damaged ends the program.
 */
#ifndef PIPA_TESTS_UNWIND_FIXTURE_H
#define PIPA_TESTS_UNWIND_FIXTURE_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

struct unwind_stop {
	char label[32];
	struct pipa_unwind_regs regs;
	uint64_t *words; /* of the stack, from its pointer on */
	size_t n_words;
	uint64_t *frames; /* gdb's */
	size_t n_frames;
	char end[16]; /* "complete", "elsewhere" (on a stack that was not dumped), "further" */
};

struct unwind_fixture {
	const struct pipa_unwind_arch *arch;
	struct pipa_unwind_table *table;
	struct {
		uint64_t addr;
		uint8_t bytes[16];
	} codes[16]; /* signal return trampolines and PLT stubs */
	size_t n_codes;
	struct {
		struct unwind_stop *items;
		size_t n, cap;
	} stops;
};

void unwind_fixture_read(struct unwind_fixture *ret, const char *folder,
			 const struct pipa_unwind_arch *arch);
void unwind_fixture_done(struct unwind_fixture *fixture);

/* Input of a walk over the stop. */
struct pipa_unwind_input unwind_fixture_input(struct unwind_fixture *fixture,
					      const struct unwind_stop *stop);

#endif
