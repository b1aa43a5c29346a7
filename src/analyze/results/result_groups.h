/*
 * Statistics of metrics of results per group: results with the same values of some fields. Memory is that of the groups.
 */
#ifndef PIPA_ANALYZE_RESULTS_RESULT_GROUPS_H
#define PIPA_ANALYZE_RESULTS_RESULT_GROUPS_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/results/result_row.h"

enum {
	PIPA_RESULT_GROUPS_METRICS = 64,
	PIPA_RESULT_GROUPS_BY = 8,
};

struct pipa_error;
struct pipa_result_groups;

struct pipa_result_statistics {
	uint64_t count; /* of results that have the metric */
	double mean, min, max;
	double sum_squares; /* of the distances from the mean */
	double last;	    /* of the newest result that has it */
	uint64_t last_us;
};

struct pipa_result_group {
	struct pipa_span *by; /* values in the order of the request; empty: absent */
	uint64_t runs;
	uint64_t first_us, last_us;		/* oldest and newest upload */
	struct pipa_result_statistics *metrics; /* in the order of the request */
};

/*
 * Metrics are names of numeric fields. Results are grouped by fields, by "label:KEY", or by "day", the day of the upload
 * in UTC. -EINVAL: a name that is none of these, or too many.
 */
int pipa_result_groups_new(const struct pipa_span *metrics, size_t n_metrics,
			   const struct pipa_span *by, size_t n_by, size_t max_groups,
			   struct pipa_result_groups **ret, struct pipa_error *err);
void pipa_result_groups_free(struct pipa_result_groups *groups);

/* Add a result; groups of results that are added later exceed the limit, so begin with the newest. 0 or -ENOMEM. */
int pipa_result_groups_add(struct pipa_result_groups *groups, const struct pipa_result_row *row);

/* Return the groups, sorted by their values (fields that are numbers as numbers), and their number. No result may be added afterwards. */
const struct pipa_result_group *pipa_result_groups_all(struct pipa_result_groups *groups,
						       size_t *ret_n);

/* Return the number of results in groups beyond the limit, which are not in any group. */
uint64_t pipa_result_groups_dropped(const struct pipa_result_groups *groups);

/* Return the field of metric `i`. */
enum pipa_result_field pipa_result_groups_metric(const struct pipa_result_groups *groups, size_t i);

/* Return the standard deviation of the sample, 0 for fewer than two results. */
double pipa_result_statistics_sd(const struct pipa_result_statistics *statistics);

static inline void pipa_result_groups_free_auto(struct pipa_result_groups **groups)
{
	pipa_result_groups_free(*groups);
}

#endif
