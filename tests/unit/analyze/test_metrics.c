#include "analyze/count/metrics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "lib/test.h"
#include "model/event.h"

/* A machine that knows the events of the list, "|a|b|". */
static bool knows(void *ctx, const char *event)
{
	const char *list = ctx, *p = list;
	size_t len = strlen(event);

	for (p = strstr(p, event); p; p = strstr(p + 1, event))
		if (p > list && p[-1] == '|' && p[len] == '|')
			return true;
	return false;
}

static bool knows_all(void *ctx, const char *event)
{
	(void)ctx;
	(void)event;
	return true;
}

static const struct pipa_metric_use *use_of(const struct pipa_metric_uses *uses, const char *name)
{
	size_t i;

	for (i = 0; i < uses->n; i++)
		if (strcmp(uses->items[i].metric.name, name) == 0)
			return &uses->items[i];
	return NULL;
}

static const struct pipa_metric *row_of(const char *name)
{
	const struct pipa_metric *rows;
	size_t n, i;

	rows = pipa_metrics(&n);
	for (i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	pipa_test_fail(__FILE__, __LINE__, "no metric %s", name);
}

TEST(every_row_of_the_table_is_whole)
{
	const struct pipa_metric *rows;
	size_t n, i, k;

	rows = pipa_metrics(&n);
	CHECK(n > 20);
	for (i = 0; i < n; i++) {
		struct pipa_expr expr;
		struct pipa_error err = { 0 };
		bool has_anchor = false, has_clock = false;

		CHECK(rows[i].name && rows[i].group && rows[i].unit && rows[i].help);
		CHECK(rows[i].anchor);
		if (pipa_expr_parse(rows[i].expr, &expr, &err) < 0)
			pipa_test_fail(__FILE__, __LINE__, "%s: %s", rows[i].name, err.what);
		for (k = 0; k < expr.n_names; k++) {
			if (expr.names[k].is_event && !strcmp(expr.names[k].text, rows[i].anchor))
				has_anchor = true;
			if (!expr.names[k].is_event && !strcmp(expr.names[k].text, "clock"))
				has_clock = true;
			else if (!expr.names[k].is_event)
				CHECK_STR(expr.names[k].text, "elapsed");
		}
		if (!has_anchor && !has_clock) /* it is shown beside an event it uses */
			pipa_test_fail(__FILE__, __LINE__, "%s is anchored elsewhere",
				       rows[i].name);
	}
}

TEST(rows_that_share_a_name_stand_beside_different_events)
{
	const struct pipa_metric *rows;
	size_t n, i, k;

	rows = pipa_metrics(&n);
	for (i = 0; i < n; i++)
		for (k = 0; k < i; k++)
			CHECK(strcmp(rows[i].name, rows[k].name) != 0 ||
			      strcmp(rows[i].anchor, rows[k].anchor) != 0);
}

/* The value of a table row with its events in order of use. */
static double value_of(const char *name, const double *values)
{
	struct pipa_expr expr;

	CHECK_EQ(pipa_expr_parse(row_of(name)->expr, &expr, NULL), 0);
	return pipa_expr_eval(&expr, values);
}

TEST(formulas_match_the_definitions_of_their_metrics)
{
	CHECK_NEAR(value_of("ipc", (double[]){ 300, 200 }), 1.5, 1e-12);
	CHECK_NEAR(value_of("cpi", (double[]){ 200, 400 }), 0.5, 1e-12);
	CHECK_NEAR(value_of("ghz", (double[]){ 6e9, 2 }), 3, 1e-12);
	CHECK_NEAR(value_of("cpus_utilized", (double[]){ 3, 2 }), 1.5, 1e-12);
	CHECK_NEAR(value_of("branch_miss_rate", (double[]){ 5, 200 }), 2.5, 1e-12);
	CHECK_NEAR(value_of("llc_mpki", (double[]){ 7, 1000 }), 7, 1e-12);
	CHECK_NEAR(value_of("package_power", (double[]){ 100, 4 }), 25, 1e-12);
	CHECK_NEAR(value_of("frontend_stall", (double[]){ 10, 40 }), 25, 1e-12);
	CHECK_NEAR(value_of("faults_per_second", (double[]){ 10, 4 }), 2.5, 1e-12);
}

static void add_event(struct pipa_events *events, char *key)
{
	CHECK(pipa_events_add_copy(events, &(struct pipa_event){ .name = key, .key = key }));
}

TEST(default_metrics_stand_beside_the_events_counted)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	PIPA_AUTO(pipa_events_done) struct pipa_events events = { 0 };

	add_event(&events, "instructions");
	add_event(&events, "branch-misses");
	CHECK_EQ(pipa_metric_uses_default(&uses, &events, NULL), 0);
	CHECK(!uses.asked);
	CHECK(use_of(&uses, "ipc"));
	CHECK(use_of(&uses, "cpi")); /* beyond perf's, but shown */
	CHECK(use_of(&uses, "branch_miss_rate"));
	CHECK(!use_of(&uses, "branch_mpki")); /* only when requested */
	CHECK(!use_of(&uses, "ghz"));	      /* its event is not counted */
}

TEST(metric_is_requested_by_name)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "ipc,branch_mpki", knows_all, NULL, NULL), 0);
	CHECK(uses.asked);
	CHECK_EQ(uses.n, 2);
	CHECK_STR(uses.items[0].metric.name, "ipc");
	CHECK_STR(pipa_metric_anchor(&uses.items[0]), "instructions");
	CHECK_STR(uses.items[1].metric.name, "branch_mpki");
	CHECK_EQ(uses.items[1].expr.n_names, 2);
}

TEST(group_is_all_its_metrics)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "tlb", knows_all, NULL, NULL), 0);
	CHECK_EQ(uses.n, 4);
	CHECK(use_of(&uses, "dtlb_miss_rate") && use_of(&uses, "itlb_mpki"));
}

TEST(group_omits_metrics_of_events_that_the_machine_lacks)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "tlb", knows, "|dTLB-load-misses|dTLB-loads|", NULL),
		 0);
	CHECK_EQ(uses.n, 1);
	CHECK(use_of(&uses, "dtlb_miss_rate"));
}

TEST(variant_is_the_one_whose_events_exist)
{
	static const struct {
		const char *events, *anchor;
	} machines[] = {
		{ "|topdown-retiring|slots|", "topdown-retiring" },
		{ "|topdown-slots-retired|topdown-total-slots|", "topdown-slots-retired" },
		{ "|op_retired|stall_slot|op_spec|", "op_retired" },
	};
	size_t i;

	for (i = 0; i < PIPA_COUNT(machines); i++) {
		PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };

		CHECK_EQ(pipa_metric_uses_ask(&uses, "retiring", knows, (void *)machines[i].events,
					      NULL),
			 0);
		CHECK_EQ(uses.n, 1);
		CHECK_STR(pipa_metric_anchor(&uses.items[0]), machines[i].anchor);
		CHECK(uses.items[0].metric.grouped);
	}
}

TEST(metric_requested_twice_is_added_once)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "tlb,tlb,dtlb_mpki", knows_all, NULL, NULL), 0);
	CHECK_EQ(pipa_metric_uses_ask(&uses, "tlb", knows_all, NULL, NULL), 0);
	CHECK_EQ(uses.n, 4);
}

TEST(metric_of_missing_events_is_refused)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "ipc", knows, "|cycles|", &err), -EOPNOTSUPP);
	CHECK_STR(err.what, "this machine lacks the events of metric 'ipc'");
	CHECK_HAS(err.hint, "pipa list metric");
	CHECK_EQ(pipa_metric_uses_ask(&uses, "topdown", knows, "|cycles|", &err), -EOPNOTSUPP);
}

TEST(unknown_metric_gets_the_nearest)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "branch_mis_rate", knows_all, NULL, &err), -ENOENT);
	CHECK_STR(err.what, "unknown metric 'branch_mis_rate'");
	CHECK_HAS(err.hint, "did you mean branch_miss_rate");
	CHECK_EQ(pipa_metric_uses_ask(&uses, "something_else_entirely", knows_all, NULL, &err),
		 -ENOENT);
	CHECK_HAS(err.hint, "pipa list metric");
	CHECK_EQ(pipa_metric_uses_ask(&uses, "", knows_all, NULL, &err), -ENOENT);
}

TEST(expression_is_a_metric_of_its_own)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	const struct pipa_metric_use *use;

	CHECK_EQ(pipa_metric_uses_ask(&uses, "mine=[cs]/[page-faults]*100,[cs] / elapsed",
				      knows_all, NULL, NULL),
		 0);
	CHECK_EQ(uses.n, 2);
	use = use_of(&uses, "mine");
	CHECK(use);
	CHECK_STR(use->metric.unit, "mine");
	CHECK_STR(pipa_metric_anchor(use), "page-faults"); /* the last event it uses */
	CHECK_NEAR(pipa_expr_eval(&use->expr, (double[]){ 3, 4 }), 75, 1e-12);
	use = use_of(&uses, "[cs] / elapsed");
	CHECK(use);
	CHECK_STR(pipa_metric_anchor(use), "cs");
}

TEST(event_in_an_expression_may_hold_an_equals_sign)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses named = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "[cpu/event=0x3c/] * 2", knows_all, NULL, NULL), 0);
	CHECK_STR(uses.items[0].expr.names[0].text, "cpu/event=0x3c/");
	CHECK_EQ(pipa_metric_uses_ask(&named, "x=[cpu/event=0x3c/]", knows_all, NULL, NULL), 0);
	CHECK_STR(named.items[0].metric.name, "x");
	CHECK_STR(named.items[0].expr.names[0].text, "cpu/event=0x3c/");
}

TEST(bad_expression_is_refused)
{
	PIPA_AUTO(pipa_metric_uses_done) struct pipa_metric_uses uses = { 0 };
	struct pipa_error err = { 0 };

	CHECK_EQ(pipa_metric_uses_ask(&uses, "x=[a]/", knows_all, NULL, &err), -EINVAL);
	CHECK_HAS(err.what, "invalid metric");
	CHECK_EQ(pipa_metric_uses_ask(&uses, "x=elapsed*2", knows_all, NULL, &err), -EINVAL);
	CHECK_STR(err.what, "metric 'x=elapsed*2' uses no event");
	CHECK_HAS(err.hint, "in brackets");
}
