/*
 * Formulas of the columns of model/sections.h over readings of /proc and /sys: a table per section
 * in meter_*.c; meter_table.c lists them. Private to collect/.
 */
#ifndef PIPA_COLLECT_METER_METER_TABLE_H
#define PIPA_COLLECT_METER_METER_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/text/proc_text.h"
#include "model/sections.h"

enum { PIPA_METER_COLUMNS = 32, PIPA_METER_FIELDS = 128 }; /* limits of a section, of a group */

/* A reading of one row and its deltas. */
struct pipa_metric_input {
	const uint64_t *now, *grown;
	double seconds;
	bool known; /* false: the row is new, its counters start at zero */
	unsigned char mark;
};

/* Properties of rows, determined when they appear. */
enum {
	PIPA_MARK_SEEN = 1,
	PIPA_MARK_WHOLE = 2,	/* a disk, not a partition */
	PIPA_MARK_PHYSICAL = 4, /* with a physical device: not loop, dm, md */
};

struct pipa_formula {
	enum {
		PIPA_FORMULA_NONE,  /* not set: a test refuses it */
		PIPA_FORMULA_GAUGE, /* now x factor */
		PIPA_FORMULA_RATE,  /* delta per second x factor */
		PIPA_FORMULA_STATE, /* calc(), which uses only current values */
		PIPA_FORMULA_CALC,  /* calc(), which uses deltas */
	} kind;
	unsigned int field;
	double factor;
	double (*calc)(const struct pipa_metric_input *m);
};

/* A section and the source of its rows. */
struct pipa_meter_section {
	const struct pipa_section *section;
	const struct pipa_formula *formulas; /* by column */
	enum pipa_group group;
	/* Is a row shown? NULL: all rows. */
	bool (*shows)(const struct pipa_metric_input *m, const char *instance);
	bool summed; /* show the sum of the rows as one row */
};

extern const struct pipa_meter_section *const pipa_meter_table[];
extern const size_t pipa_n_meter_table;

/* Emit the rows of a section: of the last interval or, `whole`, since the first reading. */
int pipa_meter_emit(const struct pipa_meter_section *section, const struct pipa_raw *raw,
		    const struct pipa_tick *tick, bool whole, struct pipa_series_sink *sink);

/* Return the value of a column; NaN if a field is missing. */
double pipa_meter_value(const struct pipa_metric_input *m, const struct pipa_formula *formula);

#endif
