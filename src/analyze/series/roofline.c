#include "analyze/series/roofline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/auto.h"
#include "model/counter_section.h"

enum { LINE = 64, MIB = 1024 * 1024 };

struct weighted_event {
	const char *event;
	double weight; /* operations or bytes per count */
};

static const struct weighted_event flop_events[] = {
	/* Intel: instructions by width */
	{ "fp_arith_inst_retired.scalar_double", 1 },
	{ "fp_arith_inst_retired.scalar_single", 1 },
	{ "fp_arith_inst_retired.128b_packed_double", 2 },
	{ "fp_arith_inst_retired.128b_packed_single", 4 },
	{ "fp_arith_inst_retired.256b_packed_double", 4 },
	{ "fp_arith_inst_retired.256b_packed_single", 8 },
	{ "fp_arith_inst_retired.512b_packed_double", 8 },
	{ "fp_arith_inst_retired.512b_packed_single", 16 },
	/* AMD and Arm count operations */
	{ "fp_ret_sse_avx_ops.all", 1 },
	{ "fp_fixed_ops_spec", 1 },
	{ "fp_scale_ops_spec", 1 },
};

/* Sources of memory traffic, the most exact first. */
static const struct weighted_event controllers[] = {
	{ "unc_m_cas_count.rd", LINE }, { "unc_m_cas_count.wr", LINE },
	{ "cas_count_read", MIB }, /* the kernel scales to MiB */
	{ "cas_count_write", MIB },	{ "data_reads", MIB },
	{ "data_writes", MIB },
};
static const struct weighted_event misses[] = {
	{ "LLC-load-misses", LINE },
	{ "LLC-store-misses", LINE },
	{ "ll_cache_miss_rd", LINE },
};
static const struct weighted_event cache_misses[] = { { "cache-misses", LINE } };

static const struct {
	const struct weighted_event *events;
	size_t n;
} traffic[] = {
	{ controllers, PIPA_COUNT(controllers) },
	{ misses, PIPA_COUNT(misses) },
	{ cache_misses, PIPA_COUNT(cache_misses) },
};

const char *pipa_roofline_flop_events(void)
{
	return "fp_arith_inst_retired.* (Intel), fp_ret_sse_avx_ops.all (AMD), fp_fixed_ops_spec (Arm)";
}

const char *pipa_roofline_byte_events(void)
{
	return "unc_m_cas_count.rd and .wr, LLC-load-misses, ll_cache_miss_rd, cache-misses";
}

/* Sum the weighted counts of all rows of the events. Returns the number of rows or -ENOMEM. */
static ptrdiff_t sum_events(const struct pipa_series_set *set, size_t g,
			    const struct weighted_event *events, size_t n_events, size_t from,
			    size_t n, double *ret)
{
	const struct pipa_series_group *group = &set->groups.items[g];
	PIPA_AUTO(free) double *values = malloc((n ? n : 1) * sizeof(*values));
	ptrdiff_t rows = 0;
	size_t row, e, i;

	if (!values)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ret[i] = NAN;
	for (row = 0; row < group->n; row++)
		for (e = 0; e < n_events; e++) {
			if (!pipa_counter_is_of(group->items[row].instance, events[e].event))
				continue;
			rows++;
			pipa_series_read(set,
					 (struct pipa_series_ref){ g, row, PIPA_COL_COUNTER_VALUE },
					 from, n, values);
			for (i = 0; i < n; i++)
				if (!isnan(values[i]))
					ret[i] = (isnan(ret[i]) ? 0 : ret[i]) +
						 values[i] * events[e].weight;
		}
	return rows;
}

int pipa_roofline_read(const struct pipa_series_set *set, size_t group, size_t from, size_t n,
		       double *ret_flops, double *ret_bytes,
		       struct pipa_roofline_events *ret_events)
{
	ptrdiff_t flops = sum_events(set, group, flop_events, PIPA_COUNT(flop_events), from, n,
				     ret_flops);
	ptrdiff_t bytes = 0;
	size_t i;

	for (i = 0; flops >= 0 && !bytes && i < PIPA_COUNT(traffic); i++)
		bytes = sum_events(set, group, traffic[i].events, traffic[i].n, from, n, ret_bytes);
	if (flops < 0 || bytes < 0)
		return -ENOMEM;
	ret_events->flops = (size_t)flops;
	ret_events->bytes = (size_t)bytes;
	return 0;
}
