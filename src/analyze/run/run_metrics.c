#include "analyze/run/run_metrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/noise.h"
#include "base/auto.h"
#include "base/buf.h"

/* ---- counters ---------------------------------------------------------------------------------- */

/*
 * Does the name denote the event, without PMU and modifiers: "cycles" for "cycles:u",
 * "cpu_core/cycles/u", "cpu-cycles"?
 */
static bool is_event(const char *shown, const char *event)
{
	static const char *const others[][2] = { { "cpu-cycles", "cycles" },
						 { "branch-instructions", "branches" } };
	const char *slash = strchr(shown, '/');
	const char *plain = slash ? slash + 1 : shown;
	size_t len = strcspn(plain, ":/"), i;

	for (i = 0; i < PIPA_COUNT(others); i++)
		if (strcmp(event, others[i][1]) == 0 && strlen(others[i][0]) == len &&
		    strncmp(plain, others[i][0], len) == 0)
			return true;
	return strlen(event) == len && strncmp(plain, event, len) == 0;
}

double pipa_run_count(const struct pipa_stat *stat, const char *event)
{
	double sum = NAN;
	size_t i;

	for (i = 0; stat && i < stat->n_rows; i++) {
		const struct pipa_stat_row *row = &stat->rows[i];

		if (row->is_sum || row->cgroup || row->state != PIPA_COUNTED ||
		    !is_event(row->name, event))
			continue;
		sum = isnan(sum) ? row->value : sum + row->value;
	}
	return sum;
}

static double share(const struct pipa_stat *stat, const char *part, const char *whole)
{
	return 100 * pipa_run_count(stat, part) / pipa_run_count(stat, whole);
}

/* Return a metric that counting computed, if there is one value for all CPUs. */
static double metric_value(const struct pipa_stat *stat, const char *name)
{
	double sum = 0;
	size_t i, k, n = 0;

	for (i = 0; i < stat->n_rows; i++)
		for (k = 0; k < stat->rows[i].n_derived; k++) {
			const struct pipa_derived *derived = &stat->rows[i].derived[k];

			if (strcmp(derived->name, name) != 0 || isnan(derived->value))
				continue;
			sum += derived->value;
			n++;
		}
	return n ? sum / (double)n : NAN;
}

bool pipa_run_take_counts(struct pipa_run *run, const struct pipa_stat *stat)
{
	double *v = run->values;

	v[PIPA_RUN_CYCLES] = pipa_run_count(stat, "cycles");
	v[PIPA_RUN_INSTRUCTIONS] = pipa_run_count(stat, "instructions");
	v[PIPA_RUN_BRANCH_MISSES] = share(stat, "branch-misses", "branches");
	v[PIPA_RUN_CACHE_MISSES] = share(stat, "cache-misses", "cache-references");
	v[PIPA_RUN_L1D_MISSES] = share(stat, "L1-dcache-load-misses", "L1-dcache-loads");
	v[PIPA_RUN_LLC_MISSES] = share(stat, "LLC-load-misses", "LLC-loads");
	v[PIPA_RUN_DTLB_MISSES] = share(stat, "dTLB-load-misses", "dTLB-loads");
	return !isnan(v[PIPA_RUN_CYCLES]) || !isnan(v[PIPA_RUN_INSTRUCTIONS]);
}

void pipa_run_take_slots(struct pipa_run *run, const struct pipa_stat *stat)
{
	run->values[PIPA_RUN_RETIRING] = metric_value(stat, "retiring");
	run->values[PIPA_RUN_BAD_SPECULATION] = metric_value(stat, "bad_speculation");
	run->values[PIPA_RUN_FRONTEND_BOUND] = metric_value(stat, "frontend_bound");
	run->values[PIPA_RUN_BACKEND_BOUND] = metric_value(stat, "backend_bound");
}

bool pipa_run_is_user_only(const struct pipa_stat *stat)
{
	size_t i;

	for (i = 0; i < stat->n_rows; i++)
		if (stat->rows[i].user_only)
			return true;
	return false;
}

/* ---- transactions ------------------------------------------------------------------------------- */

/* Format a pattern with N for its fields: "sysbench: total number of events: N". */
static char *pattern_text(const struct pipa_tx *tx)
{
	struct pipa_buf text = { 0 };
	const char *at = tx->pattern, *hole;

	pipa_buf_printf(&text, "%s: ", tx->benchmark);
	if (strcmp(tx->benchmark, "expression") == 0) {
		pipa_buf_puts(&text, at);
		return pipa_buf_take(&text);
	}
	for (; (hole = strchr(at, '{')) && strchr(hole, '}'); at = strchr(hole, '}') + 1) {
		pipa_buf_add(&text, at, (size_t)(hole - at));
		if (strncmp(hole, "{end}", 5) != 0)
			pipa_buf_puts(&text, hole > at && hole[-1] == ':' ? " N" : "N");
	}
	pipa_buf_puts(&text, at);
	return pipa_buf_take(&text);
}

int pipa_run_take_transactions(struct pipa_run *run, const struct pipa_tx *tx, const char *option)
{
	struct pipa_run_source *source = &run->transactions;

	run->values[PIPA_RUN_TRANSACTIONS] = tx->count;
	run->values[PIPA_RUN_REPORTED_RATE] = tx->rate;
	source->by_rate = isnan(tx->count);
	source->pattern = strcmp(tx->benchmark, "given") == 0 ? strdup(option) : pattern_text(tx);
	source->line = tx->line[0] ? strdup(tx->line) : NULL;
	source->unit = tx->unit ? strdup(tx->unit) : NULL;
	return source->pattern && (source->line || !tx->line[0]) && (source->unit || !tx->unit) ?
		       0 :
		       -ENOMEM;
}

/* ---- formulas ----------------------------------------------------------------------------------- */

/* Return a / b, NaN if b is zero or unknown. */
static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* Derive the count of transactions from the rate and the time, if only a rate is known. */
static void derive_work(double *v)
{
	if (isnan(v[PIPA_RUN_TRANSACTIONS]))
		v[PIPA_RUN_TRANSACTIONS] = round(v[PIPA_RUN_REPORTED_RATE] * v[PIPA_RUN_TIME]);
	v[PIPA_RUN_THROUGHPUT] = ratio(v[PIPA_RUN_TRANSACTIONS], v[PIPA_RUN_TIME]);
}

void pipa_run_derive(struct pipa_run *run)
{
	double *v = run->values;
	double transactions, seconds = v[PIPA_RUN_TIME];

	derive_work(v);
	transactions = v[PIPA_RUN_TRANSACTIONS];
	v[PIPA_RUN_CYCLES_PER_SECOND] = ratio(v[PIPA_RUN_CYCLES], seconds);
	v[PIPA_RUN_INSTRUCTIONS_PER_SECOND] = ratio(v[PIPA_RUN_INSTRUCTIONS], seconds);
	v[PIPA_RUN_CPI] = ratio(v[PIPA_RUN_CYCLES], v[PIPA_RUN_INSTRUCTIONS]);
	v[PIPA_RUN_IPC] = ratio(v[PIPA_RUN_INSTRUCTIONS], v[PIPA_RUN_CYCLES]);
	v[PIPA_RUN_CYCLES_PER_REQUEST] = ratio(v[PIPA_RUN_CYCLES], transactions);
	v[PIPA_RUN_PATH_LENGTH] = ratio(v[PIPA_RUN_INSTRUCTIONS], transactions);
	v[PIPA_RUN_CPU_SECONDS] = v[PIPA_RUN_USER_SECONDS] + v[PIPA_RUN_SYS_SECONDS];
	v[PIPA_RUN_CPU_SECONDS_PER_TRANSACTION] = ratio(v[PIPA_RUN_CPU_SECONDS], transactions);
	v[PIPA_RUN_CPUS_USED] = ratio(v[PIPA_RUN_CPU_SECONDS], seconds);
	v[PIPA_RUN_WATTS] = ratio(v[PIPA_RUN_JOULES], seconds);
	v[PIPA_RUN_JOULES_PER_TRANSACTION] = ratio(v[PIPA_RUN_JOULES], transactions);
}

/* ---- several runs -------------------------------------------------------------------------------- */

static int copy_text(const char *from, char **ret)
{
	*ret = from ? strdup(from) : NULL;
	return from && !*ret ? -ENOMEM : 0;
}

/* Copy the strings of the first run. */
static int copy_texts(const struct pipa_run *from, struct pipa_run *ret)
{
	ret->scope = from->scope;
	ret->transactions.by_rate = from->transactions.by_rate;
	if (copy_text(from->command, &ret->command) || copy_text(from->workload, &ret->workload) ||
	    copy_text(from->dev, &ret->dev) || copy_text(from->iface, &ret->iface) ||
	    copy_text(from->username, &ret->username) ||
	    copy_text(from->data_location, &ret->data_location) ||
	    copy_text(from->hw_info, &ret->hw_info) || copy_text(from->sw_info, &ret->sw_info) ||
	    copy_text(from->platform, &ret->platform) || copy_text(from->comment, &ret->comment) ||
	    copy_text(from->transactions.pattern, &ret->transactions.pattern) ||
	    copy_text(from->transactions.line, &ret->transactions.line) ||
	    copy_text(from->transactions.unit, &ret->transactions.unit) ||
	    pipa_cpus_copy(&from->cores, &ret->cores) < 0)
		return -ENOMEM;
	return 0;
}

/* Find or add a function; NULL if the table is full or on allocation failure. */
static struct pipa_run_hot *find_hot(struct pipa_run *run, const struct pipa_run_hot *hot)
{
	struct pipa_run_hot *item;
	size_t i;

	for (i = 0; i < run->n_hot; i++)
		if (strcmp(run->hot[i].symbol, hot->symbol) == 0 &&
		    strcmp(run->hot[i].object, hot->object) == 0)
			return &run->hot[i];
	if (run->n_hot == PIPA_RUN_HOT)
		return NULL;
	item = &run->hot[run->n_hot];
	*item = (struct pipa_run_hot){ .symbol = strdup(hot->symbol),
				       .object = strdup(hot->object) };
	if (item->symbol && item->object) {
		run->n_hot++;
		return item;
	}
	free(item->symbol);
	free(item->object);
	return NULL;
}

static int by_share(const void *a, const void *b)
{
	const struct pipa_run_hot *x = a, *y = b;

	if (x->percent < y->percent || x->percent > y->percent)
		return x->percent < y->percent ? 1 : -1;
	return strcmp(x->symbol, y->symbol);
}

/* Merge hot functions, weighted by the samples of each run. */
static int merge_hot(const struct pipa_run *runs, size_t n, struct pipa_run *ret)
{
	size_t i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < runs[i].n_hot; k++) {
			struct pipa_run_hot *hot = find_hot(ret, &runs[i].hot[k]);

			if (!hot && ret->n_hot < PIPA_RUN_HOT)
				return -ENOMEM;
			if (!hot)
				continue;
			hot->samples += runs[i].hot[k].samples;
			hot->percent += runs[i].hot[k].percent * (double)runs[i].samples /
					(double)ret->samples;
		}
	qsort(ret->hot, ret->n_hot, sizeof(*ret->hot), by_share);
	return 0;
}

/* Collect the known values of a key; returns their number. */
static size_t collect_values(const struct pipa_run *runs, size_t n, enum pipa_run_key key,
			     double *ret)
{
	size_t i, known = 0;

	for (i = 0; i < n; i++)
		if (!isnan(runs[i].values[key]))
			ret[known++] = runs[i].values[key];
	return known;
}

int pipa_run_merge(const struct pipa_run *runs, size_t n, struct pipa_run *ret)
{
	PIPA_AUTO(free) double *values = calloc(n + 1, sizeof(*values));
	enum pipa_run_key key;
	size_t i, k;
	int rc = values ? copy_texts(&runs[0], ret) : -ENOMEM;

	if (rc)
		return rc;
	ret->runs = n;
	for (key = 0; key < PIPA_RUN_KEYS; key++) {
		size_t known = collect_values(runs, n, key, values);

		if (!known)
			continue;
		pipa_spread_of(values, known, &ret->spread[key]);
		ret->values[key] = ret->spread[key].mean;
	}
	for (i = 0; !rc && i < n; i++) {
		ret->samples += runs[i].samples;
		ret->lost_samples += runs[i].lost_samples;
		ret->cut_stacks += runs[i].cut_stacks;
		ret->late_ticks += runs[i].late_ticks;
		if (runs[i].status && !ret->status)
			ret->status = runs[i].status;
		for (k = 0; !rc && k < runs[i].notes.n; k++)
			rc = pipa_run_note(ret, "%s", runs[i].notes.items[k]);
	}
	return rc ? rc : merge_hot(runs, n, ret);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Return a quantile of sorted values, linearly interpolated. */
static double quantile(const double *sorted, size_t n, double share_below)
{
	double at = share_below * (double)(n - 1);
	size_t low = (size_t)at;

	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

bool pipa_run_is_outlier(const struct pipa_run *runs, size_t n, enum pipa_run_key key, size_t run)
{
	PIPA_AUTO(free) double *values = calloc(n + 1, sizeof(*values));
	double low, high, reach, value = runs[run].values[key];
	size_t known = values ? collect_values(runs, n, key, values) : 0;

	if (known < 4 || isnan(value))
		return false;
	qsort(values, known, sizeof(*values), by_value);
	low = quantile(values, known, 0.25);
	high = quantile(values, known, 0.75);
	reach = 1.5 * (high - low);
	return value < low - reach || value > high + reach;
}
