/*
 * Chart of the growth over time: the bytes in use of the largest call sites, stacked, and of all others, from the
 * snapshots of a recording or from profiles that were written earlier.
 */
#ifndef PIPA_JOB_HEAP_HEAP_CHART_H
#define PIPA_JOB_HEAP_HEAP_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/log.h"
#include "base/strings.h"
#include "symbolize/symbolize.h"

struct pipa_error;
struct pipa_frames;

struct pipa_heap_chart {
	struct pipa_strings keys; /* of the sites: their frames */
	struct {
		struct pipa_heap_chart_site {
			char *label;
			uint64_t most; /* largest value */
		} * items;
		size_t n, cap;
	} sites; /* by the number of their key */
	struct {
		struct pipa_heap_chart_value {
			size_t time; /* its index */
			uint32_t site;
			uint64_t bytes;
		} * items;
		size_t n, cap;
	} values;
	struct {
		double *items; /* seconds since the start */
		size_t n, cap;
	} times;
};

/* Begin a point in time, after the earlier ones. 0 or -ENOMEM. */
int pipa_heap_chart_time(struct pipa_heap_chart *chart, double seconds);

/* Add the bytes in use of a stack at that time. 0 or -ENOMEM. */
int pipa_heap_chart_add(struct pipa_heap_chart *chart, const struct pipa_frames *frames,
			uint32_t stack, uint64_t bytes);

/* Write it as SVG, PDF or PNG, by the suffix of the path. 0 or a negative errno. */
int pipa_heap_chart_write(const struct pipa_heap_chart *chart, const char *path,
			  struct pipa_error *err);
void pipa_heap_chart_done(struct pipa_heap_chart *chart);

/* Is the suffix that of a format? -EINVAL if not. */
int pipa_heap_chart_check(const char *option, const char *path, struct pipa_error *err);

struct pipa_heap_chart_options {
	const char *const *paths; /* profiles, in any order: they are sorted by their time */
	size_t n_paths;
	const char *output;
	const char *value; /* column; NULL: inuse_space */
	struct pipa_symbolize_options symbols;
	struct pipa_log log;
};

/* Make the chart of written profiles. 0 or a negative errno. */
int pipa_heap_chart_run(const struct pipa_heap_chart_options *options, struct pipa_error *err);

static inline void pipa_heap_chart_done_auto(struct pipa_heap_chart *chart)
{
	pipa_heap_chart_done(chart);
}

#endif
