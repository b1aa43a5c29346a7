/*
 * Alternative names of metrics. Every column has a canonical id (`cpu.usr`, `disk.await`) and
 * sysstat's name; this table adds the names of older sysstat versions, of PIPA's CSV files, metrics
 * (`%usr` excludes guests, `%user` includes them) and database.
 *
 * Some names mean different columns in different sections (`%nice`, `tps`, `retrans/s`), so a
 * section may be given; without one an ambiguous name is an error.
 */
#ifndef PIPA_MODEL_METRIC_NAMES_H
#define PIPA_MODEL_METRIC_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "model/series.h"

struct pipa_metric_alias {
	const char *section; /* section to which it is limited, or NULL: all */
	const char *name;
	const char *id;
	double factor; /* value of the column = value under this name x factor */
};

/* Return alias number `index`, NULL after the last. */
const struct pipa_metric_alias *pipa_metric_alias(size_t index);

/*
 * Find a column of model/sections.h by its id, name or alias. `section` is a section's name, or
 * NULL for any. ret_factor may be NULL. Returns 0, -ENOENT if there is no such column, or -ENOTUNIQ
 * if the name means several columns.
 */
int pipa_metric_find(const char *section, const char *name, const struct pipa_column **ret,
		     double *ret_factor);

/*
 * Find a column of one section by its id, name or alias. Returns its index or -ENOENT. ret_factor
 * may be NULL.
 */
int pipa_metric_slot(const struct pipa_section *section, const char *name, double *ret_factor);

/* Does the word name this column of the section: by a glob of its id, by its name or by an alias? */
bool pipa_metric_names(const struct pipa_section *section, const struct pipa_column *column,
		       const char *word);

#endif
