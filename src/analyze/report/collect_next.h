/*
 * Propose the next measurement: from defects of the data, rules that could not be decided, phases and losses to
 * command lines of `pipa collect` and `pipa monitor`, each with its reason and, for a collection, as a
 * configuration file.
 */
#ifndef PIPA_ANALYZE_REPORT_COLLECT_NEXT_H
#define PIPA_ANALYZE_REPORT_COLLECT_NEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "model/rules.h"

struct pipa_buf;
struct pipa_findings;
struct pipa_phases;
struct pipa_quality;
struct pipa_series_set;

enum { PIPA_NEXT_STEPS = 12 };

struct pipa_next_step {
	const char *id; /* "all", "longer", "intervals", "multiplexed", "counters", ... */
	const char *why[PIPA_LANGUAGE_NR];
	const char *command; /* a line of shell */
	const char *config;  /* for `pipa collect --config`; "": the command has no such form */
};

struct pipa_next_steps {
	struct pipa_next_step items[PIPA_NEXT_STEPS];
	size_t n;
	struct pipa_arena arena; /* of the texts */
	int status;		 /* 0 or -ENOMEM */
};

struct pipa_next_input {
	const struct pipa_series_set *series; /* finished */
	const struct pipa_quality *quality;
	const struct pipa_phases *phases;
	const struct pipa_rules *rules;
	const struct pipa_findings *findings; /* of these rules */
	bool has_profile;		      /* a recording has samples */
	bool has_stacks;		      /* of more than one frame */
	uint64_t samples;
};

/* Make the proposals, the most useful first. `ret` is empty before and must be freed. 0 or -ENOMEM. */
int pipa_collect_next(const struct pipa_next_input *input, struct pipa_next_steps *ret);
void pipa_next_steps_done(struct pipa_next_steps *steps);

static inline void pipa_next_steps_done_auto(struct pipa_next_steps *steps)
{
	pipa_next_steps_done(steps);
}

#endif
