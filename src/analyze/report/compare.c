#include "analyze/report/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/count/noise.h"
#include "analyze/report/signal.h"
#include "analyze/rules/variables.h"
#include "analyze/series/steady_spread.h"
#include "base/auto.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/context.h"
#include "model/rules.h"
#include "model/run.h"
#include "model/sections.h"

/* A comparison under construction. */
struct comparing {
	const struct pipa_compare_side *sides;
	struct pipa_comparison *out;
};

const char *pipa_compare_verdict_name(enum pipa_compare_verdict verdict)
{
	static const char *const names[PIPA_COMPARE_VERDICTS] = {
		[PIPA_COMPARE_UNCLEAR] = "unclear", [PIPA_COMPARE_SAME] = "same",
		[PIPA_COMPARE_LOWER] = "lower",	    [PIPA_COMPARE_HIGHER] = "higher",
		[PIPA_COMPARE_BETTER] = "better",   [PIPA_COMPARE_WORSE] = "worse",
	};

	return names[verdict];
}

const char *pipa_compare_table_name(enum pipa_compare_table_id table)
{
	static const char *const names[PIPA_COMPARE_TABLES] = {
		[PIPA_COMPARE_SUMMARY] = "summary",
		[PIPA_COMPARE_METRICS] = "metrics",
		[PIPA_COMPARE_VARIABLES] = "variables",
		[PIPA_COMPARE_SERIES] = "series",
	};

	return names[table];
}

int pipa_compare_better(const char *id)
{
	static const char lower[] =
		"cpi,*iowait*,*steal*,*await*,*error*,*drop*,*squeezed*,*retransmit*,*collisions,"
		"*failures,*overruns,*in_discards,*out_discards,*miss_rate,*mpki,stalled_*,*_bound,"
		"bad_speculation,psi*,*throttled*,swap.in,swap.out,pswp*,*majflt*,*major_faults,"
		"*scan_direct,direct_reclaim*,tcp.failed,*blocked*,numa.miss,numa.foreign,*imbalanced";
	static const char higher[] = "ipc,paging.efficiency,reclaim_efficiency";

	return pipa_str_listed(lower, id, true) ? -1 : pipa_str_listed(higher, id, true);
}

void pipa_comparison_done(struct pipa_comparison *comparison)
{
	size_t i;

	for (i = 0; i < PIPA_COMPARE_TABLES; i++)
		free(comparison->tables[i].items);
	free(comparison->findings.items);
	free(comparison->facts.items);
	pipa_arena_done(&comparison->arena);
	*comparison = (struct pipa_comparison){ 0 };
}

/* ---- rows ---------------------------------------------------------------------------------------- */

/* Add a row whose values are unknown; NULL on allocation failure. */
static struct pipa_compare_row *add_row(const struct comparing *c, enum pipa_compare_table_id table,
					const char *key)
{
	const struct pipa_compare_value unknown = { .value = NAN, .sd = NAN };
	struct pipa_compare_row *row = PIPA_VEC_ADD(&c->out->tables[table]);

	if (row)
		*row = (struct pipa_compare_row){ .key = key,
						  .title = "",
						  .section = "",
						  .instance = "",
						  .unit = "",
						  .sides = { unknown, unknown },
						  .difference = NAN,
						  .percent = NAN,
						  .p = NAN };
	return row;
}

static void set_text(struct pipa_compare_row *row, const char *title, const char *unit, int digits)
{
	row->title = title;
	row->unit = unit;
	row->digits = digits;
}

/* Test the means of the signals, which are freed, and set values of the row that are still unknown. */
static void test_signals(struct pipa_compare_row *row,
			 struct pipa_signal signals[static PIPA_SIDES])
{
	struct pipa_spread spreads[PIPA_SIDES];
	int side;

	for (side = 0; side < PIPA_SIDES; side++) {
		struct pipa_compare_value *value = &row->sides[side];

		value->n = signals[side].n;
		pipa_steady_spread(signals[side].values, signals[side].n, &spreads[side]);
		value->effective = spreads[side].n;
		value->sd = spreads[side].sd;
		if (isnan(value->value))
			value->value = signals[side].mean;
		pipa_signal_done(&signals[side]);
	}
	if (spreads[0].n >= PIPA_STEADY_MIN && spreads[1].n >= PIPA_STEADY_MIN)
		row->p = pipa_spread_p(&spreads[0], &spreads[1]);
}

/* ---- quantities that can be tested --------------------------------------------------------------- */

/* Metrics and variables that are ratios of counters. */
static const struct {
	enum pipa_run_key key; /* PIPA_RUN_KEYS: none */
	const char *variable;  /* NULL: none */
	struct pipa_event_ratio ratio;
} counter_quantities[] = {
	{ PIPA_RUN_IPC, "ipc", { { "instructions" }, { "cycles" }, 1 } },
	{ PIPA_RUN_CPI, "cpi", { { "cycles" }, { "instructions" }, 1 } },
	{ PIPA_RUN_CYCLES_PER_SECOND, NULL, { { "cycles" }, { 0 }, 1 } },
	{ PIPA_RUN_INSTRUCTIONS_PER_SECOND, NULL, { { "instructions" }, { 0 }, 1 } },
	{ PIPA_RUN_BRANCH_MISSES,
	  "branch_miss_rate",
	  { { "branch-misses" }, { "branches" }, 100 } },
	{ PIPA_RUN_CACHE_MISSES, NULL, { { "cache-misses" }, { "cache-references" }, 100 } },
	{ PIPA_RUN_LLC_MISSES,
	  "l3_cache_miss_rate",
	  { { "LLC-load-misses", "ll_cache_miss_rd" }, { "LLC-loads", "ll_cache_rd" }, 100 } },
	{ PIPA_RUN_L1D_MISSES,
	  "l1d_miss_rate",
	  { { "L1-dcache-load-misses", "l1d_cache_refill" },
	    { "L1-dcache-loads", "l1d_cache" },
	    100 } },
	{ PIPA_RUN_DTLB_MISSES,
	  "dtlb_miss_rate",
	  { { "dTLB-load-misses" }, { "dTLB-loads" }, 100 } },
	{ PIPA_RUN_KEYS, "branch_mpki", { { "branch-misses" }, { "instructions" }, 1000 } },
	{ PIPA_RUN_KEYS,
	  "llc_mpki",
	  { { "LLC-load-misses", "ll_cache_miss_rd" }, { "instructions", "instructions" }, 1000 } },
	{ PIPA_RUN_KEYS, "dtlb_mpki", { { "dTLB-load-misses" }, { "instructions" }, 1000 } },
	{ PIPA_RUN_KEYS, "itlb_mpki", { { "iTLB-load-misses" }, { "instructions" }, 1000 } },
	{ PIPA_RUN_KEYS, "stalled_frontend", { { "stalled-cycles-frontend" }, { "cycles" }, 100 } },
	{ PIPA_RUN_KEYS, "stalled_backend", { { "stalled-cycles-backend" }, { "cycles" }, 100 } },
	{ PIPA_RUN_KEYS, "migrations_s", { { "cpu-migrations" }, { 0 }, 1 } },
};

/* Variables that are the mean of a column of one instance. */
static const struct {
	const char *variable, *column, *instance;
} column_variables[] = {
	{ "avg_iowait", "cpu.iowait", "all" },
	{ "avg_irq_percent", "cpu.irq", "all" },
	{ "avg_softirq_percent", "cpu.soft", "all" },
	{ "cpu_steal", "cpu.steal", "all" },
	{ "avg_cswch", "system.switches", "" },
	{ "forks_s", "system.forks", "" },
	{ "total_tps", "io.tps", "" },
	{ "avg_majflt_s", "paging.major_faults", "" },
	{ "direct_reclaim_s", "paging.scan_direct", "" },
	{ "kswapd_scan_s", "paging.scan_kswapd", "" },
	{ "pswpin_total", "swap.in", "" },
	{ "pswpout_total", "swap.out", "" },
	{ "avg_memused_percent", "memory.used_share", "" },
	{ "avg_commit_percent", "memory.commit_share", "" },
	{ "swap_used_percent", "swap.used_share", "" },
	{ "avg_load1", "load.1", "" },
	{ "run_queue", "load.running", "" },
	{ "blocked_tasks", "load.blocked", "" },
	{ "psi_cpu", "psi.cpu.some", "" },
	{ "psi_memory", "psi.memory.some", "" },
	{ "psi_memory_full", "psi.memory.full", "" },
	{ "psi_io", "psi.io.some", "" },
	{ "psi_io_full", "psi.io.full", "" },
	{ "throttled_percent", "limits.throttled_share", "" },
	{ "tcp_out_s", "tcp.out", "" },
	{ "tcp_retransmits_s", "tcp.retransmits", "" },
	{ "udp_in_errors_s", "udp.in_errors", "" },
};

static int test_events(const struct comparing *c, const struct pipa_event_ratio *ratio,
		       struct pipa_compare_row *row)
{
	struct pipa_signal signals[PIPA_SIDES] = { 0 };
	int side, rc = 0;

	for (side = 0; !rc && side < PIPA_SIDES; side++)
		rc = pipa_signal_events(c->sides[side].series, ratio,
					&c->sides[side].phases->steady, &signals[side]);
	test_signals(row, signals);
	return rc;
}

static int test_cpu_time(const struct comparing *c, enum pipa_cpu_time time,
			 struct pipa_compare_row *row)
{
	struct pipa_signal signals[PIPA_SIDES] = { 0 };
	int side, rc = 0;

	for (side = 0; !rc && side < PIPA_SIDES; side++)
		rc = pipa_signal_cpu_time(c->sides[side].series, "all", time,
					  &c->sides[side].phases->steady, &signals[side]);
	test_signals(row, signals);
	return rc;
}

/* Test the series of the row. */
static int test_series(const struct comparing *c, struct pipa_compare_row *row)
{
	struct pipa_signal signals[PIPA_SIDES] = { 0 };
	int side, rc = 0;

	for (side = 0; !rc && side < PIPA_SIDES; side++)
		rc = pipa_signal_column(c->sides[side].series, row->series[side],
					&c->sides[side].phases->steady, &signals[side]);
	test_signals(row, signals);
	return rc;
}

/* Test the series of that column and the instance of each side, if both have it. */
static int test_column(const struct comparing *c, const char *id,
		       const char *const instances[static PIPA_SIDES], struct pipa_compare_row *row)
{
	int side;

	for (side = 0; side < PIPA_SIDES; side++)
		if (!instances[side] || pipa_series_find(c->sides[side].series, id, instances[side],
							 &row->series[side]) < 0)
			return 0;
	row->has_series = true;
	return test_series(c, row);
}

/* ---- summary ------------------------------------------------------------------------------------- */

/* Add the total of an event. It is not tested, because the numbers of intervals differ. */
static int add_total(const struct comparing *c, const char *key, const char *title,
		     const struct pipa_event_ratio *ratio, enum pipa_run_key run_key)
{
	struct pipa_compare_row *row = add_row(c, PIPA_COMPARE_SUMMARY, key);
	int side, rc = 0;

	if (!row)
		return -ENOMEM;
	set_text(row, title, "", 0);
	row->better = pipa_run_keys[run_key].better;
	for (side = 0; !rc && side < PIPA_SIDES; side++) {
		struct pipa_signal signal = { 0 };

		rc = pipa_signal_events(c->sides[side].series, ratio,
					&c->sides[side].phases->steady, &signal);
		row->sides[side].value = isnan(signal.sum) && c->sides[side].run ?
						 c->sides[side].run->values[run_key] :
						 signal.sum;
		pipa_signal_done(&signal);
	}
	return rc;
}

static int compare_summary(const struct comparing *c)
{
	static const struct {
		enum pipa_cpu_time time;
		const char *key, *title;
	} times[] = {
		{ PIPA_CPU_TIME_USER, "cpu_user", "Avg CPU User %" },
		{ PIPA_CPU_TIME_SYSTEM, "cpu_system", "Avg CPU System %" },
		{ PIPA_CPU_TIME_IDLE, "cpu_idle", "Avg CPU Idle %" },
	};
	static const struct pipa_event_ratio instructions = { { "instructions" }, { 0 }, 1 },
					     cycles = { { "cycles" }, { 0 }, 1 };
	struct pipa_compare_row *row;
	size_t i;
	int side, rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(times); i++) {
		row = add_row(c, PIPA_COMPARE_SUMMARY, times[i].key);
		if (!row)
			return -ENOMEM;
		set_text(row, times[i].title, "%", 2);
		rc = test_cpu_time(c, times[i].time, row);
	}
	if (!rc)
		rc = add_total(c, "instructions", "Total Instructions", &instructions,
			       PIPA_RUN_INSTRUCTIONS);
	if (!rc)
		rc = add_total(c, "cycles", "Total Cycles", &cycles, PIPA_RUN_CYCLES);
	if (rc)
		return rc;
	row = add_row(c, PIPA_COMPARE_SUMMARY, "ipc");
	if (!row)
		return -ENOMEM;
	set_text(row, "IPC", "", 3);
	row->better = 1;
	rc = test_events(c, &counter_quantities[0].ratio, row);
	for (side = 0; side < PIPA_SIDES; side++)
		if (isnan(row->sides[side].value) && c->sides[side].run)
			row->sides[side].value = c->sides[side].run->values[PIPA_RUN_IPC];
	return rc;
}

/* ---- metrics of runs ----------------------------------------------------------------------------- */

/* Return the instance of a series that a metric is computed from; NULL: none, or of selected CPUs. */
static const char *metric_instance(const struct pipa_run *run, enum pipa_section_id section)
{
	switch (section) {
	case PIPA_SECTION_CPU: return run->cores.n ? NULL : "all";
	case PIPA_SECTION_DISK: return run->dev;
	case PIPA_SECTION_NET: return run->iface;
	case PIPA_SECTION_FREQ: return NULL;
	default: return "";
	}
}

static int test_metric(const struct comparing *c, enum pipa_run_key key,
		       struct pipa_compare_row *row)
{
	const struct pipa_run_key_info *info = &pipa_run_keys[key];
	const struct pipa_run *a = c->sides[PIPA_SIDE_A].run, *b = c->sides[PIPA_SIDE_B].run;
	size_t i;

	if (a->spread[key].n > 1 && b->spread[key].n > 1) { /* several runs on both sides */
		row->p = pipa_spread_p(&a->spread[key], &b->spread[key]);
		row->sides[PIPA_SIDE_A].sd = a->spread[key].sd;
		row->sides[PIPA_SIDE_B].sd = b->spread[key].sd;
		return 0;
	}
	if (info->in_series || key == PIPA_RUN_UTIL) { /* utilization changes as idle time does */
		enum pipa_section_id section = info->in_series ? info->section : PIPA_SECTION_CPU;
		int column = info->in_series ? info->column : PIPA_COL_CPU_IDLE;
		const char *instances[PIPA_SIDES] = { metric_instance(a, section),
						      metric_instance(b, section) };
		int rc = test_column(c, pipa_sections[section].columns[column].id, instances, row);

		/* the short form of the CPU table has other columns */
		if (!rc && !row->has_series && (key == PIPA_RUN_USR || key == PIPA_RUN_SYS))
			rc = test_column(c, key == PIPA_RUN_USR ? "cpu.user" : "cpu.system",
					 instances, row);
		if (key == PIPA_RUN_UTIL)
			row->has_series = false;
		return rc;
	}
	for (i = 0; i < PIPA_COUNT(counter_quantities); i++)
		if (counter_quantities[i].key == key)
			return test_events(c, &counter_quantities[i].ratio, row);
	return 0;
}

static int compare_metrics(const struct comparing *c)
{
	const struct pipa_run *a = c->sides[PIPA_SIDE_A].run, *b = c->sides[PIPA_SIDE_B].run;
	enum pipa_run_key key;
	int rc = 0;

	for (key = 0; a && b && !rc && key < PIPA_RUN_KEYS; key++) {
		const struct pipa_run_key_info *info = &pipa_run_keys[key];
		struct pipa_compare_row *row;

		if (isnan(a->values[key]) && isnan(b->values[key]))
			continue;
		row = add_row(c, PIPA_COMPARE_METRICS, info->name);
		if (!row)
			return -ENOMEM;
		set_text(row, info->title, info->unit, info->digits);
		row->better = info->better;
		row->sides[PIPA_SIDE_A].value = a->values[key];
		row->sides[PIPA_SIDE_B].value = b->values[key];
		rc = test_metric(c, key, row);
	}
	return rc;
}

/* ---- variables ----------------------------------------------------------------------------------- */

static int test_variable(const struct comparing *c, struct pipa_compare_row *row)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(column_variables); i++)
		if (strcmp(column_variables[i].variable, row->key) == 0) {
			const char *instances[PIPA_SIDES] = { column_variables[i].instance,
							      column_variables[i].instance };

			return test_column(c, column_variables[i].column, instances, row);
		}
	for (i = 0; i < PIPA_COUNT(counter_quantities); i++)
		if (counter_quantities[i].variable &&
		    strcmp(counter_quantities[i].variable, row->key) == 0)
			return test_events(c, &counter_quantities[i].ratio, row);
	return 0;
}

static void set_variable(struct pipa_compare_value *value, const struct pipa_variable *variable)
{
	if (!variable || variable->value.kind == PIPA_VALUE_ABSENT)
		return;
	if (pipa_value_is_numeric(&variable->value))
		value->value = variable->value.number;
	else if (variable->value.kind == PIPA_VALUE_TEXT)
		value->text = variable->value.text;
}

static int compare_variables(const struct comparing *c)
{
	const struct pipa_context *contexts[PIPA_SIDES] = { c->sides[0].context,
							    c->sides[1].context };
	size_t i;
	int side, rc = 0;

	for (i = 0; contexts[0] && contexts[1] && !rc && i < pipa_n_rule_variables; i++) {
		const struct pipa_rule_variable *info = &pipa_rule_variables[i];
		struct pipa_compare_row *row;
		bool known = false;

		row = add_row(c, PIPA_COMPARE_VARIABLES, info->name);
		if (!row)
			return -ENOMEM;
		set_text(row, info->formula, info->unit, 2);
		row->better = pipa_compare_better(info->name);
		for (side = 0; side < PIPA_SIDES; side++) {
			struct pipa_compare_value *value = &row->sides[side];

			set_variable(value, pipa_context_find(contexts[side], info->name));
			known |= !isnan(value->value) || value->text;
		}
		if (!known)
			c->out->tables[PIPA_COMPARE_VARIABLES].n--;
		else
			rc = test_variable(c, row);
	}
	return rc;
}

/* ---- series -------------------------------------------------------------------------------------- */

/* Does the group have the most intervals of all groups of its section? The others are not compared. */
static bool is_main_group(const struct pipa_series_set *set, size_t group)
{
	const struct pipa_section *section = set->groups.items[group].section;

	return !pipa_section_is_of_tasks(section) &&
	       pipa_series_main_group(set, section->name) == (ptrdiff_t)group;
}

/* Return the column of a section by its id, -ENOENT if it has none. */
static ptrdiff_t find_column(const struct pipa_section *section, const char *id)
{
	size_t i;

	for (i = 0; i < section->n_columns; i++)
		if (strcmp(section->columns[i].id, id) == 0)
			return (ptrdiff_t)i;
	return -ENOENT;
}

static int compare_one_series(const struct comparing *c, struct pipa_series_ref a,
			      struct pipa_series_ref b)
{
	const struct pipa_series_group *group =
		&c->sides[PIPA_SIDE_A].series->groups.items[a.group];
	const struct pipa_column *column = &group->section->columns[a.column];
	struct pipa_compare_table *table = &c->out->tables[PIPA_COMPARE_SERIES];
	struct pipa_compare_row *row = add_row(c, PIPA_COMPARE_SERIES, column->id);
	int rc;

	if (!row)
		return -ENOMEM;
	set_text(row, column->name, pipa_unit_text(column->unit), column->digits);
	if (column->kind == PIPA_METRIC_DELTA)
		row->unit = pipa_unit_text(PIPA_UNIT_PER_SECOND);
	row->section = group->section->name;
	row->instance = group->items[a.row].instance;
	row->better = pipa_compare_better(column->id);
	row->has_series = true;
	row->series[PIPA_SIDE_A] = a;
	row->series[PIPA_SIDE_B] = b;
	rc = test_series(c, row);
	if (isnan(row->sides[0].value) || isnan(row->sides[1].value))
		table->n--; /* without a value in the steady phase */
	return rc;
}

static int compare_group(const struct comparing *c, size_t index, size_t other)
{
	const struct pipa_series_group *a = &c->sides[PIPA_SIDE_A].series->groups.items[index];
	const struct pipa_series_group *b = &c->sides[PIPA_SIDE_B].series->groups.items[other];
	size_t row, column, matched = 0;
	int rc = 0;

	for (row = 0; !rc && row < a->n; row++) {
		ptrdiff_t at = pipa_series_find_row(b, a->items[row].instance);

		if (at < 0) {
			c->out->only[PIPA_SIDE_A] += a->section->n_columns;
			continue;
		}
		matched++;
		for (column = 0; !rc && column < a->section->n_columns; column++) {
			const struct pipa_column *of = &a->section->columns[column];
			ptrdiff_t same = find_column(b->section, of->id);

			if (same >= 0 && of->kind != PIPA_METRIC_TEXT &&
			    of->kind != PIPA_METRIC_ATTRIBUTE)
				rc = compare_one_series(
					c, (struct pipa_series_ref){ index, row, column },
					(struct pipa_series_ref){ other, (size_t)at,
								  (size_t)same });
		}
	}
	c->out->only[PIPA_SIDE_B] += (b->n - matched) * b->section->n_columns;
	return rc;
}

static int compare_series(const struct comparing *c)
{
	const struct pipa_series_set *a = c->sides[PIPA_SIDE_A].series;
	const struct pipa_series_set *b = c->sides[PIPA_SIDE_B].series;
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < a->groups.n; i++) {
		const struct pipa_series_group *group = &a->groups.items[i];
		ptrdiff_t other = pipa_series_main_group(b, group->section->name);

		if (!is_main_group(a, i))
			continue;
		if (other < 0)
			c->out->only[PIPA_SIDE_A] += group->n * group->section->n_columns;
		else
			rc = compare_group(c, i, (size_t)other);
	}
	for (i = 0; i < b->groups.n; i++)
		if (is_main_group(b, i) &&
		    pipa_series_main_group(a, b->groups.items[i].section->name) < 0)
			c->out->only[PIPA_SIDE_B] += b->groups.items[i].n *
						     b->groups.items[i].section->n_columns;
	return rc;
}

/* ---- verdicts ------------------------------------------------------------------------------------ */

static bool is_same_text(const struct pipa_compare_row *row)
{
	const char *a = row->sides[PIPA_SIDE_A].text, *b = row->sides[PIPA_SIDE_B].text;

	return a && b && strcmp(a, b) == 0;
}

/* Set difference and percent change; true if the difference would be printed as zero. */
static bool set_change(struct pipa_compare_row *row)
{
	double a = row->sides[PIPA_SIDE_A].value, b = row->sides[PIPA_SIDE_B].value;
	double resolution = 0.5 * pow(10, -row->digits);

	row->difference = b - a;
	if (fabs(a) >= resolution)
		row->percent = 100 * (b - a) / fabs(a);
	return fabs(b - a) < resolution;
}

static enum pipa_compare_verdict verdict_of(const struct pipa_compare_row *row)
{
	if (!row->better)
		return row->difference < 0 ? PIPA_COMPARE_LOWER : PIPA_COMPARE_HIGHER;
	return row->difference * row->better > 0 ? PIPA_COMPARE_BETTER : PIPA_COMPARE_WORSE;
}

static int judge_table(struct pipa_compare_table *table)
{
	PIPA_AUTO(free) struct pipa_p_value *tests = malloc((table->n + 1) * sizeof(*tests));
	size_t i, n = 0;

	if (!tests)
		return -ENOMEM;
	for (i = 0; i < table->n; i++) {
		struct pipa_compare_row *row = &table->items[i];
		bool is_zero = set_change(row);

		row->verdict = is_zero || is_same_text(row) || !isnan(row->p) ?
				       PIPA_COMPARE_SAME :
				       PIPA_COMPARE_UNCLEAR;
		if (isnan(row->p))
			continue;
		table->tested++;
		if (!is_zero)
			tests[n++] = (struct pipa_p_value){ row->p, i };
	}
	table->significant = pipa_holm(tests, n);
	for (i = 0; i < table->significant; i++) {
		struct pipa_compare_row *row = &table->items[tests[i].item];

		row->verdict = verdict_of(row);
	}
	return 0;
}

/* Return how strongly a row differs, relative to the larger value: 0 to 1, or 2 for opposite signs. */
static double relative_change(const struct pipa_compare_row *row)
{
	double larger = fmax(fabs(row->sides[0].value), fabs(row->sides[1].value));

	return larger > 0 ? fabs(row->difference) / larger : 0;
}

/* Order series: significant ones first, the most certain before others, then by the size of the change. */
static int by_weight(const void *x, const void *y)
{
	const struct pipa_compare_row *a = x, *b = y;
	bool moved_a = a->verdict > PIPA_COMPARE_SAME, moved_b = b->verdict > PIPA_COMPARE_SAME;
	double change_a = relative_change(a), change_b = relative_change(b);
	int order;

	if (moved_a != moved_b)
		return moved_a ? -1 : 1;
	if (change_a > change_b || change_a < change_b)
		return change_a > change_b ? -1 : 1;
	order = strcmp(a->section, b->section);
	if (!order)
		order = strcmp(a->key, b->key);
	return order ? order : strcmp(a->instance, b->instance);
}

/* ---- findings ------------------------------------------------------------------------------------ */

static bool has_finding(const struct pipa_findings *findings, size_t rule)
{
	size_t i;

	for (i = 0; i < findings->n; i++)
		if (findings->order[i] == rule)
			return true;
	return false;
}

/* Add the findings of one side that the other has (`both`) or does not have. */
static int add_findings(const struct comparing *c, int side, bool both)
{
	const struct pipa_findings *own = c->sides[side].findings;
	const struct pipa_findings *other = c->sides[!side].findings;
	size_t i;

	for (i = 0; i < own->n; i++) {
		size_t rule = own->order[i];
		struct pipa_compare_finding *finding;

		if (has_finding(other, rule) != both)
			continue;
		finding = PIPA_VEC_ADD(&c->out->findings);
		if (!finding)
			return -ENOMEM;
		finding->rule = rule;
		finding->change = both		      ? PIPA_FINDING_STAYED :
				  side == PIPA_SIDE_B ? PIPA_FINDING_APPEARED :
							PIPA_FINDING_VANISHED;
		finding->states[side] = own->results[rule].state;
		finding->states[!side] = rule < other->n_results ? other->results[rule].state :
								   PIPA_RULE_UNKNOWN;
	}
	return 0;
}

static int compare_findings(const struct comparing *c)
{
	int rc;

	if (!c->sides[PIPA_SIDE_A].findings || !c->sides[PIPA_SIDE_B].findings)
		return 0;
	rc = add_findings(c, PIPA_SIDE_B, false);
	if (!rc)
		rc = add_findings(c, PIPA_SIDE_A, false);
	return rc ? rc : add_findings(c, PIPA_SIDE_B, true);
}

int pipa_compare(const struct pipa_compare_side sides[static PIPA_SIDES],
		 struct pipa_comparison *ret)
{
	const struct comparing c = { sides, ret };
	struct pipa_compare_table *series = &ret->tables[PIPA_COMPARE_SERIES];
	size_t i;
	int rc = compare_summary(&c);

	if (!rc)
		rc = compare_metrics(&c);
	if (!rc)
		rc = compare_variables(&c);
	if (!rc)
		rc = compare_series(&c);
	for (i = 0; !rc && i < PIPA_COMPARE_TABLES; i++)
		rc = judge_table(&ret->tables[i]);
	if (!rc && series->n)
		qsort(series->items, series->n, sizeof(*series->items), by_weight);
	if (!rc)
		rc = compare_findings(&c);
	if (!rc && sides[PIPA_SIDE_A].facts && sides[PIPA_SIDE_B].facts)
		rc = pipa_compare_facts(sides[PIPA_SIDE_A].facts, sides[PIPA_SIDE_B].facts, ret);
	if (!rc)
		pipa_compare_warn(sides, ret);
	return rc;
}
