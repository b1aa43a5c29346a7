#include "analyze/series/means.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { MAX_COLUMNS = 64 };

struct row {
	const struct pipa_section *section;
	char instance[PIPA_INSTANCE_MAX]; /* with the strings of its last row */
	double *mean;			  /* [column] so far; exact for equal values */
	double *weight;			  /* [column] seconds with a value */
	double seconds;
};

struct pipa_means {
	struct row *items;
	size_t n, cap;
	size_t next; /* expected index: rows come in the same order each time */
	uint64_t last_ns;
};

struct pipa_means *pipa_means_new(void)
{
	return calloc(1, sizeof(struct pipa_means));
}

void pipa_means_free(struct pipa_means *means)
{
	size_t i;

	if (!means)
		return;
	for (i = 0; i < means->n; i++) {
		free(means->items[i].mean);
		free(means->items[i].weight);
	}
	free(means->items);
	free(means);
}

static bool is_row(const struct row *row, const struct pipa_section *section, const char *instance)
{
	return row->section == section && strcmp(row->instance, instance) == 0;
}

static struct row *find_row(struct pipa_means *means, const struct pipa_section *section,
			    const char *instance)
{
	struct row *row;
	size_t i;

	if (means->next < means->n && is_row(&means->items[means->next], section, instance))
		return &means->items[means->next++];
	for (i = 0; i < means->n; i++) { /* start at the expected row: some may be missing */
		size_t at = (means->next + i) % means->n;

		if (is_row(&means->items[at], section, instance)) {
			means->next = at + 1;
			return &means->items[at];
		}
	}
	row = PIPA_VEC_ADD(means);
	if (!row)
		return NULL;
	row->section = section;
	row->mean = calloc(section->n_columns, sizeof(*row->mean));
	row->weight = calloc(section->n_columns, sizeof(*row->weight));
	means->next = means->n;
	return row->mean && row->weight ? row : NULL;
}

int pipa_means_add(struct pipa_means *means, const struct pipa_section *section,
		   const struct pipa_tick *tick, const char *instance, const double *values)
{
	struct row *row = find_row(means, section, instance);
	double seconds = tick->interval_s > 0 ? tick->interval_s : 1;
	size_t i;

	if (!row || !row->mean || !row->weight)
		return -ENOMEM;
	assert(pipa_instance_size(section, instance) <= sizeof(row->instance));
	memcpy(row->instance, instance, pipa_instance_size(section, instance));
	for (i = 0; i < section->n_columns; i++)
		if (!isnan(values[i])) {
			row->weight[i] += seconds;
			row->mean[i] += (values[i] - row->mean[i]) * (seconds / row->weight[i]);
		}
	row->seconds += seconds;
	means->last_ns = tick->wall_ns;
	return 0;
}

static int emit_row(const struct pipa_means *means, const struct row *row,
		    struct pipa_series_sink *sink)
{
	struct pipa_tick tick = { .wall_ns = means->last_ns, .interval_s = row->seconds };
	double values[MAX_COLUMNS];
	size_t i;

	for (i = 0; i < row->section->n_columns && i < MAX_COLUMNS; i++)
		values[i] = row->weight[i] > 0 ? row->mean[i] : NAN;
	return sink->row(sink, row->section, &tick, row->instance, values);
}

/* Was a row of this section before it? Then it was emitted with that one. */
static bool seen_before(const struct pipa_means *means, size_t row)
{
	size_t i;

	for (i = 0; i < row; i++)
		if (means->items[i].section == means->items[row].section)
			return true;
	return false;
}

int pipa_means_emit(const struct pipa_means *means, struct pipa_series_sink *sink)
{
	struct pipa_tick tick = { .wall_ns = means->last_ns };
	size_t i, k;
	int rc = 0;

	for (i = 0; !rc && i < means->n; i++) {
		if (seen_before(means, i))
			continue;
		for (k = i; !rc && k < means->n; k++)
			if (means->items[k].section == means->items[i].section)
				rc = emit_row(means, &means->items[k], sink);
	}
	return !rc && sink->end ? sink->end(sink, &tick) : rc;
}
