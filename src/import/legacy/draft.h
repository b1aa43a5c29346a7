/*
 * A profile of a legacy form while it is read: stacks of addresses with values, mappings, functions. Private to
 * import/legacy/.
 *
 * A reader sets the columns, adds samples, and then mappings (import/legacy/maps.h) or functions
 * (import/legacy/java.h). pipa_draft_finish() passes the result to import/pprof_build.h as the tables that
 * profile.proto would have.
 */
#ifndef PIPA_IMPORT_LEGACY_DRAFT_H
#define PIPA_IMPORT_LEGACY_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/auto.h"
#include "base/strings.h"
#include "import/id_map.h"
#include "import/legacy/lines.h"

struct pipa_error;
struct pipa_profile;

enum { PIPA_DRAFT_COLUMNS_MAX = 4 };

struct pipa_draft_column {
	const char *name, *unit;
};

struct pipa_draft_location {
	uint64_t address;
	uint32_t id;	   /* in the order of samples, from 1 on; 0: not used by a sample */
	uint32_t mapping;  /* from 1 on; 0: none */
	uint32_t function; /* from 1 on; 0: none */
	int64_t line;
};

struct pipa_draft_sample {
	size_t first, n; /* frames, innermost first */
	int64_t values[PIPA_DRAFT_COLUMNS_MAX];
	int64_t bytes; /* label of heap samples */
};

struct pipa_draft_mapping {
	uint64_t start, limit, offset;
	uint32_t file, build_id; /* strings of the draft */
};

struct pipa_draft_function {
	uint32_t name, file; /* strings of the draft */
};

struct pipa_draft {
	struct pipa_error *err;
	struct pipa_strings strings;
	uint32_t column_name[PIPA_DRAFT_COLUMNS_MAX], column_unit[PIPA_DRAFT_COLUMNS_MAX];
	size_t n_columns;
	bool has_bytes; /* samples have the label "bytes" */
	uint32_t period_name, period_unit;
	int64_t period, duration_ns;
	uint64_t damaged; /* records that are incomplete */
	struct {
		struct pipa_draft_location *items;
		size_t n, cap;
	} locations;
	struct pipa_id_map by_address; /* of locations */
	uint32_t *by_id;	       /* [id - 1] location, after pipa_draft_number() */
	uint32_t n_ids;
	struct {
		uint32_t *items; /* locations */
		size_t n, cap;
	} frames;
	size_t open; /* first frame of the sample that is being read */
	struct {
		struct pipa_draft_sample *items;
		size_t n, cap;
	} samples;
	struct {
		struct pipa_draft_mapping *items;
		size_t n, cap;
	} mappings;
	struct {
		struct pipa_draft_function *items;
		size_t n, cap;
	} functions;
};

void pipa_draft_done(struct pipa_draft *draft);

/* Drop everything that was read. */
void pipa_draft_reset(struct pipa_draft *draft);

/* Intern a string. PIPA_NO_STRING on allocation failure. */
uint32_t pipa_draft_string(struct pipa_draft *draft, struct pipa_text text);

/* Set the columns; a unit that is NULL is set later by the reader. 0 or -ENOMEM. */
int pipa_draft_columns(struct pipa_draft *draft, const struct pipa_draft_column *columns, size_t n);
/* Set the type of the period. 0 or -ENOMEM. */
int pipa_draft_period(struct pipa_draft *draft, const char *name, const char *unit, int64_t period);

/* Add the next frame of a stack, outwards. 0 or -ENOMEM. */
int pipa_draft_frame(struct pipa_draft *draft, uint64_t address);

/*
 * Add the addresses "0x..." in a text as frames, less `less` each: 1 moves a return address to the call. The innermost
 * frame of a stack is not a call: `exact_leaf` keeps it. 0, -ENOMEM, or -ERANGE if an address exceeds 64 bits.
 */
int pipa_draft_frames(struct pipa_draft *draft, struct pipa_text addresses, uint64_t less,
		      bool exact_leaf);

/* End the stack, and add a sample with as many values as there are columns. 0 or -ENOMEM. */
int pipa_draft_sample(struct pipa_draft *draft, const int64_t *values, int64_t bytes);

/* Remove the n-th frame of a sample; 0 is the innermost. */
void pipa_draft_remove_frame(struct pipa_draft *draft, struct pipa_draft_sample *sample, size_t n);

/*
 * Remove the second frame where it is the same code as the innermost one: the signal handler may record the interrupted
 * function both from the signal context and by unwinding, once with 1 subtracted.
 */
void pipa_draft_remove_repeated_leaves(struct pipa_draft *draft);

/* Number the locations in the order of samples. Others are left out of the profile. 0 or -ENOMEM. */
int pipa_draft_number(struct pipa_draft *draft);

/* Add the draft to a profile. 0, -EBADMSG, -ENOMEM, or -ERANGE if values exceed 64 bits. */
int pipa_draft_finish(struct pipa_draft *draft, struct pipa_profile *profile);

/* Fill err with "malformed pprof profile: line N: " and the text. Returns -EBADMSG. */
int pipa_draft_refuse_line(struct pipa_draft *draft, const struct pipa_line_reader *lines,
			   const char *fmt, ...) PIPA_PRINTF(3, 4);

/*
 * Estimate count and bytes of all allocations from those of sampled ones, for one allocation in `rate` bytes on average.
 * False if they exceed 64 bits.
 */
bool pipa_draft_scale_heap(int64_t *count, int64_t *bytes, int64_t rate);

static inline void pipa_draft_done_auto(struct pipa_draft *draft)
{
	pipa_draft_done(draft);
}

#endif
