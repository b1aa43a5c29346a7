#include "analyze/count/derive.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/metrics.h"
#include "base/auto.h"
#include "base/vec.h"

#define NO_ROW SIZE_MAX

/* Operand of an expression. */
struct operand {
	enum { OPERAND_ROW, OPERAND_CLOCK, OPERAND_ELAPSED } kind;
	size_t row; /* of the event, or of the clock */
};

/* A metric at a row. */
struct binding {
	size_t row;
	const struct pipa_metric_use *use; /* NULL: the rate per CPU second */
	struct operand operands[PIPA_EXPR_NAMES];
};

struct pipa_derive {
	const struct pipa_events *events;
	const struct pipa_metric_uses *uses;
	struct pipa_stat *stat;
	struct {
		struct binding *items;
		size_t n, cap;
	} bindings;
	struct pipa_derived *values; /* [binding]; rows have slices of it */
	size_t *first,
		*next; /* linked lists of the rows of a place, to limit the search of metrics */
};

void pipa_derive_free(struct pipa_derive *d)
{
	if (!d)
		return;
	free(d->bindings.items);
	free(d->values);
	free(d->first);
	free(d->next);
	free(d);
}

static int list_places(struct pipa_derive *d)
{
	size_t i, p;

	d->first = malloc((d->stat->n_places + 1) * sizeof(*d->first));
	d->next = malloc((d->stat->n_rows + 1) * sizeof(*d->next));
	if (!d->first || !d->next)
		return -ENOMEM;
	for (p = 0; p < d->stat->n_places; p++)
		d->first[p] = NO_ROW;
	for (i = d->stat->n_rows; i > 0; i--) {
		p = d->stat->rows[i - 1].place;
		d->next[i - 1] = d->first[p];
		d->first[p] = i - 1;
	}
	return 0;
}

/*
 * Does the name denote the event, by its name in the table or as the user wrote it: cs, page-
 * faults:u?
 */
static bool is_named(const struct pipa_event *event, const char *name)
{
	size_t len = strlen(name);

	if (strcmp(event->key, name) == 0 || strcmp(event->name, name) == 0)
		return true;
	/* pipa added the suffix :u because kernel mode was not permitted */
	return event->user_only && strncmp(event->name, name, len) == 0 &&
	       strcmp(event->name + len, ":u") == 0;
}

/*
 * Find the row of an event for a metric shown at row `near`: same place, same cgroup, and same PMU
 * if it is counted on several; sums use sums.
 */
static size_t find_row(const struct pipa_derive *d, const struct pipa_stat_row *near,
		       const char *key)
{
	const struct pipa_event *items = d->events->items;
	const char *pmu = near->is_sum ? NULL : items[near->event].pmu;
	size_t i, found = NO_ROW;

	for (i = d->first[near->place]; i != NO_ROW; i = d->next[i]) {
		const struct pipa_stat_row *row = &d->stat->rows[i];
		const struct pipa_event *event = &items[row->event];
		const char *own = row->is_sum ? NULL : event->pmu;

		if (event->cgroup != items[near->event].cgroup || !is_named(event, key))
			continue;
		if (found == NO_ROW || (pmu && own && strcmp(pmu, own) == 0) ||
		    (!pmu && row->is_sum))
			found = i;
	}
	return found;
}

static bool bind_clock(const struct pipa_derive *d, const struct pipa_stat_row *near,
		       struct operand *ret)
{
	*ret = (struct operand){ OPERAND_CLOCK, find_row(d, near, "task-clock") };
	if (ret->row == NO_ROW)
		ret->row = find_row(d, near, "cpu-clock");
	return ret->row != NO_ROW;
}

static bool bind_operand(const struct pipa_derive *d, const struct pipa_stat_row *near,
			 const char *name, bool is_event, struct operand *ret)
{
	if (is_event) {
		*ret = (struct operand){ OPERAND_ROW, find_row(d, near, name) };
		return ret->row != NO_ROW;
	}
	if (strcmp(name, "clock") == 0)
		return bind_clock(d, near, ret);
	*ret = (struct operand){ OPERAND_ELAPSED, NO_ROW };
	return strcmp(name, "elapsed") == 0;
}

/* Bind a metric to a row; false if an operand is missing. */
static bool bind_use(const struct pipa_derive *d, size_t row, const struct pipa_metric_use *use,
		     struct binding *ret)
{
	const struct pipa_stat_row *near = &d->stat->rows[row];
	const char *anchor = pipa_metric_anchor(use);
	size_t i;

	if (!anchor || !is_named(&d->events->items[near->event], anchor))
		return false;
	*ret = (struct binding){ .row = row, .use = use };
	for (i = 0; i < use->expr.n_names; i++)
		if (!bind_operand(d, near, use->expr.names[i].text, use->expr.names[i].is_event,
				  &ret->operands[i]))
			return false;
	return true;
}

/* Does the event have a rate? All plain counts of occurrences do. */
static bool has_rate(const struct pipa_event *event)
{
	return !event->unit[0] && !event->tool;
}

static int add_binding(struct pipa_derive *d, const struct binding *binding)
{
	struct binding *slot = PIPA_VEC_ADD(&d->bindings);

	if (!slot)
		return -ENOMEM;
	*slot = *binding;
	return 0;
}

static int bind_row(struct pipa_derive *d, size_t row)
{
	size_t i, before = d->bindings.n;
	struct binding binding;
	int rc = 0;

	for (i = 0; !rc && i < d->uses->n; i++)
		if (bind_use(d, row, &d->uses->items[i], &binding))
			rc = add_binding(d, &binding);
	if (!rc && d->bindings.n == before && !d->uses->asked &&
	    has_rate(&d->events->items[d->stat->rows[row].event])) {
		binding = (struct binding){ .row = row };
		if (bind_clock(d, &d->stat->rows[row], &binding.operands[0]))
			rc = add_binding(d, &binding);
	}
	d->stat->rows[row].n_derived = d->bindings.n - before;
	return rc;
}

static struct pipa_derived describe(const struct pipa_derive *d, const struct pipa_metric *metric)
{
	if (!metric)
		return (struct pipa_derived){ "rate", "/sec", PIPA_STYLE_RATE, 3, false, NAN };
	return (struct pipa_derived){
		.name = metric->name,
		.unit = metric->unit,
		.style = metric->style,
		.digits = metric->digits,
		.extra = metric->shown == PIPA_METRIC_EXTRA && !d->uses->asked,
		.value = NAN,
	};
}

int pipa_derive_new(const struct pipa_events *events, const struct pipa_metric_uses *uses,
		    struct pipa_stat *stat, struct pipa_derive **ret)
{
	PIPA_AUTO(pipa_derive_free) struct pipa_derive *d = calloc(1, sizeof(*d));
	size_t i, total = 0;
	int rc;

	if (!d)
		return -ENOMEM;
	d->events = events;
	d->uses = uses;
	d->stat = stat;
	rc = list_places(d);
	for (i = 0; !rc && i < stat->n_rows; i++)
		rc = bind_row(d, i);
	d->values = calloc(d->bindings.n + 1, sizeof(*d->values));
	if (rc || !d->values)
		return -ENOMEM;
	for (i = 0; i < d->bindings.n; i++)
		d->values[i] = describe(
			d, d->bindings.items[i].use ? &d->bindings.items[i].use->metric : NULL);
	for (i = 0; i < stat->n_rows; i++) {
		stat->rows[i].derived = &d->values[total];
		total += stat->rows[i].n_derived;
	}
	*ret = PIPA_TAKE(d);
	return 0;
}

static double operand_value(const struct pipa_derive *d, const struct operand *operand,
			    double elapsed_s)
{
	const struct pipa_stat_row *row;

	if (operand->kind == OPERAND_ELAPSED)
		return elapsed_s;
	row = &d->stat->rows[operand->row];
	if (row->state != PIPA_COUNTED)
		return NAN;
	return operand->kind == OPERAND_CLOCK ? row->value / 1e3 :
						row->value; /* clocks are in ms */
}

static double rate(const struct pipa_derive *d, const struct binding *binding)
{
	const struct pipa_stat_row *row = &d->stat->rows[binding->row];
	double clock = operand_value(d, &binding->operands[0], NAN);

	return clock > 0 && row->state == PIPA_COUNTED ? row->value / clock : NAN;
}

void pipa_derive_run(struct pipa_derive *d, double elapsed_s)
{
	double values[PIPA_EXPR_NAMES];
	size_t i, k;

	for (i = 0; i < d->bindings.n; i++) {
		const struct binding *b = &d->bindings.items[i];

		if (!b->use) {
			d->values[i].value = rate(d, b);
			continue;
		}
		for (k = 0; k < b->use->expr.n_names; k++)
			values[k] = operand_value(d, &b->operands[k], elapsed_s);
		d->values[i].value = pipa_expr_eval(&b->use->expr, values);
	}
}
