#include "analyze/report/collect_next.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "analyze/quality/quality.h"
#include "analyze/rules/evaluate.h"
#include "analyze/rules/variables.h"
#include "analyze/series/phases.h"
#include "base/auto.h"
#include "base/buf.h"
#include "codec/doc.h"
#include "model/series_set.h"

enum {
	COLLECT_S = 60, /* defaults of pipa collect */
	COLLECT_HZ = 97,
	COLLECT_MS = 1000,

	LONGER_S = 120,	      /* of a measurement that is too short */
	NO_LEVEL_MIN_S = 300, /* of one without a steady level */
	LONGEST_S = 3600,
	FEW_SAMPLES = 1000, /* 3 percentage points of uncertainty of a share of a half */
	HIGHER_HZ = 997,
	LOWER_HZ = 49,
	GROUP_EVENTS = 4, /* general counters of most CPUs, without a hypervisor or watchdog */
	EVENT_GROUPS = 4, /* maximum of proposals for multiplexed events */
	RULES_NAMED = 4,
	COARSE_S = 5, /* intervals from here on hide short peaks */
};

/* A loss of data below this share does not matter. */
#define SHARE_MIN 0.01

/* A way to measure what a variable needs. */
enum remedy {
	REMEDY_NONE, /* collecting does not help */
	REMEDY_COUNTERS,
	REMEDY_COLLECT, /* statistics that every collection has */
	REMEDY_MONITOR, /* statistics of pipa monitor */
	REMEDY_PROCESSES,
};

/* Events of the variables that are computed from counters, by perf's generic names. */
static const struct {
	const char *variable, *events;
} counted[] = {
	{ "ipc", "cycles,instructions" },
	{ "cpi", "cycles,instructions" },
	{ "branch_miss_rate", "branches,branch-misses" },
	{ "branch_mpki", "instructions,branch-misses" },
	{ "l3_cache_miss_rate", "LLC-loads,LLC-load-misses" },
	{ "llc_mpki", "instructions,LLC-load-misses" },
	{ "l1d_miss_rate", "L1-dcache-loads,L1-dcache-load-misses" },
	{ "dtlb_miss_rate", "dTLB-loads,dTLB-load-misses" },
	{ "dtlb_mpki", "instructions,dTLB-load-misses" },
	{ "itlb_mpki", "instructions,iTLB-load-misses" },
	{ "stalled_frontend", "cycles,stalled-cycles-frontend" },
	{ "stalled_backend", "cycles,stalled-cycles-backend" },
	{ "migrations_s", "cpu-migrations" },
	{ "migrations_per_cpu", "cpu-migrations" },
};

/* Statistics in every archive of pipa collect, by the beginning of what a variable needs. */
static const char *const collected[] = {
	"CPU statistics",
	"disk statistics",
	"network statistics",
	"memory statistics",
	"paging statistics",
	"load statistics",
	"context switch statistics",
	"I/O statistics",
	"a description of the machine",
};

/* Statistics that only pipa monitor records. */
static const char *const monitored[] = {
	"CPU frequencies",	    "interrupt statistics", "pressure statistics",
	"swapping statistics",	    "swap statistics",	    "huge page statistics",
	"network error statistics", "softnet statistics",   "TCP",
	"UDP statistics",	    "cgroup limits",
};

/* Settings of a collection. */
struct plan {
	unsigned int stat_s, record_s, hz, stat_ms;
	double sar_s;
	const char *events; /* NULL: those of the architecture */
	bool no_stat, no_record;
};

static const struct plan usual = { .stat_s = COLLECT_S,
				   .record_s = COLLECT_S,
				   .hz = COLLECT_HZ,
				   .stat_ms = COLLECT_MS,
				   .sar_s = 1 };

struct proposer {
	const struct pipa_next_input *in;
	struct pipa_next_steps *steps;
	struct plan all; /* everything that one collection can do */
	size_t merged;	 /* steps in it */
};

void pipa_next_steps_done(struct pipa_next_steps *steps)
{
	pipa_arena_done(&steps->arena);
}

/* ---- texts ----------------------------------------------------------------------------------------- */

static const char *keep_text(struct pipa_next_steps *steps, const struct pipa_buf *text)
{
	const char *kept = text->status ?
				   NULL :
				   pipa_arena_text(&steps->arena, pipa_buf_str(text), text->len);

	if (!kept)
		steps->status = -ENOMEM;
	return kept ? kept : "";
}

/* Write the command line: only options that differ from the defaults. */
static void put_command(const struct plan *plan, struct pipa_buf *out)
{
	pipa_buf_puts(out, "pipa collect");
	if (plan->no_stat)
		pipa_buf_puts(out, " --no-stat");
	else if (plan->stat_s != COLLECT_S)
		pipa_buf_printf(out, " --duration-stat %u", plan->stat_s);
	if (plan->no_record)
		pipa_buf_puts(out, " --no-record");
	else if (plan->record_s != COLLECT_S)
		pipa_buf_printf(out, " --duration-record %u", plan->record_s);
	if (!plan->no_stat && plan->stat_ms != COLLECT_MS)
		pipa_buf_printf(out, " --perf-stat-interval %u", plan->stat_ms);
	if (!plan->no_stat && plan->sar_s > 1)
		pipa_buf_printf(out, " --sar-interval %g", plan->sar_s);
	if (!plan->no_record && plan->hz != COLLECT_HZ)
		pipa_buf_printf(out, " --perf-record-freq %u", plan->hz);
	if (!plan->no_stat && plan->events) /* checked words: nothing to escape */
		pipa_buf_printf(out, " --perf-events '%s'", plan->events);
}

static void put_config(const struct plan *plan, struct pipa_buf *out)
{
	if (!plan->no_stat) {
		pipa_buf_printf(out, "duration_stat: %u\ncount_delta_stat: %u\n", plan->stat_s,
				plan->stat_ms);
		if (plan->events) {
			pipa_buf_puts(out, "events_stat: ");
			pipa_doc_put_quoted(out, plan->events);
			pipa_buf_putc(out, '\n');
		}
	}
	if (!plan->no_record)
		pipa_buf_printf(out, "duration_record: %u\nfreq_record: %u\n", plan->record_s,
				plan->hz);
}

PIPA_PRINTF(2, 3)
static const char *format_text(struct proposer *p, const char *fmt, ...)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	pipa_buf_vprintf(&text, fmt, ap);
	va_end(ap);
	return keep_text(p->steps, &text);
}

/* Add a step without a command; NULL if there are enough steps. */
static struct pipa_next_step *add_step(struct proposer *p, const char *id, const char *en,
				       const char *zh)
{
	struct pipa_next_steps *steps = p->steps;
	struct pipa_next_step *step = steps->n < PIPA_NEXT_STEPS ? &steps->items[steps->n++] : NULL;

	if (step)
		*step = (struct pipa_next_step){
			.id = id, .why = { en, zh }, .command = "", .config = ""
		};
	return step;
}

static void set_plan(struct proposer *p, struct pipa_next_step *step, const struct plan *plan)
{
	PIPA_AUTO(pipa_buf_done) struct pipa_buf text = { 0 };

	if (!step)
		return;
	put_command(plan, &text);
	step->command = keep_text(p->steps, &text);
	pipa_buf_reset(&text);
	put_config(plan, &text);
	step->config = keep_text(p->steps, &text);
}

/* ---- rules that could not be decided ----------------------------------------------------------------- */

static bool begins_with_any(const char *text, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strncmp(text, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static const char *events_of(const char *variable)
{
	size_t i;

	for (i = 0; i < PIPA_COUNT(counted); i++)
		if (strcmp(counted[i].variable, variable) == 0)
			return counted[i].events;
	return NULL;
}

static enum remedy remedy_of(const char *name)
{
	const struct pipa_rule_variable *variable = pipa_rule_variable_find(name);

	if (!variable)
		return REMEDY_NONE;
	if (events_of(name))
		return REMEDY_COUNTERS;
	if (strcmp(variable->needs, "switches per process") == 0)
		return REMEDY_PROCESSES;
	if (begins_with_any(variable->needs, monitored, PIPA_COUNT(monitored)))
		return REMEDY_MONITOR;
	/* %irq and %soft are not in the CPU statistics of a collection */
	if (strncmp(variable->needs, "CPU statistics with ", 20) == 0)
		return REMEDY_MONITOR;
	if (strstr(variable->needs, "more than one NUMA node"))
		return REMEDY_NONE;
	if (begins_with_any(variable->needs, collected, PIPA_COUNT(collected)))
		return REMEDY_COLLECT;
	return REMEDY_NONE;
}

/* Rules that one kind of data would decide. */
struct undecided {
	size_t n;				 /* rules */
	struct pipa_buf names[PIPA_LANGUAGE_NR]; /* of the first ones */
	struct pipa_buf events;			 /* comma-separated */
};

static void undecided_done(struct undecided *u)
{
	enum pipa_language l;

	for (l = 0; l < PIPA_LANGUAGE_NR; l++)
		pipa_buf_done(&u->names[l]);
	pipa_buf_done(&u->events);
}

static void name_rule(struct undecided *u, const struct pipa_rule_entry *rule)
{
	static const char *const separators[PIPA_LANGUAGE_NR] = { ", ", "、" };
	enum pipa_language l;

	u->n++;
	for (l = 0; u->n <= RULES_NAMED && l < PIPA_LANGUAGE_NR; l++) {
		const struct pipa_rule_scalar *name = pipa_rule_words_in(&rule->name, l);
		const char *text = name && name->text ? name->text : rule->id ? rule->id : "?";

		pipa_buf_printf(&u->names[l], "%s%s", u->names[l].len ? separators[l] : "", text);
	}
}

static void end_names(struct undecided *u)
{
	if (u->n > RULES_NAMED) {
		pipa_buf_printf(&u->names[PIPA_LANGUAGE_EN], " and %zu more", u->n - RULES_NAMED);
		pipa_buf_printf(&u->names[PIPA_LANGUAGE_ZH], " 等 %zu 条", u->n);
	}
}

/* Is the event in a comma-separated list? */
static bool lists_event(const char *list, const char *event, size_t len)
{
	const char *at = list;

	for (; (at = strstr(at, event)); at++)
		if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
			return true;
	return false;
}

/* Add the events of a list that are not in the other list yet: an event is counted once. */
static void add_events(struct pipa_buf *events, const char *list)
{
	char event[80];
	size_t len;

	for (; *list; list += len + (list[len] == ',')) {
		len = strcspn(list, ",");
		(void)snprintf(event, sizeof(event), "%.*s", (int)len, list);
		if (!lists_event(pipa_buf_str(events), event, len))
			pipa_buf_printf(events, "%s%s", events->len ? "," : "", event);
	}
}

/* Find the rules of which an absent variable has the remedy. */
static void find_undecided(const struct pipa_next_input *in, enum remedy remedy,
			   struct undecided *ret)
{
	size_t i, k;

	for (i = 0; i < in->findings->n_results; i++) {
		const struct pipa_rule_result *result = &in->findings->results[i];
		bool has = false;

		if (result->state != PIPA_RULE_UNKNOWN)
			continue;
		for (k = 0; k < result->n_inputs; k++) {
			const struct pipa_variable *variable = result->inputs[k].variable;
			const char *events;

			if (!variable || variable->value.kind != PIPA_VALUE_ABSENT ||
			    remedy_of(variable->name) != remedy)
				continue;
			has = true;
			events = events_of(variable->name);
			if (events)
				add_events(&ret->events, events);
		}
		if (has)
			name_rule(ret, &in->rules->items[i]);
	}
	end_names(ret);
}

static int check_undecided(struct proposer *p, const struct undecided *u)
{
	if (u->events.status || u->names[0].status || u->names[1].status)
		p->steps->status = -ENOMEM;
	return p->steps->status;
}

static void propose_counters(struct proposer *p)
{
	struct undecided u = { 0 };
	struct plan plan = usual;
	const char *en, *zh;

	find_undecided(p->in, REMEDY_COUNTERS, &u);
	if (u.n && !check_undecided(p, &u)) {
		en = format_text(
			p,
			"These rules cannot be decided without counters: %s. If the machine "
			"does not support them, pipa doctor names the reason.",
			pipa_buf_str(&u.names[PIPA_LANGUAGE_EN]));
		zh = format_text(p,
				 "缺少判定以下规则所需的计数器：%s。如果机器不支持这些计数器，"
				 "pipa doctor 会说明原因。",
				 pipa_buf_str(&u.names[PIPA_LANGUAGE_ZH]));
		plan.events = keep_text(p->steps, &u.events);
		plan.no_record = true;
		set_plan(p, add_step(p, "counters", en, zh), &plan);
		p->all.events = plan.events;
		p->merged++;
	}
	undecided_done(&u);
}

/* Statistics that every collection has are missing: any collection helps. */
static void propose_statistics(struct proposer *p)
{
	struct undecided u = { 0 };
	struct plan plan = usual;
	const char *en, *zh;

	find_undecided(p->in, REMEDY_COLLECT, &u);
	if (u.n && !check_undecided(p, &u)) {
		en = format_text(
			p,
			"These rules cannot be decided without statistics per CPU, disk and "
			"interface and the description of the machine: %s.",
			pipa_buf_str(&u.names[PIPA_LANGUAGE_EN]));
		zh = format_text(
			p, "缺少判定以下规则所需的统计数据（按 CPU、磁盘、网卡）或机器描述：%s。",
			pipa_buf_str(&u.names[PIPA_LANGUAGE_ZH]));
		plan.no_record = true;
		set_plan(p, add_step(p, "statistics", en, zh), &plan);
		p->merged++;
	}
	undecided_done(&u);
}

/* Statistics that a collection does not have: record them beside it. */
static void propose_monitor(struct proposer *p, enum remedy remedy)
{
	bool processes = remedy == REMEDY_PROCESSES;
	struct undecided u = { 0 };
	struct pipa_next_step *step;
	const char *en, *zh;

	find_undecided(p->in, remedy, &u);
	if (u.n && !check_undecided(p, &u)) {
		en = format_text(p,
				 "These rules cannot be decided without %s: %s. Analyze the "
				 "directory together with the collection: pipa analyze ARCHIVE %s",
				 processes ? "switches per process" : "further statistics",
				 pipa_buf_str(&u.names[PIPA_LANGUAGE_EN]),
				 processes ? "processes" : "statistics");
		zh = format_text(p,
				 "缺少判定以下规则所需的%s：%s。请将该目录与采集结果一起分析："
				 "pipa analyze ARCHIVE %s",
				 processes ? "进程上下文切换数据" : "其他统计数据",
				 pipa_buf_str(&u.names[PIPA_LANGUAGE_ZH]),
				 processes ? "processes" : "statistics");
		step = add_step(p, processes ? "processes" : "monitor", en, zh);
		if (step)
			step->command = processes ? "pipa monitor --processes -n 60 -o processes" :
						    "pipa monitor -A -P ALL -n 60 -o statistics";
	}
	undecided_done(&u);
}

/* ---- length and intervals --------------------------------------------------------------------------- */

static double measured_seconds(const struct pipa_phases *phases)
{
	return phases->end_ns > phases->begin_ns ?
		       (double)(phases->end_ns - phases->begin_ns) / 1e9 :
		       0;
}

static void propose_longer(struct proposer *p)
{
	const struct pipa_phases *phases = p->in->phases;
	double seconds = measured_seconds(phases);
	struct plan plan = usual;
	const char *en, *zh;

	if (phases->reason == PIPA_PHASES_TOO_SHORT) {
		plan.stat_s = LONGER_S;
		en = format_text(p,
				 "The measurement has fewer than %d intervals (%.0f s): warm-up "
				 "cannot be distinguished from the steady phase. Measure for %u s.",
				 PIPA_PHASES_MIN, seconds, plan.stat_s);
		zh = format_text(p,
				 "测量不足 %d 个采样间隔（%.0f 秒），无法区分预热阶段与稳定阶段。"
				 "请测量 %u 秒。",
				 PIPA_PHASES_MIN, seconds, plan.stat_s);
	} else if (phases->reason == PIPA_PHASES_NO_LEVEL) {
		plan.stat_s = seconds * 3 < NO_LEVEL_MIN_S ? NO_LEVEL_MIN_S :
			      seconds * 3 > LONGEST_S	   ? LONGEST_S :
							     (unsigned int)(seconds * 3);
		en = format_text(
			p,
			"CPU use has no steady level in the %.0f s measured, so averages mix "
			"phases. Measure for %u s, or while the load is constant.",
			seconds, plan.stat_s);
		zh = format_text(p,
				 "在 %.0f 秒的测量中 CPU 使用率没有稳定水平，平均值混合了不同阶段。"
				 "请测量 %u 秒，或在负载稳定时测量。",
				 seconds, plan.stat_s);
	} else {
		return;
	}
	p->all.stat_s = plan.stat_s;
	p->merged++;
	plan.no_record = true;
	set_plan(p, add_step(p, "longer", en, zh), &plan);
}

/* Return the largest share of the data that defects of a kind affect; 0: none. */
static double defect_share(const struct pipa_quality *quality, enum pipa_defect_kind kind)
{
	double share = 0;
	size_t i;

	for (i = 0; i < quality->n; i++)
		if (quality->items[i].kind == kind && quality->items[i].share > share)
			share = quality->items[i].share;
	return share;
}

/* Return the longest usual interval of the statistics in seconds; 0: unknown. */
static double usual_interval(const struct pipa_series_set *series)
{
	double longest = 0;
	size_t i;

	for (i = 0; i < series->axes.n; i++) {
		const struct pipa_series_axis *axis = &series->axes.items[i];

		if (axis->n > 2 && (double)axis->interval_s[axis->n / 2] > longest)
			longest = (double)axis->interval_s[axis->n / 2];
	}
	return longest;
}

static void propose_intervals(struct proposer *p)
{
	const struct pipa_quality *quality = p->in->quality;
	double late = defect_share(quality, PIPA_DEFECT_LATE);
	double gap = defect_share(quality, PIPA_DEFECT_GAP);
	double interval = usual_interval(p->in->series);
	struct plan plan = usual;
	const char *en, *zh;

	plan.no_record = true;
	if (late > SHARE_MIN || gap > SHARE_MIN) {
		plan.stat_ms = 2 * COLLECT_MS;
		plan.sar_s = 2;
		en = format_text(
			p,
			"Up to %.0f %% of the intervals are missing. Read statistics every 2 s "
			"on this busy machine, at a higher priority if possible (nice -n -5).",
			100 * (late > gap ? late : gap));
		zh = format_text(
			p,
			"最多 %.0f %% 的采样间隔缺失。机器繁忙时请每 2 秒读取一次统计数据，"
			"并尽可能提高优先级（nice -n -5）。",
			100 * (late > gap ? late : gap));
		p->all.stat_ms = plan.stat_ms;
		p->all.sar_s = plan.sar_s;
	} else if (interval >= COARSE_S) {
		en = format_text(
			p, "Intervals of %.0f s hide short peaks. Read statistics every second.",
			interval);
		zh = format_text(p, "%.0f 秒的采样间隔会掩盖短时峰值。请每秒读取一次统计数据。",
				 interval);
	} else {
		return;
	}
	p->merged++;
	set_plan(p, add_step(p, "intervals", en, zh), &plan);
}

/* ---- multiplexed counters --------------------------------------------------------------------------- */

/* Return the length of the event's name in an instance "EVENT CPU0"; 0: not a plain name. */
static size_t event_length(const char *instance)
{
	size_t len = strcspn(instance, " ");

	return strspn(instance, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				"_.:-") == len ?
		       len :
		       0;
}

/* Propose a collection for every few of the multiplexed events, so that each counts all the time. */
static void propose_fewer_events(struct proposer *p)
{
	const struct pipa_quality *quality = p->in->quality;
	PIPA_AUTO(pipa_buf_done) struct pipa_buf seen = { 0 }, group = { 0 };
	struct plan plan = usual;
	size_t i, n = 0, groups = 0;
	double share = defect_share(quality, PIPA_DEFECT_MULTIPLEXED);

	plan.no_record = true;
	for (i = 0; i <= quality->n && groups < EVENT_GROUPS; i++) {
		const struct pipa_defect *defect = i < quality->n ? &quality->items[i] : NULL;

		if (defect && defect->kind == PIPA_DEFECT_MULTIPLEXED) {
			char event[80];
			size_t len = event_length(defect->instance);

			if (!len || len >= sizeof(event))
				continue;
			(void)snprintf(event, sizeof(event), "%.*s", (int)len, defect->instance);
			if (lists_event(pipa_buf_str(&seen), event, len))
				continue;
			pipa_buf_printf(&seen, "%s%s", seen.len ? "," : "", event);
			pipa_buf_printf(&group, "%s%s", n ? "," : "", event);
			n++;
		}
		if (!n || (defect && n < GROUP_EVENTS))
			continue;
		plan.events = keep_text(p->steps, &group);
		set_plan(p,
			 add_step(p, "multiplexed",
				  format_text(
					  p,
					  "Counters were multiplexed: counts are estimates for up "
					  "to %.0f %% of the time. Count at most %d events at a "
					  "time: %s.",
					  100 * share, GROUP_EVENTS, plan.events),
				  format_text(p,
					      "计数器被复用：最多 %.0f %% 的时间内计数为估计值。"
					      "请每次最多统计 %d 个事件：%s。",
					      100 * share, GROUP_EVENTS, plan.events)),
			 &plan);
		pipa_buf_reset(&group);
		n = 0;
		groups++;
	}
}

/* ---- samples --------------------------------------------------------------------------------------- */

static void propose_samples(struct proposer *p)
{
	const struct pipa_next_input *in = p->in;
	double lost = defect_share(in->quality, PIPA_DEFECT_LOST_SAMPLES);
	bool throttled = defect_share(in->quality, PIPA_DEFECT_THROTTLED) > 0;
	struct plan plan = usual;
	const char *en, *zh;

	plan.no_stat = true;
	if (!in->has_profile) {
		en = "There are no samples, so functions and call paths are unknown.";
		zh = "没有采样数据，无法得知热点函数和调用路径。";
	} else if (!in->has_stacks) {
		en = "The samples have no call stacks, so callers are unknown.";
		zh = "采样数据没有调用栈，无法得知调用者。";
	} else if (lost > SHARE_MIN || throttled) {
		plan.hz = LOWER_HZ;
		plan.record_s = 2 * COLLECT_S;
		en = format_text(
			p,
			"%.1f %% of the samples were lost%s. Sample at a lower rate, for longer.",
			100 * lost, throttled ? " and sampling was throttled" : "");
		zh = format_text(p, "%.1f %% 的采样丢失%s。请降低采样频率并延长采样时间。",
				 100 * lost, throttled ? "，且采样被限流" : "");
	} else if (in->samples < FEW_SAMPLES) {
		plan.hz = HIGHER_HZ;
		en = format_text(p,
				 "Only %llu samples, so shares of functions are uncertain. "
				 "Sample at a higher rate.",
				 (unsigned long long)in->samples);
		zh = format_text(p, "只有 %llu 个采样，函数占比不可靠。请提高采样频率。",
				 (unsigned long long)in->samples);
	} else {
		return;
	}
	p->all.hz = plan.hz;
	p->all.record_s = plan.record_s;
	p->all.no_record = false;
	p->merged++;
	set_plan(p, add_step(p, "samples", en, zh), &plan);
}

/* Prepend a step that combines several proposed collections in one. */
static void propose_all(struct proposer *p)
{
	struct pipa_next_steps *steps = p->steps;
	struct pipa_next_step *step;

	if (p->merged < 2)
		return;
	if (steps->n == PIPA_NEXT_STEPS)
		steps->n--;
	memmove(&steps->items[1], &steps->items[0], steps->n * sizeof(steps->items[0]));
	steps->n++;
	step = &steps->items[0];
	*step = (struct pipa_next_step){
		.id = "all",
		.why = { "One collection instead of those below, except for multiplexed "
			 "counters.",
			 "一次采集即可完成以下各项采集（计数器复用的情形除外）。" },
		.command = "",
		.config = "",
	};
	set_plan(p, step, &p->all);
}

int pipa_collect_next(const struct pipa_next_input *input, struct pipa_next_steps *ret)
{
	struct proposer p = { .in = input, .steps = ret, .all = usual };

	p.all.no_record = true;
	propose_longer(&p);
	propose_intervals(&p);
	propose_samples(&p);
	propose_counters(&p);
	propose_statistics(&p);
	propose_fewer_events(&p);
	propose_monitor(&p, REMEDY_MONITOR);
	propose_monitor(&p, REMEDY_PROCESSES);
	propose_all(&p);
	return ret->status;
}
