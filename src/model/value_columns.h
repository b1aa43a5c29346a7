/*
 * Value columns of a profile, as pprof has them: of each event the counts of its samples, if they
 * are known, and its weights.
 */
#ifndef PIPA_MODEL_VALUE_COLUMNS_H
#define PIPA_MODEL_VALUE_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pipa_profile;
struct pipa_profile_event;
struct pipa_timeline;

struct pipa_value_column {
	uint32_t event;
	bool counts; /* the counts, not the weights */
};

enum { PIPA_VALUE_NAME_MAX = 160 };

/* Set *ret to column i; false if there are fewer. Events without samples have no columns. */
bool pipa_value_column_get(const struct pipa_profile *p, size_t i, struct pipa_value_column *ret);

/* Return the name, such as "cpu" or "samples"; valid as long as the profile, or in buf. */
const char *pipa_value_column_name(const struct pipa_profile *p,
				   const struct pipa_value_column *column,
				   char buf[static PIPA_VALUE_NAME_MAX]);

/* Return the unit, such as "nanoseconds" or "count". */
const char *pipa_value_column_unit(const struct pipa_profile *p,
				   const struct pipa_value_column *column);

/*
 * Find the column of that name. The clocks of the kernel are also called cpu, as pprof calls them.
 */
bool pipa_value_column_find(const struct pipa_profile *p, const char *name,
			    struct pipa_value_column *ret);

/* Find pprof's default: the one that the file names, else the last. False if there is none. */
bool pipa_value_column_default(const struct pipa_profile *p, struct pipa_value_column *ret);

/* Is the event time on a CPU: a clock of the kernel, or a column cpu of pprof? */
bool pipa_event_is_cpu_time(const struct pipa_profile *p, const struct pipa_profile_event *event);

/*
 * Remove all other columns: other events with their samples, also from the timeline, and samples
 * whose value is 0. Counts become weights. 0, or -ENOMEM without a change.
 */
int pipa_value_column_keep(struct pipa_profile *p, struct pipa_timeline *timeline,
			   const struct pipa_value_column *column);

#endif
