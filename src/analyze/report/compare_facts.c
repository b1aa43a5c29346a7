/* Differences of the machines and lengths of two measurements, and the warnings on them. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/compare.h"
#include "base/auto.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "model/facts.h"
#include "model/rules.h"
#include "model/run.h"

enum { ENOUGH_INTERVALS = 30, MAX_FACTS = 500 };

/*
 * Sections of facts (docs/format/spec-info.md) that decide how a machine performs, and the keys of them that
 * are compared. Usage, addresses and interrupts differ between any two measurements.
 */
static const struct {
	const char *section;
	const char *keys;    /* patterns */
	const char *except;  /* patterns */
	const char *machine; /* patterns of keys that are the identity of the machine */
} compared[] = {
	{ "os_info", "PRETTY_NAME", "", "" },
	{ "kernel_version", "version", "", "version" },
	{ "cpu_info", "*", "BogoMIPS",
	  "Model name,Architecture,CPU(s),Thread(s) per core,Socket(s)" },
	{ "numa_info", "*", "", "numa_topology*" },
	{ "cpu_governor", "*", "", "*" },
	{ "memory_info", "MemTotal,SwapTotal,HugePages_Total,Hugepagesize", "", "MemTotal" },
	{ "disk_info", "*", "*fs_usage*", "" },
	{ "io_scheduler", "*", "", "" },
	{ "kernel_parameters", "*", "", "" },
	{ "ulimit_info", "*", "", "" },
	{ "bios_hardware_info", "*", "", "" },
};

struct facts_compare {
	struct pipa_comparison *out;
	size_t rule; /* index in compared[] */
	int status;
};

static void compare_entries(struct facts_compare *c, const struct pipa_fact *a,
			    const struct pipa_fact *b, const char *path);

/* Append the entries of a list or map as text: "performance, schedutil". */
static void put_fact(const struct pipa_fact *fact, struct pipa_buf *out)
{
	const struct pipa_fact *entry;

	switch (fact->kind) {
	case PIPA_FACT_TEXT: pipa_buf_puts(out, fact->text); return;
	case PIPA_FACT_NUMBER: pipa_buf_printf(out, "%" PRIu64, fact->number); return;
	case PIPA_FACT_LIST:
	case PIPA_FACT_MAP: break;
	}
	for (entry = fact->first; entry; entry = entry->next) {
		if (entry != fact->first)
			pipa_buf_puts(out, ", ");
		if (entry->key)
			pipa_buf_printf(out, "%s: ", entry->key);
		put_fact(entry, out);
	}
}

static const char *fact_text(struct facts_compare *c, const struct pipa_fact *fact)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { .max = 64 << 10 };
	const char *copy;

	if (!fact)
		return "";
	put_fact(fact, &text);
	copy = pipa_arena_text(&c->out->arena, pipa_buf_str(&text), text.len);
	if (!copy)
		c->status = -ENOMEM;
	return copy;
}

static void compare_leaves(struct facts_compare *c, const struct pipa_fact *a,
			   const struct pipa_fact *b, const char *path)
{
	const char *texts[PIPA_SIDES] = { fact_text(c, a), fact_text(c, b) };
	struct pipa_compare_fact *fact;

	if (c->status || strcmp(texts[0], texts[1]) == 0 || c->out->facts.n == MAX_FACTS)
		return;
	fact = PIPA_VEC_ADD(&c->out->facts);
	if (!fact) {
		c->status = -ENOMEM;
		return;
	}
	fact->section = compared[c->rule].section;
	fact->key = pipa_arena_text(&c->out->arena, path, strlen(path));
	memcpy(fact->sides, texts, sizeof(fact->sides));
	fact->is_machine = pipa_str_listed(compared[c->rule].machine, path, true);
	if (!fact->key)
		c->status = -ENOMEM;
}

/* Return the entry of a list of maps with the same "name", else of the same key. */
static const struct pipa_fact *find_same(const struct pipa_fact *in, const struct pipa_fact *entry)
{
	const struct pipa_fact *name = entry->kind == PIPA_FACT_MAP ?
					       pipa_fact_find(entry, "name") :
					       NULL;
	const struct pipa_fact *other, *its;

	if (!in)
		return NULL;
	if (entry->key)
		return in->kind == PIPA_FACT_MAP ? pipa_fact_find(in, entry->key) : NULL;
	for (other = in->first; name && name->kind == PIPA_FACT_TEXT && other;
	     other = other->next) {
		its = other->kind == PIPA_FACT_MAP ? pipa_fact_find(other, "name") : NULL;
		if (its && its->kind == PIPA_FACT_TEXT && strcmp(its->text, name->text) == 0)
			return other;
	}
	return NULL;
}

/* Are the entries of a list maps with names, which are compared one by one? */
static bool is_named_list(const struct pipa_fact *fact)
{
	return fact && fact->kind == PIPA_FACT_LIST && fact->first &&
	       fact->first->kind == PIPA_FACT_MAP && pipa_fact_find(fact->first, "name");
}

static void compare_pair(struct facts_compare *c, const struct pipa_fact *a,
			 const struct pipa_fact *b, const char *path)
{
	const struct pipa_fact *any = a ? a : b;

	if (!pipa_str_listed(compared[c->rule].keys, path, true) ||
	    pipa_str_listed(compared[c->rule].except, path, true))
		return;
	if ((any->kind == PIPA_FACT_MAP && (!a || !b || a->kind == b->kind)) || is_named_list(any))
		compare_entries(c, a, b, path);
	else
		compare_leaves(c, a, b, path);
}

/* Compare the entries of a, then those that only b has. Facts are files of a user: the depth is limited. */
static void compare_entries(struct facts_compare *c, const struct pipa_fact *a,
			    const struct pipa_fact *b, const char *path)
{
	const struct pipa_fact *const sides[PIPA_SIDES] = { a, b };
	int side;

	for (side = 0; side < PIPA_SIDES; side++) {
		const struct pipa_fact *entry, *other, *name;

		for (entry = sides[side] ? sides[side]->first : NULL; entry && !c->status;
		     entry = entry->next) {
			char below[256];

			other = find_same(sides[!side], entry);
			if (other && side == PIPA_SIDE_B)
				continue; /* was compared from the other side */
			name = entry->key || entry->kind != PIPA_FACT_MAP ?
				       NULL :
				       pipa_fact_find(entry, "name");
			if (snprintf(below, sizeof(below), "%s%s%s", path, path[0] ? "." : "",
				     entry->key ? entry->key :
				     name && name->kind == PIPA_FACT_TEXT ?
						  name->text :
						  "") >= (int)sizeof(below))
				continue;
			compare_pair(c, side ? other : entry, side ? entry : other, below);
		}
	}
}

int pipa_compare_facts(const struct pipa_facts *a, const struct pipa_facts *b,
		       struct pipa_comparison *ret)
{
	struct facts_compare c = { .out = ret };

	for (c.rule = 0; c.rule < PIPA_COUNT(compared) && !c.status; c.rule++) {
		const struct pipa_fact *x = pipa_fact_find(&a->top, compared[c.rule].section);
		const struct pipa_fact *y = pipa_fact_find(&b->top, compared[c.rule].section);

		if (x && y && x->kind == PIPA_FACT_MAP && y->kind == PIPA_FACT_MAP)
			compare_entries(&c, x, y, "");
	}
	return c.status;
}

/* ---- warnings ------------------------------------------------------------------------------------ */

/* One row per warning: name for keys, then sentences in all languages. */
static const struct {
	const char *name;
	const char *texts[PIPA_LANGUAGE_NR];
} warnings[PIPA_WARNINGS] = {
	[PIPA_WARNING_MACHINE] = { "machine",
				   { "The machines differ: changes may come from them.",
				     "两台机器不同：变化可能由机器差异引起。" } },
	[PIPA_WARNING_NO_FACTS] = { "no_facts",
				    { "A side has no description of its machine: whether both were measured on "
				      "equal machines is unknown.",
				      "有一方没有机器描述：无法确认两次测量的机器是否相同。" } },
	[PIPA_WARNING_DURATION] = { "duration",
				    { "The steady phases differ in length by more than a quarter: totals are "
				      "not comparable, means and rates are.",
				      "稳定阶段的长度相差超过四分之一：总量不可比，均值和速率可比。" } },
	[PIPA_WARNING_SHORT] = { "short",
				 { "A steady phase has fewer than 30 intervals: only large changes are found.",
				   "稳定阶段少于 30 个采样间隔：只能发现较大的变化。" } },
	[PIPA_WARNING_NO_STEADY] = { "no_steady",
				     { "A side has no steady phase: its whole time is used, start and end "
				       "included.",
				       "有一方没有稳定阶段：使用全部时间，包含启动和结束阶段。" } },
	[PIPA_WARNING_INTERVAL] = { "interval",
				    { "The statistics have intervals of different lengths: maxima and "
				      "percentiles are not comparable.",
				      "统计间隔的长度不同：最大值和百分位数不可比。" } },
	[PIPA_WARNING_WORKLOAD] = { "workload",
				    { "The workloads have different names.",
				      "工作负载的名称不同。" } },
	[PIPA_WARNING_NO_COMMON] = { "no_common",
				     { "No series is on both sides: only metrics, findings and functions are "
				       "compared.",
				       "双方没有共同的时间序列：只比较指标、结论和函数。" } },
	[PIPA_WARNING_ONE_RUN] = { "one_run",
				   { "One run on each side: significance is that of the change within these "
				     "two measurements. How much runs of the same workload differ is not known; "
				     "measure several times before you conclude.",
				     "双方各只有一次测量：显著性只针对这两次测量内部的波动。同一负载多次运行之间的差异未知，"
				     "下结论前请多次测量。" } },
};

const char *pipa_compare_warning_name(enum pipa_compare_warning warning)
{
	return warnings[warning].name;
}

const char *pipa_compare_warning_text(enum pipa_compare_warning warning,
				      enum pipa_language language)
{
	return warnings[warning].texts[language];
}

/* Return the group whose intervals stand for a side: that of the CPUs, else the one with the most intervals. */
static const struct pipa_series_group *time_group(const struct pipa_series_set *set)
{
	static const char *const sections[] = { "cpu", "cpu-short" };
	const struct pipa_series_group *best = NULL;
	size_t i;

	for (i = 0; i < PIPA_COUNT(sections); i++) {
		ptrdiff_t group = pipa_series_main_group(set, sections[i]);

		if (group >= 0)
			return &set->groups.items[group];
	}
	for (i = 0; i < set->groups.n; i++)
		if (!best || set->groups.items[i].n_ticks > best->n_ticks)
			best = &set->groups.items[i];
	return best;
}

/* Set length and mean interval of the steady phase; returns its number of intervals. */
static size_t measure_side(const struct pipa_compare_side *side, double *ret_steady_s,
			   double *ret_interval_s)
{
	const struct pipa_series_group *group = time_group(side->series);
	const struct pipa_series_axis *axis = group ? pipa_series_axis_of(side->series, group) :
						      NULL;
	size_t from, i, n;

	*ret_steady_s = 0;
	*ret_interval_s = 0;
	if (!axis)
		return 0;
	n = pipa_series_group_range(side->series, group, &side->phases->steady, &from);
	for (i = from; i < from + n; i++)
		*ret_steady_s += (double)axis->interval_s[i];
	if (n)
		*ret_interval_s = *ret_steady_s / (double)n;
	return n;
}

static bool differ_by(double a, double b, double factor)
{
	return a > 0 && b > 0 && (a > factor * b || b > factor * a);
}

void pipa_compare_warn(const struct pipa_compare_side sides[static PIPA_SIDES],
		       struct pipa_comparison *ret)
{
	const struct pipa_run *a = sides[PIPA_SIDE_A].run, *b = sides[PIPA_SIDE_B].run;
	size_t i, intervals[PIPA_SIDES];

	for (i = 0; i < PIPA_SIDES; i++) {
		intervals[i] = measure_side(&sides[i], &ret->steady_s[i], &ret->interval_s[i]);
		if (!sides[i].facts)
			ret->warnings[PIPA_WARNING_NO_FACTS] = true;
		if (sides[i].phases->reason == PIPA_PHASES_NO_LEVEL)
			ret->warnings[PIPA_WARNING_NO_STEADY] = true;
		if (intervals[i] && intervals[i] < ENOUGH_INTERVALS)
			ret->warnings[PIPA_WARNING_SHORT] = true;
	}
	for (i = 0; i < ret->facts.n; i++)
		if (ret->facts.items[i].is_machine)
			ret->warnings[PIPA_WARNING_MACHINE] = true;
	ret->warnings[PIPA_WARNING_DURATION] = differ_by(ret->steady_s[0], ret->steady_s[1], 1.25);
	ret->warnings[PIPA_WARNING_INTERVAL] = differ_by(ret->interval_s[0], ret->interval_s[1],
							 1.1);
	ret->warnings[PIPA_WARNING_NO_COMMON] = !ret->tables[PIPA_COMPARE_SERIES].n;
	/* without a command, the name of a workload is that of its file */
	ret->warnings[PIPA_WARNING_WORKLOAD] = a && b && a->command && b->command && a->workload &&
					       b->workload && strcmp(a->workload, b->workload) != 0;
	ret->warnings[PIPA_WARNING_ONE_RUN] = !a || !b || a->runs < 2 || b->runs < 2;
}
