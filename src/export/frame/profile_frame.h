/*
 * The tables of a profile as data frames: samples, and the stacks, locations and functions that they refer to by
 * number. Rows join by the columns `stack`, `location` and `function`.
 */
#ifndef PIPA_EXPORT_FRAME_PROFILE_FRAME_H
#define PIPA_EXPORT_FRAME_PROFILE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "codec/frame.h"
#include "model/profile.h"

struct pipa_buf;

struct pipa_frame_columns {
	const struct pipa_frame_column *items;
	size_t n;
};

/* Set a column: nothing for an unknown mode or build id. */
void pipa_frame_put_mode(struct pipa_frame_writer *w, size_t column, enum pipa_mode mode);
void pipa_frame_put_build_id(struct pipa_frame_writer *w, size_t column,
			     const struct pipa_build_id *id);

/* A row per sample: when, where, how much and on which stack. */
extern const struct pipa_frame_columns pipa_frame_sample_columns;

/* Fields of a sample that only perf's database has; PIPA_UNKNOWN becomes null. */
struct pipa_frame_perf_sample {
	uint64_t id; /* from 1 */
	uint64_t ip, addr, weight, transaction, data_source;
	uint32_t thread_id; /* of the table threads, 0: unknown */
};

/* The columns of pipa_frame_sample_columns followed by those of perf's database. */
extern const struct pipa_frame_columns pipa_frame_perf_sample_columns;

/* A sample. Numbers that are unknown are PIPA_UNKNOWN or PIPA_NONE and become null. */
struct pipa_frame_sample {
	uint64_t time_ns; /* of the recording's clock */
	uint64_t utc_ns;
	uint32_t cpu;
	uint32_t thread, event, stack, labels; /* of the profile */
	uint64_t weight, count;
	const struct pipa_frame_perf_sample *perf; /* for the columns of perf's database; or NULL */
};

/* Write a row; `text` is scratch memory for the labels. Returns the writer's status. */
int pipa_frame_put_sample(struct pipa_frame_writer *w, const struct pipa_profile *profile,
			  const struct pipa_frame_sample *sample, struct pipa_buf *text);

/*
 * Tables that are written completely from a profile; each returns the writer's status.
 *
 * Stacks: a row per frame of each stack that a sample has, innermost first. Locations: a row per location and
 * function inlined at it, innermost first; one without a symbol has one row. Functions: a row each.
 */
extern const struct pipa_frame_columns pipa_frame_stack_columns, pipa_frame_location_columns,
	pipa_frame_function_columns;

int pipa_frame_put_stacks(struct pipa_frame_writer *w, const struct pipa_profile *profile);
int pipa_frame_put_locations(struct pipa_frame_writer *w, const struct pipa_profile *profile);
int pipa_frame_put_functions(struct pipa_frame_writer *w, const struct pipa_profile *profile);

#endif
