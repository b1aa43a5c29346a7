#include "analyze/rules/event_values.h"

#include <math.h>
#include <string.h>

#include "analyze/count/expr.h"
#include "analyze/count/metrics.h"
#include "model/counter_section.h"

/* Does "frontend_bound CPU3" or "topdown-fe-bound.frontend_bound" have values of the metric? */
static bool is_metric(const char *instance, const char *name)
{
	size_t len = strcspn(instance, " "), n = strlen(name);

	return len >= n && memcmp(instance + len - n, name, n) == 0 &&
	       (len == n || instance[len - n - 1] == '.');
}

/* Return the sum of an event over the CPUs and intervals of a group, NaN if it was not counted. */
static double sum_event(struct pipa_event_values *v, size_t group, const char *event)
{
	const struct pipa_series_group *g = &v->set->groups.items[group];
	double sum = NAN;
	size_t i;

	for (i = 0; i < g->n; i++) {
		struct pipa_series_summary stats = { 0 };
		int rc;

		if (!pipa_counter_is_of(g->items[i].instance, event))
			continue;
		rc = pipa_series_summarize(
			v->set, (struct pipa_series_ref){ group, i, PIPA_COL_COUNTER_VALUE },
			v->window, &stats);
		if (rc < 0)
			v->status = rc;
		if (stats.n)
			sum = (isnan(sum) ? 0 : sum) + stats.sum;
	}
	return sum;
}

static bool has_counters(const struct pipa_event_values *v, size_t group)
{
	return strcmp(v->set->groups.items[group].section->name, pipa_counter_section.name) == 0;
}

double pipa_event_formula(struct pipa_event_values *v, const char *formula)
{
	double sums[PIPA_EXPR_NAMES] = { 0 };
	struct pipa_expr expr;
	bool found = false;
	size_t i, k;

	if (!v->set || pipa_expr_parse(formula, &expr, NULL) < 0)
		return NAN;
	for (i = 0; i < v->set->groups.n; i++) {
		double part[PIPA_EXPR_NAMES] = { 0 };
		bool complete = has_counters(v, i);

		for (k = 0; complete && k < expr.n_names; k++) {
			part[k] = sum_event(v, i, expr.names[k].text);
			complete = !isnan(part[k]);
		}
		for (k = 0; complete && k < expr.n_names; k++)
			sums[k] += part[k];
		found |= complete;
	}
	return found ? pipa_expr_eval(&expr, sums) : NAN;
}

double pipa_event_rate(struct pipa_event_values *v, const char *event)
{
	double sum = 0, seconds = 0;
	size_t i, k;

	for (i = 0; v->set && i < v->set->groups.n; i++) {
		const struct pipa_series_group *group = &v->set->groups.items[i];
		const struct pipa_series_axis *axis = pipa_series_axis_of(v->set, group);
		double length = 0, count = has_counters(v, i) ? sum_event(v, i, event) : NAN;
		size_t from, n = pipa_series_group_range(v->set, group, v->window, &from);

		for (k = from; k < from + n && k < group->n_ticks; k++)
			length += (double)axis->interval_s[k];
		if (isnan(count) || !(length > 0))
			continue;
		sum += count;
		seconds += length;
	}
	return seconds > 0 ? sum / seconds : NAN;
}

double pipa_event_slots(struct pipa_event_values *v, const char *name)
{
	size_t i, k, n_metrics, n = 0;
	const struct pipa_metric *metrics = pipa_metrics(&n_metrics);
	double sum = 0;

	for (i = 0; i < n_metrics; i++) {
		double value = strcmp(metrics[i].name, name) == 0 ?
				       pipa_event_formula(v, metrics[i].expr) :
				       NAN;

		if (!isnan(value))
			return fmin(fmax(value, 0), 100);
	}
	for (i = 0; v->set && i < v->set->groups.n; i++) {
		const struct pipa_series_group *group = &v->set->groups.items[i];

		for (k = 0; has_counters(v, i) && k < group->n; k++) {
			struct pipa_series_summary stats = { 0 };
			int rc = 0;

			if (is_metric(group->items[k].instance, name))
				rc = pipa_series_summarize(
					v->set,
					(struct pipa_series_ref){ i, k, PIPA_COL_COUNTER_VALUE },
					v->window, &stats);
			if (rc < 0)
				v->status = rc;
			sum += stats.sum;
			n += stats.n;
		}
	}
	return n ? sum / (double)n : NAN;
}
