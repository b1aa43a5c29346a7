/*
 * Table of derived metrics: expression, event that the metric is printed beside, name. A new
 * metric is one row; formats and commands do not change.
 */
#ifndef PIPA_ANALYZE_COUNT_METRICS_H
#define PIPA_ANALYZE_COUNT_METRICS_H

#include "analyze/count/expr.h"
#include "model/stat.h"

struct pipa_error;
struct pipa_events;

/*
 * In `expr`, [event] is a count, `clock` the CPU seconds counted by task-clock or cpu-clock at the
 * same place, `elapsed` the wall seconds. Rows that share a name are variants for different
 * machines: the first whose events exist is used.
 */
struct pipa_metric {
	const char *name;   /* "ipc" */
	const char *group;  /* "topdown", for -M and lists */
	const char *anchor; /* the event it is printed beside; NULL: the last one it uses */
	const char *expr;
	const char *unit; /* "insn per cycle" */
	const char *help;
	enum pipa_style style;
	int digits;
	enum {
		PIPA_METRIC_ASKED,   /* shown only with -M */
		PIPA_METRIC_DEFAULT, /* shown beside its event by default, as in perf */
		PIPA_METRIC_EXTRA,   /* shown too, but not in perf's CSV */
	} shown;
	bool grouped; /* its events must be in one group to be comparable */
};

const struct pipa_metric *pipa_metrics(size_t *ret_n);

/* A metric with its parsed expression. */
struct pipa_metric_use {
	struct pipa_metric metric;
	struct pipa_expr expr;
	char *owned; /* text of a user-defined metric, else NULL */
};

struct pipa_metric_uses {
	struct pipa_metric_use *items;
	size_t n, cap;
	bool asked; /* selected with -M: nothing else is shown */
};

void pipa_metric_uses_done(struct pipa_metric_uses *uses);

/* Return the event a metric is printed beside, or NULL if it uses none. */
const char *pipa_metric_anchor(const struct pipa_metric_use *use);

/* Add the default metrics of these events. */
int pipa_metric_uses_default(struct pipa_metric_uses *uses, const struct pipa_events *events,
			     struct pipa_error *err);

/*
 * Add the metrics of -M: metric names, group names, or an expression "[name=]EXPR". `has_event`
 * returns whether the machine has an event, to choose between variants.
 */
int pipa_metric_uses_ask(struct pipa_metric_uses *uses, const char *text,
			 bool (*has_event)(void *ctx, const char *event), void *ctx,
			 struct pipa_error *err);

static inline void pipa_metric_uses_done_auto(struct pipa_metric_uses *uses)
{
	pipa_metric_uses_done(uses);
}

#endif
