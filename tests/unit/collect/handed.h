/* An invented sources, one section of it opened, and what is handed out of it: for tests of sources. */
#ifndef PIPA_TESTS_COLLECT_HANDED_H
#define PIPA_TESTS_COLLECT_HANDED_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "collect/meter/sources.h"
#include "kernel/machine/root.h"
#include "lib/test.h"
#include "model/sections.h"

enum { MAX_ROWS = 256, MAX_VALUES = 40 };

struct handed {
	struct pipa_series_sink sink;
	struct {
		const struct pipa_section *section;
		char instance[160];
		double values[MAX_VALUES];
	} rows[MAX_ROWS];
	size_t n, ends;
	int refuse; /* return value of the sink */
};

static inline int take_row(struct pipa_series_sink *self, const struct pipa_section *section,
			   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct handed *h = (struct handed *)(void *)self;

	CHECK(tick->interval_s > 0);
	CHECK(h->n < MAX_ROWS && section->n_columns <= MAX_VALUES);
	h->rows[h->n].section = section;
	snprintf(h->rows[h->n].instance, sizeof(h->rows[0].instance), "%s", instance);
	memcpy(h->rows[h->n].values, values, section->n_columns * sizeof(*values));
	h->n++;
	return h->refuse;
}

static inline int take_end(struct pipa_series_sink *self, const struct pipa_tick *tick PIPA_UNUSED)
{
	((struct handed *)(void *)self)->ends++;
	return 0;
}

static struct handed handed = { .sink = { .row = take_row, .end = take_end } };
static struct pipa_root *root;
static struct pipa_sources *sources;

__attribute__((format(printf, 2, 3))) static inline void file(const char *path, const char *fmt,
							      ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pipa_test_file(pipa_test_dir(), path, text);
}

static inline const struct pipa_section *section_of(const char *name)
{
	const struct pipa_section *section = pipa_section_find(name);

	if (section)
		return section;
	pipa_test_fail(__FILE__, __LINE__, "no section %s", name);
}

/* Open one section on the machine as its files are now, and read it for the first time. */
static inline void start(const char *name)
{
	const struct pipa_section *section = section_of(name);

	pipa_test_file(pipa_test_dir(), "sys/nothing", "");
	pipa_test_file(pipa_test_dir(), "proc/nothing", "");
	CHECK_EQ(pipa_root_open(pipa_test_dir(), &root, NULL), 0);
	CHECK_EQ(pipa_sources_open(root, &section, 1, &sources, NULL), 0);
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
}

static inline void emit(double seconds, bool whole)
{
	struct pipa_tick tick = { .wall_ns = 1, .interval_s = seconds };

	handed.n = 0;
	handed.ends = 0;
	CHECK_EQ(pipa_sources_emit(sources, &tick, whole, &handed.sink), 0);
	CHECK_EQ(handed.ends, 1);
}

/* Read again after so many seconds, and see what happened. */
static inline void tick(double seconds)
{
	CHECK_EQ(pipa_sources_read(sources, NULL), 0);
	emit(seconds, false);
}

/* The path of the n-th missing file, NULL after the last. */
static inline const char *missing(size_t index)
{
	static char path[256];

	return pipa_sources_missing(sources, index, path, sizeof(path)) ? path : NULL;
}

static inline bool shown(const char *instance)
{
	size_t i;

	for (i = 0; i < handed.n; i++)
		if (strcmp(handed.rows[i].instance, instance) == 0)
			return true;
	return false;
}

static inline double value(const char *instance, const char *column)
{
	size_t i, k;

	for (i = 0; i < handed.n; i++)
		for (k = 0; k < handed.rows[i].section->n_columns; k++)
			if (strcmp(handed.rows[i].instance, instance) == 0 &&
			    strcmp(handed.rows[i].section->columns[k].name, column) == 0)
				return handed.rows[i].values[k];
	pipa_test_fail(__FILE__, __LINE__, "no %s of '%s'", column, instance);
}

static inline void stop(void)
{
	pipa_sources_close(sources);
	pipa_root_close(root);
}

#define IS(instance, column, want) CHECK_NEAR(value(instance, column), want, 1e-9)
#define IS_MISSING(instance, column) CHECK(isnan(value(instance, column)))

#endif
