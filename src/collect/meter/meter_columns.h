/*
 * Macros for the tables of formulas: arithmetic with missing values, and a macro per kind of
 * formula. Private to collect/.
 */
#ifndef PIPA_COLLECT_METER_METER_COLUMNS_H
#define PIPA_COLLECT_METER_METER_COLUMNS_H

#include <math.h>

#include "base/auto.h"
#include "collect/meter/meter_table.h"

static inline double growth(const struct pipa_metric_input *m, unsigned int field)
{
	return m->grown[field] == PIPA_RAW_MISSING ? NAN : (double)m->grown[field];
}

static inline double value(const struct pipa_metric_input *m, unsigned int field)
{
	return m->now[field] == PIPA_RAW_MISSING ? NAN : (double)m->now[field];
}

static inline double percent(double part, double whole)
{
	if (isnan(whole))
		return NAN;
	return whole > 0 ? 100 * part / whole : part >= 0 ? 0 : NAN;
}

/* fmax() that propagates missing values. */
static inline double at_least(double value, double least)
{
	return value < least ? least : value;
}

/* Return the delta of a field; 0 if the field is missing. */
static inline double grown(const struct pipa_metric_input *m, unsigned int field)
{
	double g = growth(m, field);

	return isnan(g) ? 0 : g;
}

/* Formula of a column. */
#define GAUGE(field, factor)                                                                       \
	{                                                                                          \
		PIPA_FORMULA_GAUGE, field, factor, NULL                                            \
	}
#define RATE(field, factor)                                                                        \
	{                                                                                          \
		PIPA_FORMULA_RATE, field, factor, NULL                                             \
	}
#define CALC(fn)                                                                                   \
	{                                                                                          \
		PIPA_FORMULA_CALC, 0, 1, fn                                                        \
	}
#define STATE(fn)                                                                                  \
	{                                                                                          \
		PIPA_FORMULA_STATE, 0, 1, fn                                                       \
	}
#define PER_SECOND(field) RATE(field, 1)
#define COUNTED(field) GAUGE(field, 1)

/* Show a CPU only if an earlier reading contained it, so that deltas exist. */
static inline bool cpu_is_shown(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return m->known;
}

/* Define section `index` of model/sections.h. Arguments after the group set further members. */
#define SECTION(name, index, formulas_, from, ...)                                                 \
	_Static_assert(PIPA_COUNT(formulas_) <= PIPA_METER_COLUMNS,                                \
		       #name " has too many columns");                                             \
	_Static_assert(PIPA_COUNT(formulas_) == PIPA_COL_##index##_NR,                             \
		       #name " has a column without a formula");                                   \
	const struct pipa_meter_section pipa_meter_##name = {                                      \
		.section = &pipa_sections[PIPA_SECTION_##index],                                   \
		.formulas = (formulas_),                                                           \
		.group = PIPA_GROUP_##from,                                                        \
		##__VA_ARGS__                                                                      \
	}

#endif
