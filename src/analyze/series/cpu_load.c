#include "analyze/series/cpu_load.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/cpus.h"
#include "base/str.h"
#include "base/thread/parallel.h"
#include "base/vec.h"
#include "model/hardware.h"
#include "model/sections.h"

enum { MAX_PARTS = 3 };

/* Columns whose sum is a share of the CPU's time. */
struct time_share {
	size_t columns[MAX_PARTS];
	size_t n;
};

static const struct time_share short_shares[PIPA_CPU_TIME_NR] = {
	[PIPA_CPU_TIME_USER] = { { PIPA_COL_CPU_SHORT_USER }, 1 },
	[PIPA_CPU_TIME_SYSTEM] = { { PIPA_COL_CPU_SHORT_SYSTEM }, 1 },
	[PIPA_CPU_TIME_IOWAIT] = { { PIPA_COL_CPU_SHORT_IOWAIT }, 1 },
	[PIPA_CPU_TIME_IDLE] = { { PIPA_COL_CPU_SHORT_IDLE }, 1 },
};

static const struct time_share full_shares[PIPA_CPU_TIME_NR] = {
	[PIPA_CPU_TIME_USER] = { { PIPA_COL_CPU_USR, PIPA_COL_CPU_GUEST }, 2 },
	[PIPA_CPU_TIME_SYSTEM] = { { PIPA_COL_CPU_SYS, PIPA_COL_CPU_IRQ, PIPA_COL_CPU_SOFT }, 3 },
	[PIPA_CPU_TIME_IOWAIT] = { { PIPA_COL_CPU_IOWAIT }, 1 },
	[PIPA_CPU_TIME_IDLE] = { { PIPA_COL_CPU_IDLE }, 1 },
};

const char *pipa_cpu_class_name(enum pipa_cpu_class class)
{
	switch (class) {
	case PIPA_CPU_BUSY: return "Busy (High Load)";
	case PIPA_CPU_IDLE: return "Idle (Background)";
	case PIPA_CPU_ACTIVE: break;
	}
	return "Active (Mid)";
}

enum pipa_cpu_class pipa_cpu_classify(double p95_user, double p95_system,
				      const struct pipa_cpu_thresholds *thresholds)
{
	double load = p95_user + p95_system;

	if (load < (thresholds ? thresholds->idle : PIPA_CPU_IDLE_PERCENT))
		return PIPA_CPU_IDLE;
	return load > (thresholds ? thresholds->busy : PIPA_CPU_BUSY_PERCENT) ? PIPA_CPU_BUSY :
										PIPA_CPU_ACTIVE;
}

void pipa_cpu_loads_done(struct pipa_cpu_loads *loads)
{
	free(loads->items);
	*loads = (struct pipa_cpu_loads){ 0 };
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* Memory for the values of one column and of the sum of columns. */
struct scratch {
	double *part, *sum;
	size_t n, from;
};

/*
 * Read the sum of some columns of a row; a missing part is 0 unless all are missing. Returns the number of
 * impossible values.
 */
static size_t read_share(const struct pipa_series_set *set, size_t group, size_t row,
			 const struct time_share *share, const struct scratch *s)
{
	const struct pipa_section *section = set->groups.items[group].section;
	size_t i, k, bad = 0;

	for (k = 0; k < share->n; k++) {
		struct pipa_series_ref ref = { group, row, share->columns[k] };
		double *to = k ? s->part : s->sum;

		pipa_series_read(set, ref, s->from, s->n, to);
		bad += pipa_series_repair(&section->columns[ref.column], to, s->n);
		for (i = 0; !k && i < s->n; i++)
			s->sum[i] += 0.0; /* minus zero becomes zero */
		for (i = 0; k && i < s->n; i++)
			if (!isnan(s->part[i]))
				s->sum[i] = (isnan(s->sum[i]) ? 0 : s->sum[i]) + s->part[i];
	}
	return bad;
}

static void summarize_share(const struct pipa_series_set *set, size_t group, size_t row,
			    const struct time_share *share, const struct scratch *s,
			    struct pipa_series_summary *ret)
{
	size_t bad = read_share(set, group, row, share, s);

	pipa_summarize(s->sum, s->n, ret);
	ret->bad = bad;
}

static void summarize_row(const struct pipa_series_set *set, size_t group, size_t row,
			  const struct time_share *shares, struct scratch *s,
			  struct pipa_cpu_load *ret)
{
	summarize_share(set, group, row, &shares[PIPA_CPU_TIME_USER], s, &ret->user);
	summarize_share(set, group, row, &shares[PIPA_CPU_TIME_SYSTEM], s, &ret->system);
	summarize_share(set, group, row, &shares[PIPA_CPU_TIME_IOWAIT], s, &ret->iowait);
	summarize_share(set, group, row, &shares[PIPA_CPU_TIME_IDLE], s, &ret->idle);
	ret->total = ret->user.mean + ret->system.mean;
}

/* Find the group of CPU statistics; the full form of the table is preferred. */
static ptrdiff_t find_cpu_group(const struct pipa_series_set *set, const struct time_share **ret)
{
	ptrdiff_t full = pipa_series_main_group(set, pipa_sections[PIPA_SECTION_CPU].name);

	*ret = full < 0 ? short_shares : full_shares;
	return full < 0 ? pipa_series_main_group(set, pipa_sections[PIPA_SECTION_CPU_SHORT].name) :
			  full;
}

static int compare_cpus(const void *a, const void *b)
{
	const struct pipa_cpu_load *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Rows that several threads summarize, each every n_parts-th one. */
struct row_task {
	const struct pipa_series_set *set;
	size_t group, from, n;
	const struct time_share *shares;
	struct pipa_cpu_load *loads; /* [row]; cpu -1: all CPUs, -2: neither */
	unsigned int n_parts;
	int rc[PIPA_PARALLEL_MAX];
};

static void summarize_rows(void *ctx, unsigned int part)
{
	struct row_task *task = ctx;
	const struct pipa_series_group *group = &task->set->groups.items[task->group];
	PIPA_AUTO(free) double *values = calloc(task->n + 1, 2 * sizeof(*values));
	struct scratch s = { values, values ? values + task->n : NULL, task->n, task->from };
	size_t row;

	task->rc[part] = values ? 0 : -ENOMEM;
	for (row = part; values && row < group->n; row += task->n_parts) {
		const char *instance = group->items[row].instance;
		uint64_t cpu;

		task->loads[row].cpu = -2;
		if (strcmp(instance, "all") == 0)
			task->loads[row].cpu = -1;
		else if (pipa_str_u64(instance, &cpu) == 0 && cpu < PIPA_CPU_MAX)
			task->loads[row].cpu = (int)cpu;
		if (task->loads[row].cpu > -2)
			summarize_row(task->set, task->group, row, task->shares, &s,
				      &task->loads[row]);
	}
}

/* Summarize the rows of the group, large ones on several threads. 0 or -ENOMEM. */
static int add_rows(struct pipa_cpu_loads *loads, const struct pipa_series_set *set, size_t group,
		    const struct time_share *shares, size_t from, size_t n)
{
	enum { MIN_PER_THREAD = 100000 }; /* values; below, a thread takes longer to start */
	const size_t rows = set->groups.items[group].n;
	PIPA_AUTO(free) struct pipa_cpu_load *all = calloc(rows + 1, sizeof(*all));
	struct row_task task = {
		.set = set, .group = group, .from = from, .n = n, .shares = shares, .loads = all
	};
	size_t i;

	if (!all)
		return -ENOMEM;
	task.n_parts = rows * n < MIN_PER_THREAD ? 1 : pipa_parallel_width();
	pipa_parallel(task.n_parts, summarize_rows, &task);
	for (i = 0; i < task.n_parts; i++)
		if (task.rc[i] < 0)
			return task.rc[i];
	for (i = 0; i < rows; i++) {
		struct pipa_cpu_load *load;

		if (all[i].cpu == -1)
			loads->all = all[i];
		if (all[i].cpu < 0 || (!all[i].user.n && !all[i].system.n))
			continue; /* or offline in the window */
		load = PIPA_VEC_ADD(loads);
		if (!load)
			return -ENOMEM;
		*load = all[i];
	}
	return 0;
}

/* ---- classes and groups --------------------------------------------------------------------- */

void pipa_cpu_loads_classify(struct pipa_cpu_loads *loads,
			     const struct pipa_cpu_thresholds *thresholds)
{
	bool busy = false, active = false, idle = false;
	size_t i;

	if (loads->n < PIPA_CPU_CLASSES_MIN)
		return;
	for (i = 0; i < loads->n; i++) {
		struct pipa_cpu_load *load = &loads->items[i];

		load->class = pipa_cpu_classify(load->user.p95, load->system.p95, thresholds);
		busy |= load->class == PIPA_CPU_BUSY;
		active |= load->class == PIPA_CPU_ACTIVE;
		idle |= load->class == PIPA_CPU_IDLE;
	}
	loads->classes = (size_t)busy + (size_t)active + (size_t)idle;
}

/* Return the sum of squared differences from the mean of values [from, until). */
static double spread_of(const double *sums, const double *squares, size_t from, size_t until)
{
	double sum = sums[until] - sums[from], n = (double)(until - from);

	return squares[until] - squares[from] - sum * sum / n;
}

/* Tables of the search: sums of the values and of their squares, and the best divisions so far. */
struct division {
	const double *sums, *squares;
	const double *before; /* [i]: least spread of the first i values in one group less */
	double *best;	      /* [i]: in this number of groups */
	size_t *cut;	      /* [i]: first value of the last group */
};

/*
 * Find the best last group of the first i values for all i in [low, high], knowing that it starts in [from, until].
 * It starts no earlier the more values there are, so that the middle divides the search.
 */
static void divide_range(const struct division *d, size_t low, size_t high, size_t from,
			 size_t until)
{
	while (low <= high) {
		size_t middle = low + (high - low) / 2, j, at = from;
		double least = INFINITY;

		for (j = from; j <= until && j < middle; j++) {
			double spread = d->before[j] + spread_of(d->sums, d->squares, j, middle);

			if (spread < least) {
				least = spread;
				at = j;
			}
		}
		d->best[middle] = least;
		d->cut[middle] = at;
		if (middle > low)
			divide_range(d, low, middle - 1, from, at);
		low = middle + 1;
		from = at;
	}
}

ptrdiff_t pipa_natural_groups(const double *values, size_t n, double distinct,
			      size_t ret_first[static PIPA_CPU_GROUPS_MAX])
{
	size_t width = n + 1, k, i, groups = 1;
	PIPA_AUTO(free) double *sums = calloc(2 * width, sizeof(*sums));
	PIPA_AUTO(free) double *best = calloc(PIPA_CPU_GROUPS_MAX * width, sizeof(*best));
	PIPA_AUTO(free) size_t *cut = calloc(PIPA_CPU_GROUPS_MAX * width, sizeof(*cut));
	double *squares, total;

	if (!sums || !best || !cut)
		return -ENOMEM;
	ret_first[0] = 0;
	if (!n || values[n - 1] - values[0] < distinct)
		return n ? 1 : 0;
	squares = sums + width;
	for (i = 0; i < n; i++) { /* from the smallest value: differences stay exact */
		double value = values[i] - values[0];

		sums[i + 1] = sums[i] + value;
		squares[i + 1] = squares[i] + value * value;
	}
	for (i = 1; i <= n; i++)
		best[i] = spread_of(sums, squares, 0, i);
	total = best[n];
	for (k = 1; k < PIPA_CPU_GROUPS_MAX && k < n; k++) {
		divide_range(&(struct division){ .sums = sums,
						 .squares = squares,
						 .before = best + (k - 1) * width,
						 .best = best + k * width,
						 .cut = cut + k * width },
			     k + 1, n, k, n - 1);
		groups = k + 1;
		if (best[k * width + n] <= 0.05 * total)
			break;
	}
	for (k = groups - 1, i = n; k; k--) {
		i = cut[k * width + i];
		ret_first[k] = i;
	}
	return (ptrdiff_t)groups;
}

struct sorted_load {
	double total;
	size_t at; /* index in the loads */
};

static int compare_totals(const void *a, const void *b)
{
	const struct sorted_load *x = a, *y = b;

	return (x->total > y->total) - (x->total < y->total);
}

/* Loads that differ by less than five percentage points are one group. */
static int find_groups(struct pipa_cpu_loads *loads)
{
	PIPA_AUTO(free) struct sorted_load *sorted = calloc(loads->n, sizeof(*sorted));
	PIPA_AUTO(free) double *totals = calloc(loads->n, sizeof(*totals));
	size_t first[PIPA_CPU_GROUPS_MAX + 1], i, k, n = 0;
	ptrdiff_t groups;

	if (!sorted || !totals)
		return -ENOMEM;
	for (i = 0; i < loads->n; i++)
		if (!isnan(loads->items[i].total))
			sorted[n++] = (struct sorted_load){ loads->items[i].total, i };
	qsort(sorted, n, sizeof(*sorted), compare_totals);
	for (i = 0; i < n; i++)
		totals[i] = sorted[i].total;
	groups = pipa_natural_groups(totals, n, 5, first);
	if (groups < 0)
		return (int)groups;
	first[groups] = n;
	for (k = 0; k < (size_t)groups; k++) {
		loads->groups[k].low = totals[first[k]];
		loads->groups[k].high = totals[first[k + 1] - 1];
		loads->groups[k].cpus = first[k + 1] - first[k];
		for (i = first[k]; i < first[k + 1]; i++)
			loads->items[sorted[i].at].group = k;
	}
	loads->n_groups = (size_t)groups;
	return 0;
}

int pipa_cpu_loads_init(struct pipa_cpu_loads *loads, const struct pipa_series_set *set,
			const struct pipa_time_window *window,
			const struct pipa_cpu_thresholds *thresholds)
{
	const struct time_share *shares = NULL;
	ptrdiff_t group = find_cpu_group(set, &shares);
	size_t from, n;
	int rc;

	*loads = (struct pipa_cpu_loads){ .all = { .cpu = -1, .total = NAN } };
	if (group < 0)
		return 0;
	n = pipa_series_group_range(set, &set->groups.items[group], window, &from);
	rc = add_rows(loads, set, (size_t)group, shares, from, n);
	if (!rc && loads->n)
		qsort(loads->items, loads->n, sizeof(*loads->items), compare_cpus);
	if (!rc && loads->n >= PIPA_CPU_CLASSES_MIN) {
		pipa_cpu_loads_classify(loads, thresholds);
		rc = find_groups(loads);
	}
	if (rc < 0)
		pipa_cpu_loads_done(loads);
	return rc;
}

ptrdiff_t pipa_cpu_time_read(const struct pipa_series_set *set, const char *cpu,
			     enum pipa_cpu_time time, const struct pipa_time_window *window,
			     double **ret)
{
	const struct time_share *shares = NULL;
	ptrdiff_t group = find_cpu_group(set, &shares), row;
	PIPA_AUTO(free) double *part = NULL;
	struct scratch s = { 0 };

	*ret = NULL;
	row = group < 0 ? -ENOENT : pipa_series_find_row(&set->groups.items[group], cpu);
	if (row < 0)
		return 0;
	s.n = pipa_series_group_range(set, &set->groups.items[group], window, &s.from);
	part = calloc(s.n + 1, sizeof(*part));
	*ret = calloc(s.n + 1, sizeof(**ret));
	if (!part || !*ret) {
		free(*ret);
		*ret = NULL;
		return -ENOMEM;
	}
	s.part = part;
	s.sum = *ret;
	read_share(set, (size_t)group, (size_t)row, &shares[time], &s);
	return (ptrdiff_t)s.n;
}

/* ---- NUMA nodes ----------------------------------------------------------------------------- */

size_t pipa_node_loads(const struct pipa_cpu_loads *loads, const struct pipa_hardware *hardware,
		       struct pipa_node_load *ret, size_t max, double *ret_difference)
{
	double low = INFINITY, high = -INFINITY;
	size_t i, k, n = 0;

	for (i = 0; i < hardware->nodes.n && n < max; i++) {
		const struct pipa_hardware_node *node = &hardware->nodes.items[i];
		struct pipa_node_load load = { .node = node->node };

		for (k = 0; k < loads->n; k++)
			if (pipa_cpus_has(&node->cpus, loads->items[k].cpu) &&
			    !isnan(loads->items[k].total)) {
				load.total += loads->items[k].total;
				load.cpus++;
			}
		if (!load.cpus)
			continue;
		load.total /= (double)load.cpus;
		low = fmin(low, load.total);
		high = fmax(high, load.total);
		ret[n++] = load;
	}
	*ret_difference = n > 1 ? high - low : 0;
	return n;
}
