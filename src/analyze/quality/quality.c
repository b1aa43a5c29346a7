#include "analyze/quality/quality.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/series/percentile.h"
#include "analyze/series/series_summary.h"
#include "base/auto.h"
#include "base/vec.h"
#include "model/counter_section.h"

enum { MAX_DEFECTS = 1000 };

/* Intervals that show whether a load lasts. */
enum { ENOUGH_INTERVALS = 5 };

/* Counts of a counter that ran for less of the time than this are estimates. */
#define RUNNING_ENOUGH 90.0

static const struct {
	const char *name;
	double weight; /* loss of confidence if all data is affected */
	const char *effect[PIPA_LANGUAGE_NR];
} kinds[PIPA_DEFECT_NR] = {
	[PIPA_DEFECT_GAP] = { "gap",
			      1,
			      { "Intervals are missing; means and percentiles leave them out.",
				"缺少若干采样间隔；均值和百分位数不包含它们。" } },
	[PIPA_DEFECT_DUPLICATE] = { "duplicate",
				    0.5,
				    { "Rows repeat a time; the first of each is used.",
				      "有重复时间的行；每个时间只使用第一行。" } },
	[PIPA_DEFECT_CLOCK_BACK] = { "clock_back",
				     1,
				     { "The clock was set back; rows of times that were covered already "
				       "are dropped.",
				       "时钟被回拨；时间已覆盖的行被丢弃。" } },
	[PIPA_DEFECT_CLOCK_JUMP] = { "clock_jump",
				     1,
				     { "The clock was adjusted within an interval; times near it are "
				       "uncertain.",
				       "时钟在某个间隔内被调整；其附近的时间不准确。" } },
	[PIPA_DEFECT_RESTART] = { "restart",
				  0.5,
				  { "The machine or the collector was restarted; series on both sides "
				    "may differ.",
				    "机器或采集程序曾重启；前后的序列可能不同。" } },
	[PIPA_DEFECT_SUSPENDED] = { "suspended",
				    0.5,
				    { "The machine was suspended; rates refer to the time awake.",
				      "机器曾挂起；速率只按运行时间计算。" } },
	[PIPA_DEFECT_LATE] = { "late",
			       1,
			       { "The collector missed intervals; longer ones hide short peaks.",
				 "采集程序错过了若干间隔；更长的间隔会掩盖短暂的峰值。" } },
	[PIPA_DEFECT_MULTIPLEXED] = { "multiplexed",
				      0.8,
				      { "The counter ran for a part of the time; its counts are scaled "
					"estimates. Use fewer events per group.",
					"计数器只运行了部分时间；其计数是按比例估算的。请减少每组的事件数。" } },
	[PIPA_DEFECT_NOT_COUNTED] = { "not_counted",
				      1,
				      { "The counter has intervals without a count.",
					"计数器在某些间隔内没有计数。" } },
	[PIPA_DEFECT_NEGATIVE] = { "negative",
				   1,
				   { "Values are negative, which is impossible; they are treated as "
				     "missing.",
				     "出现不可能的负值；按缺失处理。" } },
	[PIPA_DEFECT_OVER_100] = { "over_100",
				   1,
				   { "Percentages are above 100; they are treated as missing.",
				     "百分比超过 100；按缺失处理。" } },
	[PIPA_DEFECT_COUNTER_RESET] = { "counter_reset",
					1,
					{ "Values are beyond any machine, as after the reset of a "
					  "counter; they are treated as missing.",
					  "数值超出任何机器的可能，例如计数器被复位后；按缺失处理。" } },
	[PIPA_DEFECT_LOST_SAMPLES] = { "lost_samples",
				       1,
				       { "Samples were lost; functions that ran meanwhile are "
					 "underrepresented.",
					 "丢失了采样；当时运行的函数占比偏低。" } },
	[PIPA_DEFECT_THROTTLED] = { "throttled",
				    0.5,
				    { "The kernel throttled sampling; busy times are "
				      "underrepresented.",
				      "内核限制了采样频率；繁忙时段占比偏低。" } },
	[PIPA_DEFECT_FEW_INTERVALS] = { "few_intervals",
					0.6,
					{ "There are fewer than five intervals; a short peak looks like a "
					  "lasting load. Measure longer, or at shorter intervals.",
					  "采样间隔不足五个；短暂的峰值看起来与持续的负载相同。请延长测量时间或缩短间隔。" } },
	[PIPA_DEFECT_NO_CLOCK] = { "no_clock",
				   0.2,
				   { "The start of the series is not recorded; it is aligned by the "
				     "start of the statistics.",
				     "没有记录序列的开始时间；按统计数据的开始时间对齐。" } },
};

const char *pipa_defect_name(enum pipa_defect_kind kind)
{
	return kinds[kind].name;
}

const char *pipa_defect_effect(enum pipa_defect_kind kind, enum pipa_language language)
{
	return kinds[kind].effect[language];
}

void pipa_quality_done(struct pipa_quality *quality)
{
	free(quality->items);
	pipa_arena_done(&quality->arena);
	*quality = (struct pipa_quality){ 0 };
}

/* Add a defect with copies of its strings. Beyond the limit it is only counted. */
static int add_defect(struct pipa_quality *q, struct pipa_defect defect)
{
	struct pipa_defect *added;

	if (!defect.count)
		return 0;
	if (q->n == MAX_DEFECTS) {
		q->unlisted++;
		return 0;
	}
	defect.share = defect.share >= 0 && defect.share <= 1 ? defect.share : 1;
	defect.section = pipa_arena_text(&q->arena, defect.section, strlen(defect.section));
	defect.instance = defect.instance ? pipa_arena_text(&q->arena, defect.instance,
							    strlen(defect.instance)) :
					    "";
	defect.column = defect.column ? defect.column : "";
	added = defect.section && defect.instance ? PIPA_VEC_ADD(q) : NULL;
	if (!added)
		return -ENOMEM;
	*added = defect;
	return 0;
}

/* ---- times ---------------------------------------------------------------------------------- */

/*
 * Return the usual interval in seconds: the median distance of the interval ends, but not less than the median length,
 * because the last of a few intervals may be a part of one; NaN for fewer than two.
 */
static int find_usual_interval(const struct pipa_series_axis *axis, double *ret)
{
	PIPA_AUTO(free) double *steps = axis->n > 1 ? malloc((axis->n - 1) * sizeof(*steps)) : NULL;
	size_t i;

	*ret = NAN;
	if (axis->n < 2)
		return 0;
	if (!steps)
		return -ENOMEM;
	for (i = 1; i < axis->n; i++)
		steps[i - 1] = (double)(axis->wall_ns[i] - axis->wall_ns[i - 1]) / 1e9;
	*ret = pipa_percentile(steps, axis->n - 1, 50);
	for (i = 1; i < axis->n; i++)
		steps[i - 1] = (double)axis->interval_s[i - 1];
	*ret = fmax(*ret, pipa_percentile(steps, axis->n - 1, 50));
	return 0;
}

/* Extend a defect by an occurrence. */
static void note_span(struct pipa_defect *defect, uint64_t from_ns, uint64_t until_ns,
		      uint64_t count)
{
	if (!defect->count)
		defect->from_ns = from_ns;
	defect->until_ns = until_ns;
	defect->count += count;
}

/*
 * Find gaps and clock jumps: a step of more than one and a half usual intervals misses intervals;
 * one that is shorter than half the interval that the collector measured is a jump of the clock.
 */
static int check_axis(struct pipa_quality *q, const struct pipa_series_set *set, size_t group)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, g);
	struct pipa_defect gap = { .kind = PIPA_DEFECT_GAP,
				   .group = group,
				   .section = g->section->name };
	struct pipa_defect jump = { .kind = PIPA_DEFECT_CLOCK_JUMP,
				    .group = group,
				    .section = g->section->name };
	double usual;
	size_t i;
	int rc = find_usual_interval(axis, &usual);

	for (i = 1; !rc && usual > 0 && i < g->n_ticks; i++) {
		double step = (double)(axis->wall_ns[i] - axis->wall_ns[i - 1]) / 1e9;
		double length = (double)axis->interval_s[i];

		if (step > 1.5 * usual)
			note_span(&gap, axis->wall_ns[i - 1], axis->wall_ns[i],
				  (uint64_t)fmin(fmax(round(step / usual) - 1, 1), 1e15));
		else if (length > 0 && step < length / 2 && length < 2 * usual + 1)
			note_span(&jump, axis->wall_ns[i - 1], axis->wall_ns[i], 1);
	}
	gap.share = (double)gap.count / (double)(gap.count + g->n_ticks);
	jump.share = (double)jump.count / (double)(g->n_ticks ? g->n_ticks : 1);
	if (!rc)
		rc = add_defect(q, gap);
	return rc ? rc : add_defect(q, jump);
}

/* Convert the counts that the series set has made while rows were added. */
static int check_rows(struct pipa_quality *q, const struct pipa_series_set *set, size_t group)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	double rows = (double)g->n * (double)g->n_ticks + 1, ticks = (double)g->n_ticks + 1;
	const struct pipa_defect found[] = {
		{ .kind = PIPA_DEFECT_DUPLICATE,
		  .from_ns = g->first_duplicate_ns,
		  .until_ns = g->first_duplicate_ns,
		  .count = g->duplicates,
		  .share = (double)g->duplicates / (rows + (double)g->duplicates),
		  .is_repaired = true },
		{ .kind = PIPA_DEFECT_CLOCK_BACK,
		  .from_ns = g->first_backward_ns,
		  .until_ns = g->first_backward_ns,
		  .count = g->backwards,
		  .share = (double)g->backwards / (rows + (double)g->backwards) },
		{ .kind = PIPA_DEFECT_SUSPENDED,
		  .count = g->suspended,
		  .share = (double)g->suspended / ticks,
		  .is_repaired = true },
		{ .kind = PIPA_DEFECT_LATE,
		  .count = g->late,
		  .share = (double)g->late / (ticks + (double)g->late) },
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < PIPA_COUNT(found); i++) {
		struct pipa_defect defect = found[i];

		defect.group = group;
		defect.section = g->section->name;
		rc = add_defect(q, defect);
	}
	return rc;
}

static int check_restarts(struct pipa_quality *q, const struct pipa_series_set *set, size_t group)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	struct pipa_defect defect = { .kind = PIPA_DEFECT_RESTART,
				      .group = group,
				      .section = g->section->name };
	size_t i;

	for (i = 0; i < set->restarts.n; i++)
		if (set->restarts.items[i].source == g->source)
			note_span(&defect, set->restarts.items[i].restart.wall_ns,
				  set->restarts.items[i].restart.wall_ns, 1);
	defect.share = (double)defect.count / ((double)g->n_ticks + (double)defect.count);
	return add_defect(q, defect);
}

static int check_clock(struct pipa_quality *q, const struct pipa_series_set *set, size_t group)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	enum pipa_series_clock clock = set->sources.items[g->source].clock;

	if (clock == PIPA_CLOCK_UTC)
		return 0;
	return add_defect(q, (struct pipa_defect){ .kind = PIPA_DEFECT_NO_CLOCK,
						   .group = group,
						   .section = g->section->name,
						   .count = 1,
						   .share = clock == PIPA_CLOCK_ELAPSED,
						   .is_repaired = clock == PIPA_CLOCK_ASSUMED });
}

/* Counters are left out: those of a whole run have one interval, which is all there is to count. */
static int check_length(struct pipa_quality *q, const struct pipa_series_set *set)
{
	struct pipa_defect all = { .kind = PIPA_DEFECT_FEW_INTERVALS,
				   .group = SIZE_MAX,
				   .section = "" };
	size_t i;

	for (i = 0; i < set->groups.n; i++) {
		const struct pipa_series_group *g = &set->groups.items[i];
		const struct pipa_series_axis *axis = pipa_series_axis_of(set, g);

		if (g->section == &pipa_counter_section || g->n_ticks <= all.count)
			continue;
		note_span(&all, axis->wall_ns[0], axis->wall_ns[axis->n - 1],
			  g->n_ticks - all.count);
	}
	if (all.count >= ENOUGH_INTERVALS)
		return 0;
	all.share = 1 - (double)all.count / ENOUGH_INTERVALS;
	return add_defect(q, all);
}

/* ---- values --------------------------------------------------------------------------------- */

/* Can the block have an impossible value? Most have none, and are not decoded. */
static bool is_suspect(const struct pipa_column *column, const struct pipa_block *block)
{
	return block->present && (pipa_series_check(column, block->min) != PIPA_POSSIBLE ||
				  pipa_series_check(column, block->max) != PIPA_POSSIBLE);
}

/* Find the impossible values of a column. */
static int check_values(struct pipa_quality *q, const struct pipa_series_set *set,
			struct pipa_series_ref ref)
{
	const struct pipa_series_group *g = &set->groups.items[ref.group];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, g);
	const struct pipa_series_row *row = &g->items[ref.row];
	const struct pipa_column *column = &g->section->columns[ref.column];
	const struct pipa_series_blocks *blocks = &row->columns[ref.column];
	struct pipa_defect defects[] = {
		[PIPA_IMPOSSIBLE_NEGATIVE] = { .kind = PIPA_DEFECT_NEGATIVE },
		[PIPA_IMPOSSIBLE_OVER_100] = { .kind = PIPA_DEFECT_OVER_100 },
		[PIPA_IMPOSSIBLE_HUGE] = { .kind = PIPA_DEFECT_COUNTER_RESET },
	};
	double values[PIPA_BLOCK_VALUES], present = 0;
	size_t b, i, k, first, next = row->first;
	int rc = 0;

	for (b = 0; b < blocks->n; b++) {
		first = next;
		next += blocks->items[b].n;
		present += (double)blocks->items[b].present;
		if (!is_suspect(column, &blocks->items[b]))
			continue;
		pipa_block_decode(&blocks->items[b], values);
		for (i = 0; i < blocks->items[b].n; i++) {
			enum pipa_impossible why = pipa_series_check(column, values[i]);
			uint64_t at = axis->wall_ns[first + i];

			if (why != PIPA_POSSIBLE)
				note_span(&defects[why], at, at, 1);
		}
	}
	for (k = PIPA_IMPOSSIBLE_NEGATIVE; !rc && k < PIPA_COUNT(defects); k++) {
		defects[k].group = ref.group;
		defects[k].section = g->section->name;
		defects[k].instance = row->instance;
		defects[k].column = column->id;
		defects[k].share = (double)defects[k].count / (present > 0 ? present : 1);
		defects[k].is_repaired = true;
		defects[k].instances = g->n;
		rc = add_defect(q, defects[k]);
	}
	return rc;
}

/* Find multiplexed counters and intervals without counts. */
static int check_counter(struct pipa_quality *q, const struct pipa_series_set *set, size_t group,
			 size_t row)
{
	const struct pipa_series_group *g = &set->groups.items[group];
	const struct pipa_series_row *r = &g->items[row];
	const struct pipa_series_blocks *running = &r->columns[PIPA_COL_COUNTER_RUNNING];
	const struct pipa_series_blocks *counts = &r->columns[PIPA_COL_COUNTER_VALUE];
	const struct pipa_series_axis *axis = pipa_series_axis_of(set, g);
	struct pipa_defect defect = { .group = group,
				      .section = g->section->name,
				      .instance = r->instance,
				      .instances = g->n,
				      .from_ns = axis->n ? axis->wall_ns[r->first] : 0,
				      .until_ns = axis->n ? axis->wall_ns[axis->n - 1] : 0 };
	double sum = 0, known = 0, counted = 0;
	size_t b;
	int rc = 0;

	for (b = 0; b < running->n; b++) {
		sum += running->items[b].sum;
		known += (double)running->items[b].present;
		counted += (double)counts->items[b].present;
	}
	if (known > 0 && sum / known < RUNNING_ENOUGH) {
		defect.kind = PIPA_DEFECT_MULTIPLEXED;
		defect.count = (uint64_t)known;
		defect.share = 1 - sum / known / 100;
		rc = add_defect(q, defect);
	}
	if (!rc && counted > 0 && counted < (double)r->n) { /* without any it is not supported */
		defect.kind = PIPA_DEFECT_NOT_COUNTED;
		defect.count = (uint64_t)((double)r->n - counted);
		defect.share = 1 - counted / (double)r->n;
		rc = add_defect(q, defect);
	}
	return rc;
}

int pipa_quality_init(struct pipa_quality *quality, const struct pipa_series_set *set)
{
	size_t i, row, column;
	int rc = 0;

	*quality = (struct pipa_quality){ 0 };
	for (i = 0; !rc && i < set->groups.n; i++) {
		rc = check_axis(quality, set, i);
		rc = rc ? rc : check_rows(quality, set, i);
		rc = rc ? rc : check_restarts(quality, set, i);
		rc = rc ? rc : check_clock(quality, set, i);
	}
	rc = rc ? rc : check_length(quality, set);
	/* values last: many bad values of one table must not crowd out the gaps of the others */
	for (i = 0; !rc && i < set->groups.n; i++) {
		const struct pipa_series_group *g = &set->groups.items[i];

		for (row = 0; !rc && row < g->n; row++) {
			for (column = 0; !rc && column < g->section->n_columns; column++)
				rc = check_values(quality, set,
						  (struct pipa_series_ref){ i, row, column });
			if (!rc && g->section == &pipa_counter_section)
				rc = check_counter(quality, set, i, row);
		}
	}
	if (rc < 0)
		pipa_quality_done(quality);
	return rc;
}

int pipa_quality_add_samples(struct pipa_quality *quality, const struct pipa_sample_losses *losses)
{
	double all = (double)losses->samples + (double)losses->lost;
	int rc = add_defect(
		quality, (struct pipa_defect){ .kind = PIPA_DEFECT_LOST_SAMPLES,
					       .group = SIZE_MAX,
					       .section = "samples",
					       .instance = losses->name,
					       .count = losses->lost,
					       .share = all > 0 ? (double)losses->lost / all : 0 });

	if (rc < 0)
		return rc;
	return add_defect(
		quality, (struct pipa_defect){
				 .kind = PIPA_DEFECT_THROTTLED,
				 .group = SIZE_MAX,
				 .section = "samples",
				 .instance = losses->name,
				 .count = losses->throttled,
				 .share = all > 0 ? fmin((double)losses->throttled / all, 1) : 0 });
}

double pipa_quality_confidence(const struct pipa_quality *quality, const char *section,
			       const char *instance)
{
	double confidence = 1;
	size_t i;

	for (i = 0; i < quality->n; i++) {
		const struct pipa_defect *d = &quality->items[i];

		if ((*d->section ? strcmp(d->section, section) != 0 :
				   !strcmp(section, pipa_counter_section.name)) ||
		    (instance && *d->instance && strcmp(d->instance, instance) != 0))
			continue;
		confidence *= 1 - kinds[d->kind].weight * d->share /
					  (instance || !d->instances ? 1 : (double)d->instances);
	}
	return confidence > 0.1 ? confidence : 0.1;
}
