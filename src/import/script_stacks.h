/*
 * Intern the stacks of `perf script` by their text: equal lines are the same stack, and only new
 * ones are parsed.
 */
#ifndef PIPA_IMPORT_SCRIPT_STACKS_H
#define PIPA_IMPORT_SCRIPT_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/index.h"

struct pipa_profile;

struct pipa_script_text {
	const char *text; /* in the arena */
	uint32_t len;
	uint32_t number; /* index of the stack or location */
};

struct pipa_script_texts {
	struct pipa_script_text *items;
	size_t n, cap;
	struct pipa_index index;
};

struct pipa_script_stacks {
	struct pipa_profile *profile;
	struct pipa_arena arena;
	struct pipa_script_texts blocks; /* all lines of a stack */
	struct pipa_script_texts frames; /* line of a frame, after those inlined into it */
	struct {
		uint32_t *items;
		size_t n, cap;
	} chain; /* under construction, innermost first */
};

void pipa_script_stacks_done(struct pipa_script_stacks *stacks);

/*
 * Return the stack of these lines; *ret is PIPA_NONE if they have no frame. 0 or -ENOMEM. The text
 * is at most 4 GiB - 1 long.
 */
int pipa_script_stacks_find(struct pipa_script_stacks *stacks, const char *text, size_t len,
			    uint32_t *ret);

#endif
