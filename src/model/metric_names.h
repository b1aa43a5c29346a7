/*
 * Alternative names of metrics. Every column has a canonical id (`cpu.usr`, `disk.await`) and
 * sysstat's name; this table has those of older sysstat, of PIPA's CSV files, metrics (`%usr` is
 * without guests, `%user` with) and database.
 *
 * Some names mean different columns in different sections (`%nice`, `tps`, `retrans/s`), so a
 * section may be given; without one an ambiguous name is refused.
 */
#ifndef PIPA_MODEL_METRIC_NAMES_H
#define PIPA_MODEL_METRIC_NAMES_H

#include <stddef.h>

#include "model/series.h"

struct pipa_metric_alias {
	const char *section; /* in which it is a column, or NULL: everywhere */
	const char *name;
	const char *id;
	double factor; /* a value under this name times it is one of ours */
};

/* Alias number `index`, NULL after the last. */
const struct pipa_metric_alias *pipa_metric_alias(size_t index);

/*
 * Find the column of model/sections.h that a name means: its id, its name or an alias. section is a
 * section's name or NULL: any. ret_factor may be NULL. Returns 0, -ENOENT when no column is called so or
 * -ENOTUNIQ when several different ones are.
 */
int pipa_metric_find(const char *section, const char *name, const struct pipa_column **ret,
		     double *ret_factor);

/* The same among the columns of one section: the column's index or -ENOENT. */
int pipa_metric_slot(const struct pipa_section *section, const char *name, double *ret_factor);

#endif
