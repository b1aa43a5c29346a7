#include "analyze/count/metrics.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "model/event.h"

#define SHOWN .shown = PIPA_METRIC_DEFAULT
#define EXTRA .shown = PIPA_METRIC_EXTRA
#define PERCENT .style = PIPA_STYLE_PERCENT, .digits = 2
#define GROUPED .grouped = true

/* Share of accesses that missed, shown beside the misses. */
#define MISS_RATE(label, group_name, misses, accesses, of)                                         \
	{                                                                                          \
		label, group_name, misses, "100 * [" misses "] / [" accesses "]", "of all " of,    \
			"share of " of " that missed", PERCENT, SHOWN                              \
	}
/* Misses per 1000 instructions. */
#define MPKI(label, group_name, misses)                                                            \
	{                                                                                          \
		label, group_name, misses, "1000 * [" misses "] / [instructions]",                 \
			misses " per 1000 insn", misses " per 1000 instructions", .digits = 2      \
	}
/* The four level-1 shares of pipeline slots. */
#define TOPDOWN(label, anchor_event, formula, text)                                                \
	{                                                                                          \
		label, "topdown", anchor_event, formula, text, "share of pipeline slots: " text,   \
			PERCENT, GROUPED                                                           \
	}
#define WATTS(label, event)                                                                        \
	{                                                                                          \
		label, "energy", event, "[" event "] / elapsed", "W", "mean power of " event,      \
			.digits = 2, EXTRA                                                         \
	}

#define OLD_SLOTS "[topdown-total-slots]"

static const struct pipa_metric table[] = {
	{ "cpus_utilized", "basic", "task-clock", "clock / elapsed", "CPUs utilized",
	  "CPUs utilized on average", .digits = 3, SHOWN },
	{ "cpus_utilized", "basic", "cpu-clock", "clock / elapsed", "CPUs utilized",
	  "CPUs utilized on average", .digits = 3, SHOWN },
	{ "ghz", "basic", "cycles", "[cycles] / clock / 1000000000", "GHz",
	  "cycles per second of CPU time", .digits = 3, SHOWN },
	{ "ipc", "basic", "instructions", "[instructions] / [cycles]", "insn per cycle",
	  "instructions per cycle", .digits = 2, SHOWN },
	{ "cpi", "basic", "instructions", "[cycles] / [instructions]", "cycles per insn",
	  "cycles per instruction", .digits = 2, EXTRA },
	{ "ref_ratio", "basic", "cycles", "[cycles] / [ref-cycles]", "of reference clock",
	  "actual over reference frequency", .digits = 2 },

	MISS_RATE("branch_miss_rate", "branch", "branch-misses", "branches", "branches"),
	MPKI("branch_mpki", "branch", "branch-misses"),

	MISS_RATE("cache_miss_rate", "cache", "cache-misses", "cache-references", "cache refs"),
	MISS_RATE("l1d_miss_rate", "cache", "L1-dcache-load-misses", "L1-dcache-loads",
		  "L1-dcache accesses"),
	MISS_RATE("l1i_miss_rate", "cache", "L1-icache-load-misses", "L1-icache-loads",
		  "L1-icache accesses"),
	MISS_RATE("llc_miss_rate", "cache", "LLC-load-misses", "LLC-loads", "LL-cache accesses"),
	MPKI("cache_mpki", "cache", "cache-misses"),
	MPKI("l1d_mpki", "cache", "L1-dcache-load-misses"),
	MPKI("l1i_mpki", "cache", "L1-icache-load-misses"),
	MPKI("llc_mpki", "cache", "LLC-load-misses"),

	MISS_RATE("dtlb_miss_rate", "tlb", "dTLB-load-misses", "dTLB-loads", "dTLB cache accesses"),
	MISS_RATE("itlb_miss_rate", "tlb", "iTLB-load-misses", "iTLB-loads", "iTLB cache accesses"),
	MPKI("dtlb_mpki", "tlb", "dTLB-load-misses"),
	MPKI("itlb_mpki", "tlb", "iTLB-load-misses"),

	{ "frontend_stall", "stall", "stalled-cycles-frontend",
	  "100 * [stalled-cycles-frontend] / [cycles]", "frontend cycles idle",
	  "cycles in which the front end delivered no uops", PERCENT, SHOWN },
	{ "backend_stall", "stall", "stalled-cycles-backend",
	  "100 * [stalled-cycles-backend] / [cycles]", "backend cycles idle",
	  "cycles in which the back end accepted no uops", PERCENT, SHOWN },

	/*
	 * Intel since Ice Lake: the four shares are counters of their own, with `slots` as group
	 * leader
	 */
	TOPDOWN("retiring", "topdown-retiring", "100 * [topdown-retiring] / [slots]", "retiring"),
	TOPDOWN("bad_speculation", "topdown-bad-spec", "100 * [topdown-bad-spec] / [slots]",
		"bad speculation"),
	TOPDOWN("frontend_bound", "topdown-fe-bound", "100 * [topdown-fe-bound] / [slots]",
		"frontend bound"),
	TOPDOWN("backend_bound", "topdown-be-bound", "100 * [topdown-be-bound] / [slots]",
		"backend bound"),
	/* Intel before that: computed from issued and retired slots, bubbles and recoveries */
	TOPDOWN("retiring", "topdown-slots-retired", "100 * [topdown-slots-retired] / " OLD_SLOTS,
		"retiring"),
	TOPDOWN("bad_speculation", "topdown-recovery-bubbles",
		"100 * ([topdown-slots-issued] - [topdown-slots-retired] + "
		"[topdown-recovery-bubbles]) / " OLD_SLOTS,
		"bad speculation"),
	TOPDOWN("frontend_bound", "topdown-fetch-bubbles",
		"100 * [topdown-fetch-bubbles] / " OLD_SLOTS, "frontend bound"),
	TOPDOWN("backend_bound", "topdown-total-slots",
		"100 * (" OLD_SLOTS " - [topdown-fetch-bubbles] - [topdown-slots-issued] - "
		"[topdown-recovery-bubbles]) / " OLD_SLOTS,
		"backend bound"),
	/* Arm since Neoverse V1: stalled slots over slots; slots per cycle are those not stalled */
	TOPDOWN("frontend_bound", "stall_slot_frontend",
		"100 * [stall_slot_frontend] / ([stall_slot] + [op_spec])", "frontend bound"),
	TOPDOWN("backend_bound", "stall_slot_backend",
		"100 * [stall_slot_backend] / ([stall_slot] + [op_spec])", "backend bound"),
	TOPDOWN("retiring", "op_retired", "100 * [op_retired] / ([stall_slot] + [op_spec])",
		"retiring"),
	TOPDOWN("bad_speculation", "op_spec",
		"100 * ([op_spec] - [op_retired]) / ([stall_slot] + [op_spec])", "bad speculation"),

	WATTS("package_power", "energy-pkg"),
	WATTS("core_power", "energy-cores"),
	WATTS("memory_power", "energy-ram"),
	WATTS("graphics_power", "energy-gpu"),
	WATTS("platform_power", "energy-psys"),

	{ "faults_per_second", "system", "page-faults", "[page-faults] / elapsed", "faults/sec",
	  "page faults per second of wall time", .digits = 1 },
	{ "switches_per_second", "system", "context-switches", "[context-switches] / elapsed",
	  "switches/sec", "context switches per second of wall time", .digits = 1 },
	{ "migrations_per_second", "system", "cpu-migrations", "[cpu-migrations] / elapsed",
	  "migrations/sec", "CPU migrations per second of wall time", .digits = 1 },
};

const struct pipa_metric *pipa_metrics(size_t *ret_n)
{
	*ret_n = PIPA_COUNT(table);
	return table;
}

void pipa_metric_uses_done(struct pipa_metric_uses *uses)
{
	size_t i;

	for (i = 0; i < uses->n; i++)
		free(uses->items[i].owned);
	free(uses->items);
	*uses = (struct pipa_metric_uses){ 0 };
}

const char *pipa_metric_anchor(const struct pipa_metric_use *use)
{
	size_t i;

	if (use->metric.anchor)
		return use->metric.anchor;
	for (i = use->expr.n_names; i > 0; i--)
		if (use->expr.names[i - 1].is_event)
			return use->expr.names[i - 1].text;
	return NULL;
}

static int add_use(struct pipa_metric_uses *uses, const struct pipa_metric *metric,
		   struct pipa_error *err)
{
	struct pipa_metric_use *use = PIPA_VEC_ADD(uses);

	if (!use)
		return pipa_fail(err, -ENOMEM, "set up metric %s", metric->name);
	use->metric = *metric;
	return pipa_expr_parse(metric->expr, &use->expr, err);
}

static bool is_among(const struct pipa_events *events, const char *key)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (strcmp(events->items[i].key, key) == 0)
			return true;
	return false;
}

int pipa_metric_uses_default(struct pipa_metric_uses *uses, const struct pipa_events *events,
			     struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(table); i++)
		if (table[i].shown != PIPA_METRIC_ASKED && is_among(events, table[i].anchor))
			rc = add_use(uses, &table[i], err);
	return rc;
}

struct event_finder {
	bool (*has_event)(void *ctx, const char *event);
	void *ctx;
};

static bool is_available(const struct pipa_metric *metric, const struct event_finder *finder)
{
	struct pipa_expr expr;
	size_t i;

	if (pipa_expr_parse(metric->expr, &expr, NULL) < 0)
		return false;
	for (i = 0; i < expr.n_names; i++)
		if (expr.names[i].is_event && !finder->has_event(finder->ctx, expr.names[i].text))
			return false;
	return true;
}

static bool is_used(const struct pipa_metric_uses *uses, const char *name)
{
	size_t i;

	for (i = 0; i < uses->n; i++)
		if (strcmp(uses->items[i].metric.name, name) == 0)
			return true;
	return false;
}

/*
 * Add metrics by the name of a metric or group. *ret_known: the name exists; *ret_used: its events
 * are counted.
 */
static int add_by_name(struct pipa_metric_uses *uses, const char *name,
		       const struct event_finder *finder, bool *ret_known, bool *ret_used,
		       struct pipa_error *err)
{
	size_t i;
	int rc = 0;

	*ret_known = *ret_used = false;
	for (i = 0; !rc && i < PIPA_COUNT(table); i++) {
		const struct pipa_metric *metric = &table[i];

		if (strcmp(metric->name, name) != 0 && strcmp(metric->group, name) != 0)
			continue;
		*ret_known = true;
		if (!is_used(uses, metric->name) && is_available(metric, finder))
			rc = add_use(uses, metric, err);
		*ret_used |= is_used(uses, metric->name);
	}
	return rc;
}

/* Add "[name=]EXPR": shown beside the last event it uses, as perf does. */
static int add_expression(struct pipa_metric_uses *uses, const char *text, struct pipa_error *err)
{
	struct pipa_metric_use *use = PIPA_VEC_ADD(uses);
	char *equals;
	int rc;

	if (!use || !(use->owned = strdup(text))) {
		if (use)
			uses->n--;
		return pipa_fail(err, -ENOMEM, "set up metric %s", text);
	}
	equals = strpbrk(use->owned, "=["); /* an equals sign in brackets belongs to an event */
	if (equals && *equals == '[')
		equals = NULL;
	if (equals)
		*equals = '\0';
	use->metric = (struct pipa_metric){
		.name = use->owned,
		.unit = use->owned,
		.group = "asked",
		.expr = equals ? equals + 1 : use->owned,
		.help = "selected",
		.digits = 4,
	};
	rc = pipa_expr_parse(use->metric.expr, &use->expr, err);
	if (!rc && !pipa_metric_anchor(use)) {
		pipa_refuse(err, -EINVAL, "metric '%s' uses no event", text);
		rc = pipa_hint(err, "write events in brackets: [instructions] / [cycles]");
	}
	return rc;
}

static int unknown_metric(const char *name, struct pipa_error *err)
{
	struct pipa_nearest near = { .wanted = name };
	char hint[200];
	size_t i;

	for (i = 0; i < PIPA_COUNT(table); i++) {
		pipa_nearest_offer(&near, table[i].name);
		pipa_nearest_offer(&near, table[i].group);
	}
	pipa_refuse(err, -ENOENT, "unknown metric '%s'", name);
	if (near.n)
		return pipa_hint(err, "%s", pipa_nearest_hint(&near, hint, sizeof(hint)));
	return pipa_hint(err, "list known ones with: pipa list metric");
}

int pipa_metric_uses_ask(struct pipa_metric_uses *uses, const char *text,
			 bool (*has_event)(void *ctx, const char *event), void *ctx,
			 struct pipa_error *err)
{
	struct event_finder finder = { has_event, ctx };
	PIPA_AUTO(free) char *copy = strdup(text);
	char *rest = copy, *word;
	bool known, used;
	int rc = 0;

	if (!copy)
		return pipa_fail(err, -ENOMEM, "set up metrics");
	uses->asked = true;
	while (!rc && (word = strsep(&rest, ","))) {
		if (strpbrk(word, "[=")) {
			rc = add_expression(uses, word, err);
			continue;
		}
		rc = add_by_name(uses, word, &finder, &known, &used, err);
		if (!rc && !known)
			rc = unknown_metric(word, err);
		if (!rc && !used) {
			pipa_refuse(err, -EOPNOTSUPP,
				    "this machine lacks the events of metric '%s'", word);
			rc = pipa_hint(err,
				       "see which metrics it can compute with: pipa list metric");
		}
	}
	return rc;
}
