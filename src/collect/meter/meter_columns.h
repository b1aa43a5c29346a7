/*
 * Macros for the tables of metrics: arithmetic with missing values, and a macro per kind of row.
 * Private to collect/.
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

/* Like fmax(), which would make a number of what is missing. */
static inline double at_least(double value, double least)
{
	return value < least ? least : value;
}

/* What a kernel does not count has not happened. */
static inline double grown(const struct pipa_metric_input *m, unsigned int field)
{
	double g = growth(m, field);

	return isnan(g) ? 0 : g;
}

/* One row of a table. */
#define GAUGE(id, name, unit, digits, field, factor)                                               \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_GAUGE, field, factor, NULL                                    \
		}                                                                                  \
	}
#define RATE(id, name, unit, field, factor)                                                        \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, 2, &(const struct pipa_formula)                        \
		{                                                                                  \
			PIPA_FORMULA_RATE, field, factor, NULL                                     \
		}                                                                                  \
	}
#define CALC(id, name, unit, digits, fn)                                                           \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_CALC, 0, 1, fn                                                \
		}                                                                                  \
	}
#define STATE(id, name, unit, digits, fn)                                                          \
	{                                                                                          \
		id, name, PIPA_UNIT_##unit, digits, &(const struct pipa_formula)                   \
		{                                                                                  \
			PIPA_FORMULA_STATE, 0, 1, fn                                               \
		}                                                                                  \
	}
#define PER_SECOND(id, name, field) RATE(id, name, PER_SECOND, field, 1)
#define COUNTED(id, name, field) GAUGE(id, name, NONE, 0, field, 1)

/* A CPU that comes online goes on counting where it was: its first reading says nothing yet. */
static inline bool cpu_is_shown(const struct pipa_metric_input *m, const char *instance PIPA_UNUSED)
{
	return m->known;
}

/* A section; what is behind its group are members of struct pipa_meter_section. */
#define SECTION(name, id, what, text, columns, from, ...)                                          \
	_Static_assert(PIPA_COUNT(columns) <= PIPA_METER_COLUMNS, id " has too many columns");     \
	const struct pipa_meter_section pipa_meter_##name = {                                      \
		.section = { id, what, text, columns, PIPA_COUNT(columns) },                       \
		.group = PIPA_GROUP_##from,                                                        \
		##__VA_ARGS__                                                                      \
	}

#endif
